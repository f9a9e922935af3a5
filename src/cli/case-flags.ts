import { type Command, Option } from "commander";
import { brokenOrFailed } from "../analyse/case-list.ts";
import { asGlob } from "../base/glob.ts";
import { counted } from "../report/words/figures.ts";
import type { SuiteRequest } from "../runs/request.ts";
import type { Tools } from "../tools.ts";
import { baselineNamed, lastRunOf, latest } from "./latest.ts";
import { collect } from "./options.ts";
import { withChoices } from "../suite/selection/choices.ts";
import { readingOf, readManifest } from "../suite/read-manifest.ts";

/** Flags that select cases. */
export interface CaseFlags {
  /** Globs of case ids; empty: all. */
  readonly case: readonly string[];
  /** `field=glob` over the rows of cases; empty: all. */
  readonly where: readonly string[];
  /** Only the cases that broke or failed in the last run. */
  readonly failed: boolean;
}

/**
 * Adds the flags that choose cases by name. They exclude the flags for a random subset (`--max-samples`) and for a
 * shard.
 */
export function withCaseFlags(command: Command): Command {
  const cases = new Option(
    "--case <glob>",
    "only cases whose id this glob matches (repeatable); the others are not selected, and the run is no baseline",
  );
  const where = new Option(
    "--where <field=glob>",
    "only cases whose field has a value (or list item) that this glob matches (repeatable: the same field again adds alternatives, another field narrows further); otherwise like --case",
  );
  const failed = new Option(
    "--failed",
    "only the cases that broke or failed in the suite's last run in .regrade/runs; otherwise like --case",
  );
  return command
    .addOption(cases.argParser(collect).default([], "all").conflicts(["shard", "maxSamples"]))
    .addOption(where.argParser(collect).default([], "all").conflicts(["shard", "maxSamples"]))
    .addOption(failed.default(false).conflicts(["case", "where", "shard", "maxSamples", "resume"]));
}

/**
 * Selects the tasks and cases to run, and resolves `latest` and `--failed`. undefined: with `--failed`, no case of the
 * last run broke or failed.
 */
export async function narrow(
  request: SuiteRequest,
  { failed }: CaseFlags,
  tools: Tools,
): Promise<SuiteRequest | undefined> {
  const baselines = [request.baseline ?? []].flat();
  if (!failed && !baselines.includes(latest)) return request;
  const resolved = await readManifest(request.manifest, tools, readingOf(request));
  const { suite } = withChoices(resolved, request.choices);
  const { name } = suite;
  const named = baselines.map((each) => baselineNamed(each, suite, tools));
  const baseline = named.length === 0 ? undefined : await Promise.all(named);
  if (!failed) return { ...request, baseline };
  const cases = await lastFailed(name, tools);
  if (cases.length === 0) return undefined;
  return { ...request, baseline, choices: { ...request.choices, cases } };
}

async function lastFailed(name: string, tools: Tools): Promise<readonly string[]> {
  const directory = await lastRunOf(name, tools);
  const cases = brokenOrFailed(await tools.readRun(directory)).map(asGlob);
  const found = cases.length === 0 ? "none, and nothing is run" : counted(cases.length, "case");
  const text = `Broken or failed in the last run of ${name} (${directory}): ${found}.`;
  tools.report({ kind: "note", text });
  return cases;
}

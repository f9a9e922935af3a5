import { join } from "node:path";
import type { BaseTree } from "../model/outcomes/policy.ts";
import { problem, Refusal } from "../model/refusal.ts";
import type { Run } from "../model/outcomes/run.ts";
import type { ShardChoice } from "../model/outcomes/shard.ts";
import { exitCodes, worstVerdict } from "../model/outcomes/verdict.ts";
import { runSuite } from "../runs/run-suite.ts";
import { openJudgingFiles } from "../run/judging-files.ts";
import type { FinishedRun } from "../run/finish.ts";
import type { SuiteRequest } from "../runs/request.ts";
import { readSuiteName } from "../suite/policy/base-manifest.ts";
import type { RunChoices } from "../suite/selection/choices.ts";
import type { Tools } from "../tools.ts";
import { narrow, type CaseFlags } from "./case-flags.ts";
import { latest } from "./latest.ts";
import { overridesIn, type OverrideFlags } from "./run-flags.ts";
import { validateEach } from "./validate-each.ts";

/** Flags that select suites and runs. */
export interface SuitesAsked extends CaseFlags, OverrideFlags {
  readonly suites: readonly string[];
  readonly out: string | undefined;
  /** A run directory, several to be pooled, or `none`; empty: the manifest decides. */
  readonly baseline: readonly string[];
  readonly candidate: readonly string[];
  readonly task: readonly string[];
  readonly shard: ShardChoice | undefined;
  /** Size of a seeded random subset of each task's cases. */
  readonly maxSamples: number | undefined;
  readonly repeats: number | undefined;
  readonly metadata: Readonly<Record<string, string>>;
  readonly resume: boolean;
  /** True if likely mistakes in the suite are refused. */
  readonly strict: boolean;
  /** True if answers of earlier runs may be reused. */
  readonly cache: boolean;
}

/** The same, with the tree that contains the policy. */
export type AskedToRun = SuitesAsked & { readonly policyFrom: BaseTree | undefined };

/** Listeners: `tell` for each finished run, `tellAll` for all of them at the end. */
interface Telling {
  readonly tell: (finished: FinishedRun) => void;
  /** `notRun`: manifests that were not run because the user stopped. */
  readonly tellAll: (runs: readonly Run[], notRun: readonly string[]) => void;
}

/** Runs suites one after the other. The exit code is that of the worst verdict. */
export async function runEach(
  asked: AskedToRun,
  tools: Tools,
  { tell, tellAll }: Telling,
): Promise<number> {
  const names = asked.suites.map((each) => readSuiteName(each, tools));
  const together = asked.suites.length === 1 ? undefined : await Promise.all(names);
  const outs = await outsFor({ ...asked, together }, tools);
  const git = { ...(await tools.readGitHead()), base_sha: null };
  const judging = openJudgingFiles(asked.policyFrom, tools);
  const runs: Run[] = [];
  // Before the first suite runs, whose program could put a run into the folder that `latest` and `--failed` look into.
  const narrowed: (SuiteRequest | undefined)[] = [];
  for (const manifest of asked.suites)
    narrowed.push(await narrow({ ...requestOf(asked), manifest, together }, asked, tools));
  for (const [i, request] of narrowed.entries()) {
    if (request === undefined) continue;
    const finished = await runSuite(
      {
        ...request,
        out: outs[i],
        shard: asked.shard,
        resume: asked.resume,
        strict: asked.strict,
        cache: asked.cache,
        publish: "failures",
        git,
        ofChange: asked.policyFrom !== undefined,
        policyFrom: asked.policyFrom,
        judging,
      },
      tools,
    );
    runs.push(finished.run);
    tell(finished);
    if (!tools.signal.aborted) continue;
    tellAll(runs, asked.suites.slice(i + 1));
    return exitCodes.interrupted;
  }
  tellAll(runs, []);
  if (runs.length === 0) return exitCodes.pass;
  return exitCodes[worstVerdict(runs.map((run) => run.gate.verdict))];
}

/** The request for each suite, from the flags. */
export function requestOf(asked: AskedToRun): Omit<SuiteRequest, "manifest"> {
  return { ...selectedBy(asked), choices: choicesOf(asked) };
}

/** The baseline, candidates and tasks that the flags select. Without `--baseline` the manifest decides. */
export function selectedBy(
  asked: SuitesAsked,
): Pick<SuiteRequest, "baseline" | "candidates" | "tasks"> {
  const { baseline, candidate: candidates, task: tasks } = asked;
  return { baseline: baseline.length === 0 ? undefined : baseline, candidates, tasks };
}

/** Flags that override the manifests' `run`. */
function choicesOf(asked: AskedToRun): RunChoices {
  const { maxSamples, case: cases, where, repeats, metadata } = asked;
  return { maxSamples, cases, where, repeats, metadata, overrides: overridesIn(asked) };
}

/**
 * Output directories: `--out` itself for one suite, a folder inside it for each of several. Several suites are all
 * checked before the first one costs anything.
 */
async function outsFor(
  asked: AskedToRun & Pick<SuiteRequest, "together">,
  tools: Tools,
): Promise<readonly (string | undefined)[]> {
  const { suites, out, policyFrom, together } = asked;
  if (suites.length === 1) return [out];
  // `latest` is resolved later, when its suite's turn comes.
  const baseline = asked.baseline.filter((each) => each !== latest);
  const choices = { overrides: overridesIn(asked) };
  const selected = { ...selectedBy({ ...asked, baseline }), policyFrom, together, choices };
  const prepared = await validateEach(suites, selected, tools);
  const names = prepared.map(({ suite }) => suite.name);
  const twice = names.find((name, i) => names.indexOf(name) !== i);
  if (twice !== undefined) {
    const paths = suites.filter((_, i) => names[i] === twice).join(", ");
    throw new Refusal(problem("same_name", { name: twice, paths }));
  }
  return names.map((name) => (out === undefined ? undefined : join(out, name)));
}

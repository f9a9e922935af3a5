import { join } from "node:path";
import { ownPolicyFolder } from "../domain/policy.ts";
import { Refusal } from "../domain/refusal.ts";
import type { Problem } from "../domain/refusal.ts";
import type { GateResult, Run } from "../domain/run.ts";
import type { Gate } from "../domain/suite.ts";
import { baselineSource, readBaseline } from "./baseline.ts";
import { conclude } from "./conclude.ts";
import type { Baseline } from "./conclude.ts";
import { judgedOf } from "./describe.ts";
import { decide } from "./policy/decide.ts";
import { summarize } from "./summarize.ts";
import type { Tools } from "./tools.ts";

/**
 * Judges a run against another by the rules that it recorded: the verdict that CI gave, byte for byte. Where the run was
 * judged by two policies it is so again, unless a gate is given: then by that one alone.
 */
export async function compareRuns(
  request: { readonly base: string; readonly head: string; readonly gate: Gate | undefined },
  tools: Pick<Tools, "readRun" | "now">,
): Promise<Run> {
  const { run, ledger } = await tools.readRun(request.head);
  const { policy, ...rest } = run;
  const baseline = await readBaseline(request.base, request.base, tools);
  const gate = request.gate ?? run.suite.gate;
  const judged = { ...judgedOf(run, ledger), gate, slots: policy?.slots };
  const concluded = conclude(judged, baseline, tools.now());
  const judgedAgain = { suite: { ...run.suite, gate }, ...concluded };
  if (policy === undefined || request.gate !== undefined) return { ...rest, ...judgedAgain };
  const again = { ...run, ...judgedAgain };
  const base = policy.base === null ? null : concluded.gate;
  if (base === null || policy.head === null) return { ...again, policy: { ...policy, base } };
  const own = (await judgeOwn(request.head, baseline, tools)) ?? policy.head;
  const { gate: decided, ...settled } = decide(policy.changed, base, own);
  return { ...again, gate: decided, policy: { ...policy, ...settled } };
}

/** The verdict by the change's own policy; undefined where that run was not kept. */
async function judgeOwn(
  head: string,
  baseline: Baseline,
  tools: Pick<Tools, "readRun" | "now">,
): Promise<GateResult | undefined> {
  try {
    const { run, ledger } = await tools.readRun(join(head, ownPolicyFolder));
    return conclude(judgedOf(run, ledger), baseline, tools.now()).gate;
  } catch (error) {
    const isGone = error instanceof Refusal && error.problems.some(isMissing);
    if (isGone) return undefined;
    throw error;
  }
}

function isMissing({ code }: Problem): boolean {
  return code === "run_missing";
}

/**
 * Renders a run's summary.md again and writes it there: the same bytes, as long as the baseline that the run was
 * compared with is still where it was. Without it the texts of the baseline's side are left out.
 */
export async function renderAgain(
  directory: string,
  tools: Pick<Tools, "readRun" | "visitSamples" | "writeSummary">,
): Promise<string> {
  const { run, ledger } = await tools.readRun(directory);
  const summary = await summarize(run, {
    directory,
    baseline: baselineSource(await findAgain(run, tools)),
    ledger,
    visitSamples: tools.visitSamples,
  });
  await tools.writeSummary(directory, summary);
  return summary;
}

/** The baseline where the run found it. Another run that lies there by now is none: its texts would be wrong. */
async function findAgain(run: Run, tools: Pick<Tools, "readRun">): Promise<Baseline> {
  const gone = { kind: "none", reason: "it is gone" } as const;
  if (run.baseline === null) return gone;
  try {
    const found = await readBaseline(run.baseline.source, run.baseline.source, tools);
    return found.stored.run.id === run.baseline.run_id ? found : gone;
  } catch (error) {
    if (error instanceof Refusal) return gone;
    throw error;
  }
}

import { join } from "node:path";
import { crash, lossMessage } from "../model/outcomes/compared.ts";
import type { Confirmation } from "../model/outcomes/confirmation.ts";
import type { Ledger } from "../model/figures/ledger.ts";
import { ownPolicyFolder, policyLabelOf, type RunPolicy } from "../model/outcomes/policy.ts";
import { Refusal, type Problem } from "../model/refusal.ts";
import type { Run } from "../model/outcomes/run.ts";
import type { GateResult } from "../model/outcomes/rule-result.ts";
import type { Gate } from "../model/definition/gate.ts";
import { baselineSource } from "../verdict/baseline.ts";
import { readBaseline } from "../verdict/read-baseline.ts";
import { conclude, type Baseline } from "../verdict/conclude.ts";
import { judgedOf } from "../verdict/describe.ts";
import { readConfirmation } from "../run/confirm/stored.ts";
import { decide, judgeVanished } from "../verdict/decide.ts";
import { newestOf, readNamed } from "../verdict/pool/read.ts";
import { readTexts, summarize } from "../verdict/summarize.ts";
import type { Tools } from "../tools.ts";

/**
 * Judges a run against another by the rules that the run recorded: the same verdict that CI gave, byte for byte. A run
 * that was judged by two policies is judged by both again, unless a gate is given, which then decides alone.
 */
export async function compareRuns(
  request: Compared & { readonly gate: Gate | undefined },
  tools: Tools,
): Promise<Run> {
  const { run, ledger } = await tools.readRun(request.head);
  const { policy, ...rest } = run;
  const baseline = await readComparedWith(request, run, besideHead(tools, ledger));
  const gate = request.gate ?? run.suite.gate;
  const confirmation = await confirmedWith(request.head, { run, baseline }, tools);
  const approvals = request.gate === undefined ? run.approvals : undefined;
  const acceptsLoss = Boolean(approvals?.loss);
  const { slots, told } = policy ?? {};
  const judged = { ...judgedOf(run, ledger), gate, slots, told, confirmation, acceptsLoss };
  const concluded = conclude(judged, baseline, tools.now());
  const judgedAgain = {
    suite: { ...run.suite, gate },
    ...concluded,
    ...diagnosedWith(run, baseline),
  };
  if (policy === undefined || request.gate !== undefined) return { ...rest, ...judgedAgain };
  return byPolicies({ ...run, ...judgedAgain, policy }, { ...request, acceptsLoss }, tools);
}

/** Reads the other run with this run's ledger at hand, because both mostly have the same cases. */
function besideHead(tools: Tools, ledger: Ledger): Tools {
  return { ...tools, readRun: (directory: string) => tools.readRun(directory, ledger) };
}

/** The grader's messages for broken cases apply only to the baseline against which they broke. */
function diagnosedWith({ diagnoses, baseline: own }: Run, baseline: Baseline): Partial<Run> {
  const isSame = baseline.kind === "run" && own?.run_id === baseline.stored.run.id;
  if (diagnoses === undefined || isSame) return {};
  return {
    diagnoses: diagnoses.filter(({ symptom }) => symptom !== lossMessage && symptom !== crash),
  };
}

/**
 * Combines the verdicts of two policies: the stricter one counts, unless approvals settle it. `again`: the run, judged
 * by the first policy.
 */
async function byPolicies(
  again: Run & { readonly policy: RunPolicy },
  asked: Compared & { readonly acceptsLoss: boolean },
  tools: Tools,
): Promise<Run> {
  const { policy, approvals } = again;
  const base = policy.base === null ? null : again.gate;
  if (base === null || policy.head === null)
    return { ...again, ...byBaseAlone(policy, base, again) };
  const acceptsMove = Boolean(approvals?.policy);
  const own = (await judgeOwn({ ...asked, acceptsMove }, tools)) ?? policy.head;
  const { gate: decided, ...settled } = decide({
    changed: policy.changed,
    base,
    head: own,
    approved: approvals?.policy,
  });
  return { ...again, gate: decided, policy: { ...policy, ...settled } };
}

/** Directories of the runs to compare. Several bases are pooled. */
export interface Compared {
  readonly base: readonly [string, ...string[]];
  readonly head: string;
}

/** The baseline, with its outputs graded again by the run's grader, if the run was compared with this baseline. */
export async function readComparedWith(
  { base, head }: Compared,
  run: Run,
  tools: Tools,
): Promise<Baseline> {
  const named = await readNamed(base, tools);
  if (run.baseline?.run_id !== named.stored.run.id) return named;
  const { regraded: tasks = [], swaps } = run.baseline;
  // If the baseline has several runs, only the newest was graded again, and only that one was compared.
  const baseline = tasks.length > 0 ? newestOf(named) : named;
  const known = { ...baseline, ...(swaps && { swaps }) };
  if (tasks.length === 0) return known;
  const groups = (await tools.readRegraded(head, tasks)).groups();
  return { ...known, regraded: { tasks, groups } };
}

/** Result of running proven drops again; undefined if they were found against another baseline. */
async function confirmedWith(
  directory: string,
  { run, baseline }: { readonly run: Run; readonly baseline: Baseline },
  tools: Tools,
): Promise<Confirmation | undefined> {
  const isSame = baseline.kind === "run" && run.baseline?.run_id === baseline.stored.run.id;
  return isSame ? readConfirmation(directory, run, tools) : undefined;
}

/** The verdict by the base branch's policy alone: the policy is unchanged, or the suite was deleted. */
function byBaseAlone(
  policy: RunPolicy,
  base: GateResult | null,
  { approvals, suite }: Run,
): Partial<Run> {
  if (base === null || policy.suite !== "deleted") return { policy: { ...policy, base } };
  const label = policyLabelOf(suite.gate);
  const vanished = { approved: approvals?.policy, basePath: policy.base_path ?? "", label };
  return { gate: judgeVanished(base, vanished), policy: { ...policy, base } };
}

/** The verdict by the change's own policy; undefined if the run of that policy was not kept. */
async function judgeOwn(
  {
    base,
    head,
    acceptsLoss,
    acceptsMove,
  }: Compared & {
    readonly acceptsLoss: boolean;
    readonly acceptsMove: boolean;
  },
  tools: Tools,
): Promise<GateResult | undefined> {
  const directory = join(head, ownPolicyFolder);
  try {
    const { run, ledger } = await tools.readRun(directory);
    const baseline = await readComparedWith({ base, head: directory }, run, tools);
    const confirmation = await confirmedWith(directory, { run, baseline }, tools);
    const judged = { ...judgedOf(run, ledger), confirmation, acceptsLoss, acceptsMove };
    return conclude(judged, baseline, tools.now()).gate;
  } catch (error) {
    const isGone = error instanceof Refusal && error.problems.some(isMissing);
    if (isGone) return undefined;
    throw error;
  }
}

function isMissing({ code }: Problem): boolean {
  return code === "run_missing";
}

/** The texts of the cases that got worse in a judged run; none if its samples are not in a run directory. */
export async function brokenTexts(
  run: Run,
  directory: string,
  tools: Tools,
): Promise<Awaited<ReturnType<typeof readTexts>>["broken"]> {
  const { ledger } = await tools.readRun(directory);
  const baseline = baselineSource(await findAgain(run, tools));
  const { visitSamples } = tools;
  return (await readTexts(run, { directory, baseline, ledger, visitSamples })).broken;
}

/**
 * Renders a run's summary.md again and writes it. The bytes are the same as long as the baseline is still at its
 * recorded place; without it the texts of the baseline's side are left out.
 */
export async function renderAgain(directory: string, tools: Tools): Promise<string> {
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

/** The baseline at its recorded place, or none if another run is there now, because its texts would be wrong. */
export async function findAgain(run: Run, tools: Tools): Promise<Baseline> {
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

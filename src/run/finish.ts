import { policyLabelOf } from "../model/outcomes/policy.ts";
import type { Problem } from "../model/refusal.ts";
import type { CiContext, NoBaseline } from "../model/baseline.ts";
import type { Diagnosis } from "../model/outcomes/diagnosis.ts";
import type { Run, RunApprovals } from "../model/outcomes/run.ts";
import type { RunStore } from "../model/ports/store.ts";
import type { Gate } from "../model/definition/gate.ts";
import { diagnosisLines } from "../report/words/diagnoses.ts";
import { baselineSource, type BaselineSource } from "../verdict/baseline.ts";
import { hasLoss } from "../gate/losses.ts";
import { findRunLosses, type Baseline } from "../verdict/conclude.ts";
import { judgedOf } from "../verdict/describe.ts";
import { findCrashes } from "../verdict/crashes.ts";
import { diagnose, withoutCrashes } from "../verdict/diagnose.ts";
import type { Executed } from "./execute.ts";
import { findLossMessages } from "../verdict/loss-messages.ts";
import { approvalsWanted, judgeByPolicies, type Judgement } from "./judge.ts";
import type { OpenedSuite } from "../suite/policy/open.ts";
import type { Prepared } from "../suite/prepare.ts";
import { judgeShard } from "./shard/judge.ts";
import { readTexts, renderRun, type RunTexts } from "../verdict/summarize.ts";
import type { Tools } from "../tools.ts";

/** A run that is judged and written down. */
export interface FinishedRun {
  readonly run: Run;
  readonly directory: string;
  /** Markdown, as in summary.md. */
  readonly summary: string;
  readonly warnings: readonly Problem[];
  /** Texts that a comment may quote. */
  readonly texts: RunTexts;
  /** Finds the position of a part in the manifest. */
  readonly place: Prepared["place"];
  /** The baseline's run directory, or why there is none. */
  readonly baseline: BaselineFacts;
}

type BaselineFacts =
  | NoBaseline
  | {
      readonly kind: "run";
      readonly source: string;
      readonly directory: string;
      readonly fetchTexts: BaselineSource["fetchTexts"];
    };

/** A run before its end: its suite, its baseline, and its directory. */
export interface OpenRun {
  readonly opened: OpenedSuite;
  readonly store: RunStore;
  /** Access to approvals by labels. */
  readonly ci?: CiContext | undefined;
}

/** The executed runs; the second by the change's own policy, if that differs. */
interface Made {
  readonly first: Executed;
  readonly second: (Executed & { readonly store: RunStore }) | undefined;
}

/** Judges the executed runs, and writes the results: the main run first, which refers to the second. */
export async function finish(
  { opened, store, ci }: OpenRun,
  { first, second }: Made,
  tools: Tools,
): Promise<FinishedRun> {
  const { prepared, own: ownPrepared, policy, warnings } = opened;
  const judge = prepared.shard === undefined ? judgeByPolicies : judgeShard;
  // No candidate is asked any more.
  await store.reveal();
  const toJudge = { policy, first, second };
  const unaided = judge(toJudge, tools);
  const approvals = await askFor(unaided.run, prepared.suite.gate, ci);
  const judged = approvals === undefined ? unaided : judge({ ...toJudge, approvals }, tools);
  const side = { run: judged.run, executed: first, prepared, store };
  const { run, summary, texts } = await writeRun(side, tools);
  for (const text of diagnosisLines(run)) tools.report({ kind: "warning", text });
  if (second && ownPrepared && judged.own) {
    const own = { run: judged.own, executed: second, prepared: ownPrepared };
    await writeRun({ ...own, store: second.store }, tools);
  }
  const { place } = prepared;
  const { directory } = store;
  return { run, directory, summary, warnings, texts, place, baseline: factsOf(first.baseline) };
}

/** Facts about the baseline for reports, besides run.json. */
export function factsOf(baseline: Baseline): BaselineFacts {
  if (baseline.kind === "none") return baseline;
  const { directory, fetchTexts } = baseline.stored;
  return { kind: "run", source: baseline.source, directory, fetchTexts };
}

/** Approvals by labels, if they would change the verdict and the gate names any; the base's gate, if there is a base. */
async function askFor(
  run: Judgement,
  gate: Gate,
  ci: CiContext | undefined,
): Promise<RunApprovals | undefined> {
  // The gate of a new suite can't name its own approvers, nor can a shard's.
  if (ci?.findApprovals === undefined) return undefined;
  if (!isByBase(run) || run.shard) return undefined;
  const wanted = approvalsWanted(run);
  const policy = wanted.policy ? policyLabelOf(gate) : undefined;
  const loss = wanted.loss && gate !== "none" ? gate.accept_label : undefined;
  if (policy === undefined && loss === undefined) return undefined;
  return ci.findApprovals({
    policy,
    loss,
    approvers: gate === "none" ? "others" : (gate.approvers ?? "others"),
  });
}

/** Whether the gate comes from the base: for a change it does, and also for a stranger's outputs that were graded here. */
function isByBase({ policy, outputs_from: foreign }: Judgement): boolean {
  if (foreign !== undefined && foreign.scored === undefined) return true;
  return policy !== undefined && policy.suite !== "new" && policy.suite !== "none";
}

/** Diagnoses a run's set-up, and completes its directory. */
async function writeRun(
  side: {
    readonly run: Judgement;
    readonly executed: Executed;
    readonly prepared: Prepared;
    readonly store: RunStore;
  },
  { visitSamples }: Tools,
): Promise<Pick<FinishedRun, "run" | "summary" | "texts">> {
  const { directory } = side.store;
  const { ledger } = side.executed;
  const tasks = side.prepared.tasks.map((each) => each.spec);
  // A shard is not diagnosed, because it shows less of the set-up than the whole run.
  const isPart = side.prepared.shard !== undefined;
  // Another tool's grader is not diagnosed: its users know it better.
  const isOthers = side.prepared.recorded !== undefined;
  const diagnoses =
    isPart || isOthers ? [] : await diagnose(side.run, { directory, tasks, ledger, visitSamples });
  const causes = isPart ? [] : await causesOf(side, visitSamples);
  const run = { ...side.run, diagnoses: [...withoutCrashes(diagnoses, causes), ...causes] };
  const baseline = baselineSource(side.executed.baseline);
  const texts = await readTexts(run, { directory, baseline, ledger, visitSamples });
  const summary = renderRun(run, texts, { directory, baseline });
  const comparedWith = side.executed.baseline;
  const regraded = comparedWith.kind === "run" ? comparedWith.regraded?.groups : undefined;
  await side.store.finish({ run, ledger, summary, regraded });
  return { run, summary, texts };
}

/** Common causes of broken and crashed cases. The journal is read only if there are such cases. */
async function causesOf(
  { run, executed, store }: Parameters<typeof writeRun>[0],
  visitSamples: Tools["visitSamples"],
): Promise<readonly Diagnosis[]> {
  const { failed, invalid } = run.cases;
  const hasCrashed = failed + invalid > 0;
  if (run.status !== "completed" || !(hasCrashed || run.gate.rules.some(hasLoss))) return [];
  const { ledger, baseline, confirmation } = executed;
  const found = findRunLosses({ ...judgedOf(run, ledger), confirmation }, baseline);
  const crashes = await findCrashes(found.crashed, visitSamples(store.directory));
  return [...crashes, ...(await findLossMessages(found.losses(), visitSamples(store.directory)))];
}

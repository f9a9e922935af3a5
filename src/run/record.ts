import { measuredOf } from "../model/definition/metric.ts";
import { digestSample, outcomeOf, usageOfCalls } from "../model/outcomes/sample.ts";
import type { Sample, SampleDigest, ScoreRow } from "../model/outcomes/sample.ts";
import type { PreparedTask } from "../suite/opening/open-task.ts";
import { notStarted } from "./answers.ts";
import type { RunContext, TaskContext } from "./context.ts";
import type { PlannedSample } from "./plan.ts";

/**
 * Records a sample, unless its earlier result (or none) must stand: an interrupted sample is not recorded unless
 * something was paid for it.
 */
export async function recordSample(
  planned: PlannedSample,
  sample: Sample,
  context: TaskContext,
): Promise<void> {
  const { run, backpressure } = context;
  const { store, stopSignal, totals } = run;
  if (endedBefore(sample)) backpressure.graded();
  const before = store.previous?.get(planned.id);
  const isUngraded = outcomeOf(sample) === "ungraded";
  // A second try that could not be graded does not replace a candidate's failure.
  const isUnjudged = before?.outcome === "failed" && isUngraded;
  const isLeftOut = isUnjudged || (isCutShort(sample, run) && !isPaid(sample));
  const counted = isLeftOut ? before : digestSample(sample);
  if (counted === undefined) return;
  // Interrupted samples are retried on `--resume`, including those whose pause was cut short.
  if (isUngraded && stopSignal.cause() !== undefined) totals.addCutShort();
  if (!isLeftOut) await store.recordSample(sample);
  countSample(planned, counted, context);
}

/** True for a sample that did not reach its grader. */
function endedBefore({ error }: Sample): boolean {
  return error !== null && error.stage !== "grade";
}

/**
 * If the run stopped itself, requests in flight were completed, so their results are kept: only unsent samples are left
 * out.
 */
function isCutShort(sample: Sample, { tools, stopSignal }: RunContext): boolean {
  if (tools.signal.aborted) return outcomeOf(sample) === "ungraded";
  return stopSignal.cause() !== undefined && sample.error?.type === notStarted.type;
}

/** Whether the sample is the only record of a cost: answers that wait for their grade are stored separately. */
function isPaid({ error, cached, usage, model_calls }: Sample): boolean {
  const isAnswer = error?.stage !== "generate" || cached;
  return (!isAnswer && usage !== null) || usageOfCalls(model_calls) !== null;
}

/** Adds a recorded sample to the ledger and the totals, and reports progress. */
export function countSample(
  planned: PlannedSample,
  sample: SampleDigest,
  context: TaskContext,
): void {
  const { task, run, inOrder } = context;
  inOrder.put(planned.sequence, scoreRow(planned, sample, task));
  // The earlier attempt has already reported and paid for this sample.
  if (run.store.earlier?.has(planned.id)) return run.totals.addEarlier(sample);
  // A recording's latency belongs to the time when it was recorded.
  run.totals.add(planned.candidate.recorded === true ? { ...sample, latencyMs: null } : sample);
  const failed = sample.outcome !== "scored";
  const answered = sample.cached ? undefined : sample.usage?.usd;
  const costs = [answered, sample.judgeUsage?.usd].filter((each) => typeof each === "number");
  const usd = costs.length === 0 ? undefined : costs.reduce((sum, each) => sum + each, 0);
  run.tools.report({
    kind: "sample_finished",
    task: task.spec.id,
    failed,
    ...(usd !== undefined && { usd }),
  });
}

function scoreRow(planned: PlannedSample, sample: SampleDigest, task: PreparedTask): ScoreRow {
  return {
    task: task.spec.id,
    case_id: planned.case.caseId,
    content: planned.case.content,
    candidate: planned.candidate.id,
    repeat: planned.repeat,
    outcome: sample.outcome,
    // The gate decides the value of an invalid result: the row has only what the grader returned.
    scores: sample.outcome === "scored" ? sample.scores : {},
    cluster: task.clusterOf(planned.case.row),
    slices: task.slicesOf(planned.case.row),
    measured: measuredOf(sample, planned.candidate.recorded === true),
  };
}

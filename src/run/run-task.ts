import type { Ledger } from "../model/ledger.ts";
import type { Candidate, GenerateRequest } from "../model/ports.ts";
import type { RunStore } from "../model/store.ts";
import type { Slots } from "../model/ports.ts";
import { measuredOf } from "../model/metric.ts";
import { digestSample, outcomeOf, usageOfCalls } from "../model/sample.ts";
import type { Sample, SampleDigest, ScoreRow } from "../model/sample.ts";
import { answerOf, notStarted } from "./answer.ts";
import type { StopSignal } from "../model/spending.ts";
import type { Meter } from "../model/spending.ts";
import type { ResponseCache } from "./response-cache.ts";
import { createReorderBuffer, type ReorderBuffer } from "../base/ordered-map.ts";
import { createSemaphore, forEachConcurrently } from "../base/semaphore.ts";
import { Pace } from "./backpressure.ts";
import { planSamples, sampleIdFor } from "./plan.ts";
import type { PreparedTask } from "../suite/open-task.ts";
import { runSample } from "./sample.ts";
import type { PlannedSample, SampleTools } from "./sample.ts";
import type { RunTotals } from "../verdict/run-totals.ts";
import type { Tools } from "../tools.ts";

/** What the tasks of a run share. */
export interface RunContext {
  readonly tools: Tools;
  readonly store: RunStore;
  readonly ledger: Ledger;
  readonly totals: RunTotals;
  readonly candidates: readonly Candidate[];
  readonly concurrency: "auto" | number;
  readonly stopSignal: StopSignal;
  readonly meter: Meter;
  readonly memory: ResponseCache;
}

interface TaskRun {
  readonly task: PreparedTask;
  readonly context: RunContext;
  readonly sampleTools: SampleTools;
  readonly inOrder: ReorderBuffer<ScoreRow>;
  readonly pace: Pace;
}

/** Answers that wait to be graded: enough to keep the graders fed, few enough to hold in memory. */
const waitingForGrades = 1024;

/**
 * Runs the samples of a task. Returns early where the user stops the run; where it stops itself, what an earlier attempt
 * has paid for is still taken in, and nothing else is started. What is finished is recorded.
 */
export async function runTask(task: PreparedTask, context: RunContext): Promise<void> {
  const { candidates, tools } = context;
  const samples = task.dataset.size * task.spec.repeats * candidates.length;
  tools.report({ kind: "task_started", suite: task.suite, task: task.spec.id, samples });
  const inOrder = createReorderBuffer(context.ledger.add);
  const atOnce = candidates.reduce((sum, each) => sum + limitOf(each, context), 0);
  const slots = atOnce + waitingForGrades;
  // A slow candidate among several must not hold up the others, which need samples far behind its own.
  const pace = new Pace(candidates.length === 1 ? atOnce : slots, task.grader.hurry);
  const run = {
    task,
    context,
    inOrder,
    pace,
    sampleTools: sampleToolsFor(task, { context, pace }),
  };
  const planned = planSamples(
    {
      id: task.spec.id,
      repeats: task.spec.repeats,
      dataset: task.dataset,
      earlier: context.store.earlier,
    },
    candidates,
    sampleIdFor(tools.files.hashText),
  );
  try {
    const wanted = pace.through(untilStopped(planned, run));
    await forEachConcurrently(wanted, slots, (each) => runOne(each, run));
  } finally {
    inOrder.flush();
  }
}

async function* untilStopped(
  planned: AsyncIterable<Iterable<PlannedSample>>,
  { context, pace }: TaskRun,
): AsyncGenerator<Iterable<PlannedSample>> {
  const wanted = isWanted(context);
  let isOver = false;
  function* some(batch: Iterable<PlannedSample>): Generator<PlannedSample> {
    for (const each of batch) {
      const found = wanted(each);
      if (found === "over") {
        isOver = true;
        return;
      }
      if (found === "yes") yield each;
    }
  }
  for await (const batch of planned) {
    yield some(batch);
    if (isOver) break;
  }
  pace.planned();
}

/** Whether a sample is run still, or taken over; `over`: nor is any after it. */
function isWanted({
  tools,
  store,
  stopSignal,
}: RunContext): (sample: PlannedSample) => "yes" | "no" | "over" {
  const isKept = ({ id }: PlannedSample): boolean =>
    store.finished.has(id) || store.answers.has(id);
  const { previous } = store;
  const nothingPaid = store.finished.size + store.answers.size === 0;
  return (each) => {
    const stopped = stopSignal.cause() !== undefined;
    const aborted = tools.signal.aborted;
    // What a finished run has is taken over to the last sample, however this one ends.
    if (previous !== undefined)
      return !(stopped || aborted) || isKept(each) || previous.has(each.id) ? "yes" : "no";
    if (aborted || (stopped && nothingPaid)) return "over";
    return !stopped || isKept(each) ? "yes" : "no";
  };
}

/** How many of a candidate's requests there may ever be in flight. */
function limitOf(candidate: Candidate, { concurrency }: RunContext): number {
  return concurrency === "auto" ? (candidate.slots?.most ?? candidate.concurrency) : concurrency;
}

function slotsFor(candidate: Candidate, context: RunContext): Slots {
  const learning = context.concurrency === "auto" ? candidate.slots : undefined;
  return learning ?? createSemaphore(limitOf(candidate, context));
}

/**
 * One sample, unless an earlier attempt finished it. A sample that a stop cut short is not recorded, unless something was
 * paid for it. What throws ends the run: the samples that wait for a place ask for nothing more.
 */
async function runOne(planned: PlannedSample, run: TaskRun): Promise<void> {
  const { store, stopSignal } = run.context;
  try {
    const kept = store.finished.get(planned.id);
    if (kept) return note(planned, kept, run);
    run.pace.begin();
    const sample = await runSample(planned, run.sampleTools);
    if (endedBefore(sample)) run.pace.graded();
    return await keep(planned, sample, run);
  } catch (error) {
    stopSignal.pull({ kind: "broken" });
    run.pace.letGo();
    throw error;
  }
}

/** Records a sample, unless what an earlier run of it came to, or nothing, is to stand. */
async function keep(planned: PlannedSample, sample: Sample, run: TaskRun): Promise<void> {
  const { store, stopSignal, totals } = run.context;
  const before = store.previous?.get(planned.id);
  const isUngraded = outcomeOf(sample) === "ungraded";
  // A candidate's failure is not undone by a second try that nobody could judge.
  const isUnjudged = before?.outcome === "failed" && isUngraded;
  const isLeftOut = isUnjudged || (isCutShort(sample, run.context) && !isPaid(sample));
  const noted = isLeftOut ? before : digestSample(sample);
  if (noted === undefined) return;
  // What the stop kept from its end, a pause that was given up among it, a resumption tries again.
  if (isUngraded && stopSignal.cause() !== undefined) totals.addCutShort();
  if (!isLeftOut) await store.recordSample(sample);
  note(planned, noted, run);
}

/** True of a sample that did not come to its grader. */
function endedBefore({ error }: Sample): boolean {
  return error !== null && error.stage !== "grade";
}

/** Where the run stopped itself, what was under way went to its end, whichever that was: only the unsent is left out. */
function isCutShort(sample: Sample, { tools, stopSignal }: RunContext): boolean {
  if (tools.signal.aborted) return outcomeOf(sample) === "ungraded";
  return stopSignal.cause() !== undefined && sample.error?.type === notStarted.type;
}

/** Whether only the sample tells of money that was spent: an answer that waits to be graded is kept apart. */
function isPaid({ error, cached, usage, model_calls }: Sample): boolean {
  const isAnswer = error?.stage !== "generate" || cached;
  return (!isAnswer && usage !== null) || usageOfCalls(model_calls) !== null;
}

function note(planned: PlannedSample, sample: SampleDigest, run: TaskRun): void {
  const { task, context, inOrder } = run;
  inOrder.put(planned.sequence, scoreRow(planned, sample, task));
  // The attempt that made it has told of it, and paid for it.
  if (context.store.earlier?.has(planned.id)) return context.totals.addEarlier(sample);
  context.totals.add(sample);
  const failed = sample.outcome !== "scored";
  const answered = sample.cached ? undefined : sample.usage?.usd;
  const costs = [answered, sample.judgeUsage?.usd].filter((each) => typeof each === "number");
  const usd = costs.length === 0 ? undefined : costs.reduce((sum, each) => sum + each, 0);
  context.tools.report({
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
    // What an invalid result counts as is the gate's business: here stands what the grader gave.
    scores: sample.outcome === "scored" ? sample.scores : {},
    cluster: task.clusterOf(planned.case.row),
    slices: task.slicesOf(planned.case.row),
    measured: measuredOf(sample, planned.candidate.recorded === true),
  };
}

const notGradedYet = { kind: "scored", scores: {}, judge: null, printed: null } as const;

function sampleToolsFor(
  task: PreparedTask,
  { context, pace }: Pick<TaskRun, "context" | "pace">,
): SampleTools {
  const { tools, store, totals } = context;
  const slots = new Map(context.candidates.map((each) => [each.id, slotsFor(each, context)]));
  return {
    taskId: task.spec.id,
    runId: store.runId,
    metrics: task.spec.metrics,
    renderPrompt: task.renderPrompt,
    renderTarget: task.renderTarget,
    buildItem: task.buildItem,
    extract: task.extract,
    grade: (sample, item) => {
      // Its scores come when all samples of the task are there.
      const { gradeBatch, batchPart } = task.grader;
      if (gradeBatch !== undefined && batchPart === undefined) return Promise.resolve(notGradedYet);
      const started = tools.now();
      const grading = task.grader.grade(sample, item);
      pace.graded();
      return grading.then((graded) => {
        totals.addGradeMs(tools.now() - started);
        return graded;
      });
    },
    answer: (planned, { text, tooLarge }) => {
      const request = requestFor(planned, text, task);
      return answerOf({ planned, request, tooLarge }, { context, pace, slots });
    },
    now: tools.now,
  };
}

function requestFor(
  { candidate, case: { caseId, row }, repeat }: PlannedSample,
  prompt: string,
  task: PreparedTask,
): GenerateRequest {
  const fields = task.fieldsFor(candidate.id, row);
  return { taskId: task.spec.id, caseId, repeat, prompt, fields };
}

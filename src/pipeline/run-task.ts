import type { Ledger } from "../domain/ledger.ts";
import type { Answer, Candidate, RunStore } from "../domain/ports.ts";
import { digestSample, outcomeOf } from "../domain/sample.ts";
import type { SampleDigest, ScoreRow } from "../domain/sample.ts";
import { createInOrder } from "./in-order.ts";
import type { InOrder } from "./in-order.ts";
import { createSlots, inLanes } from "./lanes.ts";
import type { Slots } from "./lanes.ts";
import { planSamples } from "./plan.ts";
import type { PreparedTask } from "./open-task.ts";
import { runSample } from "./sample.ts";
import type { PlannedSample, SampleTools } from "./sample.ts";
import type { Tally } from "./tally.ts";
import type { Tools } from "./tools.ts";

/** What the tasks of a run share. */
export interface RunContext {
  readonly tools: Tools;
  readonly store: RunStore;
  readonly ledger: Ledger;
  readonly tally: Tally;
  readonly candidates: readonly Candidate[];
  readonly concurrency: "auto" | number;
}

interface TaskRun {
  readonly task: PreparedTask;
  readonly context: RunContext;
  readonly sampleTools: SampleTools;
  readonly inOrder: InOrder;
}

/** Answers that wait to be graded: enough to keep the graders fed, few enough to hold in memory. */
const waitingForGrades = 256;

/** Runs the samples of a task. Returns early where the run is being stopped; what is finished is recorded. */
export async function runTask(task: PreparedTask, context: RunContext): Promise<void> {
  const { candidates, tools } = context;
  const samples = task.dataset.size * task.spec.repeats * candidates.length;
  tools.report({ kind: "task_started", suite: task.suite, task: task.spec.id, samples });
  const inOrder = createInOrder(context.ledger.add);
  const run = { task, context, inOrder, sampleTools: sampleToolsFor(task, context) };
  const planned = planSamples(
    { id: task.spec.id, repeats: task.spec.repeats, dataset: task.dataset },
    candidates,
    (identity) => `sample_${tools.files.hashText(JSON.stringify(identity)).slice(-24)}`,
  );
  const lanes = candidates.reduce((sum, each) => sum + limitOf(each, context), waitingForGrades);
  try {
    await inLanes(untilStopped(planned, tools.signal), lanes, (each) => runOne(each, run));
  } finally {
    inOrder.flush();
  }
}

async function* untilStopped<T>(items: AsyncIterable<T>, signal: AbortSignal): AsyncGenerator<T> {
  for await (const item of items) {
    if (signal.aborted) return;
    yield item;
  }
}

function limitOf(candidate: Candidate, { concurrency }: RunContext): number {
  return concurrency === "auto" ? candidate.concurrency : concurrency;
}

/** One sample, unless an earlier attempt finished it. A sample that a stop cut short is not recorded. */
async function runOne(planned: PlannedSample, run: TaskRun): Promise<void> {
  const { store, tools } = run.context;
  const kept = store.finished.get(planned.id);
  if (kept) return note(planned, kept, run);
  const sample = await runSample(planned, run.sampleTools);
  if (tools.signal.aborted && outcomeOf(sample) === "ungraded") return undefined;
  await store.recordSample(sample);
  return note(planned, digestSample(sample), run);
}

function note(planned: PlannedSample, sample: SampleDigest, run: TaskRun): void {
  const { task, context, inOrder } = run;
  context.tally.add(sample);
  inOrder.put(planned.sequence, scoreRow(planned, sample, task));
  const failed = sample.outcome !== "scored";
  context.tools.report({ kind: "sample_finished", task: task.spec.id, failed });
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
    cluster: null,
    slices: task.slicesOf(planned.case.row),
  };
}

function sampleToolsFor(task: PreparedTask, context: RunContext): SampleTools {
  const { tools, store, tally } = context;
  const slots = new Map(
    context.candidates.map((each) => [each.id, createSlots(limitOf(each, context))]),
  );
  return {
    taskId: task.spec.id,
    runId: store.runId,
    metrics: task.spec.metrics,
    renderPrompt: task.renderPrompt,
    renderTarget: task.renderTarget,
    buildItem: task.buildItem,
    extract: task.extract,
    grade: async (sample, item) => {
      const started = tools.now();
      const graded = await task.grader.grade(sample, item);
      tally.addGradeMs(tools.now() - started);
      return graded;
    },
    answer: (planned, prompt) => answer(planned, prompt, { task, context, slots }),
    now: tools.now,
  };
}

/** The candidate's answer, or the one that an earlier attempt paid for. */
async function answer(
  planned: PlannedSample,
  prompt: string,
  {
    task,
    context,
    slots,
  }: { task: PreparedTask; context: RunContext; slots: ReadonlyMap<string, Slots> },
): Promise<Answer> {
  const { store } = context;
  const known = store.answers.get(planned.id);
  if (known) return known;
  const ask = (): Promise<Answer> => generate(planned, prompt, { task, tools: context.tools });
  const given = await (slots.get(planned.candidate.id)?.(ask) ?? ask());
  if (planned.candidate.costly && given.generated.kind === "answered") {
    await store.recordAnswer(planned.id, given);
  }
  return given;
}

async function generate(
  planned: PlannedSample,
  prompt: string,
  { task, tools }: { task: PreparedTask; tools: Tools },
): Promise<Answer> {
  const started = tools.now();
  const generated = await planned.candidate.generate(
    {
      taskId: task.spec.id,
      caseId: planned.case.caseId,
      repeat: planned.repeat,
      prompt,
      fields: task.fieldsFor(planned.candidate.id, planned.case.row),
    },
    tools.signal,
  );
  return {
    generated,
    latencyMs: Math.round((tools.now() - started) * 1000) / 1000,
    createdAt: new Date(started).toISOString(),
  };
}

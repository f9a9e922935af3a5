import type { Confirmation } from "../model/outcomes/confirmation.ts";
import { createLedger } from "../ledger/ledger.ts";
import type { Ledger } from "../model/figures/ledger.ts";
import type { Run } from "../model/outcomes/run.ts";
import type { RunStore, Spent } from "../model/ports/store.ts";
import type { PublishContent } from "../model/definition/suite.ts";
import { gradeTaskBatches, setAsideUngraded } from "./batch.ts";
import type { BatchesGraded } from "./batch.ts";
import type { Baseline } from "../verdict/conclude.ts";
import { regradeBaseline } from "./grade-again/regrade.ts";
import type { SharedBudget } from "./shared-budget.ts";
import { createStopSignal, stoppedBecause } from "./stop.ts";
import type { StopSignal } from "../model/figures/spending.ts";
import { spentBefore, watchMinutes } from "./budget.ts";
import { createMeter, type Beside } from "./meter.ts";
import { nothingSpent } from "../model/figures/spent.ts";
import type { ResponseCache } from "./response-cache.ts";
import { describeRun } from "../verdict/describe.ts";
import type { Draft } from "../verdict/describe.ts";
import type { Prepared } from "../suite/prepare.ts";
import { takeIn } from "./take-in.ts";
import { runTask } from "./run-task.ts";
import { createAnswers } from "./answers.ts";
import type { RunContext } from "./context.ts";
import { testSwaps } from "./swap/swap.ts";
import { createRunTotals } from "../verdict/run-totals.ts";
import type { Tools } from "../tools.ts";

export interface Execution {
  readonly request: {
    readonly git: Run["git"];
    readonly publish: PublishContent;
    readonly scoredBy?: Run["outputs_from"];
  };
  readonly prepared: Prepared;
  readonly store: RunStore;
  readonly memory: ResponseCache;
  /** The baseline to compare with; the samples don't wait for it. */
  readonly baseline: Baseline | Promise<Baseline>;
  /** Spending of the same run in other directories, from the same budget. */
  readonly spent?: Spent;
  /** Other executions that run at the same time, with the same budget. */
  readonly alongside?: { readonly all: SharedBudget; readonly name: string };
  /** Called when no candidate is asked any more. */
  readonly onAsked?: () => Promise<unknown>;
  /** Minutes of the budget that are already over. */
  readonly minutesUsed?: number;
}

/** A run whose samples are made and recorded, before its verdict. */
export interface Executed {
  readonly draft: Draft;
  readonly ledger: Ledger;
  /** The baseline, including outputs graded again if the grader changed. */
  readonly baseline: Baseline;
  readonly spent: Spent;
  /** Result of running proven drops again, if there are any and the gate confirms. */
  readonly confirmation?: Confirmation;
}

/** Runs every sample of a prepared suite, and its batch graders. */
export async function execute(work: Execution, tools: Tools): Promise<Executed> {
  const { prepared } = work;
  const { recorded } = prepared;
  if (recorded !== undefined) {
    await work.memory.close();
    return takeIn({ ...work, baseline: await work.baseline, recorded }, tools);
  }
  const started = tools.now();
  const context = beginRun(work, tools);
  const { baseline, ...batches } = await runTasks(work, context);
  const { ledger, totals, meter } = context;
  const seconds = (tools.now() - started) / 1000;
  const stopped = stoppedBecause(prepared.tasks, context, batches.pending);
  if (prepared.shard === undefined) setAsideUngraded(prepared.tasks, context, batches.records);
  const draft = describeRun({ ...work, totals, seconds, stopped, batches: batches.records }, tools);
  return { draft, ledger, baseline, spent: meter.spent() };
}

function beginRun(work: Execution, tools: Tools): RunContext {
  const { prepared, store, memory, alongside } = work;
  const { candidates, suite } = prepared;
  const stopSignal = createStopSignal(() => {
    prepared.traffic.giveUp();
    alongside?.all.stopped(stopSignal);
  });
  const spending = {
    budget: suite.budget,
    candidates: prepared.candidateSpecs,
    earlier: spentBefore(store),
    elsewhere: work.spent ?? nothingSpent,
    ...(alongside === undefined ? {} : { beside: besideOf(alongside.all, stopSignal) }),
  };
  alongside?.all.join({ name: alongside.name, stopSignal, meter: () => meter });
  const meter = createMeter(spending, stopSignal);
  prepared.startModels({ stopSignal, meter });
  const [ledger, totals] = [createLedger(), createRunTotals()];
  const run = { tools, store, ledger, totals, candidates, stopSignal, meter };
  return { ...run, answers: createAnswers(suite.concurrency, memory, run) };
}

const noBatches: BatchesGraded = { records: [], pending: true };
/** A batch grader needs all samples of a task, which no part of a run has. */
const leftToMerge: BatchesGraded = { records: [], pending: false };

function besideOf(all: SharedBudget, stopSignal: StopSignal): Beside {
  return {
    spent: () => all.spentBeside(stopSignal),
    held: () => all.heldBeside(stopSignal),
    onRelease: () => all.released(stopSignal),
  };
}

/** Runs the tasks and then their batch graders, for as long as the budget's minutes last. */
async function runTasks(
  { prepared, baseline: soon, minutesUsed = 0, onAsked }: Execution,
  context: RunContext,
): Promise<BatchesGraded & { readonly baseline: Baseline }> {
  const { tools, store, stopSignal, answers, meter } = context;
  const { sleep } = tools.candidateTools.clock;
  const done = new AbortController();
  const watch = { sleep, stopSignal, signal: done.signal, minutesUsed };
  const watching = watchMinutes(prepared.suite.budget, watch);
  try {
    for (const task of prepared.tasks) await runTask(task, context);
    await onAsked?.();
    const baseline = await soon;
    // A stopped run is incomplete: its batches wait for the remaining samples.
    const isStopped =
      tools.signal.aborted || stoppedBecause(prepared.tasks, context, false) !== undefined;
    if (isStopped) return { ...noBatches, baseline };
    if (prepared.shard) return { ...leftToMerge, baseline };
    const batches = await gradeTaskBatches(prepared.tasks, context);
    const regrading = await regradeBaseline(prepared, baseline, context);
    const graded = { prepared, baseline: regrading.baseline, batches: batches.records };
    const swapping = await testSwaps(graded, context);
    const pending = batches.pending || regrading.pending || swapping.pending;
    return { ...batches, pending, baseline: swapping.baseline };
  } finally {
    done.abort();
    await watching;
    await answers.close();
    await store.recordSpent(meter.own());
    await store.seal();
  }
}

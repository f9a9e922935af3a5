import { createLedger } from "../domain/ledger.ts";
import type { Ledger } from "../domain/ledger.ts";
import type { Run } from "../domain/run.ts";
import type { RunStore } from "../domain/store.ts";
import type { PublishContent } from "../domain/suite.ts";
import { gradeBatches, setAsideUngraded } from "./batch.ts";
import type { BatchesGraded } from "./batch.ts";
import { createBrake } from "./brake.ts";
import { createMeter, nothingSpent, spentBefore, watchMinutes } from "./budget.ts";
import type { Spent } from "./budget.ts";
import type { Memory } from "./cache.ts";
import { describeRun } from "./describe.ts";
import type { Draft } from "./describe.ts";
import type { Prepared } from "./prepare.ts";
import { runTask } from "./run-task.ts";
import type { RunContext } from "./run-task.ts";
import { stoppedBecause } from "./stop-reason.ts";
import { createTally } from "./tally.ts";
import type { Tools } from "./tools.ts";

export interface Execution {
  readonly request: { readonly git: Run["git"]; readonly publish: PublishContent };
  readonly prepared: Prepared;
  readonly store: RunStore;
  readonly memory: Memory;
  /** What the same run has spent elsewhere: its budget is one. */
  readonly spent?: Spent;
}

/** A run whose samples are made and recorded, before its verdict. */
export interface Executed {
  readonly draft: Draft;
  readonly ledger: Ledger;
  readonly spent: Spent;
}

/** Runs every sample of a prepared suite, and its batch graders. */
export async function execute(work: Execution, tools: Tools): Promise<Executed> {
  const { prepared, store, memory } = work;
  const started = tools.now();
  const ledger = createLedger();
  const tally = createTally();
  const { candidates, suite } = prepared;
  const brake = createBrake(prepared.traffic.giveUp);
  const spending = {
    budget: suite.budget,
    candidates: prepared.candidateSpecs,
    earlier: sumOf(work.spent ?? nothingSpent, spentBefore(store)),
  };
  const meter = createMeter(spending, brake);
  prepared.startModels({ brake, meter });
  const { concurrency } = suite;
  const context = { tools, store, ledger, tally, candidates, concurrency, brake, meter, memory };
  const batches = await runTasks(prepared, context);
  const seconds = (tools.now() - started) / 1000;
  const stopped = stoppedBecause(prepared.tasks, context, batches.pending);
  setAsideUngraded(prepared.tasks, context, batches.records);
  const draft = describeRun({ ...work, tally, seconds, stopped, batches: batches.records }, tools);
  return { draft, ledger, spent: meter.spent() };
}

function sumOf(a: Spent, b: Spent): Spent {
  return { usd: a.usd + b.usd, tokens: a.tokens + b.tokens };
}

const noBatches: BatchesGraded = { records: [], pending: true };

/** Runs the tasks and then their batch graders, for as long as the budget's minutes last. */
async function runTasks(prepared: Prepared, context: RunContext): Promise<BatchesGraded> {
  const { tools, store, brake, memory } = context;
  const { sleep } = tools.candidateTools.clock;
  const done = new AbortController();
  const watching = watchMinutes(prepared.suite.budget, { sleep, brake, signal: done.signal });
  try {
    for (const task of prepared.tasks) await runTask(task, context);
    // What is stopped is not whole: its batches wait for the rest.
    const isStopped =
      tools.signal.aborted || stoppedBecause(prepared.tasks, context, false) !== undefined;
    return isStopped ? noBatches : await gradeBatches(prepared.tasks, context);
  } finally {
    done.abort();
    await watching;
    await memory.close();
    await store.seal();
  }
}

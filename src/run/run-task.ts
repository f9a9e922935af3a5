import { createReorderBuffer } from "../base/ordered-map.ts";
import { forEachConcurrently } from "../base/semaphore.ts";
import type { PreparedTask } from "../suite/opening/open-task.ts";
import { Backpressure } from "./backpressure.ts";
import { type OtherAnswers, createOtherAnswers } from "./other-answers.ts";
import type { RunContext } from "./context.ts";
import { planSamples, sampleIdFor, untilStopped } from "./plan.ts";
import { runSample } from "./sample.ts";

/** Limit of answers that wait for a grade: enough to keep the graders busy, few enough to hold in memory. */
const waitingForGrades = 1024;

/**
 * Runs the samples of a task and records the finished ones. Returns early if the user stops the run. If the run stops
 * itself, samples that an earlier attempt paid for are still recorded, and no others are started. An exception ends the
 * run: waiting samples are not asked.
 */
export async function runTask(task: PreparedTask, run: RunContext): Promise<void> {
  const { candidates, tools, store, stopSignal } = run;
  const { spec, dataset } = task;
  const samples = dataset.size * spec.repeats * candidates.length;
  tools.report({ kind: "task_started", suite: task.suite, task: spec.id, samples });
  const { atOnce } = run.answers;
  const slots = atOnce + waitingForGrades;
  // A slow candidate among several must not delay the others, whose next samples come far after its own.
  const backpressure = new Backpressure(
    candidates.length === 1 ? atOnce : slots,
    task.grader.hurry,
  );
  const inOrder = createReorderBuffer(run.ledger.add);
  const beside = createOtherAnswers(spec.id, run);
  const context = { task, run, inOrder, backpressure, beside };
  const toPlan = { id: spec.id, repeats: spec.repeats, dataset, earlier: store.earlier };
  const planned = planSamples(toPlan, candidates, sampleIdFor(tools.files.hashText));
  const breakOff = (error: unknown): never => {
    stopSignal.stop({ kind: "broken" });
    backpressure.releaseAll();
    beside?.close();
    throw error;
  };
  try {
    const wanted = thenClose(untilStopped(planned, run), beside);
    await forEachConcurrently(backpressure.through(wanted), slots, (sample) =>
      runSample(sample, context).catch(breakOff),
    );
  } finally {
    inOrder.flush();
  }
}

async function* thenClose<T>(
  items: AsyncIterable<T>,
  beside: OtherAnswers | undefined,
): AsyncGenerator<T> {
  try {
    yield* items;
  } finally {
    beside?.close();
  }
}

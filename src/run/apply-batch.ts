import { isOpen } from "../model/definition/metric.ts";
import type { BatchGraded, SampleUpdate } from "../model/grading.ts";
import type { BatchRecord } from "../model/outcomes/run.ts";
import { outcomeOf, usageOfCalls } from "../model/outcomes/sample.ts";
import {
  findingNotes,
  openIn,
  sortMetrics,
  withoutGrade,
  withUpdates,
} from "../verdict/batch-result.ts";
import type { RunContext } from "./context.ts";
import type { Batch, GivenSamples, ReadSample } from "./batch.ts";

interface Settling {
  readonly batch: Batch;
  readonly given: GivenSamples;
  readonly read: ReadSample;
  readonly graded: BatchGraded;
  readonly isTouched: boolean;
}

/** Applies a batch's result to samples and ledger, and returns its record. */
export async function applyResult(settling: Settling, context: RunContext): Promise<BatchRecord> {
  const { batch, given, graded } = settling;
  const { group } = batch;
  const { task, candidate, size } = group;
  const updates = sortUpdates(graded.kind === "graded" ? graded.updates : [], given);
  const changed =
    graded.kind === "graded" && !settling.isTouched
      ? [...updates.byPosition.keys()]
      : given.positions;
  context.totals.addJudgeUsage(usageOfCalls(graded.modelCalls));
  await amendSamples(settling, { updates, changed }, context);
  const declared = batch.task.spec.metrics;
  const isGraded = graded.kind === "graded";
  const returned = isGraded ? graded.metrics : {};
  const intervals = isGraded ? keptIntervals(graded.intervals) : {};
  const open = openIn(batch.task.spec);
  const { metrics, dropped } = sortMetrics(returned, declared, open);
  context.ledger.give({ task, candidate, metrics, dropped, ...intervals });
  const scoreIds = new Set(group.scoreIds());
  const doubled = Object.keys(metrics).filter((id) => scoreIds.has(id));
  const leftOut = size - given.size;
  const notes = findingNotes({ dropped, isOpen: isOpen(declared), doubled, leftOut, ...updates });
  return {
    task,
    candidate,
    samples: given.size,
    metrics,
    ...intervals,
    ...(isGraded && graded.details && { details: graded.details }),
    dropped,
    notes: [...(isGraded ? graded.notes : []), ...notes],
    ...endOf(graded),
    model_calls: graded.modelCalls ?? null,
  };
}

function keptIntervals(intervals: BatchRecord["intervals"]): Partial<BatchRecord> {
  return intervals && Object.keys(intervals).length > 0 ? { intervals } : {};
}

function endOf(graded: BatchGraded): Pick<BatchRecord, "outcome" | "error" | "judge" | "printed"> {
  switch (graded.kind) {
    case "graded":
      return { outcome: "scored", error: null, judge: null, printed: graded.printed };
    case "invalid": {
      const { type, message, judge, printed } = graded;
      return { outcome: "invalid", error: { type, message }, judge, printed };
    }
    case "ungraded": {
      const { type, message } = graded;
      return { outcome: "ungraded", error: { type, message }, judge: null, printed: null };
    }
  }
}

interface SortedUpdates {
  /** Updates by position in the plan. */
  readonly byPosition: ReadonlyMap<number, readonly SampleUpdate[]>;
  readonly unknown: readonly string[];
  readonly repeated: readonly string[];
}

function sortUpdates(updates: readonly SampleUpdate[], given: GivenSamples): SortedUpdates {
  const found = new Map<number, SampleUpdate[]>();
  const unknown: string[] = [];
  for (const update of updates) {
    const i = given.positionOf(update.sample_id);
    const same = i === undefined ? undefined : found.get(i);
    if (i === undefined) unknown.push(update.sample_id);
    else if (same === undefined) found.set(i, [update]);
    else same.push(update);
  }
  const byPosition = new Map([...found].toSorted(([a], [b]) => a - b));
  const several = [...byPosition].filter(([, all]) => all.length > 1);
  return { byPosition, unknown, repeated: several.map(([i]) => given.idAt(i)) };
}

/** Number of lines that are written together. */
const linesTogether = 256;

async function amendSamples(
  { batch, read, graded }: Settling,
  { updates, changed }: { readonly updates: SortedUpdates; readonly changed: readonly number[] },
  { store, ledger, totals }: RunContext,
): Promise<void> {
  const { task, candidate } = batch.group;
  let writing: Promise<void>[] = [];
  let lost = 0;
  for (const i of changed) {
    const before = await read(i);
    const sample =
      graded.kind === "graded"
        ? withUpdates(before, updates.byPosition.get(i) ?? [])
        : withoutGrade(before, graded, batch.task.spec.metrics);
    const outcome = outcomeOf(sample);
    if (outcome === "ungraded") lost += 1;
    ledger.amend(
      { task, candidate, i },
      { outcome, scores: outcome === "scored" ? sample.scores : {} },
    );
    writing.push(store.amendSample(sample));
    if (writing.length < linesTogether) continue;
    await Promise.all(writing);
    writing = [];
  }
  await Promise.all(writing);
  totals.addUngraded(lost);
}

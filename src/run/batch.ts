import { createDigestTable, shortDigest } from "../ledger/digest-table.ts";
import type { LedgerGroup } from "../model/ledger.ts";
import { isOpen } from "../model/metric.ts";
import { batchKey, type SampleReader } from "../model/store.ts";
import type { BatchGraded, BatchSample, GradeBatch, SampleUpdate } from "../model/grading.ts";
import type { BatchRecord } from "../model/run.ts";
import { outcomeOf, usageOfCalls } from "../model/sample.ts";
import type { Sample } from "../model/sample.ts";
import { counted } from "../report/words/figures.ts";
import {
  beforeBatch,
  findingNotes,
  openIn,
  sortMetrics,
  withoutGrade,
  withUpdates,
} from "../verdict/batch-result.ts";
import { wayFields } from "../prompt/item.ts";
import { forEachConcurrently } from "../base/semaphore.ts";
import type { PreparedTask } from "../suite/open-task.ts";
import { sampleIdFor } from "./plan.ts";
import type { RunContext } from "./context.ts";

/** Results of the batch graders. */
export interface BatchesGraded {
  readonly records: readonly BatchRecord[];
  /** True if a batch was interrupted: resuming the run continues it. */
  readonly pending: boolean;
}

/** Number of batch graders that run at once. They may spend most of their time waiting for models. */
const atOnce = 4;

/**
 * Passes the samples of each task and candidate to the task's batch grader once all are complete, and applies its result
 * to samples and ledger. The result is stored first: if the run is killed, a resumption does not grade again.
 */
export async function gradeTaskBatches(
  tasks: readonly PreparedTask[],
  context: RunContext,
): Promise<BatchesGraded> {
  const batches = batchesOf(tasks, context);
  if (batches.length === 0) return { records: [], pending: false };
  const reader = await context.store.openSamples();
  try {
    const records = new Map<Batch, BatchRecord>();
    const grade = async (batch: Batch): Promise<void> => {
      const record = await gradeOne(batch, reader, context);
      if (record !== undefined) records.set(batch, record);
    };
    await forEachConcurrently([batches], atOnce, grade);
    // The order of the suite, whichever batch was ready first.
    const found = batches.flatMap((batch) => records.get(batch) ?? []);
    return { records: found, pending: found.length < batches.length };
  } finally {
    await reader.close();
  }
}

/**
 * Marks samples that still wait for their batch grader at the end of the run as ungraded, so that they are not taken for
 * scored.
 */
export function setAsideUngraded(
  tasks: readonly PreparedTask[],
  context: RunContext,
  records: readonly BatchRecord[],
): void {
  const isGraded = ({ task, candidate }: LedgerGroup): boolean =>
    records.some((each) => each.task === task && each.candidate === candidate);
  for (const { group } of batchesOf(tasks, context)) {
    if (isGraded(group)) continue;
    const { task, candidate, size } = group;
    for (let i = 0; i < size; i += 1) {
      if (group.outcome(i) === "failed") continue;
      context.ledger.amend({ task, candidate, i }, { outcome: "ungraded", scores: {} });
    }
  }
}

interface Batch {
  readonly task: PreparedTask;
  readonly gradeBatch: GradeBatch;
  readonly group: LedgerGroup;
}

function batchesOf(
  tasks: readonly PreparedTask[],
  { ledger, candidates }: RunContext,
): readonly Batch[] {
  return tasks.flatMap((task) => {
    const { gradeBatch } = task.grader;
    if (gradeBatch === undefined) return [];
    return candidates.flatMap(({ id }) => {
      const group = ledger.group(task.spec.id, id);
      return group === undefined ? [] : [{ task, gradeBatch, group }];
    });
  });
}

/** The samples for a batch grader, in the order of the plan. */
interface GivenSamples {
  readonly size: number;
  /** Positions in the ledger's group. */
  readonly positions: readonly number[];
  readonly idAt: (i: number) => string;
  readonly positionOf: (id: string) => number | undefined;
  /** Hash of the ids. */
  readonly hash: string;
}

async function gradeOne(
  batch: Batch,
  reader: SampleReader,
  context: RunContext,
): Promise<BatchRecord | undefined> {
  const { store } = context;
  const { group } = batch;
  const given = givenSamples(group, context);
  const earlier = store.batches.get(batchKey(group));
  // Samples may already have results of an earlier attempt's grader, for the same samples or for fewer.
  const read = sampleSource(batch, { reader, given, isTouched: earlier !== undefined });
  const isKnown = earlier?.given === given.hash;
  const graded = isKnown ? earlier.graded : await gradeWhole(batch, { given, read }, context);
  if (isCutShort(graded, context)) return undefined;
  const stored = { task: group.task, candidate: group.candidate, samples: given.size };
  if (!isKnown && graded.kind !== "ungraded") {
    await store.recordBatch({ ...stored, given: given.hash, graded });
  }
  return applyResult({ batch, given, read, graded, isTouched: earlier !== undefined }, context);
}

/** Excludes samples without an answer through nobody's fault, and those whose extraction could not be done. */
function givenSamples(group: LedgerGroup, { tools }: RunContext): GivenSamples {
  const { hashText } = tools.files;
  const { task, candidate } = group;
  const makeId = sampleIdFor(hashText);
  const idAt = (i: number): string => makeId([task, candidate, group.caseId(i), group.repeat(i)]);
  const table = createDigestTable();
  const positions: number[] = [];
  let hash = "";
  for (let i = 0; i < group.size; i += 1) {
    if (group.outcome(i) === "ungraded") continue;
    const id = idAt(i);
    positions.push(i);
    table.set(shortDigest(hashText(id)), i);
    hash = hashText(hash + id);
  }
  const positionOf = (id: string): number | undefined => table.get(shortDigest(hashText(id)));
  return { size: positions.length, positions, idAt, positionOf, hash };
}

type ReadSample = (i: number) => Promise<Sample>;

/** Reads a sample as it was before any batch grader saw it. */
function sampleSource(
  { task }: Batch,
  {
    reader,
    given,
    isTouched,
  }: { readonly reader: SampleReader; readonly given: GivenSamples; readonly isTouched: boolean },
): ReadSample {
  return async (i) => {
    const id = given.idAt(i);
    const sample = await reader.read(id);
    if (sample === undefined) throw new Error(`the journal has lost the sample ${id}`);
    if (!isTouched || sample.output_text === null) return sample;
    const extracted = await task.extract(sample.output_text, sample.transcript);
    const found = extracted.kind === "extracted" ? extracted.text : sample.extracted_output;
    return beforeBatch(sample, found, task.grader.batchPart);
  };
}

async function gradeWhole(
  { task, gradeBatch, group }: Batch,
  { given, read }: { readonly given: GivenSamples; readonly read: ReadSample },
  { tools, totals }: RunContext,
): Promise<BatchGraded> {
  const about = { task: group.task, candidate: group.candidate };
  const text = `${task.spec.id}, ${group.candidate}: grade_batch is given ${counted(given.size, "sample")}`;
  tools.report({ kind: "note", text });
  const started = tools.now();
  const samples = { [Symbol.asyncIterator]: () => batchSamples(given, read) };
  const graded = await gradeBatch(about, samples);
  totals.addGradeMs(tools.now() - started);
  return graded;
}

async function* batchSamples(given: GivenSamples, read: ReadSample): AsyncGenerator<string> {
  for (const i of given.positions) yield JSON.stringify(batchSample(await read(i)));
}

/**
 * The sample that `grade_batch` receives. If its candidate failed, it has no output: an empty output could be graded as a
 * right answer.
 */
export function batchSample(sample: Sample): BatchSample {
  return {
    sample_id: sample.id,
    task_id: sample.task_id,
    model: sample.model,
    prompt: sample.prompt,
    target: sample.target,
    ...(sample.targets && { targets: sample.targets }),
    output_text: sample.output_text ?? "",
    extracted_output: sample.extracted_output,
    extracted_fields: sample.extracted_fields ?? {},
    dataset_row: sample.dataset_row,
    response_id: sample.response_id,
    scores: sample.scores,
    judge: sample.judge,
    ...wayFields({ ...sample, latencyMs: sample.latency_ms }),
  };
}

function isCutShort(graded: BatchGraded, { tools, stopSignal }: RunContext): boolean {
  return graded.kind === "ungraded" && (tools.signal.aborted || stopSignal.cause() !== undefined);
}

interface Settling {
  readonly batch: Batch;
  readonly given: GivenSamples;
  readonly read: ReadSample;
  readonly graded: BatchGraded;
  readonly isTouched: boolean;
}

/** Applies a batch's result to samples and ledger, and returns its record. */
async function applyResult(settling: Settling, context: RunContext): Promise<BatchRecord> {
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

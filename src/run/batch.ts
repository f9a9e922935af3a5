import { createDigestTable, shortDigest } from "../ledger/digest-table.ts";
import type { LedgerGroup } from "../model/figures/ledger.ts";
import { batchKey, type SampleReader } from "../model/ports/store.ts";
import type { BatchGraded, BatchSample, GradeBatch } from "../model/grading.ts";
import type { BatchRecord } from "../model/outcomes/run.ts";
import type { Sample } from "../model/outcomes/sample.ts";
import { counted } from "../report/words/figures.ts";
import { beforeBatch } from "../verdict/batch-result.ts";
import { wayFields } from "../prompt/item.ts";
import { forEachConcurrently } from "../base/semaphore.ts";
import type { PreparedTask } from "../suite/opening/open-task.ts";
import { sampleIdFor } from "./plan.ts";
import type { RunContext } from "./context.ts";
import { applyResult } from "./apply-batch.ts";

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

export interface Batch {
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
export interface GivenSamples {
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

export type ReadSample = (i: number) => Promise<Sample>;

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

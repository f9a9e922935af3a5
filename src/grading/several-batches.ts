import type { BatchGraded, BatchSample, GradeBatch, SampleUpdate } from "../model/grading.ts";
import { metricIdOf, type NamedGrader } from "../model/definition/graders.ts";
import { weightedId } from "../model/definition/metric.ts";
import { isJsonObject, type JsonObject } from "../model/json.ts";
import type { ModelCallRecord, Scores } from "../model/outcomes/sample.ts";
import { weigh, type OpenedOne } from "./weighing.ts";

interface Graders {
  /** Graders that see all samples together. */
  readonly batches: readonly OpenedOne[];
  /** All graders of the task. */
  readonly all: readonly NamedGrader[];
}

/**
 * Passes the samples to one batch grader after another, and merges their results, each under its name. An invalid result
 * costs only that grader's metrics, if there are others.
 */
export async function gradeSeveralBatches(
  { batches, all }: Graders,
  about: Parameters<GradeBatch>[0],
  samples: AsyncIterable<string>,
): Promise<BatchGraded> {
  const ends: BatchEndOf[] = [];
  for (const { named, grader } of batches) {
    if (grader.gradeBatch === undefined) continue;
    const graded = await grader.gradeBatch(about, samples);
    ends.push({ named, graded });
    if (graded.kind === "ungraded") break;
  }
  const calls = ends.flatMap(({ graded }) => graded.modelCalls ?? []);
  const lost = ends.find(({ graded }) => graded.kind !== "graded");
  const isAllLost =
    ends.length === all.length && ends.every((end) => end.graded.kind === "invalid");
  if (lost !== undefined && (lost.graded.kind === "ungraded" || isAllLost))
    return withCalls(withName(lost), calls);
  const metrics = Object.fromEntries(ends.flatMap(metricsOf));
  const intervals = Object.fromEntries(ends.flatMap(intervalsOf));
  const details = Object.fromEntries(ends.flatMap(detailsOf));
  const updates = await mergeUpdates({ ends, all }, samples);
  const printed = ends.map(printedBy).join("");
  const notes = ends.flatMap(notesOf);
  const given = {
    metrics,
    ...(!isEmpty(intervals) && { intervals }),
    ...(!isEmpty(details) && { details }),
  };
  const graded = { kind: "graded", ...given, updates, printed: printed || null, notes } as const;
  return withCalls(graded, calls);
}

interface BatchEndOf {
  readonly named: NamedGrader;
  readonly graded: BatchGraded;
}

function withCalls(graded: BatchGraded, modelCalls: readonly ModelCallRecord[]): BatchGraded {
  return modelCalls.length === 0 ? graded : { ...graded, modelCalls };
}

function withName({ named: { name }, graded }: BatchEndOf): BatchGraded {
  return graded.kind === "graded" ? graded : { ...graded, message: `${name}: ${graded.message}` };
}

type Entries = readonly (readonly [string, number])[];

function metricsOf({ named: of, graded }: BatchEndOf): Entries {
  return graded.kind === "graded" ? renamed(of, graded.metrics) : [];
}

type Intervals = NonNullable<Extract<BatchGraded, { readonly kind: "graded" }>["intervals"]>;

function intervalsOf({ named: of, graded }: BatchEndOf): readonly [string, Intervals[string]][] {
  if (graded.kind !== "graded") return [];
  return Object.entries(graded.intervals ?? {}).map(([key, ends]) => [metricIdOf(of, key), ends]);
}

/** The reason, if the grader has no valid result. */
function detailsOf({ named: { name }, graded }: BatchEndOf): readonly [string, JsonObject][] {
  switch (graded.kind) {
    case "graded":
      return graded.details ? [[name, graded.details]] : [];
    case "invalid": {
      const { type, message } = graded;
      return [[name, { error: { type, message } }]];
    }
    case "ungraded":
      return [];
  }
}

function isEmpty(object: object): boolean {
  return Object.keys(object).length === 0;
}

function renamed(of: NamedGrader, scores: Scores): Entries {
  return Object.entries(scores).map(([key, score]) => [metricIdOf(of, key), score]);
}

function printedBy({ named: { name }, graded }: BatchEndOf): string {
  if (graded.kind === "ungraded" || graded.printed === null || graded.printed === "") return "";
  return `[${name}] ${graded.printed}\n`;
}

function notesOf({ named: { name }, graded }: BatchEndOf): readonly string[] {
  switch (graded.kind) {
    case "graded":
      return graded.notes.map((note) => `${name}: ${note}`);
    case "invalid":
      return [
        `${name}: grade_batch gave no valid result (${graded.type}): its metrics are missing`,
      ];
    case "ungraded":
      return [];
  }
}

/**
 * One update per sample, in the samples' order: each grader's scores under its name, the judges' details, and the
 * weighted score if a batch grader is part of it. Updates for unknown samples come last, unchanged.
 */
async function mergeUpdates(
  { ends, all }: { readonly ends: readonly BatchEndOf[]; readonly all: readonly NamedGrader[] },
  samples: AsyncIterable<string>,
): Promise<readonly SampleUpdate[]> {
  const given = updatesById(ends);
  const weighsBatch = ends.some((end) => end.named.weight > 0);
  if (given.size === 0 && !weighsBatch) return [];
  const invalid = new Set(ends.flatMap((end) => (end.graded.kind === "invalid" ? end.named : [])));
  const updates: SampleUpdate[] = [];
  for await (const line of samples) {
    const sample = readSample(line);
    const own = given.get(sample.sample_id);
    given.delete(sample.sample_id);
    const update = own === undefined ? undefined : merged(sample, own);
    const score = weighsBatch ? weighedScore({ sample, update, all, invalid }) : undefined;
    if (update === undefined && score === undefined) continue;
    const scores = { ...update?.scores, ...(score !== undefined && { [weightedId]: score }) };
    updates.push({ ...update, sample_id: sample.sample_id, scores });
  }
  const strangers = [...given.values()].flat().map(({ update }) => update);
  return [...updates, ...strangers];
}

type GradedSample = Pick<BatchSample, "sample_id" | "scores" | "judge">;

function readSample(line: string): GradedSample {
  const found: unknown = JSON.parse(line);
  const { sample_id, scores, judge } = isJsonObject(found) ? found : {};
  const numbers = Object.entries(isJsonObject(scores) ? scores : {}).flatMap(
    ([id, score]): Entries => (typeof score === "number" ? [[id, score]] : []),
  );
  return {
    sample_id: typeof sample_id === "string" ? sample_id : "",
    scores: Object.fromEntries(numbers),
    judge: isJsonObject(judge) ? judge : null,
  };
}

interface UpdateOf {
  readonly named: NamedGrader;
  readonly update: SampleUpdate;
}

function updatesById(ends: readonly BatchEndOf[]): Map<string, UpdateOf[]> {
  const found = new Map<string, UpdateOf[]>();
  for (const { named: of, graded } of ends) {
    for (const update of graded.kind === "graded" ? graded.updates : []) {
      const same = found.get(update.sample_id);
      const one = { named: of, update };
      if (same === undefined) found.set(update.sample_id, [one]);
      else same.push(one);
    }
  }
  return found;
}

function merged(sample: GradedSample, updates: readonly UpdateOf[]): SampleUpdate {
  const judge = new Map(Object.entries(sample.judge ?? {}));
  const scores = new Map<string, number>();
  let extracted: Pick<SampleUpdate, "extracted_output"> = {};
  let isJudged = false;
  for (const { named: of, update } of updates) {
    for (const [id, score] of renamed(of, update.scores ?? {})) scores.set(id, score);
    if (update.extracted_output !== undefined)
      extracted = { extracted_output: update.extracted_output };
    if (update.judge === undefined) continue;
    isJudged = true;
    if (update.judge === null) judge.delete(of.name);
    else judge.set(of.name, update.judge);
  }
  const words: JsonObject | null = judge.size === 0 ? null : Object.fromEntries(judge);
  return {
    sample_id: sample.sample_id,
    scores: Object.fromEntries(scores),
    ...extracted,
    ...(isJudged && { judge: words }),
  };
}

function weighedScore(of: {
  readonly sample: GradedSample;
  readonly update: SampleUpdate | undefined;
  readonly all: readonly NamedGrader[];
  readonly invalid: ReadonlySet<NamedGrader>;
}): number | undefined {
  const scores = { ...of.sample.scores, ...of.update?.scores };
  const isInvalid = (each: NamedGrader): boolean =>
    of.invalid.has(each) || isMarked(of.sample.judge, each.name);
  return weigh(
    of.all.map((each) => ({ named: each, invalid: isInvalid(each) })),
    scores,
  );
}

/** A grader without a valid result for the sample has marked that in its judge. */
function isMarked(judge: JsonObject | null, name: string): boolean {
  const words = judge?.[name];
  return isJsonObject(words) && words["invalid"] === true;
}

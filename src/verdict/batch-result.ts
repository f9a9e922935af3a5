import { isMetricId, isOpen } from "../model/definition/metric.ts";
import { batchGraders, givesMore, isMetricOf } from "../model/definition/graders.ts";
import type { BatchGraded, Grader, SampleUpdate } from "../model/grading.ts";
import type { BatchRecord } from "../model/outcomes/run.ts";
import type { Sample, SampleError, Scores } from "../model/outcomes/sample.ts";
import type { MetricSpec, Task } from "../model/definition/suite.ts";
import { counted } from "../report/words/figures.ts";
import { invalidScores } from "../model/outcomes/counted-score.ts";

/**
 * A sample without the results of a batch grader that an earlier attempt may have stored. `part`: the batch grader's
 * part, if other graders have graded the sample too.
 */
export function beforeBatch(
  sample: Sample,
  extracted: string | null,
  part: Grader["batchPart"],
): Sample {
  if (sample.error?.fault === "candidate") return { ...sample, scores: {}, judge: null };
  if (part !== undefined) {
    const own = {
      scores: without(sample.scores, part.scores),
      judge: ownJudge(sample.judge, part),
    };
    return { ...sample, extracted_output: extracted, ...own };
  }
  return {
    ...sample,
    extracted_output: extracted,
    scores: {},
    judge: null,
    status: "completed",
    error: null,
  };
}

function ownJudge(judge: Sample["judge"], part: NonNullable<Grader["batchPart"]>): Sample["judge"] {
  const own = judge === null ? {} : without(judge, part.judge);
  return Object.keys(own).length === 0 ? null : own;
}

function without<T>(
  all: Readonly<Record<string, T>>,
  isOut: (key: string) => boolean,
): Readonly<Record<string, T>> {
  return Object.fromEntries(Object.entries(all).filter(([key]) => !isOut(key)));
}

/** A sample with its updates, in the grader's order: a later update wins. */
export function withUpdates(sample: Sample, updates: readonly SampleUpdate[]): Sample {
  let { judge, extracted_output } = sample;
  const scores = new Map(Object.entries(sample.scores));
  for (const update of updates) {
    for (const [id, score] of Object.entries(update.scores ?? {})) scores.set(id, score);
    if (update.judge !== undefined) judge = update.judge;
    if (update.extracted_output !== undefined) extracted_output = update.extracted_output;
  }
  return { ...sample, extracted_output, scores: Object.fromEntries(scores), judge };
}

/** A sample whose batch failed. If the candidate failed, the sample stays unchanged. */
export function withoutGrade(
  sample: Sample,
  graded: Exclude<BatchGraded, { readonly kind: "graded" }>,
  metrics: readonly MetricSpec[],
): Sample {
  if (sample.error?.fault === "candidate") return sample;
  const { type, message } = graded;
  const failed = (fault: SampleError["fault"]): SampleError => ({
    stage: "grade",
    fault,
    type,
    message: `grade_batch: ${message}`,
  });
  switch (graded.kind) {
    case "invalid": {
      // The payload, which may be large, is stored once, in run.json.
      const judge = { invalid: true, batch: true, error: { type, message } };
      const scores = invalidScores(metrics);
      return { ...sample, scores, judge, status: "completed", error: failed("grader") };
    }
    case "ungraded":
      return { ...sample, scores: {}, judge: null, status: "failed", error: failed("infra") };
  }
}

/**
 * Selects the returned metrics that count: those that the task declares; without a declaration all whose id is valid in
 * a rule.
 */
export function sortMetrics(
  returned: Scores,
  declared: readonly MetricSpec[],
  open: (id: string) => boolean,
): { readonly metrics: Scores; readonly dropped: readonly string[] } {
  const ids = new Set(declared.map(({ id }) => id));
  const counts = (id: string): boolean => ids.has(id) || (open(id) && isMetricId(id));
  const entries = Object.entries(returned).filter(([, value]) => Number.isFinite(value));
  return {
    metrics: Object.fromEntries(entries.filter(([id]) => counts(id))),
    dropped: entries.map(([id]) => id).filter((id) => !counts(id)),
  };
}

/** Whether a batch grader's metric counts without being declared: only if the task declares none of its metrics. */
export function openIn({ grader, metrics }: Task): (id: string) => boolean {
  if (grader.type !== "several") return () => isOpen(metrics);
  const open = batchGraders(grader).filter(
    (named) => givesMore(named.grader) || !metrics.some(({ id }) => isMetricOf(named, id)),
  );
  return (id) => open.some((named) => isMetricOf(named, id));
}

/** Findings about a batch's result. */
interface BatchFindings {
  readonly dropped: readonly string[];
  /** Whether the task declares none of its grader's metrics. */
  readonly isOpen: boolean;
  /** Ids in updates that belong to none of its samples. */
  readonly unknown: readonly string[];
  /** Ids of samples that were updated more than once. */
  readonly repeated: readonly string[];
  /** Metrics that it returned both as a number and as scores of samples. */
  readonly doubled: readonly string[];
  /** Number of samples that it did not receive, because they have no answer to grade. */
  readonly leftOut: number;
}

/** Parts of a batch's result that were not used, one sentence each. */
export function findingNotes(found: BatchFindings): readonly string[] {
  const { dropped, unknown, repeated, doubled, leftOut } = found;
  const why = found.isOpen
    ? "a metric's id has letters, digits, _, . and - only"
    : "`metrics` does not declare them (declare them there, or leave `metrics` out to take all)";
  return [
    dropped.length > 0 && `dropped of what grade_batch returned: ${listed(dropped)}; ${why}`,
    unknown.length > 0 &&
      `grade_batch updated ${counted(unknown.length, "sample")} that it was not given: ${listed(unknown)}; not used`,
    repeated.length > 0 &&
      `grade_batch updated ${counted(repeated.length, "sample")} more than once: ${listed(repeated)}; where its updates differ, the last one counts`,
    doubled.length > 0 &&
      `grade_batch both returned ${listed(doubled)} and gave samples a score of that name; what it returned is the metric`,
    leftOut > 0 &&
      `grade_batch was not given ${counted(leftOut, "sample")} that could not be asked or extracted`,
  ].filter((note) => note !== false);
}

const idsListed = 3;
const charactersOfId = 80;

function listed(ids: readonly string[]): string {
  const shown = ids.slice(0, idsListed).map((id) => JSON.stringify(id.slice(0, charactersOfId)));
  const more = ids.length - shown.length;
  return `${shown.join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}

/** A run's notes about its batches, for people. Messages stay in the samples: they may quote a case. */
export function batchNotes(batches: readonly BatchRecord[]): readonly string[] {
  return batches.flatMap(({ task, candidate, outcome, error, notes }) => {
    const place = `${task}, ${candidate}`;
    const lines = notes.map((note) => `${place}: ${note}`);
    const type = error?.type ?? "error";
    switch (outcome) {
      case "scored":
        return lines;
      case "invalid":
        return [
          `${place}: grade_batch gave no valid result (${type}): all it grades counts as wrong`,
          ...lines,
        ];
      case "ungraded":
        return [
          `${place}: grade_batch could not be run to its end (${type}); nothing of it counts`,
          ...lines,
        ];
    }
  });
}

/** A task's metrics: the declared ones and, for a grader without declared metrics, all that grade_batch returned. */
export function metricsFound(
  { id: task, metrics }: { readonly id: string; readonly metrics: readonly MetricSpec[] },
  batches: readonly BatchRecord[],
): readonly MetricSpec[] {
  const found = batches.filter((batch) => batch.task === task);
  const ids = new Set(found.flatMap((batch) => Object.keys(batch.metrics)));
  const own = [...ids].filter((id) => !metrics.some((metric) => metric.id === id));
  const returned = own.map(returnedMetric);
  return isOpen(metrics) ? [...returned, ...metrics] : [...metrics, ...returned];
}

function returnedMetric(metric: string): MetricSpec {
  return { id: metric, aggregation: "mean", higher_is_better: true, range: null, scale: null };
}

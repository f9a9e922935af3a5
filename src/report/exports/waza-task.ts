import { ownValue } from "../../model/own-value.ts";
import type { Json, JsonObject } from "../../model/json.ts";
import type { MetricValue } from "../../model/outcomes/run.ts";
import type { Sample } from "../../model/outcomes/sample.ts";
import { deviationOf, digestOf, isSignificant, meanInterval, meanOrZero } from "./waza-figures.ts";
import { checkGrades, feedbackOf, type Grade, type KnownGraders, nameIn } from "./waza-parts.ts";

/** A task in waza's results, with the figures that the summary needs. */
export interface TaskOutcome {
  readonly id: string;
  readonly isPassed: boolean;
  readonly statuses: readonly string[];
  readonly score: number;
  readonly weighted: number;
  readonly group: string;
  readonly json: JsonObject;
}

interface RunOutcome {
  readonly status: "passed" | "failed" | "error";
  readonly score: number;
  readonly weighted: number;
  /** Whether all grades passed; only here waza counts a run without grades as passed. */
  readonly isMet: boolean;
  readonly json: JsonObject;
}

/** Converts a score to a value from 0 to 1 where more is better. undefined if the metric has no range. */
type Scale = (metric: string, score: number) => number | undefined;

export interface Reading {
  readonly scale: Scale;
  readonly graders: KnownGraders;
  readonly group: string | undefined;
  /**
   * Number of attempts. Above 1, the samples are attempts, of which waza shows the first that passed, or otherwise the
   * last.
   */
  readonly attempts: number;
}

/** The scale of a task and candidate, by the ranges of the run's metrics. */
export function createScale(
  metrics: readonly MetricValue[],
  { task, candidate }: { readonly task: string; readonly candidate: string },
): Scale {
  const own = new Map(
    metrics
      .filter((each) => each.task === task && each.candidate === candidate && each.slice === null)
      .map((each) => [each.metric, each]),
  );
  return (metric, score) => {
    const { range = null, higher_is_better: isHigher = true } = own.get(metric) ?? {};
    if (range === null || range[0] === range[1]) return undefined;
    const share = Math.min(1, Math.max(0, (score - range[0]) / (range[1] - range[0])));
    return isHigher ? share : 1 - share;
  };
}

/** The outcome of a task from the samples of its runs. */
export function taskOf(samples: readonly Sample[], reading: Reading): TaskOutcome {
  const all = samples.map((sample) => runOf(sample, reading));
  const runs = reading.attempts > 1 ? shownAttempt(all) : all;
  const isPassed = runs.every(({ status }) => status === "passed");
  const score = meanOrZero(runs.map((run) => run.score));
  const weighted = meanOrZero(runs.map((run) => run.weighted));
  const id = samples[0]?.case_id ?? "";
  const group = reading.group ?? textIn(samples[0]?.dataset_row["group"]);
  return {
    id,
    isPassed,
    statuses: runs.map(({ status }) => status),
    score,
    weighted,
    group,
    json: {
      test_id: id,
      display_name: nameIn(samples[0]) ?? id,
      ...(group !== "" && { group }),
      status: isPassed ? "passed" : "failed",
      runs: runs.map(({ json }) => json),
      stats: statsOf(runs, samples),
    },
  };
}

function textIn(value: Json | undefined): string {
  return typeof value === "string" ? value : "";
}

function shownAttempt(all: readonly RunOutcome[]): readonly RunOutcome[] {
  const first = all.findIndex(({ status }) => status === "passed");
  const at = first === -1 ? all.length - 1 : first;
  const shown = all[at];
  if (shown === undefined) return [];
  return [{ ...shown, json: { ...shown.json, run_number: 1, attempts: at + 1 } }];
}

function statsOf(runs: readonly RunOutcome[], samples: readonly Sample[]): JsonObject {
  const scores = runs.map(({ score }) => score);
  const rate = runs.filter(({ isMet }) => isMet).length / runs.length;
  const deviation = deviationOf(scores);
  const weighted = runs.map((run) => run.weighted);
  const interval = meanInterval(weighted);
  return {
    pass_rate: rate,
    avg_score: meanOrZero(scores),
    avg_weighted_score: meanOrZero(weighted),
    min_score: Math.min(...scores),
    max_score: Math.max(...scores),
    std_dev_score: deviation,
    score_variance: deviation ** 2,
    ci95_lo: interval?.["lower"] ?? 0,
    ci95_hi: interval?.["upper"] ?? 0,
    ...intervalPart(interval),
    flaky: rate > 0 && rate < 1,
    avg_duration_ms: Math.floor(
      meanOrZero(samples.map(({ latency_ms }) => Math.round(latency_ms ?? 0))),
    ),
  };
}

/** The keys of an interval in waza's format; none without an interval. */
export function intervalPart(interval: JsonObject | undefined): JsonObject {
  return interval === undefined
    ? {}
    : { bootstrap_ci: interval, is_significant: isSignificant(interval) };
}

function runOf(sample: Sample, { scale, graders }: Reading): RunOutcome {
  const checked = checkGrades(sample, graders);
  const grades = sample.error === null ? (checked ?? gradesOf(sample, scale)) : [];
  const isMet = grades.every(({ passed }) => passed);
  const scored = sample.scores["passed"] === undefined ? isMet : sample.scores["passed"] === 1;
  const status = sample.error !== null ? "error" : scored ? "passed" : "failed";
  const score = grades.length === 0 ? 0 : meanOrZero(grades.map((grade) => grade.score));
  const validations = Object.fromEntries(grades.map((grade) => [grade.identifier, { ...grade }]));
  return {
    status,
    score,
    weighted: grades.length === 0 ? 0 : (sample.scores["score"] ?? score),
    isMet,
    json: {
      run_number: sample.repeat + 1,
      attempts: 1,
      status,
      duration_ms: Math.round(sample.latency_ms ?? 0),
      validations: sample.error === null ? validations : null,
      session_digest: digestOf(sample),
      final_output: sample.output_text ?? "",
      ...(sample.error !== null && { error_msg: sample.error.message }),
    },
  };
}

/** Metrics of waza's own runs that belong to no grader. */
const ownMetrics = ["passed", "score"];

function gradesOf({ scores, judge }: Sample, scale: Scale): readonly Grade[] {
  const told = judge?.["explanation"];
  return Object.entries(scores).flatMap(([metric, value]) => {
    const grader = metric.replace(/\.passed$/, "");
    const isFlag = grader !== metric && ownValue(scores, grader) !== undefined;
    const score = scale(metric, value);
    if (ownMetrics.includes(metric) || isFlag || score === undefined) return [];
    const flag = scores[`${metric}.passed`];
    const passed = flag === undefined ? score === 1 : flag === 1;
    const feedback = feedbackOf(metric, told);
    return [
      { identifier: metric, type: "code", score, weight: 1, passed, feedback, duration_ms: 0 },
    ];
  });
}

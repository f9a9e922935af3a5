import type { Json, JsonObject } from "../model/json.ts";
import type { MetricValue, Run } from "../model/run.ts";
import type { Sample } from "../model/sample.ts";
import {
  checkGrades,
  feedbackOf,
  foreignText,
  gradersIn,
  type Grade,
  isGroupedByModel,
  isTriggerTask,
  nameIn,
  setupIn,
  triggerPart,
} from "./waza-parts.ts";
import {
  createUsageSum,
  deviationOf,
  digestOf,
  isSignificant,
  meanOrZero,
  meanInterval,
} from "./waza-figures.ts";
import { samplesByCase } from "./case-groups.ts";

/** A file as waza writes it. */
interface WazaFile {
  readonly name: string;
  readonly pieces: AsyncIterable<string>;
}

interface RecordedRun {
  readonly run: Run;
  /** All of its samples, from the first one again at each call. */
  readonly samples: () => AsyncIterable<Sample>;
}

/** A run in waza's `results.json`: one file for each task and candidate, as waza has one for each eval and model. */
export async function* wazaFiles({ run, samples }: RecordedRun): AsyncGenerator<WazaFile> {
  const tasks = Object.keys(run.suite.tasks).filter((task) => !isTriggerTask(run, task));
  const isOne = tasks.length === 1 && run.candidates.length === 1;
  for (const task of tasks)
    for (const { id: candidate } of run.candidates) {
      const words = [task, candidate].map((word) => word.replaceAll(/[^A-Za-z0-9_.-]+/g, "_"));
      const scale = createScale(run.metrics, { task, candidate });
      const triggers = Object.keys(run.suite.tasks).some((each) => isTriggerTask(run, each))
        ? samples()
        : undefined;
      yield {
        name: isOne ? "results.json" : `results_${words.join("_")}.json`,
        pieces: fileOf({ run, samples: samples(), triggers, task, candidate, scale }),
      };
    }
}

/** A metric's value from 0 to 1, more being better. undefined: it has no such range. */
type Scale = (metric: string, score: number) => number | undefined;

function createScale(
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

interface FileContext {
  readonly run: Run;
  readonly samples: AsyncIterable<Sample>;
  /** Samples of the run, those of trigger tests among them; undefined: there are none. */
  readonly triggers: AsyncIterable<Sample> | undefined;
  readonly task: string;
  readonly candidate: string;
  readonly scale: Scale;
}

async function* fileOf(context: FileContext): AsyncGenerator<string> {
  const { run, task, candidate } = context;
  const model = run.candidates.find(({ id }) => id === candidate)?.model ?? candidate;
  const head = {
    schemaVersion: "1.0",
    eval_id: run.id,
    skill: foreignText(run, "skill") ?? run.suite.name,
    eval_name: foreignText(run, "eval_name") ?? task,
    timestamp: run.completed_at,
    metrics: {},
  };
  yield `${JSON.stringify(head, null, 2).slice(0, -2)},\n  "tasks": [`;
  const group = isGroupedByModel(run) ? model : undefined;
  const total = createTotal(group);
  const engine = setupIn(run);
  let separator = "\n";
  for await (const samples of samplesByCase(context, context)) {
    const reading = { scale: context.scale, graders: gradersIn(run), group };
    const outcome = taskOf(samples, { ...reading, attempts: engine.attempts });
    total.add(outcome, samples);
    yield `${separator}${JSON.stringify(outcome.json)}`;
    separator = ",\n";
  }
  const setup = {
    runs_per_test: engine.attempts > 1 ? 1 : total.trials(),
    model_id: model,
    engine_type: engine.engine,
    timeout_sec: engine.seconds,
  };
  const told = context.triggers === undefined ? {} : await triggerPart(context.triggers, candidate);
  const rest = { config: setup, summary: total.summary(), ...told };
  yield `\n  ],\n${JSON.stringify(rest, null, 2).slice(2)}\n`;
}

interface RunOutcome {
  readonly status: "passed" | "failed" | "error";
  readonly score: number;
  readonly weighted: number;
  /** waza counts a run without grades as one that passed here, and here alone. */
  readonly isMet: boolean;
  readonly json: JsonObject;
}

interface TaskOutcome {
  readonly isPassed: boolean;
  readonly score: number;
  readonly weighted: number;
  readonly json: Json;
}

interface Reading {
  readonly scale: Scale;
  readonly graders: JsonObject;
  readonly group: string | undefined;
  /** Above 1, the samples are attempts, of which waza shows the first one that passed, else the last. */
  readonly attempts: number;
}

function taskOf(samples: readonly Sample[], reading: Reading): TaskOutcome {
  const all = samples.map((sample) => runOf(sample, reading));
  const runs = reading.attempts > 1 ? shownAttempt(all) : all;
  const isPassed = runs.every(({ status }) => status === "passed");
  const score = meanOrZero(runs.map((run) => run.score));
  const weighted = meanOrZero(runs.map((run) => run.weighted));
  const id = samples[0]?.case_id ?? "";
  return {
    isPassed,
    score,
    weighted,
    json: {
      test_id: id,
      display_name: nameIn(samples[0]) ?? id,
      ...(reading.group !== undefined && { group: reading.group }),
      status: isPassed ? "passed" : "failed",
      runs: runs.map(({ json }) => json),
      stats: statsOf(runs, samples),
    },
  };
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

function intervalPart(interval: JsonObject | undefined): JsonObject {
  return interval === undefined
    ? {}
    : { bootstrap_ci: interval, is_significant: isSignificant(interval) };
}

function runOf(sample: Sample, { scale, graders }: Reading): RunOutcome {
  const checked = checkGrades(sample.judge?.["checks"], graders);
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

/** The metrics of a run of waza's own that are no grader. */
const ownMetrics = ["passed", "score"];

function gradesOf({ scores, judge }: Sample, scale: Scale): readonly Grade[] {
  const told = judge?.["explanation"];
  return Object.entries(scores).flatMap(([metric, value]) => {
    const grader = metric.replace(/\.passed$/, "");
    const isFlag = grader !== metric && scores[grader] !== undefined;
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

interface Total {
  readonly add: (task: TaskOutcome, samples: readonly Sample[]) => void;
  readonly trials: () => number;
  readonly summary: () => JsonObject;
}

/** `group`: name of the group that all tasks belong to; undefined without groups. */
function createTotal(group: string | undefined): Total {
  const [scores, weighted]: [number[], number[]] = [[], []];
  const usage = createUsageSum();
  let [passed, trials, duration] = [0, 0, 0];
  return {
    add: (task, samples) => {
      scores.push(task.score);
      weighted.push(task.weighted);
      if (task.isPassed) passed += 1;
      trials = Math.max(trials, samples.length);
      for (const sample of samples) {
        duration += Math.round(sample.latency_ms ?? 0);
        usage.add(sample);
      }
    },
    trials: () => trials,
    summary: () => ({
      total_tests: scores.length,
      succeeded: passed,
      failed: scores.length - passed,
      // waza has no task that is an error, or skipped.
      errors: 0,
      skipped: 0,
      success_rate: scores.length === 0 ? 0 : passed / scores.length,
      aggregate_score: meanOrZero(scores),
      weighted_score: meanOrZero(weighted),
      min_score: scores.reduce((least, score) => Math.min(least, score), 1),
      max_score: scores.reduce((most, score) => Math.max(most, score), 0),
      std_dev: deviationOf(scores),
      duration_ms: duration,
      ...usage.part(),
      ...(trials > 1 && scores.length > 1 && { statistics: intervalPart(meanInterval(weighted)) }),
      ...(group !== undefined && {
        groups: [{ name: group, passed, total: scores.length, avg_score: meanOrZero(scores) }],
      }),
    }),
  };
}

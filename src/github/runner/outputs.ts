import { isSampleMetric } from "../../model/definition/metric.ts";
import * as core from "@actions/core";
import { problem, type Problem } from "../../model/refusal.ts";
import type { MetricValue, Run } from "../../model/outcomes/run.ts";
import type { StepConclusion, SuiteEnd } from "./conclusion.ts";
import type { Environment } from "../../model/ports/processes.ts";

export interface OutputSource {
  readonly conclusion: StepConclusion;
  readonly ends: readonly SuiteEnd[];
  readonly runPath: string;
  readonly summaryPath: string;
  readonly artifactIds: readonly number[];
  readonly commentUrl: string;
  readonly checkUrls: readonly string[];
}

interface Outputs {
  readonly values: Readonly<Record<string, string>>;
  readonly problems: readonly Problem[];
}

/**
 * Limit of the output `metrics`. GitHub stores 1 MB of outputs per job, counted in UTF-16, and other steps need some,
 * too.
 */
const longestMetrics = 200_000;

/** The step's outputs as text, by the names that action.yml declares. */
export function makeOutputs(source: OutputSource): Outputs {
  const runs = source.ends.flatMap((end) => (end.kind === "finished" ? [end.run] : []));
  const metrics = metricsText(runs);
  return {
    values: {
      verdict: source.conclusion.verdict,
      "exit-code": String(source.conclusion.exitCode),
      "run-path": source.runPath,
      "summary-path": source.summaryPath,
      metrics: metrics.text,
      regressed: String(sum(runs.map((run) => changedCases(run, "broke")))),
      fixed: String(sum(runs.map((run) => changedCases(run, "fixed")))),
      errors: String(sum(runs.map(({ cases }) => cases.invalid + cases.failed + cases.ungraded))),
      missing: String(sum(runs.map(({ cases }) => cases.missing))),
      "baseline-sha": runs.map(({ baseline }) => baseline?.sha ?? "").join(","),
      "comment-url": source.commentUrl,
      "check-url": source.checkUrls.join(","),
      ...artifactOutput(source.artifactIds),
    },
    problems: metrics.problems,
  };
}

/** The output with the ids of artifacts. */
export function artifactOutput(ids: readonly number[]): Readonly<Record<string, string>> {
  return { "artifact-id": ids.join(",") };
}

/** Writes the outputs to the runner's file, and returns problems. Outside a runner there is no file. */
export function writeOutputs(
  env: Environment,
  values: Readonly<Record<string, string>>,
): readonly Problem[] {
  if (!env["GITHUB_OUTPUT"]) return [];
  try {
    for (const [name, value] of Object.entries(values)) core.setOutput(name, value);
    return [];
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    return [problem("outputs_failed", { reason })];
  }
}

function metricsText(runs: readonly Run[]): {
  readonly text: string;
  readonly problems: readonly Problem[];
} {
  const all = runs.flatMap((run) => run.metrics.map((metric) => shortMetric(run, metric)));
  const text = JSON.stringify(all);
  if (text.length <= longestMetrics) return { text, problems: [] };
  const whole = JSON.stringify(all.filter((metric) => metric.slice === null));
  if (whole.length <= longestMetrics)
    return { text: whole, problems: [problem("metrics_too_long", { kept: "no slices" })] };
  return { text: "[]", problems: [problem("metrics_too_long", { kept: "no metrics" })] };
}

function shortMetric({ suite }: Run, metric: MetricValue) {
  const { task, candidate, metric: id, slice, value, n, ci } = metric;
  return { suite: suite.name, task, candidate, metric: id, slice, value, n, ci };
}

/**
 * Number of cases that changed against the baseline, over tasks and candidates. A case may change in several metrics;
 * for each task and candidate the metric with the most changes counts, so that no case counts twice.
 */
function changedCases(run: Run, direction: "broke" | "fixed"): number {
  const most = new Map<string, number>();
  for (const rule of run.gate.rules) {
    const group = JSON.stringify([rule.task, rule.candidate]);
    // Seconds and dollars differ in every case of every run.
    const isWhole =
      rule.slice === null && rule.against === undefined && !isSampleMetric(rule.metric);
    const cases = isWhole ? (rule[direction] ?? 0) : 0;
    most.set(group, Math.max(most.get(group) ?? 0, cases));
  }
  return sum([...most.values()]);
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

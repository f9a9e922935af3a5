import type { MetricValue, Run } from "../../src/model/outcomes/run.ts";
import type { Verdict } from "../../src/model/outcomes/verdict.ts";
import type { RuleResult } from "../../src/model/outcomes/rule-result.ts";

/** A run with what github/ reads of it; the rest as small as the type allows. */
export function exampleRun(parts: {
  readonly verdict?: Verdict;
  readonly rules?: readonly RuleResult[];
  readonly metrics?: readonly MetricValue[];
  readonly cases?: Partial<Run["cases"]>;
}): Run {
  const zero = { declared: 0, scored: 0, invalid: 0, failed: 0, ungraded: 0 };
  return {
    format: "regrade.run/1",
    id: "run_1",
    status: "completed",
    suite: {
      name: "support-bot",
      path: "evals/a.yaml",
      version: "sha256:0",
      schema_version: "2026-05-27",
      gate: {},
      tasks: {},
      not_selected: { tasks: [], candidates: [] },
      publish: "failures",
    },
    input_hash: "sha256:0",
    git: { sha: null, base_sha: null, ref: null },
    created_at: "2026-01-01T00:00:00.000Z",
    completed_at: "2026-01-01T00:00:00.000Z",
    candidates: [],
    generation: {},
    judge_model: null,
    embedding_model: null,
    request_counts: { total: 0, completed: 0, failed: 0 },
    cases: { ...zero, paired: 0, new: 0, missing: 0, renamed: 0, ...parts.cases },
    metrics: parts.metrics ?? [],
    gate: { verdict: parts.verdict ?? "pass", reasons: [], rules: parts.rules ?? [] },
    baseline: null,
    usage: { input_tokens: 0, output_tokens: 0, usd: 0, judge_usd: 0, cached: 0 },
    timing: { seconds: 0, generate_seconds: 0, grade_seconds: 0 },
    sandbox: { level: "none", details: {} },
    environment: { node: "24", python: null, os: "linux", regrade: "0" },
  };
}

export function exampleRule(parts: Partial<RuleResult>): RuleResult {
  return {
    kind: "max_drop",
    prove: "drop",
    level: "block",
    task: "qa",
    candidate: "main",
    metric: "exact_match",
    slice: null,
    value: null,
    baseline: null,
    delta: null,
    delta_ci: null,
    ci_level: null,
    test: null,
    p: null,
    p_adjusted: null,
    broke: null,
    fixed: null,
    n: null,
    mde: null,
    limit: 0.02,
    outcome: "met",
    code: "no_drop_detected",
    reason: "",
    changed: { broke: [], fixed: [] },
    ...parts,
  };
}

export function exampleMetric(parts: Partial<MetricValue>): MetricValue {
  return {
    task: "qa",
    candidate: "main",
    metric: "exact_match",
    slice: null,
    aggregation: "mean",
    higher_is_better: true,
    range: [0, 1],
    scale: "binary",
    value: 0.5,
    n: 10,
    stderr: 0.1,
    ci: [0.2, 0.8],
    ci_method: "wilson",
    ...parts,
  };
}

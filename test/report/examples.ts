import type { MetricValue, Run } from "../../src/model/outcomes/run.ts";
import type { ChangedCase, RuleResult } from "../../src/model/outcomes/rule-result.ts";
import type { BrokenCase } from "../../src/model/outcomes/broken.ts";
import type { ErrorGroup } from "../../src/report/markdown/detail-blocks.ts";

/** Figures of a rule that compares with no baseline. */
export const uncompared = {
  baseline: null,
  delta: null,
  delta_ci: null,
  ci_level: null,
  test: null,
  p: null,
  p_adjusted: null,
  broke: null,
  fixed: null,
} as const;

/**
 * One run in several fates. Its figures agree with each other: of 240 pairs 213 were right,
 * 18 broke, 6 were fixed, so 201 are right now.
 */
export const failed: Run = {
  format: "regrade.run/1",
  id: "run_20260714T101500Z_4f2c9e1a",
  status: "completed",
  suite: {
    name: "support-bot",
    path: "evals/support-bot.yaml",
    version: "sha256:5b1f0c7e9a44d2b3",
    schema_version: "2026-05-27",
    not_selected: { tasks: [], candidates: [] },
    publish: "failures",
    gate: { max_drop: 0.02 },
    tasks: {
      qa: {
        fingerprint: {
          dataset: "sha256:aa",
          preprocess: null,
          prompt: "sha256:bb",
          extraction: "sha256:cc",
          grader: "sha256:dd",
          judge: null,
        },
        metrics: [
          {
            id: "exact_match",
            aggregation: "mean",
            higher_is_better: true,
            range: [0, 1],
            scale: "binary",
          },
        ],
        repeats: 1,
        min_cases: 1,
      },
    },
  },
  input_hash: "sha256:1d2e3f",
  git: { sha: "4f2c9e1ab03d77aa012", base_sha: "a91b03d5c6e7f8a9b0c", ref: "refs/pull/128/merge" },
  created_at: "2026-07-14T10:15:00Z",
  completed_at: "2026-07-14T10:21:12Z",
  candidates: [{ id: "main", kind: "command", model: null }],
  generation: {},
  judge_model: null,
  embedding_model: null,
  request_counts: { total: 240, completed: 239, failed: 1 },
  cases: {
    declared: 240,
    scored: 237,
    invalid: 2,
    failed: 1,
    ungraded: 0,
    paired: 240,
    new: 0,
    missing: 0,
    renamed: 0,
  },
  metrics: [
    value({}),
    value({ slice: "language=de", value: 25 / 34, n: 34, stderr: 0.0757, ci: [0.569, 0.854] }),
    value({ slice: "language=en", value: 176 / 206, n: 206, stderr: 0.0246, ci: [0.8, 0.896] }),
    value({
      metric: "latency_seconds",
      higher_is_better: false,
      range: null,
      scale: "graded",
      value: 1.238,
      n: 240,
      stderr: 0.021,
      ci: [1.197, 1.279],
      ci_method: "t",
    }),
    value({
      metric: "usd",
      higher_is_better: false,
      range: null,
      scale: "graded",
      value: 0.01317,
      stderr: 0.0002,
      ci: [0.01278, 0.01356],
      ci_method: "t",
    }),
  ],
  gate: {
    verdict: "fail",
    reasons: [
      "qa/exact_match, main: −5.0 points (88.8% → 83.8%), a proven drop",
      "qa, main: the grader gave no valid score for 2 of 240 cases; counted as wrong",
      "qa/exact_match, main: 83.8%, at least 80.0%",
      "warning: qa/latency_seconds, main: no regression detected; could detect ≥ 0.0574",
    ],
    rules: [
      rule({
        reason: "−5.0 points (88.8% → 83.8%), a proven drop",
        changed: {
          broke: ids("refund", 18, 1),
          fixed: ids("parcel", 6, 0),
          // 27 failed in the baseline, and 6 of them are fixed.
          failing: { count: 21, cases: ids("label", 21, 0).map((one) => one.case_id) },
        },
      }),
      rule({
        kind: "min",
        prove: null,
        ...uncompared,
        n: null,
        mde: null,
        limit: 0.8,
        outcome: "met",
        code: "within_limit",
        reason: "83.8%, at least 80.0%",
      }),
      rule({
        kind: "max_rise",
        level: "warn",
        metric: "latency_seconds",
        value: 1.238,
        baseline: 1.221,
        delta: 0.017,
        delta_ci: [-0.021, 0.055],
        test: "paired_t",
        p: 0.231,
        p_adjusted: null,
        broke: 131,
        fixed: 109,
        mde: 0.0574,
        limit: 0.5,
        outcome: "met",
        code: "no_drop_detected",
        reason: "no regression detected; could detect ≥ 0.0574",
      }),
    ],
  },
  baseline: {
    source: "evals/baseline",
    run_id: "run_20260712T090000Z_a91b03d5",
    sha: "a91b03d5c6e7f8a9b0c",
    age_days: 2,
    distance: 0,
    comparable: { qa: true },
    notes: ["qa: the dataset changed since the baseline; cases with equal rows are compared"],
  },
  usage: { input_tokens: 48_210, output_tokens: 9_640, usd: 3.16, judge_usd: 0, cached: 0 },
  timing: { seconds: 372, generate_seconds: 2_804.2, grade_seconds: 61.7 },
  sandbox: { level: "landlock+seccomp", details: { landlock_abi: 7, missing: [] } },
  environment: { node: "24.21.0", python: "3.12.3", os: "linux", regrade: "0.1.0" },
};

/** 4 broke, 6 were fixed: 215 of 240. */
export const passed: Run = {
  ...failed,
  metrics: [value({ value: 215 / 240, stderr: 0.0197, ci: [0.851, 0.929] })],
  gate: {
    verdict: "pass",
    reasons: ["qa/exact_match, main: no regression detected; could detect ≥ 3.3 points"],
    rules: [
      rule({
        value: 215 / 240,
        delta: 2 / 240,
        delta_ci: [-0.014, 0.031],
        p: 0.726,
        p_adjusted: 0.726,
        broke: 4,
        fixed: 6,
        mde: 0.0328,
        outcome: "met",
        code: "no_drop_detected",
        reason: "no regression detected; could detect ≥ 3.3 points",
        changed: { broke: ids("refund", 4, 1), fixed: ids("parcel", 6, 0) },
      }),
    ],
  },
};

/** 12 broke, 7 were fixed: 208 of 240. */
export const grey: Run = {
  ...failed,
  metrics: [value({ value: 208 / 240, stderr: 0.0219, ci: [0.818, 0.904] })],
  gate: {
    verdict: "pass",
    reasons: ["qa/exact_match, main: −2.1 points seen, not proven; 240 cases detect ≥ 4.5 points"],
    rules: [
      rule({
        value: 208 / 240,
        delta: -5 / 240,
        delta_ci: [-0.052, 0.01],
        p: 0.132,
        p_adjusted: 0.132,
        broke: 12,
        fixed: 7,
        mde: 0.0452,
        noise: { n: 240, variance: 0.0393, bits: true, lost: 1, clusters: null, design: 1 },
        outcome: "met",
        code: "drop_not_proven",
        reason: "−2.1 points seen, not proven; 240 cases detect ≥ 4.5 points",
        changed: { broke: ids("refund", 12, 1), fixed: ids("parcel", 7, 0) },
      }),
    ],
  },
};

export const inconclusive: Run = {
  ...failed,
  gate: {
    verdict: "inconclusive",
    reasons: [
      "qa/exact_match, main: not comparable: the grader changed since the baseline; it takes a new baseline, made by a run of the base branch as it is now",
    ],
    rules: [
      rule({
        baseline: null,
        delta: null,
        delta_ci: null,
        test: null,
        p: null,
        p_adjusted: null,
        broke: null,
        fixed: null,
        n: null,
        mde: null,
        outcome: "inconclusive",
        code: "not_comparable",
        reason:
          "not comparable: the grader changed since the baseline; it takes a new baseline, made by a run of the base branch as it is now",
      }),
    ],
  },
  cases: { ...failed.cases, paired: 0 },
  baseline: failed.baseline && {
    ...failed.baseline,
    comparable: { qa: false },
    notes: ["qa: not comparable, as the grader changed since the baseline"],
  },
};

export const errored: Run = {
  ...failed,
  status: "failed",
  gate: {
    verdict: "error",
    reasons: [
      "qa, main: 31 of 240 cases could not be graded (12 allowed); see the samples' errors, then run again, or set `gate.max_error_rate`",
      "qa, main: the grader gave no valid score for 2 of 240 cases; counted as wrong",
    ],
    rules: [],
  },
  metrics: [value({ value: 176 / 209, n: 209, stderr: 0.0252, ci: [0.787, 0.885] })],
  cases: { ...failed.cases, scored: 206, ungraded: 31, paired: 209 },
  request_counts: { total: 240, completed: 208, failed: 32 },
};

/** No baseline: an absolute rule holds, a relative one waits. */
export const first: Run = {
  ...failed,
  baseline: null,
  cases: { ...failed.cases, paired: 0 },
  gate: {
    verdict: "pass",
    reasons: [
      "qa/exact_match, main: 83.8%, at least 80.0%",
      "qa/exact_match, main: not measured: there is no baseline",
    ],
    rules: [
      ...failed.gate.rules.slice(1, 2),
      rule({
        baseline: null,
        delta: null,
        delta_ci: null,
        test: null,
        p: null,
        p_adjusted: null,
        broke: null,
        fixed: null,
        n: null,
        mde: null,
        outcome: "unmeasured",
        code: "no_baseline",
        reason: "not measured: there is no baseline",
      }),
    ],
  },
};

export const neutral: Run = {
  ...first,
  gate: {
    verdict: "neutral",
    reasons: [
      "nothing was compared: no baseline (none was given); give one (`gate.baseline: { path: … }` or `--baseline`), or declare a rule with `min` or `max`",
    ],
    rules: first.gate.rules.slice(1),
  },
};

export const ungated: Run = {
  ...first,
  suite: { ...failed.suite, gate: "none" },
  gate: { verdict: "neutral", reasons: ["`gate: none`: nothing is judged"], rules: [] },
};

export const cancelled: Run = {
  ...failed,
  status: "cancelled",
  gate: { verdict: "neutral", reasons: [], rules: [] },
  request_counts: { total: 240, completed: 96, failed: 1 },
  cases: { ...failed.cases, scored: 96, invalid: 0, failed: 1, paired: 97 },
};

export const brokenCases: readonly BrokenCase[] = [
  {
    task: "qa",
    candidate: "main",
    metric: "exact_match",
    caseId: "refund-001",
    slices: { language: "en" },
    asked: "How long can I return a parcel?",
    target: "30 days",
    before: { score: 1, output: "You can return it within 30 days." },
    after: {
      score: 0,
      output:
        "You can return it within 14 days.\n\n```\n| policy | days |\n```\nAsk @support, see #12.",
      judge: { reason: 'expected "30 days", got "14 days"' },
    },
  },
  {
    task: "qa",
    candidate: "main",
    metric: "exact_match",
    caseId: "refund-002",
    slices: { language: "de" },
    before: { score: 1, output: "Die Bestellnummer fehlt." },
    after: {
      score: 0,
      output: null,
      error: {
        stage: "generate",
        fault: "candidate",
        type: "exit_code",
        message: "app.py ended with code 1: KeyError: 'order'",
      },
    },
  },
];

export const errors: readonly ErrorGroup[] = [
  {
    task: "qa",
    candidate: "main",
    stage: "grade",
    fault: "grader",
    type: "invalid_score",
    count: 2,
    caseIds: ["lang-de-004", "lang-de-019"],
    message: "the grader returned True; a number is needed",
  },
  {
    task: "qa",
    candidate: "main",
    stage: "generate",
    fault: "candidate",
    type: "exit_code",
    count: 1,
    caseIds: ["refund-002"],
    message: "app.py ended with code 1: KeyError: 'order'",
  },
];

/** A metric's value; what is not given is that of `qa/exact_match`. */
export function value(given: Partial<MetricValue>): MetricValue {
  return {
    task: "qa",
    candidate: "main",
    metric: "exact_match",
    slice: null,
    aggregation: "mean",
    higher_is_better: true,
    range: [0, 1],
    scale: "binary",
    value: 0.8375,
    n: 240,
    stderr: 0.0239,
    ci: [0.786, 0.879],
    ci_method: "wilson",
    ...given,
  };
}

/** A rule's result; what is not given is that of a proven drop of `qa/exact_match`. */
export function rule(given: Partial<RuleResult>): RuleResult {
  return {
    kind: "max_drop",
    prove: "drop",
    level: "block",
    task: "qa",
    candidate: "main",
    metric: "exact_match",
    slice: null,
    value: 0.8375,
    baseline: 0.8875,
    delta: -0.05,
    delta_ci: [-0.086, -0.017],
    ci_level: 0.9,
    test: "mcnemar_midp",
    p: 0.0073,
    p_adjusted: 0.0219,
    broke: 18,
    fixed: 6,
    n: 240,
    mde: 0.051,
    limit: 0.02,
    outcome: "missed",
    code: "drop_proven",
    reason: "−5.0 points (88.8% → 83.8%), a proven drop",
    changed: { broke: [], fixed: [] },
    ...given,
  };
}

/** `refund-001` … with the score that they had. */
export function ids(stem: string, count: number, before: 0 | 1): readonly ChangedCase[] {
  return Array.from({ length: count }, (_, i) => ({
    case_id: `${stem}-${String(i + 1).padStart(3, "0")}`,
    before,
    after: 1 - before,
  }));
}

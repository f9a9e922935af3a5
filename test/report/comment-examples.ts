import type { Circumstances } from "../../src/model/circumstances.ts";
import { formatComment } from "../../src/model/comment.ts";
import { problem } from "../../src/model/refusal.ts";
import type { HistoryPoint } from "../../src/model/outcomes/history.ts";
import type { Run } from "../../src/model/outcomes/run.ts";
import { commentSection, type CommentView } from "../../src/report/comment.ts";
import { queueComment } from "../../src/report/merge-queue.ts";
import * as examples from "./examples.ts";
import { fiveHundredBroke, oneBroke } from "./sized-runs.ts";

export const here: Circumstances = {
  runId: "98123",
  attempt: 1,
  sha: "4f2c9e1ab03d77aa0124f2c9e1ab03d77aa01234",
  baseBranch: "main",
  judgedAgainst: "main",
  runUrl: "https://github.com/acme/support/actions/runs/98123",
  artifactUrl: "https://github.com/acme/support/actions/runs/98123/artifacts/41",
  repositoryUrl: "https://github.com/acme/support",
};

const failedRun: Run = {
  ...examples.failed,
  metrics: [
    ...examples.failed.metrics,
    examples.value({ metric: "faithfulness", scale: "graded", value: 0.871, ci: [0.85, 0.89] }),
  ],
  gate: {
    ...examples.failed.gate,
    rules: [
      ...examples.failed.gate.rules,
      examples.rule({
        slice: "language=de",
        level: "info",
        value: 25 / 34,
        baseline: 28 / 34,
        delta: -3 / 34,
        delta_ci: [-0.19, 0.02],
        p: 0.1,
        p_adjusted: null,
        broke: 4,
        fixed: 1,
        n: 34,
        mde: 0.16,
        limit: 0.05,
        outcome: "met",
        code: "drop_not_proven",
        reason: "−8.8 points seen, not proven",
      }),
    ],
  },
  usage: { ...examples.failed.usage, judge_usd: 0.41, cached: 98 },
  baseline: examples.failed.baseline && {
    ...examples.failed.baseline,
    ...foundBaseline(),
  },
};

/** A baseline that was looked for on GitHub. */
function foundBaseline() {
  return {
    source: "https://github.com/acme/support/actions/runs/98077",
    reason: "it is of the base commit itself",
    history: history([0.879, 0.892, 0.888, 0.883, 0.896, 0.892, 0.879, 0.888, 0.892, 0.888]),
  };
}

function withBaseline(run: Run): Run {
  return { ...run, baseline: run.baseline && { ...run.baseline, ...foundBaseline() } };
}

const policyFailed: Run = {
  ...failedRun,
  policy: {
    source: "main",
    sha: "a91b03d5c6e7f8a9b0c",
    suite: "same",
    base_path: "evals/support-bot.yaml",
    changed: [
      {
        part: "gate",
        task: null,
        effect: "changed",
        note: "`max_drop` is raised from 0.02 to 0.06",
      },
      { part: "dataset", task: "qa", effect: "added", note: "12 cases are new; they inform" },
    ],
    slots: { new: [], missing: [] },
    recorded: [],
    base: examples.failed.gate,
    head: {
      verdict: "pass",
      reasons: ["qa/exact_match, main: −5.0 points (88.8% → 83.8%), below the limit of 6.0 points"],
      rules: examples.failed.gate.rules
        .filter(({ kind }) => kind === "max_drop")
        .map((rule) =>
          examples.rule({ ...rule, limit: 0.06, outcome: "met", code: "drop_within_limit" }),
        ),
    },
    decided_by: "base",
  },
};

const unalteredPolicy: Run["policy"] = {
  source: "main",
  sha: "a91b03d5c6e7f8a9b0c",
  suite: "same",
  base_path: "evals/support-bot.yaml",
  changed: [],
  slots: { new: [], missing: [] },
  recorded: [],
  base: null,
  head: null,
  decided_by: "both",
};

/** The usual change: another model, and nothing else. */
const otherModel: Run["policy"] = {
  ...unalteredPolicy,
  changed: [
    {
      part: "candidates",
      task: null,
      effect: "told",
      note: "the candidate `main` is asked otherwise: `model` openai:gpt-5.4-mini → openai:gpt-5.4",
    },
  ],
};

const words = [
  "missing order id",
  "answered in English",
  'expected "refund", got "exchange"',
  "the policy is not named",
];

const withTexts = {
  broken: [
    ...examples.brokenCases,
    ...examples
      .ids("refund", 18, 1)
      .slice(2)
      .map(({ case_id: caseId }, i) => ({
        task: "qa",
        candidate: "main",
        metric: "exact_match",
        caseId,
        slices: { language: i % 5 === 2 ? "de" : "en" },
        before: { score: 1, output: "The refund takes 5 days.\nAsk us for more." },
        after: {
          score: 0,
          output: "We exchange it within 5 days.\nAsk us for more.",
          judge: { reason: words[i % words.length] ?? "" },
        },
      })),
  ],
  errors: examples.errors,
};

const dearer = examples.rule({
  kind: "max_rise",
  metric: "usd",
  value: 0.0132,
  baseline: 0.0061,
  delta: 0.0071,
  delta_ci: [0.0069, 0.0073],
  test: "paired_t",
  broke: 240,
  fixed: 0,
  limit: 0.001,
  code: "drop_proven",
  reason: "+$0.0071 ($0.0061 → $0.0132), a proven rise",
  changed: { broke: examples.ids("dear", 50, 1), fixed: [] },
});

const belowLimit = examples.rule({
  kind: "min",
  prove: null,
  ...examples.uncompared,
  mde: null,
  limit: 0.9,
  code: "beyond_limit",
  reason: "83.8% is below the minimum of 90.0%",
});

/** The same, of a run that knows which cases fail: 18 since the baseline, 21 did before. */
const belowLimitWithCases = examples.rule({
  ...belowLimit,
  beyond: {
    count: 39,
    of: 240,
    cases: [
      ...examples
        .ids("refund", 18, 1)
        .map((one) => ({ case_id: one.case_id, value: 0, before: 1 })),
      ...examples.ids("label", 21, 0).map((one) => ({ case_id: one.case_id, value: 0, before: 0 })),
    ],
  },
});

const notRuledOut = examples.rule({
  prove: "no_drop",
  outcome: "inconclusive",
  code: "no_drop_not_shown",
  reason:
    "−5.0 points (88.8% → 83.8%); a drop of 2.0 points is not ruled out: at worst −8.6 points (95% sure); more cases would show more",
  changed: { broke: examples.ids("refund", 18, 1), fixed: examples.ids("parcel", 6, 0) },
});

/** A failed run whose only rule this is. */
function withRule(rule: Run["gate"]["rules"][number]): Run {
  const { metric, candidate, slice, against } = rule;
  const where = [candidate, ...(slice === null ? [] : [slice])].join(", ");
  const facing = against === undefined ? "" : `, against ${against}`;
  const reasons = [`qa/${metric}, ${where}${facing}: ${rule.reason}`];
  return labelled(
    withBaseline({ ...failedRun, gate: { verdict: "fail", reasons, rules: [rule] } }),
  );
}

/** Two candidates of one run: 18 cases that `plain` has right, `with-rules` has wrong. */
function againstPlain(): CommentView {
  const rule = examples.rule({
    candidate: "with-rules",
    against: "plain",
    changed: { broke: examples.ids("refund", 18, 1), fixed: [] },
  });
  const shown = view(withRule(rule), {}, "failures");
  if (shown.kind !== "run") return shown;
  const { run, broken = [] } = shown;
  const metrics = ["plain", "with-rules"].flatMap((candidate, i) =>
    run.metrics
      .filter(({ metric, slice }) => metric === "exact_match" && slice === null)
      .map((value) =>
        Object.assign({}, value, { candidate, value: i === 0 ? 213 / 240 : value.value }),
      ),
  );
  return {
    ...shown,
    broken: broken.map((one) =>
      Object.assign({}, one, { candidate: "with-rules", against: "plain" }),
    ),
    run: {
      ...run,
      metrics,
      candidates: ["plain", "with-rules"].map((id) => ({ id, kind: "command", model: null })),
    },
  };
}

const inGerman = examples.rule({
  slice: "language=de",
  value: 20 / 34,
  baseline: 28 / 34,
  delta: -8 / 34,
  delta_ci: [-0.39, -0.11],
  broke: 9,
  fixed: 1,
  n: 34,
  mde: 0.16,
  reason: "−23.5 points (82.4% → 58.8%), a proven drop",
  changed: { broke: examples.ids("refund", 9, 1), fixed: examples.ids("parcel", 1, 0) },
});

/** All broken cases are of the slice. */
function germanBroke(): CommentView {
  const shown = view(withRule(inGerman), {}, "failures");
  if (shown.kind !== "run") return shown;
  const broken = shown.broken?.map((one) => Object.assign({}, one, { slices: { language: "de" } }));
  return { ...shown, ...(broken && { broken }) };
}

const slower = examples.rule({
  kind: "max_rise",
  metric: "latency_seconds",
  value: 2.04,
  baseline: 1.221,
  delta: 0.819,
  delta_ci: [0.79, 0.848],
  test: "paired_t",
  broke: 240,
  fixed: 0,
  limit: 0.5,
  code: "drop_proven",
  reason: "+0.819 s (1.22 s → 2.04 s), a proven rise",
  changed: {
    broke: examples
      .ids("slow", 50, 1)
      .map((one) => Object.assign({}, one, { before: 1.2, after: 2.1 })),
    fixed: [],
  },
});

/** The broken cases got no answer in time. */
function timedOut(): CommentView {
  const rule = examples.rule({
    crashed: 18,
    changed: { broke: examples.ids("refund", 18, 1), fixed: [] },
  });
  const message = "no answer within 30 s (timeout_seconds)";
  const diagnosis = {
    task: "qa",
    candidate: "main",
    symptom: "crash",
    message: `18 of 240 cases timed out: ${message}`,
    detail: null,
  } as const;
  const shown = view({ ...withRule(rule), diagnoses: [diagnosis] }, {}, "failures");
  if (shown.kind !== "run") return shown;
  const error = { stage: "generate", fault: "candidate", type: "timeout", message } as const;
  return {
    ...shown,
    broken: (shown.broken ?? []).map((one) =>
      Object.assign({}, one, { after: { score: 0, output: null, error } }),
    ),
  };
}

const spent =
  "The budget of $2.00 is spent: $2.04 with the calls that were under way. Finished: 97 of 240 samples. Raise run.budget.usd and go on with --resume: what is finished is kept.";

/** One view for everything that a section can look like. */
export const views: Readonly<Record<string, CommentView>> = {
  fail: view(labelled(failedRun), {}, "failures"),
  "fail-1": sized(oneBroke()),
  "fail-500": sized(fiveHundredBroke()),
  "fail-ids": view({ ...failedRun, policy: unalteredPolicy }, {}, "ids"),
  "fail-policy": view(labelled(policyFailed), {}, "failures"),
  "fail-repeats": view(repeated(failedRun), { attempt: 2 }, "failures"),
  pass: view({ ...withBaseline(examples.passed), policy: unalteredPolicy }, {}, "ids"),
  "pass-asked": view({ ...withBaseline(examples.passed), policy: otherModel }, {}, "ids"),
  "pass-grey": view(withBaseline(examples.grey), {}, "ids"),
  resolved: view(
    withBaseline(examples.passed),
    { previous: { verdict: "fail", sha: "77aa012bb5c0de77aa012bb5c0de77aa012bb5c0" } },
    "ids",
  ),
  accepted: view(acceptedLoss(failedRun), {}, "ids"),
  relaxed: view(relaxed(policyFailed), {}, "failures"),
  "must-pass": view(labelled(mustPass(failedRun)), {}, "failures"),
  report: view(
    labelled(failedRun),
    { reportUrl: "https://github.com/acme/support/actions/runs/98123/artifacts/42" },
    "failures",
  ),
  first: view(
    examples.neutral,
    { noBaseline: "the base branch has no finished run of this suite yet", isFirst: true },
    "ids",
  ),
  cost: view(withRule(dearer), {}, "failures"),
  limit: view(withRule(belowLimit), {}, "failures"),
  against: againstPlain(),
  slice: germanBroke(),
  latency: view(withRule(slower), {}, "failures"),
  timeouts: timedOut(),
  "limit-cases": view(withRule(belowLimitWithCases), {}, "failures"),
  "not-ruled-out": view(
    { ...withRule(notRuledOut), gate: { ...withRule(notRuledOut).gate, verdict: "inconclusive" } },
    {},
    "failures",
  ),
  stopped: view(
    {
      ...examples.errored,
      stopped: spent,
      gate: { verdict: "error", reasons: [spent], rules: [] },
    },
    {},
    "ids",
  ),
  inconclusive: view(examples.inconclusive, {}, "ids"),
  error: view(examples.errored, {}, "failures"),
  "no-baseline": view(
    examples.first,
    { noBaseline: "the base branch has no finished run of this suite yet" },
    "ids",
  ),
  neutral: view(examples.neutral, {}, "ids"),
  cancelled: view(examples.cancelled, {}, "ids"),
  "stands-in": view(standIn(examples.passed), {}, "ids"),
  fork: view(foreign(withBaseline(examples.passed)), {}, "ids"),
  "fork-fail": view(foreign(failedRun), {}, "failures"),
  "not-affected": noRun({ kind: "not_affected", base: "main" }),
  "no-secrets": noRun({ kind: "no_secrets", who: "fork", missing: ["OPENAI_API_KEY"] }),
  refused: noRun({
    kind: "refused",
    problems: [
      problem(
        "key_duplicate",
        { key: "grader" },
        { file: "evals/support-bot.yaml", line: 12, column: 3 },
      ),
      problem("manifest_empty", undefined, { file: "evals/support-bot.yaml" }),
    ],
  }),
  crashed: noRun({ kind: "crashed" }),
};

/** Comments as they are posted. */
export const comments: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    Object.entries(views).map(([name, each]) => [name, comment([each])] as const),
  ),
  "three-suites": comment([
    named("fail", "support-bot"),
    named("pass", "routing"),
    named("not-affected", "tone"),
  ]),
};

/** The comment of its own after a failed run of the merge queue. */
export const queued = queueComment([named("fail", "support-bot")], here);

/** The comment of one workflow with these sections. */
export function comment(all: readonly CommentView[], limitBytes = 60_000): string {
  const workflow = ".github/workflows/evals.yml";
  return formatComment({ workflow, sections: all.map((each) => commentSection(each)) }, limitBytes);
}

function named(name: string, suite: string): CommentView {
  const found = views[name];
  if (found === undefined) throw new Error(name);
  if (found.kind === "no_run") return { ...found, suite };
  return { ...found, run: { ...found.run, suite: { ...found.run.suite, name: suite } } };
}

function view(
  run: Run,
  circumstances: Partial<Circumstances>,
  content: "ids" | "failures",
): CommentView {
  const texts = content === "ids" ? { errors: [] } : withTexts;
  return { kind: "run", run, ...texts, content, circumstances: { ...here, ...circumstances } };
}

function sized({ run, broken }: ReturnType<typeof oneBroke>): CommentView {
  return {
    kind: "run",
    run: labelled(withBaseline(run)),
    broken,
    content: "failures",
    circumstances: {
      ...here,
      reportUrl: "https://github.com/acme/support/actions/runs/98123/artifacts/42",
    },
  };
}

function labelled(run: Run): Run {
  const gate = {
    max_drop: 0.02,
    policy_label: "eval-policy-approved",
    accept_label: "evals-accepted",
  };
  return { ...run, suite: { ...run.suite, gate } };
}

function acceptedLoss(run: Run): Run {
  const loss = { label: "evals-accepted", by: "mona", at: "2026-07-14T10:00:00Z" };
  const [, ...reasons] = run.gate.reasons;
  return {
    ...labelled(run),
    approvals: { policy: null, loss },
    gate: {
      verdict: "pass",
      reasons: [
        "accepted: qa/exact_match, main: −5.0 points (88.8% → 83.8%), a proven drop",
        ...reasons,
      ],
      rules: run.gate.rules,
    },
  };
}

/** The change's own rules decide, as someone approved. */
function relaxed(run: Run): Run {
  const policy = { label: "eval-policy-approved", by: "maria", at: "2026-07-14T10:00:00Z" };
  const line =
    "The change of how it is judged was approved by maria (label `eval-policy-approved`): its own policy decides.";
  const own = run.policy?.head ?? run.gate;
  return {
    ...run,
    ...(run.policy && { policy: { ...run.policy, decided_by: "approval" } }),
    approvals: { policy, loss: null },
    gate: { ...own, reasons: [line, ...own.reasons] },
  };
}

/** One of 8 cases that must pass does not, beside the drop. */
function mustPass(run: Run): Run {
  const rule = examples.rule({
    kind: "must_pass",
    prove: null,
    code: "cases_short",
    value: 0,
    ...examples.uncompared,
    n: 8,
    mde: null,
    limit: 1,
    reason: "1 of 8 must-pass cases fails: refund-004",
    short: [{ case_id: "refund-004", value: 0 }],
  });
  const reasons = ["qa/exact_match, main: 1 of 8 must-pass cases fails: refund-004"];
  return {
    ...run,
    gate: {
      ...run.gate,
      reasons: [...run.gate.reasons, ...reasons],
      rules: [...run.gate.rules, rule],
    },
  };
}

function foreign(run: Run): Run {
  const repository = "stranger/support";
  const mark = `Unverified: the outputs were produced by code of ${repository}, and graded here by the base's graders.`;
  return {
    ...run,
    outputs_from: { repository, source: "https://github.com/acme/support/actions/runs/98120" },
    gate: { ...run.gate, reasons: [...run.gate.reasons, mark] },
  };
}

function standIn(run: Run): Run {
  const source = "https://github.com/acme/support/actions/runs/98077";
  return {
    ...run,
    stands_in: { for_sha: here.sha, source },
    gate: {
      ...run.gate,
      reasons: [
        ...run.gate.reasons,
        `Nothing was run: ${source} had the same inputs, 2 days ago, and stands in for this commit.`,
      ],
    },
  };
}

function noRun(reason: Extract<CommentView, { kind: "no_run" }>["reason"]): CommentView {
  return { kind: "no_run", suite: "support-bot", reason, circumstances: here };
}

function history(values: readonly number[]): readonly HistoryPoint[] {
  const of = { task: "qa", candidate: "main", slice: null };
  return values.map((value, i) => ({
    sha: `a91b03d${i}`,
    values: [
      { ...of, metric: "exact_match", value },
      { ...of, metric: "latency_seconds", value: 1.2 + (i % 3) / 50 },
      { ...of, metric: "exact_match", slice: "language=de", value: value - 0.08 },
    ],
  }));
}

/** Three repeats a case, of which some are right. */
function repeated(run: Run): Run {
  const tasks = Object.entries(run.suite.tasks).map(([id, task]) => [id, { ...task, repeats: 3 }]);
  const rules = run.gate.rules.map((rule, i) =>
    i > 0
      ? rule
      : {
          ...rule,
          test: "paired_t" as const,
          changed: {
            broke: rule.changed.broke.map((each, at) => ({ ...each, after: (at % 3) / 3 })),
            fixed: rule.changed.fixed,
          },
        },
  );
  return {
    ...run,
    suite: { ...run.suite, tasks: Object.fromEntries(tasks) as Run["suite"]["tasks"] },
    gate: { ...run.gate, rules },
  };
}

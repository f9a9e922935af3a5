import type { BrokenCase } from "../../src/model/outcomes/broken.ts";
import type { Run } from "../../src/model/outcomes/run.ts";
import * as examples from "./examples.ts";

interface Sized {
  readonly run: Run;
  readonly broken: readonly BrokenCase[];
}

/** One case broke: one that must pass. The drop of one case in 240 is nothing proven. */
export function oneBroke(): Sized {
  const [caseId, before] = ["login-004", { score: 1, output: "Please reset your password." }];
  const changed = { broke: [{ case_id: caseId, before: 1, after: 0 }], fixed: [] };
  const drop = examples.rule({
    value: 212 / 240,
    baseline: 213 / 240,
    delta: -1 / 240,
    delta_ci: [-0.0179, 0.0059],
    p: 0.25,
    p_adjusted: 0.25,
    broke: 1,
    fixed: 0,
    mde: 0.0203,
    outcome: "met",
    code: "drop_not_proven",
    reason: "−0.4 points seen, not proven; 240 cases detect ≥ 2.0 points",
    changed,
  });
  const mustPass = examples.rule({
    ...examples.failed.gate.rules[1],
    kind: "must_pass",
    value: 7 / 8,
    n: 8,
    limit: 1,
    outcome: "missed",
    code: "cases_short",
    reason: `1 of 8 must-pass cases fails: ${caseId}`,
    short: [{ case_id: caseId, value: 0 }],
    changed,
  });
  const reasons = [`qa/exact_match, main: ${mustPass.reason}`];
  return {
    run: {
      ...examples.failed,
      cases: { ...examples.failed.cases, scored: 240, invalid: 0, failed: 0 },
      request_counts: { total: 240, completed: 240, failed: 0 },
      metrics: [examples.value({ value: 212 / 240, ci: [0.837, 0.918] })],
      gate: { verdict: "fail", reasons, rules: [mustPass, drop] },
    },
    broken: [
      {
        task: "qa",
        candidate: "main",
        metric: "exact_match",
        caseId,
        slices: { language: "en" },
        asked: "I can't log in since the update.",
        target: "Please reset your password.",
        before,
        after: {
          score: 0,
          output: "Sure! PLEASE RESET YOUR PASSWORD.",
          judge: { reason: "shouts at the customer" },
        },
      },
    ],
  };
}

const reasons = [
  "the rest of the answer is missing",
  "shouts at the customer",
  "names the wrong place",
  "the number of days is wrong",
  "answered in English",
  "missing order id",
  "the policy is not named",
  "two answers in one",
  "an address that is not ours",
  "no greeting",
  "the price is in dollars",
  "asks for a password",
];
const languages = ["de", "es", "en", "fr"];

/** 500 of 2,000 cases broke, for twelve reasons, of which the first are the most frequent. */
export function fiveHundredBroke(): Sized {
  const changed = { broke: examples.ids("ticket", 500, 1), fixed: examples.ids("parcel", 12, 0) };
  const drop = examples.rule({
    value: 1280 / 2000,
    baseline: 1768 / 2000,
    delta: -488 / 2000,
    delta_ci: [-0.26, -0.228],
    p: 1e-40,
    p_adjusted: 1e-40,
    broke: 500,
    fixed: 12,
    n: 2000,
    mde: 0.021,
    reason: "−24.4 points (88.4% → 64.0%), a proven drop",
    changed,
  });
  return {
    run: {
      ...examples.failed,
      cases: {
        ...examples.failed.cases,
        declared: 2000,
        scored: 2000,
        invalid: 0,
        failed: 0,
        paired: 2000,
      },
      request_counts: { total: 2000, completed: 2000, failed: 0 },
      metrics: [examples.value({ value: 0.64, n: 2000, ci: [0.619, 0.661] })],
      gate: {
        verdict: "fail",
        reasons: ["qa/exact_match, main: −24.4 points (88.4% → 64.0%), a proven drop"],
        rules: [drop],
      },
    },
    broken: changed.broke.map(({ case_id: caseId }, i): BrokenCase => {
      const reason = Math.floor(reasons.length * ((i % 97) / 97) ** 2);
      return {
        task: "qa",
        candidate: "main",
        metric: "exact_match",
        caseId,
        slices: { language: languages[reason % languages.length] ?? "" },
        asked: `Where is my parcel? Ticket ${i}.`,
        before: { score: 1, output: `It arrives on Monday. Ticket ${i}.` },
        after: {
          score: 0,
          output: `It is late. Ticket ${i}.`,
          judge: { reason: reasons[reason] ?? "" },
        },
      };
    }),
  };
}

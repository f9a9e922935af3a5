import { describe, expect, it } from "vitest";
import type { Reducer } from "../../src/model/definition/suite.ts";
import { em, pairs, qa, times, type Case } from "./sides.ts";
import { check, decide, near, rules, type Situation } from "./situation.ts";

const [before, after] = pairs({ broke: 18, fixed: 6, right: 195, wrong: 21 });
const graded = { metrics: [{ scale: "graded" as const }] };

/** `count` pairs of 0/1 scores, all right, but for so many that broke. */
function broken(count: number, broke: number): [Case[], Case[]] {
  return pairs({ broke, fixed: 0, right: count - broke, wrong: 0 });
}

/** So many right answers in a language; in head, so many of them broke. */
function inLanguage(language: string, broke: number): readonly [Case[], Case[]] {
  const place = (cell: Case, i: number): Case => ({
    id: `${language}-${i}`,
    slices: { language, level: String(i % 2) },
    is: Number(cell),
  });
  const [was, is] = broken(200, broke);
  return [was.map(place), is.map(place)];
}

/** 200 German and 200 English cases, of which so many broke. */
function languages(german: number, english: number): readonly [Case[], Case[]] {
  const [germanBefore, germanAfter] = inLanguage("de", german);
  const [englishBefore, englishAfter] = inLanguage("en", english);
  return [
    [...germanBefore, ...englishBefore],
    [...germanAfter, ...englishAfter],
  ];
}

const reduced = (reducer: Reducer): { metrics: { reducer: Reducer }[]; repeats: number } => ({
  metrics: [{ reducer }],
  repeats: 3,
});

/** 24 passages with 5 questions each; in so many of them every answer broke. */
const passages = (fallen: number, count = 24): Case[] =>
  Array.from({ length: count * 5 }, (_, i) => ({
    id: `q${i}`,
    cluster: `p${Math.floor(i / 5)}`,
    is: Math.floor(i / 5) < fallen ? 0 : 1,
  }));

const seconds = (aggregation: "p95" | "median" | "sum" | "stddev" | "p90" | "p50") => ({
  metrics: [{ aggregation, higher_is_better: false, range: null, scale: "graded" as const }],
});

const slow = (latency: number, is: Case & (number | "invalid" | "failed") = 1): Case => ({
  is,
  measured: { latency_seconds: latency, input_tokens: 10 },
});

describe("prove: no_drop", () => {
  const noDrop = rules({ max_drop: 0.05, prove: "no_drop" });
  const [thousandBefore, thousandAfter] = pairs({ broke: 30, fixed: 25, right: 900, wrong: 45 });
  const steady = Array.from({ length: 40 }, (_, i) => 0.5 + (i % 5) * 0.1);
  const wobbling = steady.map((score, i) => score + ((i % 3) - 1) * 0.01);
  it.each<Situation>([
    {
      name: "passes where the interval excludes the loss",
      base: qa(thousandBefore),
      head: qa(thousandAfter),
      gate: noDrop,
      verdict: "pass",
      rules: ["met no_drop_shown"],
      first: { prove: "no_drop", test: "mcnemar_midp", delta: near(-0.005) },
    },
    {
      name: "is open where the cases are too few to exclude it",
      base: qa(times(20, 1)),
      head: qa(times(20, 1)),
      gate: noDrop,
      verdict: "inconclusive",
      rules: ["inconclusive no_drop_not_shown"],
    },
    {
      name: "fails where a drop is proven",
      base: qa(before),
      head: qa(after),
      gate: noDrop,
      verdict: "fail",
      rules: ["missed drop_proven"],
    },
    {
      name: "fails where a drop is proven that is smaller than the limit and may be larger",
      base: qa(before),
      head: qa(after),
      gate: rules({ max_drop: 0.06, prove: "no_drop" }),
      verdict: "fail",
      rules: ["missed drop_proven"],
    },
    {
      name: "passes on graded scores that hardly moved",
      base: qa(steady, graded),
      head: qa(wobbling, graded),
      gate: noDrop,
      verdict: "pass",
      rules: ["met no_drop_shown"],
      first: { test: "sign_flip_exact" },
    },
    {
      name: "is open on a handful of graded scores that did not move: what could have is not known",
      base: qa(times(3, 0.5), graded),
      head: qa(times(3, 0.5), graded),
      gate: noDrop,
      verdict: "inconclusive",
      rules: ["inconclusive no_drop_not_shown"],
    },
    {
      name: "is open on one case",
      base: qa([0.5], graded),
      head: qa([0.5], graded),
      gate: noDrop,
      verdict: "inconclusive",
      rules: ["inconclusive no_drop_not_shown"],
      first: { delta_ci: null },
    },
    {
      name: "guards a rise where lower is better",
      base: qa(steady, { metrics: [{ higher_is_better: false, scale: "graded" }] }),
      head: qa(wobbling, { metrics: [{ higher_is_better: false, scale: "graded" }] }),
      gate: rules({ max_rise: 0.05, prove: "no_drop" }),
      verdict: "pass",
      rules: ["met no_drop_shown"],
    },
    {
      name: "is open where the ungraded samples could hide the loss",
      base: qa(times(200, 1)),
      head: qa([...times(10, "ungraded" as const), ...times(190, 1)]),
      gate: noDrop,
      verdict: "inconclusive",
      rules: ["met no_drop_shown"],
      problems: ["ungraded_decide"],
    },
    {
      name: "stands outside the family of the drops that must be proven",
      base: qa(before),
      head: qa(after),
      gate: rules({ max_drop: 0.02 }, { max_drop: 0.05, prove: "no_drop" }),
      verdict: "fail",
      rules: ["missed drop_proven", "missed drop_proven"],
      first: { p_adjusted: near(0.0073) },
    },
    {
      name: "is unmeasured without a baseline",
      head: qa(before),
      gate: noDrop,
      verdict: "neutral",
      rules: ["unmeasured no_baseline"],
    },
  ])("$name", check);
});

describe("must_pass", () => {
  const named: Case[] = [
    { id: "refund/1", is: 1 },
    { id: "refund/2", is: 0 },
    { id: "greeting", is: 1 },
    { id: "later", is: "ungraded" },
    { id: "odd[1]", is: 1 },
    { id: "flaky", is: 0.6 },
  ];
  const head = qa(named, graded);
  it.each<Situation>([
    {
      name: "is met where each case named passes",
      head,
      gate: rules({ must_pass: ["refund/1", "greeting"] }),
      verdict: "pass",
      rules: ["met within_limit"],
      first: { kind: "must_pass", limit: 1, n: 2, value: 1, prove: null, short: [] },
    },
    {
      name: "is missed where one does not",
      head,
      gate: rules({ must_pass: ["refund/*", "greeting"] }),
      verdict: "fail",
      rules: ["missed cases_short"],
      first: { n: 3, value: 0, short: [{ case_id: "refund/2", value: 0 }] },
    },
    {
      name: "is missed for a name that no case has: a renamed case is not a passed one",
      head,
      gate: rules({ must_pass: ["refund/1", "gone"] }),
      verdict: "fail",
      rules: ["missed cases_absent"],
    },
    {
      name: "is open for a case that could not be graded",
      head,
      gate: rules({ must_pass: ["later"] }),
      verdict: "inconclusive",
      rules: ["inconclusive cases_ungraded"],
      first: { short: [{ case_id: "later", value: null }] },
    },
    {
      name: "takes an id that looks like a glob for an id",
      head,
      gate: rules({ must_pass: ["odd[1]"] }),
      verdict: "pass",
      rules: ["met within_limit"],
    },
    {
      name: "takes its own minimum before the range's end",
      head,
      gate: rules({ must_pass: ["flaky"], min: 0.6 }),
      verdict: "pass",
      rules: ["met within_limit"],
      first: { limit: 0.6 },
    },
    {
      name: "asks for all repeats where the end of the range is asked for",
      head: qa([[1, 1, 0]], { repeats: 3 }),
      gate: rules({ must_pass: ["c0000"] }),
      verdict: "fail",
      rules: ["missed cases_short"],
      first: { value: near(2 / 3) },
    },
    {
      name: "asks for the lower end where lower is better",
      head: qa([0.2, 0], { metrics: [{ higher_is_better: false, scale: "graded" }] }),
      gate: rules({ must_pass: ["*"] }),
      verdict: "fail",
      rules: ["missed cases_short"],
      first: { limit: 0, value: 0.2, short: [{ case_id: "c0000", value: 0.2 }] },
    },
    {
      name: "takes a maximum",
      head: qa([12, 31], { metrics: [{ higher_is_better: false, range: null, scale: "graded" }] }),
      gate: rules({ must_pass: ["*"], max: 30 }),
      verdict: "fail",
      rules: ["missed cases_short"],
      first: { short: [{ case_id: "c0001", value: 31 }] },
    },
    {
      name: "only warns where it is told to",
      head,
      gate: rules({ must_pass: ["refund/2"], level: "warn" }, { min: 0 }),
      verdict: "pass",
      rules: ["missed cases_short", "met within_limit"],
    },
  ])("$name", check);
});

describe("slices", () => {
  const [base, hidden] = languages(7, 0);
  const [, fallen] = languages(14, 0);
  it.each<Situation>([
    {
      name: "are judged one by one where a rule names them",
      base: qa(base),
      head: qa(fallen),
      gate: rules({ max_drop: 0.02, slice: "language=*" }),
      verdict: "fail",
      rules: ["missed drop_proven", "met no_drop_detected"],
      first: {
        slice: "language=de",
        n: 200,
        broke: 14,
        p: near(2 ** -15),
        p_adjusted: near(2 ** -14),
      },
    },
    {
      name: "have values of their own",
      head: qa(fallen),
      gate: rules({ min: 0.95, slice: "language=*" }),
      verdict: "fail",
      rules: ["missed beyond_limit", "met within_limit"],
      first: { slice: "language=de", value: near(0.93) },
    },
    {
      name: "of which a rule names one are judged by it alone",
      base: qa(base),
      head: qa(fallen),
      gate: rules({ max_drop: 0.02, slice: "language=en" }),
      verdict: "pass",
      rules: ["met no_drop_detected"],
      first: { slice: "language=en" },
    },
    {
      name: "that nothing is in are missed",
      base: qa(base),
      head: qa(fallen),
      gate: rules({ max_drop: 0.02, slice: "language=fr" }),
      verdict: "fail",
      rules: ["missed slice_missing"],
      first: { slice: "language=fr" },
    },
    {
      name: "that only the baseline has are missed",
      base: qa(base),
      head: qa(fallen.slice(200)),
      gate: rules({ max_drop: 0.02, slice: "language=*" }),
      verdict: "fail",
      rules: ["missed slice_missing", "met no_drop_detected"],
      problems: ["cases_missing"],
    },
    {
      name: "whose fall the total hides are flagged, and do not block",
      base: qa(base),
      head: qa(hidden),
      verdict: "pass",
      rules: ["met drop_within_limit", "missed drop_hidden"],
    },
    {
      name: "whose fall the total shows are not flagged",
      base: qa(base),
      head: qa(fallen),
      verdict: "fail",
      rules: ["missed drop_proven"],
    },
    {
      name: "that fell by less than the limit are not flagged",
      base: qa(base),
      head: qa(hidden),
      gate: { max_drop: 0.04 },
      verdict: "pass",
      rules: ["met drop_within_limit"],
    },
  ])("$name", check);

  it("are flagged in words, with the adjustment that lets no slice stand out by chance", () => {
    const { result } = decide({ name: "", base: qa(base), head: qa(hidden), verdict: "pass" });
    expect(result.reasons.join("\n")).toContain(
      "qa/em, main: −1.8 points (100.0% → 98.3%) over all 400 cases, proven, below the limit of 2.0 points; where it broke: 7 of 7 broken cases are language=de (7 of its 200 cases; p = 0.030 over 4 slices); the total hides it",
    );
    expect(result.rules[1]).toMatchObject({ slice: "language=de", level: "info" });
  });
});

describe("repeats", () => {
  const passAt2 = { kind: "pass_at_k", k: 2, pass: 1 } as const;
  it.each<Situation>([
    {
      name: "are reduced by pass@k, for a value",
      head: qa(times(10, [1, 0, 0]), reduced(passAt2)),
      gate: rules({ min: 0.6 }),
      verdict: "pass",
      rules: ["met within_limit"],
      first: { value: near(2 / 3) },
    },
    {
      name: "are reduced by pass^k, for a value",
      head: qa(times(10, [1, 1, 0]), reduced({ kind: "pass_hat_k", k: 2, pass: 1 })),
      gate: rules({ min: 0.3 }),
      verdict: "pass",
      rules: ["met within_limit"],
      first: { value: near(1 / 3) },
    },
    {
      name: "are reduced on both sides of a comparison, and stay 0/1 where the reducer keeps them so",
      base: qa(times(40, [1, 1, 0]), reduced({ kind: "at_least_k", k: 2, pass: 1 })),
      head: qa(
        [...times(9, [1, 0, 0]), ...times(31, [1, 1, 1])],
        reduced({ kind: "at_least_k", k: 2, pass: 1 }),
      ),
      verdict: "fail",
      rules: ["missed drop_proven"],
      first: { test: "mcnemar_midp", broke: 9, fixed: 0, baseline: 1 },
    },
    {
      name: "are the best of them by max",
      base: qa(times(40, [1, 0, 0]), reduced({ kind: "max" })),
      head: qa(times(40, [0, 0, 1]), reduced({ kind: "max" })),
      verdict: "pass",
      rules: ["met no_drop_detected"],
      first: { test: "mcnemar_midp", value: 1 },
    },
    {
      name: "are the most frequent of them by mode",
      head: qa([...times(5, [1, 1, 0]), ...times(5, [0, 1, 0])], reduced({ kind: "mode" })),
      gate: rules({ min: 0.5 }),
      verdict: "pass",
      rules: ["met within_limit"],
      first: { value: 0.5 },
    },
    {
      name: "of the baseline that are fewer than the reducer needs leave the comparison open",
      base: qa(times(40, 1)),
      head: qa(times(40, [1, 1, 1]), reduced(passAt2)),
      verdict: "inconclusive",
      rules: ["inconclusive not_comparable"],
      first: { value: 1 },
    },
  ])("$name", check);
});

describe("clusters", () => {
  it.each<Situation>([
    {
      name: "count as one piece of evidence each: 10 broken answers of two passages prove nothing",
      base: qa(passages(0)),
      head: qa(passages(2)),
      verdict: "pass",
      rules: ["met drop_not_proven"],
      first: { test: "cluster_flip_exact", p: 2 ** -3, broke: 10, n: 120 },
    },
    {
      name: "that fall in number prove a drop",
      base: qa(passages(0)),
      head: qa(passages(6)),
      verdict: "fail",
      rules: ["missed drop_proven"],
      first: { test: "cluster_flip_exact", p: 2 ** -7, broke: 30 },
    },
    {
      name: "fewer than 20 are flipped whole",
      base: qa(passages(0, 10)),
      head: qa(passages(4, 10)),
      verdict: "fail",
      rules: ["missed drop_proven"],
      first: { test: "cluster_flip_exact", p: 2 ** -5, broke: 20 },
    },
    {
      name: "of one case each are no clusters",
      base: qa(before.map((is, i) => ({ cluster: `p${i}`, is: Number(is) }))),
      head: qa(after.map((is, i) => ({ cluster: `p${i}`, is: Number(is) }))),
      verdict: "fail",
      rules: ["missed drop_proven"],
      first: { test: "mcnemar_midp" },
    },
    {
      name: "are the baseline's: a change cannot take them away and prove more",
      base: qa(passages(0)),
      head: qa(
        Array.from({ length: 120 }, (_, i) => ({
          id: `q${i}`,
          content: `row of q${i}`,
          is: i < 10 ? 0 : 1,
        })),
      ),
      verdict: "pass",
      rules: ["met drop_not_proven"],
      first: { test: "cluster_flip_exact" },
    },
    {
      name: "so few that flipping all of them proves nothing leave the rule open, whatever they show",
      base: qa(passages(0, 4)),
      head: qa(passages(0, 4)),
      verdict: "inconclusive",
      rules: ["inconclusive too_few_to_prove"],
      first: { mde: null },
    },
    {
      name: "so few are open where no drop is to be shown, too",
      base: qa(passages(0, 4)),
      head: qa(passages(0, 4)),
      gate: rules({ max_drop: 0.5, prove: "no_drop" }),
      verdict: "inconclusive",
      rules: ["inconclusive too_few_to_prove"],
    },
  ])("$name", check);
});

describe("aggregations", () => {
  const times100 = Array.from({ length: 100 }, (_, i) => 1 + i / 100);
  it.each<Situation>([
    {
      name: "a percentile is held to a maximum",
      head: qa(times100, seconds("p95")),
      gate: rules({ max: 1.9 }),
      verdict: "fail",
      rules: ["missed beyond_limit"],
      first: { value: near(1.9405) },
    },
    {
      name: "a percentile that doubled is proven",
      base: qa(times100, seconds("p95")),
      head: qa(
        times100.map((x) => 2 * x),
        seconds("p95"),
      ),
      gate: rules({ max_rise: 0.5 }),
      verdict: "fail",
      rules: ["missed drop_proven"],
      first: { test: "side_swap_seeded", delta: near(1.9405), broke: 100 },
    },
    {
      name: "a median that did not move is met",
      base: qa(times100, seconds("median")),
      head: qa(times100, seconds("median")),
      gate: rules({ max_rise: 0.5 }),
      verdict: "pass",
      rules: ["met no_drop_detected"],
      first: { delta: 0 },
    },
    {
      name: "a sum adds up over the pairs, and its difference too",
      base: qa(times100, seconds("sum")),
      head: qa(
        times100.map((x, i) => x + (i % 2) / 10),
        seconds("sum"),
      ),
      gate: rules({ max_rise: 4 }),
      verdict: "fail",
      rules: ["missed drop_proven"],
      first: { delta: near(5), baseline: near(149.5), test: "sign_flip_exact" },
    },
    {
      name: "a spread of one case is not there",
      head: qa([1], seconds("stddev")),
      gate: rules({ max: 1 }),
      verdict: "inconclusive",
      rules: ["inconclusive no_pairs"],
    },
    {
      name: "a spread that grew is held against its limit without a proof",
      base: qa(times100, seconds("stddev")),
      head: qa(
        times100.map((x) => 3 * x),
        seconds("stddev"),
      ),
      gate: rules({ max_rise: 0.5, prove: "nothing" }),
      verdict: "fail",
      rules: ["missed beyond_limit"],
    },
    {
      name: "none of them is gated by the default rule",
      base: qa(times100, { metrics: [{ aggregation: "median", scale: "graded" }] }),
      head: qa(times100, { metrics: [{ aggregation: "median", scale: "graded" }] }),
      verdict: "neutral",
    },
    {
      name: "a change cannot take a metric's value away",
      base: qa(before),
      head: qa(after, { metrics: [{ aggregation: "none" }] }),
      verdict: "fail",
      rules: ["missed drop_proven"],
    },
  ])("$name", check);
});

describe("what Regrade measures itself", () => {
  const latency = rules({ metric: "*/latency_seconds", max_rise: 0.5 });
  const steady = Array.from({ length: 40 }, (_, i) => slow(1 + (i % 5) / 10));
  it.each<Situation>([
    {
      name: "is there for rules without a declaration",
      base: qa(steady),
      head: qa(Array.from({ length: 40 }, (_, i) => slow(2 + (i % 5) / 10))),
      gate: latency,
      verdict: "fail",
      rules: ["missed drop_proven"],
      first: { metric: "latency_seconds", delta: near(1), test: "sign_flip_exact" },
    },
    {
      name: "is compared though the grader changed",
      base: qa(steady),
      head: qa(steady, { fingerprint: { grader: "another" } }),
      gate: latency,
      verdict: "pass",
      rules: ["met no_drop_detected"],
    },
    {
      name: "is not meant by a bare star",
      head: qa(steady),
      gate: rules({ metric: "*", min: 0.5 }),
      verdict: "pass",
      rules: ["met within_limit"],
    },
    {
      name: "is missing where nobody knows it",
      head: qa(steady),
      gate: rules({ metric: "usd", max: 1 }),
      verdict: "fail",
      rules: ["missed metric_missing"],
    },
    {
      name: "is new where the baseline has none of it",
      base: qa(times(40, 1)),
      head: qa(steady),
      gate: latency,
      verdict: "neutral",
      rules: ["unmeasured metric_new"],
    },
    {
      name: "is what it is where the grader gave no valid score",
      base: qa(steady),
      head: qa(Array.from({ length: 40 }, (_, i) => slow(1 + (i % 5) / 10, i < 3 ? "invalid" : 1))),
      gate: latency,
      verdict: "pass",
      rules: ["met no_drop_detected"],
      first: { delta: 0 },
    },
    {
      name: "is never better for failing fast",
      base: qa(steady),
      head: qa(
        Array.from({ length: 40 }, (_, i) =>
          slow(i < 20 ? 0 : 1 + (i % 5) / 10, i < 20 ? "failed" : 1),
        ),
      ),
      gate: rules({ metric: "latency_seconds", max_rise: 0, prove: "nothing" }),
      verdict: "fail",
      rules: ["missed beyond_limit"],
    },
    {
      name: "is taken by percentile where the task declares it so",
      head: qa(steady, {
        metrics: [
          em,
          { id: "latency_seconds", aggregation: "p95", higher_is_better: false, range: null },
        ],
      }),
      gate: rules({ metric: "latency_seconds", max: 1.2 }),
      verdict: "fail",
      rules: ["missed beyond_limit"],
      first: { value: near(1.4) },
    },
  ])("$name", check);
});

function inGerman(cell: Case): Case {
  return { slices: { language: "de" }, is: Number(cell) };
}

describe("what a batch grader returned for all cases together", () => {
  const asked = times(60, { slices: { language: "de" }, is: {} });
  const gave = (value: number, cases: readonly Case[] = asked) =>
    qa(cases, { given: { em: value } });
  const [had, has] = broken(60, 20);
  const drop = rules({ max_drop: 0.02 });
  it.each<Situation>([
    {
      name: "can't be proven to have dropped",
      base: gave(0.9),
      head: gave(0.6),
      gate: drop,
      verdict: "inconclusive",
      rules: ["inconclusive not_provable"],
      first: { value: 0.6, baseline: 0.9, delta: near(-0.3), n: 60, p: null, test: null },
      cases: { paired: 60 },
    },
    {
      name: "can't be shown not to have dropped either, were it higher",
      base: gave(0.6),
      head: gave(0.9),
      gate: rules({ max_drop: 0.02, prove: "no_drop" }),
      verdict: "inconclusive",
      rules: ["inconclusive no_drop_not_shown"],
    },
    {
      name: "can be compared without proof, and has a value",
      base: gave(0.9),
      head: gave(0.6),
      gate: rules({ max_drop: 0.02, prove: "nothing" }, { min: 0.5 }),
      verdict: "fail",
      rules: ["missed beyond_limit", "met within_limit"],
    },
    {
      name: "counts before the scores of that name that samples have",
      base: gave(0.9, had.map(inGerman)),
      head: gave(0.91, has.map(inGerman)),
      gate: drop,
      verdict: "pass",
      rules: ["met no_drop_detected"],
      first: { value: 0.91 },
      cases: { paired: 60 },
    },
    {
      name: "says nothing of a slice, and nothing of a case",
      base: gave(0.9),
      head: gave(0.9),
      gate: rules(
        { max_drop: 0.02, slice: "language=de" },
        { min: 0.5, slice: "language=de" },
        { must_pass: ["c0000"] },
      ),
      verdict: "fail",
      rules: times(3, "missed metric_missing"),
    },
    {
      name: "is compared over the same cases only, whatever their ids are",
      base: gave(0.9),
      head: gave(0.5, [{ id: "other", content: "row of c0000", is: {} }, ...asked.slice(1)]),
      gate: rules({ max_drop: 0.02, prove: "nothing" }),
      verdict: "fail",
      rules: ["missed beyond_limit"],
      cases: { paired: 60, renamed: 1 },
    },
    {
      name: "is not compared where a row changed",
      base: gave(0.9),
      head: gave(0.5, [{ content: "another", is: {} }, ...asked.slice(1)]),
      gate: rules({ max_drop: 0.02, prove: "nothing" }),
      verdict: "inconclusive",
      rules: ["inconclusive not_comparable"],
    },
    {
      name: "is not compared with scores by case",
      base: qa(had.map(inGerman)),
      head: gave(0.5),
      gate: drop,
      verdict: "inconclusive",
      rules: ["inconclusive not_comparable"],
    },
    {
      name: "is not compared with scores by case on the other side either",
      base: gave(0.9),
      head: qa(has.map(inGerman)),
      gate: drop,
      verdict: "inconclusive",
      rules: ["inconclusive no_pairs"],
    },
    {
      name: "is not measured without a baseline",
      head: gave(0.9),
      gate: drop,
      verdict: "neutral",
      rules: ["unmeasured no_baseline"],
      first: { value: 0.9 },
    },
  ])("$name", check);
});

import { describe, expect, it } from "vitest";
import type { Gate } from "../../src/model/definition/gate.ts";
import { baseline, em, pairs, qa, side, times, type Case, type TaskDraft } from "./sides.ts";
import { check, decide, judgeInWords, near, rules, type Situation } from "./situation.ts";

const [before240, after240] = pairs({ broke: 18, fixed: 6, right: 195, wrong: 21 });
const [mildBefore, mildAfter] = pairs({ broke: 8, fixed: 4, right: 220, wrong: 8 });
const perfect = times(20, 1);
const graded = { metrics: [{ scale: "graded" as const }] };
const falling = {
  metrics: [{ id: "em", higher_is_better: false, range: null, scale: "graded" as const }],
};

/** `em` falls in `count` cases from 0.9 by `drop`, unevenly, so that there is a spread. */
function slide(count: number, drop: number): [Case[], Case[]] {
  const before = Array.from({ length: count }, (_, i) => 0.8 + (i % 5) * 0.02);
  const after = before.map((score, i) => score - drop * (0.5 + (i % 3) * 0.5));
  return [before, after];
}

/** Three answers a case, of which one or two are right, by turns. */
const flicker = (count: number, turn: number): Case[] =>
  Array.from({ length: count }, (_, i) => ((i + turn) % 2 === 0 ? [1, 0, 1] : [0, 1, 0]));

/** The same score in three metrics. */
const three = (cases: readonly Case[]): Case[] =>
  cases.map((cell) => ({ is: { em: Number(cell), b: Number(cell), c: Number(cell) } }));

/** The score in `em`, and a constant in two others. */
const flat = (cases: readonly Case[]): Case[] =>
  cases.map((cell) => ({ is: { em: Number(cell), b: 1, c: 1 } }));
const both = (main: readonly Case[], other: readonly Case[]): Record<string, readonly Case[]> => ({
  main,
  other,
});

const named = (cases: readonly Case[]): Case[] =>
  cases.map((cell, i) => ({ id: `case ${i}`, is: Number(cell) }));

describe("a comparison", () => {
  const [slideBefore] = slide(40, 0.1);
  const [shortBefore, shortAfter] = slide(12, 0.1);
  it.each<Situation>([
    {
      name: "identical runs pass",
      base: qa(before240),
      head: qa(before240),
      verdict: "pass",
      rules: ["met no_drop_detected"],
      cases: { declared: 240, scored: 240, paired: 240, new: 0, missing: 0, renamed: 0 },
      first: {
        delta: 0,
        broke: 0,
        fixed: 0,
        p: 1,
        p_adjusted: 1,
        mde: near(0.0239),
        test: "mcnemar_midp",
      },
      comparable: { qa: true },
    },
    {
      name: "18 broke and 6 were fixed of 240: a proven drop fails",
      base: qa(before240),
      head: qa(after240),
      verdict: "fail",
      rules: ["missed drop_proven"],
      first: {
        kind: "max_drop",
        prove: "drop",
        level: "block",
        task: "qa",
        candidate: "main",
        metric: "em",
        slice: null,
        value: 0.8375,
        baseline: 0.8875,
        delta: -0.05,
        ci_level: 0.9,
        test: "mcnemar_midp",
        p: near(0.0073),
        p_adjusted: near(0.0073),
        broke: 18,
        fixed: 6,
        n: 240,
        mde: near(0.0496),
        limit: 0.02,
        delta_ci: [near(-0.0862), near(-0.0174)],
      },
    },
    {
      name: "a drop that is seen and not proven passes with a grey line",
      base: qa(mildBefore),
      head: qa(mildAfter),
      gate: { max_drop: 0.01 },
      verdict: "pass",
      rules: ["met drop_not_proven"],
      first: { delta: near(-4 / 240) },
    },
    {
      name: "a third of the range that so few cases can't prove is left open",
      base: qa(times(6, 1)),
      head: qa([...times(2, 0), ...times(4, 1)]),
      verdict: "inconclusive",
      rules: ["inconclusive drop_left_open"],
    },
    {
      name: "one of six broken cases passes with a grey line",
      base: qa(times(6, 1)),
      head: qa([0, ...times(5, 1)]),
      verdict: "pass",
      rules: ["met drop_not_proven"],
    },
    {
      name: "a drop smaller than the limit is within it",
      base: qa(mildBefore),
      head: qa(mildAfter),
      verdict: "pass",
      rules: ["met drop_within_limit"],
    },
    {
      name: "a proven drop smaller than the limit is within it",
      base: qa(before240),
      head: qa(after240),
      gate: { max_drop: 0.1 },
      verdict: "pass",
      rules: ["met drop_within_limit"],
      first: { p_adjusted: near(0.0073) },
    },
    {
      name: "a drop of exactly the limit counts, whatever the rounding",
      base: qa(before240),
      head: qa(after240),
      gate: { max_drop: 0.05 },
      verdict: "fail",
      rules: ["missed drop_proven"],
    },
    {
      name: "an improvement is no drop",
      base: qa(after240),
      head: qa(before240),
      verdict: "pass",
      rules: ["met no_drop_detected"],
      first: { broke: 6, fixed: 18, delta: near(0.05), p: near(1 - 0.0073) },
    },
    {
      name: "a stricter alpha of the gate holds",
      base: qa(before240),
      head: qa(after240),
      gate: { alpha: 0.001 },
      verdict: "pass",
      rules: ["met drop_not_proven"],
      first: { ci_level: 0.998 },
    },
    {
      name: "a rule's alpha beats the gate's",
      base: qa(before240),
      head: qa(after240),
      gate: { alpha: 0.001, rules: [{ metric: "em", max_drop: 0.02, alpha: 0.05 }] },
      verdict: "fail",
      rules: ["missed drop_proven"],
    },
    {
      name: "zero discordance with everything wrong is a result",
      base: qa(times(240, 0)),
      head: qa(times(240, 0)),
      verdict: "pass",
      rules: ["met no_drop_detected"],
      first: { delta_ci: [near(-0.0111), near(0.0111)] },
    },
    {
      name: "graded scores of many cases that vary freely take the t-test",
      base: qa(slideBefore, graded),
      head: qa(
        slideBefore.map((score, i) => Number(score) - Math.sqrt(i + 2) / 50),
        graded,
      ),
      verdict: "fail",
      rules: ["missed drop_proven"],
      first: { test: "paired_t", broke: 40, fixed: 0, n: 40 },
    },
    {
      name: "graded scores that fell by one step take the same test as 0/1 scores, with t's interval",
      base: qa(shortBefore, graded),
      head: qa(shortAfter, graded),
      verdict: "fail",
      rules: ["missed drop_proven"],
      first: {
        test: "sign_flip_exact",
        p: 2 ** -13,
        n: 12,
        delta_ci: [near(-0.1221), near(-0.0779)],
      },
    },
    {
      name: "up to 30 graded differences are flipped exactly",
      base: qa(times(25, 0.9), graded),
      head: qa(
        Array.from({ length: 25 }, (_, i) => 0.9 - Math.sqrt(i + 2) / 50),
        graded,
      ),
      verdict: "fail",
      rules: ["missed drop_proven"],
      first: { test: "sign_flip_exact", p: 2 ** -26 },
    },
    {
      name: "more than 30 differences that are multiples of one step are flipped exactly",
      base: qa(slide(35, 0.1)[0], graded),
      head: qa(slide(35, 0.1)[1], graded),
      verdict: "fail",
      rules: ["missed drop_proven"],
      first: { test: "sign_flip_exact", p: near(2 ** -36) },
    },
    {
      name: "identical graded runs pass: no variance is a result",
      base: qa(slideBefore, graded),
      head: qa(slideBefore, graded),
      verdict: "pass",
      rules: ["met no_drop_detected"],
      first: { delta: 0, p: 1, mde: null },
    },
    {
      name: "equal losses in every case are proven though they have no variance",
      base: qa(times(40, 0.75), graded),
      head: qa(times(40, 0.5), graded),
      verdict: "fail",
      rules: ["missed drop_proven"],
      first: { delta: -0.25, mde: null },
    },
    {
      name: "a single graded case that fell proves nothing, has no interval, and is no pass",
      base: qa([0.9], graded),
      head: qa([0.1], graded),
      verdict: "inconclusive",
      rules: ["inconclusive too_few_to_prove"],
      first: { delta_ci: null, ci_level: null, n: 1, p: 0.25, mde: null },
    },
    {
      name: "a metric with lower values better is worse when it rises",
      base: qa(times(10, 1), falling),
      head: qa(times(10, 3), falling),
      gate: rules({ max_rise: 0.5 }),
      verdict: "fail",
      rules: ["missed drop_proven"],
      first: { kind: "max_rise", delta: 2, broke: 10, fixed: 0, test: "sign_flip_exact" },
    },
    {
      name: "a fall where lower is better is no loss",
      base: qa(times(10, 3), falling),
      head: qa(times(10, 1), falling),
      gate: rules({ max_rise: 0.5 }),
      verdict: "pass",
      rules: ["met no_drop_detected"],
      first: { delta: -2, broke: 0, fixed: 10 },
    },
    {
      name: "the interval of a rise is in the metric's own direction",
      base: qa(after240, { metrics: [{ higher_is_better: false }] }),
      head: qa(before240, { metrics: [{ higher_is_better: false }] }),
      verdict: "fail",
      rules: ["missed drop_proven"],
      first: {
        kind: "max_rise",
        delta: near(0.05),
        broke: 18,
        fixed: 6,
        delta_ci: [near(0.0174), near(0.0862)],
      },
    },
    {
      name: "prove: nothing takes the bare difference",
      base: qa(mildBefore),
      head: qa(mildAfter),
      gate: rules({ max_drop: 0.01, prove: "nothing" }),
      verdict: "fail",
      rules: ["missed beyond_limit"],
      first: {
        prove: "nothing",
        test: null,
        p: null,
        p_adjusted: null,
        mde: null,
        broke: 8,
        fixed: 4,
        n: 240,
      },
    },
    {
      name: "prove: nothing within the limit is met",
      base: qa(mildBefore),
      head: qa(mildAfter),
      gate: rules({ max_drop: 0.02, prove: "nothing" }),
      verdict: "pass",
      rules: ["met within_limit"],
    },
    {
      name: "prove: nothing with the limit 0 lets identical runs pass",
      base: qa(mildBefore),
      head: qa(mildBefore),
      gate: rules({ max_drop: 0, prove: "nothing" }),
      verdict: "pass",
      rules: ["met within_limit"],
    },
    {
      name: "prove: nothing with the limit 0 holds every loss",
      base: qa(perfect),
      head: qa([0, ...perfect.slice(1)]),
      gate: rules({ max_drop: 0, prove: "nothing" }),
      verdict: "fail",
      rules: ["missed beyond_limit"],
    },
  ])("$name", check);
});

describe("Holm's family", () => {
  const metrics = [em, { id: "b" }, { id: "c" }];
  const base = qa(flat(before240), { metrics });
  const head = qa(flat(after240), { metrics });
  it.each<Situation>([
    {
      name: "three blocking comparisons triple the smallest p",
      base,
      head,
      gate: rules({ metric: "*", max_drop: 0.02 }),
      verdict: "fail",
      rules: ["missed drop_proven", "met no_drop_detected", "met no_drop_detected"],
      first: { p: near(0.0073), p_adjusted: near(0.0219) },
    },
    {
      name: "three equal p-values are all tripled",
      base: qa(three(before240), { metrics }),
      head: qa(three(after240), { metrics }),
      gate: rules(
        { max_drop: 0.02 },
        { metric: "b", max_drop: 0.02 },
        { metric: "qa/c", max_drop: 0.02 },
      ),
      verdict: "fail",
      rules: times(3, "missed drop_proven"),
      first: { p_adjusted: near(0.0219) },
    },
    {
      name: "warn and info rules stand outside the family, with a p of their own",
      base,
      head,
      gate: rules(
        { max_drop: 0.02, level: "warn" },
        { max_drop: 0.02, level: "info" },
        { metric: "b", max_drop: 0.02 },
      ),
      verdict: "pass",
      rules: ["missed drop_proven", "missed drop_proven", "met no_drop_detected"],
      first: { level: "warn", p: near(0.0073), p_adjusted: near(0.0073) },
    },
    {
      name: "min, max and prove: nothing are not in the family",
      base,
      head,
      gate: rules(
        { max_drop: 0.02 },
        { min: 0.5 },
        { metric: "b", max_drop: 0.02, prove: "nothing" },
      ),
      verdict: "fail",
      rules: ["missed drop_proven", "met within_limit", "met within_limit"],
      first: { p_adjusted: near(0.0073) },
    },
    {
      name: "a comparison that could not be made makes the others no harder to fail",
      base: qa(before240, { metrics: [em] }),
      head: qa(flat(after240), { metrics }),
      gate: rules({ metric: "*", max_drop: 0.02 }),
      verdict: "fail",
      rules: ["missed drop_proven", "unmeasured metric_new", "unmeasured metric_new"],
      first: { p_adjusted: near(0.0073) },
    },
    {
      name: "a task that was not selected doesn't count",
      base: side({ qa: { cases: { main: before240 } }, other: { cases: { main: perfect } } }),
      head: qa(after240),
      leftOut: { tasks: ["other"], candidates: [] },
      verdict: "fail",
      rules: ["missed drop_proven"],
      first: { p_adjusted: near(0.0073) },
    },
    {
      name: "a new slot makes the others no harder to fail",
      base: qa(before240),
      head: side({ qa: { cases: { main: after240, fresh: after240 } } }),
      leftOut: { tasks: [], candidates: [] },
      verdict: "fail",
      rules: ["missed drop_proven", "unmeasured no_baseline"],
      first: { p_adjusted: near(0.0073) },
    },
    {
      name: "rules that must show there is no drop are a family of their own",
      base: qa(three(before240), { metrics }),
      head: qa(three(after240), { metrics }),
      gate: rules(
        { max_drop: 0.02, prove: "no_drop" },
        { metric: "b", max_drop: 0.02, prove: "no_drop" },
        { metric: "c", max_drop: 0.02 },
      ),
      verdict: "fail",
      rules: times(3, "missed drop_proven"),
      first: { p_adjusted: near(0.0146) },
    },
  ])("$name", check);
});

describe("pairing", () => {
  const [before, after] = pairs({ broke: 18, fixed: 6, right: 195, wrong: 21 });
  it.each<Situation>([
    {
      name: "one candidate on each side pairs whatever it is called",
      base: side({ qa: { cases: { old: before } } }),
      head: side({ qa: { cases: { new: after } } }),
      verdict: "fail",
      rules: ["missed drop_proven"],
      first: { candidate: "new" },
      cases: { paired: 240, missing: 0, new: 0 },
    },
    {
      name: "two renamed candidates do not pair, and theirs are missing",
      base: side({ qa: { cases: { a: perfect, b: perfect } } }),
      head: side({ qa: { cases: { c: perfect, d: perfect } } }),
      verdict: "fail",
      rules: ["unmeasured no_baseline", "unmeasured no_baseline"],
      problems: ["candidate_gone", "candidate_gone"],
      cases: { paired: 0, missing: 40, new: 40 },
    },
    {
      name: "an added candidate has no baseline, and the other is compared",
      base: side({ qa: { cases: { main: perfect } } }),
      head: side({ qa: { cases: both(perfect, perfect) } }),
      verdict: "pass",
      rules: ["met no_drop_detected", "unmeasured no_baseline"],
      cases: { paired: 20, new: 20 },
    },
    {
      name: "a removed candidate is missing",
      base: side({ qa: { cases: both(perfect, perfect) } }),
      head: side({ qa: { cases: { main: perfect } } }),
      verdict: "fail",
      rules: ["met no_drop_detected"],
      problems: ["candidate_gone"],
      cases: { missing: 20 },
    },
    {
      name: "a candidate that was not selected is not missing",
      base: side({ qa: { cases: both(perfect, perfect) } }),
      head: side({ qa: { cases: { main: perfect } } }),
      leftOut: { tasks: [], candidates: ["other"] },
      verdict: "pass",
      rules: ["met no_drop_detected"],
      cases: { missing: 0 },
    },
    {
      name: "a new candidate that alone was selected is not taken for the old one",
      base: side({ qa: { cases: { main: perfect } } }),
      head: side({ qa: { cases: { other: perfect } } }),
      leftOut: { tasks: [], candidates: ["main"] },
      verdict: "neutral",
      rules: ["unmeasured no_baseline"],
    },
    {
      name: "a dropped case fails",
      base: qa(perfect),
      head: qa(perfect.slice(1)),
      verdict: "fail",
      rules: ["met no_drop_detected"],
      problems: ["cases_missing"],
      cases: { declared: 19, paired: 19, missing: 1 },
    },
    {
      name: "an added case is new",
      base: qa(perfect.slice(1)),
      head: qa(perfect),
      verdict: "pass",
      rules: ["met no_drop_detected"],
      cases: { declared: 20, paired: 19, new: 1, missing: 0 },
    },
    {
      name: "a case whose row changed is not the same case",
      base: qa(perfect),
      head: qa([{ is: 0, content: "corrected" }, ...perfect.slice(1)]),
      gate: { max_drop: 0 },
      verdict: "pass",
      rules: ["met no_drop_detected"],
      cases: { paired: 19, new: 0, missing: 0 },
    },
    {
      name: "no case in common leaves the comparison open",
      base: qa(perfect),
      head: qa(times(20, 1).map((is) => ({ is, content: "another" }))),
      verdict: "inconclusive",
      rules: ["inconclusive no_pairs"],
    },
    {
      name: "a changed dataset is compared case by case",
      base: qa(perfect),
      head: qa(perfect, {
        fingerprint: { dataset: "another", preprocess: "another", prompt: "another" },
      }),
      verdict: "pass",
      rules: ["met no_drop_detected"],
      comparable: { qa: true },
    },
    ...(["grader", "extraction", "judge"] as const).map((part) => ({
      name: `a changed ${part} makes the task incomparable`,
      base: qa(perfect),
      head: qa(perfect, { fingerprint: { [part]: "another" } }),
      verdict: "inconclusive" as const,
      rules: ["inconclusive not_comparable"],
      comparable: { qa: false },
      cases: { paired: 0 },
      first: { value: 1, baseline: null },
    })),
    {
      name: "absolute rules hold where a task is not comparable",
      base: qa(perfect),
      head: qa(times(20, 0.5), { ...graded, fingerprint: { grader: "another" } }),
      gate: rules({ min: 0.8 }, { max_drop: 0.02 }),
      verdict: "fail",
      rules: ["missed beyond_limit", "inconclusive not_comparable"],
    },
    {
      name: "a metric that turned round is not comparable",
      base: qa(perfect),
      head: qa(perfect, { metrics: [{ higher_is_better: false }] }),
      verdict: "inconclusive",
      rules: ["inconclusive not_comparable"],
    },
    {
      name: "a new task has no baseline",
      base: qa(perfect),
      head: side({ qa: { cases: { main: perfect } }, more: { cases: { main: perfect } } }),
      verdict: "pass",
      rules: ["met no_drop_detected", "unmeasured no_baseline"],
      comparable: { qa: true, more: false },
      cases: { new: 20 },
    },
    {
      name: "a task of the baseline that is gone fails",
      base: side({ qa: { cases: { main: perfect } }, more: { cases: { main: perfect } } }),
      head: qa(perfect),
      verdict: "fail",
      rules: ["met no_drop_detected"],
      problems: ["task_gone"],
      cases: { missing: 20 },
    },
    {
      name: "a metric of the baseline that is gone fails",
      base: qa(times(20, { em: 1, f1: 1 }), { metrics: [em, { id: "f1" }] }),
      head: qa(perfect),
      verdict: "fail",
      rules: ["met no_drop_detected"],
      problems: ["metric_gone"],
    },
  ])("$name", check);
});

describe("samples without a score", () => {
  it.each<Situation>([
    {
      name: "a failed sample counts as the worst",
      base: qa(times(40, 1)),
      head: qa([...times(8, "failed" as const), ...times(32, 1)]),
      verdict: "fail",
      rules: ["missed drop_proven"],
      first: { broke: 8, value: 0.8 },
      cases: { scored: 32, failed: 8, paired: 40 },
    },
    {
      name: "a failed sample counts as the lower end of the range",
      base: qa(times(10, 0), { metrics: [{ range: [-1, 1], scale: "graded" }] }),
      head: qa([...times(9, 0), "failed"], { metrics: [{ range: [-1, 1], scale: "graded" }] }),
      gate: rules({ max_drop: 0.05, prove: "nothing" }),
      verdict: "fail",
      rules: ["missed beyond_limit"],
      first: { value: -0.1 },
    },
    {
      name: "without a range, where lower is better, the worst is the worst score of either side",
      base: qa([9, ...times(9, 1)], falling),
      head: qa(["failed", ...times(8, 1), "failed"], falling),
      gate: rules({ max_rise: 0.5, prove: "nothing" }),
      verdict: "fail",
      rules: ["missed beyond_limit"],
      first: { baseline: 1.8, value: 2.6 },
    },
    {
      name: "a sample that the grader could not score counts as the worst here",
      base: qa(times(40, 1)),
      head: qa([...times(8, "invalid" as const), ...times(32, 1)]),
      verdict: "fail",
      rules: ["missed drop_proven"],
      cases: { invalid: 8, paired: 40 },
    },
    {
      name: "a sample without this metric's score is invalid for it",
      base: qa(times(40, { em: 1, f1: 1 }), { metrics: [em, { id: "f1" }] }),
      head: qa([...times(8, { f1: 1 }), ...times(32, { em: 1, f1: 1 })], {
        metrics: [em, { id: "f1" }],
      }),
      verdict: "fail",
      rules: ["missed drop_proven"],
      first: { broke: 8 },
    },
    {
      name: "a pair that the baseline's grader could not score is dropped",
      base: qa([...times(4, "invalid" as const), ...times(36, 1)]),
      head: qa([...times(4, 0), ...times(36, 1)]),
      verdict: "pass",
      rules: ["met no_drop_detected"],
      first: { n: 36 },
      cases: { paired: 36 },
    },
    {
      name: "an ungraded sample of the baseline drops the pair",
      base: qa([...times(2, "ungraded" as const), ...times(38, 1)]),
      head: qa([...times(2, 0), ...times(38, 1)]),
      verdict: "pass",
      rules: ["met no_drop_detected"],
      cases: { paired: 38 },
    },
    {
      name: "a few ungraded samples drop their pairs and are no failure",
      base: qa(times(40, 1)),
      head: qa([...times(2, "ungraded" as const), ...times(38, 1)]),
      gate: { max_drop: 0.1 },
      verdict: "pass",
      rules: ["met no_drop_detected"],
      first: { n: 38, value: 1 },
      cases: { ungraded: 2, paired: 38 },
    },
    {
      name: "ungraded samples that would turn the comparison leave it open",
      base: qa(times(100, 1)),
      head: qa([...times(4, "ungraded" as const), ...times(96, 1)]),
      verdict: "inconclusive",
      rules: ["met no_drop_detected"],
      problems: ["ungraded_decide"],
    },
    {
      name: "ungraded samples that would turn a minimum leave it open",
      head: qa([...times(2, "ungraded" as const), ...times(8, 1), ...times(2, 0)]),
      gate: rules({ min: 0.7 }),
      verdict: "inconclusive",
      rules: ["met within_limit"],
      problems: ["ungraded_decide"],
    },
    {
      name: "ungraded samples that would turn a warning only change nothing",
      head: qa([...times(2, "ungraded" as const), ...times(8, 1), ...times(2, 0)]),
      gate: rules({ min: 0.7, level: "warn" }),
      verdict: "pass",
      rules: ["met within_limit"],
    },
    {
      name: "NaN is no score",
      base: qa(times(40, 1)),
      head: qa([...times(8, Number.NaN), ...times(32, 1)]),
      verdict: "fail",
      rules: ["missed drop_proven"],
      first: { broke: 8 },
    },
    {
      name: "infinity is no score",
      head: qa([Number.POSITIVE_INFINITY, ...times(3, 1)]),
      gate: rules({ min: 0.8 }),
      verdict: "fail",
      rules: ["missed beyond_limit"],
      first: { value: 0.75 },
    },
    {
      name: "scores too large to compute with are not compared",
      base: qa(times(4, -1.7e308), { metrics: [{ range: null, scale: "graded" }] }),
      head: qa(times(4, 1.7e308), { metrics: [{ range: null, scale: "graded" }] }),
      gate: rules({ max_drop: 1 }),
      verdict: "inconclusive",
      rules: ["inconclusive not_comparable"],
    },
  ])("$name", check);
});

describe("scale and range", () => {
  const halves = times(40, 0.5);
  it.each<Situation>([
    {
      name: "a 0/1 metric whose scores came as fractions is tested by what changed",
      base: qa(times(40, 1), { metrics: [{ scale: null }] }),
      head: qa(halves, { metrics: [{ scale: null }] }),
      verdict: "fail",
      rules: ["missed drop_proven"],
      first: { test: "sign_flip_exact", delta: -0.5, broke: 40, delta_ci: [-0.5, -0.5] },
    },
    {
      name: "a declared scale of this run does not beat the baseline's",
      base: qa(before240),
      head: qa(after240, graded),
      verdict: "fail",
      rules: ["missed drop_proven"],
      first: { test: "mcnemar_midp" },
    },
    {
      name: "an undeclared scale is graded if one score of the baseline is a fraction",
      base: qa([0.5, ...times(39, 1)], { metrics: [{ scale: null }] }),
      head: qa(times(40, 1), { metrics: [{ scale: null }] }),
      verdict: "pass",
      rules: ["met no_drop_detected"],
      first: { test: "sign_flip_exact" },
    },
    {
      name: "0/1 scores with repeats are means of cases",
      base: qa(times(40, [1, 1, 1]), { repeats: 3 }),
      head: qa([...times(20, [1, 0, 1]), ...times(20, [1, 1, 1])], { repeats: 3 }),
      verdict: "fail",
      rules: ["missed drop_proven"],
      first: { test: "weighted_flip_exact", broke: 20, n: 40, delta: near(-1 / 6) },
    },
    {
      name: "steady cases that break weigh more than flickering ones, and values stay those of the mean",
      base: qa([...times(4, [1, 1, 1]), ...flicker(40, 0)], { repeats: 3 }),
      head: qa([...times(4, [0, 0, 0]), ...flicker(40, 1)], { repeats: 3 }),
      verdict: "fail",
      rules: ["missed drop_proven"],
      first: { test: "weighted_flip_exact", n: 44, delta: near(-4 / 44) },
    },
    {
      name: "that there is no drop is shown of the mean, without weights",
      base: qa([...times(4, [1, 1, 1]), ...flicker(40, 0)], { repeats: 3 }),
      head: qa([...times(4, [0, 0, 0]), ...flicker(40, 1)], { repeats: 3 }),
      gate: rules({ max_drop: 0.02, prove: "no_drop" }),
      verdict: "inconclusive",
      rules: ["inconclusive no_drop_not_shown"],
      first: { test: "sign_flip_exact" },
    },
    {
      name: "3 repeats against 5 compare the first three",
      base: qa(times(40, [1, 1, 1]), { repeats: 3 }),
      head: qa(times(40, [1, 1, 1, 0, 0]), { repeats: 5 }),
      verdict: "pass",
      rules: ["met no_drop_detected"],
      first: { value: 1, baseline: 1 },
    },
    {
      name: "one repeat against three is 0/1 again",
      base: qa(before240),
      head: qa(
        after240.map((cell) => [Number(cell), 1, 1]),
        { repeats: 3 },
      ),
      verdict: "fail",
      rules: ["missed drop_proven"],
      first: { test: "mcnemar_midp", broke: 18 },
    },
    {
      name: "a repeat that is not there has no grade",
      base: qa(times(40, [1, 1]), { repeats: 2 }),
      head: qa([[1], ...times(39, [1, 1])], { repeats: 2 }),
      verdict: "pass",
      rules: ["met no_drop_detected"],
      cases: { ungraded: 1, paired: 39 },
    },
    {
      name: "the worst repeat is the case's outcome",
      head: qa(
        [
          [1, "failed"],
          ["failed", "invalid"],
          ["invalid", 1],
          ["ungraded", "failed"],
          [1, 1],
        ],
        { repeats: 2 },
      ),
      gate: rules({ min: 0.1 }),
      verdict: "pass",
      rules: ["met within_limit"],
      cases: { declared: 5, scored: 1, failed: 2, invalid: 1, ungraded: 1 },
    },
    {
      name: "the default rule is for a metric with the range [0, 1]; without one nothing is gated",
      base: qa(perfect, { metrics: [{ range: null }] }),
      head: qa(perfect, { metrics: [{ range: null }] }),
      verdict: "neutral",
    },
    {
      name: "a change that takes the range away does not lose its rule",
      base: qa(before240),
      head: qa(after240, { metrics: [{ range: null }] }),
      verdict: "fail",
      rules: ["missed drop_proven"],
    },
  ])("$name", check);
});

describe("rules", () => {
  const two: Record<string, TaskDraft> = {
    qa: { cases: { main: perfect, other: perfect } },
    math: {
      metrics: [{ id: "em" }, { id: "f1" }],
      cases: { main: times(20, { em: 1, f1: 1 }), other: times(20, { em: 1, f1: 1 }) },
    },
  };
  it.each<Situation>([
    {
      name: "a minimum that is reached is met",
      head: qa([1, 1, 1, 1, 0]),
      gate: rules({ min: 0.8 }),
      verdict: "pass",
      rules: ["met within_limit"],
      first: { value: 0.8, baseline: null, n: null, prove: null },
    },
    {
      name: "a minimum that is not reached fails",
      head: qa([1, 1, 1, 0, 0]),
      gate: rules({ min: 0.8 }),
      verdict: "fail",
      rules: ["missed beyond_limit"],
    },
    {
      name: "a maximum that is kept is met",
      head: qa(times(5, 2), falling),
      gate: rules({ max: 2 }),
      verdict: "pass",
      rules: ["met within_limit"],
    },
    {
      name: "a maximum that is passed fails",
      head: qa(times(5, 2.5), falling),
      gate: rules({ max: 2 }),
      verdict: "fail",
      rules: ["missed beyond_limit"],
    },
    {
      name: "rounding does not miss a limit",
      head: qa([0.1, 0.2], graded),
      gate: rules({ min: 0.15000000000000002 }),
      verdict: "pass",
      rules: ["met within_limit"],
    },
    {
      name: "a warning that is missed passes",
      base: qa(perfect),
      head: qa(perfect),
      gate: { max_drop: 0.02, rules: [{ metric: "em", max: 0.5, level: "warn" }] },
      verdict: "pass",
      rules: ["met no_drop_detected", "missed beyond_limit"],
    },
    {
      name: "a missed warning alone passes",
      head: qa(perfect),
      gate: rules({ max: 0.5, level: "warn" }),
      verdict: "pass",
      rules: ["missed beyond_limit"],
    },
    {
      name: "an info rule that is missed passes",
      head: qa(perfect),
      gate: rules({ max: 0.5, level: "info" }),
      verdict: "pass",
      rules: ["missed beyond_limit"],
    },
    {
      name: "a warning that cannot be compared changes nothing",
      base: qa(perfect),
      head: qa(perfect, { fingerprint: { grader: "x" } }),
      gate: rules({ min: 0.5 }, { max_drop: 0.02, level: "warn" }),
      verdict: "pass",
      rules: ["met within_limit", "inconclusive not_comparable"],
    },
    {
      name: "declared rules replace the default rule",
      base: qa(before240),
      head: qa(after240),
      gate: rules({ min: 0.5 }),
      verdict: "pass",
      rules: ["met within_limit"],
    },
    {
      name: "a written max_drop keeps the default rule beside declared ones",
      base: qa(before240),
      head: qa(after240),
      gate: { max_drop: 0.02, rules: [{ metric: "em", min: 0.5 }] },
      verdict: "fail",
      rules: ["missed drop_proven", "met within_limit"],
    },
    {
      name: "an empty list of rules does not opt out",
      base: qa(before240),
      head: qa(after240),
      gate: { rules: [] },
      verdict: "fail",
      rules: ["missed drop_proven"],
    },
    {
      name: "gate: none opts out",
      base: qa(before240),
      head: qa(after240),
      gate: "none",
      verdict: "neutral",
      cases: { paired: 240 },
    },
    {
      name: "a bare metric is that of every task",
      head: side(two),
      gate: rules({ min: 0.5 }),
      verdict: "pass",
      rules: times(4, "met within_limit"),
    },
    {
      name: "a task and a metric are globs",
      head: side(two),
      gate: rules({ metric: "ma*/f?", min: 0.5 }),
      verdict: "pass",
      rules: times(2, "met within_limit"),
      first: { task: "math", metric: "f1" },
    },
    {
      name: "a candidate is a glob",
      head: side(two),
      gate: rules({ min: 0.5, candidate: "m*" }),
      verdict: "pass",
      rules: times(2, "met within_limit"),
    },
    {
      name: "a glob crosses the slashes of a model's name",
      head: side({ qa: { cases: { "groq:meta/llama": perfect } } }),
      gate: rules({ min: 0.5, candidate: "groq:*" }),
      verdict: "pass",
      rules: ["met within_limit"],
    },
    {
      name: "a rule about a metric that nothing has fails",
      head: qa(perfect),
      gate: rules({ metric: "qa/f1", min: 0.5 }),
      verdict: "fail",
      rules: ["missed metric_missing"],
      first: { task: "qa", metric: "f1", candidate: "*", value: null },
    },
    {
      name: "a warning about a metric that nothing has measures nothing",
      head: qa(perfect),
      gate: rules({ metric: "f1", min: 0.5, level: "warn" }),
      verdict: "neutral",
      rules: ["missed metric_missing"],
    },
    {
      name: "a rule about a task that was not selected asks for nothing",
      head: qa(perfect),
      gate: rules({ metric: "more/em", min: 0.5 }, { min: 0.5 }),
      leftOut: { tasks: ["more"], candidates: [] },
      verdict: "pass",
      rules: ["met within_limit"],
    },
    {
      name: "a rule about a candidate that was not selected asks for nothing",
      head: qa(perfect),
      gate: rules({ candidate: "other", min: 0.5 }, { min: 0.5 }),
      leftOut: { tasks: [], candidates: ["other"] },
      verdict: "pass",
      rules: ["met within_limit"],
    },
    {
      name: "a declared metric that no sample has fails",
      head: qa(perfect, { metrics: [em, { id: "f1" }] }),
      gate: rules({ metric: "f1", min: 0 }),
      verdict: "fail",
      rules: ["missed metric_missing"],
    },
    {
      name: "a metric without a value is not gated",
      head: qa(perfect, { metrics: [{ aggregation: "none" }] }),
      verdict: "neutral",
    },
    {
      name: "a metric that the baseline does not have is new",
      base: qa(perfect),
      head: qa(times(20, { em: 1, f1: 1 }), { metrics: [em, { id: "f1" }] }),
      gate: rules({ metric: "f1", max_drop: 0.02 }),
      verdict: "neutral",
      rules: ["unmeasured metric_new"],
      first: { value: 1 },
    },
    {
      name: "without a baseline relative rules are unmeasured",
      head: qa(perfect),
      verdict: "neutral",
      rules: ["unmeasured no_baseline"],
      first: { value: 1, baseline: null },
      comparable: {},
      cases: { paired: 0, new: 0 },
    },
    {
      name: "without a baseline absolute rules hold",
      head: qa([1, 0]),
      gate: rules({ max_drop: 0.02 }, { min: 0.8 }),
      verdict: "fail",
      rules: ["unmeasured no_baseline", "missed beyond_limit"],
    },
  ])("$name", check);
});

describe("what is never a pass", () => {
  const bad = qa(before240);
  it.each<Situation>([
    {
      name: "no cases",
      head: qa([]),
      gate: rules({ min: 0 }),
      verdict: "error",
      rules: ["missed metric_missing"],
      problems: ["no_cases"],
    },
    {
      name: "no cases for one of two candidates",
      head: side({ qa: { cases: { main: perfect, other: [] } } }),
      gate: rules({ min: 0, candidate: "main" }),
      verdict: "error",
      rules: ["met within_limit"],
      problems: ["no_cases"],
    },
    { name: "no task at all", head: side({}), verdict: "error", problems: ["nothing_ran"] },
    {
      name: "fewer cases than min_cases",
      head: qa(perfect, { min_cases: 21 }),
      gate: rules({ min: 0 }),
      verdict: "error",
      rules: ["met within_limit"],
      problems: ["too_few_cases"],
    },
    {
      name: "as many cases as min_cases are enough",
      head: qa(perfect, { min_cases: 20 }),
      gate: rules({ min: 0 }),
      verdict: "pass",
      rules: ["met within_limit"],
    },
    {
      name: "every sample failed",
      head: qa(times(5, "failed")),
      gate: rules({ max_drop: 0.1 }),
      verdict: "error",
      rules: ["missed metric_missing"],
      problems: ["none_scored"],
    },
    {
      name: "every sample invalid",
      head: qa(times(5, "invalid")),
      gate: rules({ max_drop: 0.1 }),
      verdict: "error",
      rules: ["missed metric_missing"],
      problems: ["none_scored"],
    },
    {
      name: "three ungraded of twenty",
      head: qa([...times(3, "ungraded" as const), ...times(17, 1)]),
      gate: rules({ min: 0 }),
      verdict: "error",
      rules: ["met within_limit"],
      problems: ["too_many_ungraded"],
    },
    {
      name: "two ungraded of twenty are borne",
      head: qa([...times(2, "ungraded" as const), ...times(18, 1)]),
      gate: rules({ min: 0 }),
      verdict: "pass",
      rules: ["met within_limit"],
    },
    {
      name: "5 % ungraded are borne",
      head: qa([...times(5, "ungraded" as const), ...times(95, 1)]),
      gate: rules({ min: 0 }),
      verdict: "pass",
      rules: ["met within_limit"],
    },
    {
      name: "more than 5 % ungraded",
      head: qa([...times(6, "ungraded" as const), ...times(94, 1)]),
      gate: rules({ min: 0 }),
      verdict: "error",
      rules: ["met within_limit"],
      problems: ["too_many_ungraded"],
    },
    {
      name: "two ungraded of two",
      head: qa(times(2, "ungraded")),
      gate: rules({ min: 0 }),
      verdict: "error",
      rules: ["missed metric_missing"],
      problems: ["too_many_ungraded"],
    },
    {
      name: "a declared rate has no floor of two cases",
      head: qa(["ungraded", ...times(19, 1)]),
      gate: { max_error_rate: 0.04, rules: [{ metric: "em", min: 0 }] },
      verdict: "error",
      rules: ["met within_limit"],
      problems: ["too_many_ungraded"],
    },
    {
      name: "a declared rate may be larger",
      head: qa([...times(10, "ungraded" as const), ...times(10, 1)]),
      gate: { max_error_rate: 0.5, rules: [{ metric: "em", min: 0 }] },
      verdict: "pass",
      rules: ["met within_limit"],
    },
    {
      name: "a declared rate of 1 does not bear all",
      head: qa(times(4, "ungraded")),
      gate: { max_error_rate: 1, rules: [{ metric: "em", min: 0 }] },
      verdict: "error",
      rules: ["missed metric_missing"],
      problems: ["too_many_ungraded"],
    },
    {
      name: "too many errors are worse than a failure",
      base: bad,
      head: qa([...times(30, "ungraded" as const), ...times(210, 0)]),
      verdict: "error",
      rules: ["missed drop_proven"],
      problems: ["too_many_ungraded"],
    },
    {
      name: "a failure is worse than an open question",
      base: side({ a: { cases: { main: before240 } }, b: { cases: { main: perfect } } }),
      head: side({
        a: { cases: { main: after240 } },
        b: { fingerprint: { grader: "x" }, cases: { main: perfect } },
      }),
      verdict: "fail",
      rules: ["missed drop_proven", "inconclusive not_comparable"],
    },
    {
      name: "an open question is worse than a pass",
      base: side({ a: { cases: { main: perfect } }, b: { cases: { main: perfect } } }),
      head: side({
        a: { cases: { main: perfect } },
        b: { fingerprint: { grader: "x" }, cases: { main: perfect } },
      }),
      verdict: "inconclusive",
      rules: ["met no_drop_detected", "inconclusive not_comparable"],
    },
    {
      name: "a pass is worse than nothing measured",
      base: qa(perfect),
      head: side({ qa: { cases: { main: perfect } }, more: { cases: { main: perfect } } }),
      verdict: "pass",
      rules: ["met no_drop_detected", "unmeasured no_baseline"],
    },
  ])("$name", check);
});

describe("the output", () => {
  it("comes by task, candidate, metric, then rule", () => {
    const cases = { b: times(3, { em: 1, f1: 1 }), a: times(3, { em: 1, f1: 1 }) };
    const metrics = [em, { id: "f1" }];
    const { result } = decide({
      name: "",
      head: side({ two: { metrics, cases }, one: { metrics, cases } }),
      gate: rules(
        { metric: "nowhere/x", min: 0, level: "info" },
        { metric: "f1", min: 0 },
        { metric: "*", max: 1 },
      ),
      verdict: "pass",
    });
    expect(
      result.rules.map((one) => `${one.task} ${one.candidate} ${one.metric} ${one.kind}`),
    ).toEqual([
      ...["two b", "two a", "one b", "one a"].flatMap((at) => [
        `${at} em max`,
        `${at} f1 min`,
        `${at} f1 max`,
      ]),
      "nowhere * x min",
    ]);
  });

  it("does not depend on the order in which samples finished", () => {
    const [before, after] = slide(60, 0.01);
    const forwards = decide({
      name: "",
      base: qa(named(before), graded),
      head: qa(named(after), graded),
      verdict: "pass",
    });
    const backwards = decide({
      name: "",
      base: qa(named(before).toReversed(), graded),
      head: qa(named(after).toReversed(), graded),
      verdict: "pass",
    });
    expect(JSON.stringify(backwards)).toBe(JSON.stringify(forwards));
  });

  it("keeps the fifty largest changes, then by case id", () => {
    const before = times(120, 1);
    const after = before.map((_, i) => (i === 100 ? 0 : i < 80 ? 0.5 : 1));
    const { result } = decide({
      name: "",
      base: qa(before, graded),
      head: qa(after, graded),
      verdict: "fail",
    });
    const kept = result.rules[0]?.changed.broke ?? [];
    expect(kept).toHaveLength(50);
    expect(kept.slice(0, 2)).toEqual([
      { case_id: "c0100", before: 1, after: 0 },
      { case_id: "c0000", before: 1, after: 0.5 },
    ]);
    expect(kept.at(-1)?.case_id).toBe("c0048");
    expect(result.rules[0]?.broke).toBe(81);
  });

  it("takes about ten times as long for ten times the cases", () => {
    judging(10_000); // warms the code up
    // A quadratic loop would take a hundred times as long. Processor time: other processes don't count.
    expect(judging(100_000) / judging(10_000)).toBeLessThan(40);
  });
});

/** Microseconds of processor time for a comparison of so many cases. */
function judging(cases: number): number {
  const before = Array.from({ length: cases }, (_, i) => (i % 10 === 0 ? 0 : 1));
  const after = before.map((score, i) => (i % 7 === 0 ? 1 - score : score));
  const sides = { base: qa(before), head: qa(after) };
  const start = process.cpuUsage().user;
  expect(decide({ name: "", ...sides, verdict: "fail" }).result.verdict).toBe("fail");
  return process.cpuUsage().user - start;
}

it("a large loss that few cases leave open can be accepted, as a proven one", () => {
  const head = qa([...times(2, 0), ...times(4, 1)]);
  const asked = { gate: {}, head, baseline: baseline(qa(times(6, 1))) };
  expect(judgeInWords(asked).result.verdict).toBe("inconclusive");
  expect(judgeInWords({ ...asked, acceptsLoss: true }).result.verdict).toBe("pass");
});

describe("a baseline that may be there and could not be read", () => {
  const unread = { kind: "none", reason: "GitHub did not answer", remedy: "Run again." } as const;
  const judged = (gate: Gate) => judgeInWords({ gate, head: qa(times(60, 1)), baseline: unread });

  it("leaves undecided what it would have been compared with: no fault turns a red check green", () => {
    const { result, problems } = judged({});
    expect(result.verdict).toBe("inconclusive");
    expect(problems.map(({ kind }) => kind)).toEqual(["baseline_unread"]);
    expect(result.reasons.join("\n")).toContain("GitHub did not answer. Run again.");
  });

  it("says nothing against rules that need none", () => {
    expect(judged({ rules: [{ metric: "em", min: 0.5 }] }).result.verdict).toBe("pass");
  });
});

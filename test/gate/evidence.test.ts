import { describe, expect, it } from "vitest";
import { pairs, qa, side, times, type Case } from "./sides.ts";
import { check, decide, rules, type Situation } from "./situation.ts";

/** 100 cases that were right, and what a change made of them: the verdict that a careful statistician would defend. */

const right = times(100, 1);
const graded = { metrics: [{ scale: "graded" as const }] };
const free = { metrics: [{ range: null, scale: "graded" as const }] };

/** So many questions, with as many in each cluster; all of the first so many clusters broke; a fraction is some of a cluster. */
function clusters(count: number, each: number, broke = 0): Case[] {
  return Array.from({ length: count * each }, (_, i) => ({
    id: `q${i}`,
    cluster: `p${Math.floor(i / each)}`,
    is: i / each < broke ? 0 : 1,
  }));
}

function named(cases: readonly Case[], nameOf: (i: number) => string, rowOf = nameOf): Case[] {
  return cases.map((is, i) => ({ id: nameOf(i), content: rowOf(i), is: Number(is) }));
}

const ungraded = (count: number): Case[] => [...times(count, "ungraded" as const)];
const id = (i: number): string => `c${i}`;
const base = named(right, id);

describe("a comparison speaks for the cases that it rests on", () => {
  it.each<Situation>([
    {
      name: "5 of 100 pairs are no verdict on 100 cases, whichever side lacks the others",
      base: qa([...ungraded(95), ...times(5, 1)]),
      head: qa(right),
      verdict: "inconclusive",
      rules: ["met no_drop_detected"],
      problems: ["too_few_pairs"],
    },
    {
      name: "10 of 100 may lack a grade",
      base: qa([...ungraded(10), ...times(90, 1)]),
      head: qa(right),
      verdict: "pass",
      rules: ["met no_drop_detected"],
    },
    {
      name: "11 may not",
      base: qa([...ungraded(11), ...times(89, 1)]),
      head: qa(right),
      verdict: "inconclusive",
      rules: ["met no_drop_detected"],
      problems: ["too_few_pairs"],
    },
    {
      name: "two sides that lack other cases lack all of them together",
      base: qa([...ungraded(8), ...times(92, 1)]),
      head: qa([...times(95, 1), ...ungraded(5)]),
      verdict: "inconclusive",
      rules: ["met no_drop_detected"],
      problems: ["too_few_pairs"],
    },
    {
      name: "2 of 8 may, as of few cases 10 % is less than one",
      base: qa([...ungraded(2), ...times(6, 1)]),
      head: qa(times(8, 1)),
      verdict: "pass",
      rules: ["met no_drop_detected"],
    },
    {
      name: "a declared error rate that is larger widens it",
      base: qa([...ungraded(40), ...times(60, 1)]),
      head: qa(right),
      gate: { max_error_rate: 0.4 },
      verdict: "pass",
      rules: ["met no_drop_detected"],
    },
    {
      name: "gate.min_paired narrows it",
      base: qa([...ungraded(3), ...times(97, 1)]),
      head: qa(right),
      gate: { min_paired: 0.98 },
      verdict: "inconclusive",
      rules: ["met no_drop_detected"],
      problems: ["too_few_pairs"],
    },
    {
      name: "gate.min_paired widens it, but never to none",
      base: qa([...ungraded(95), ...times(5, 1)]),
      head: qa(right),
      gate: { min_paired: 0 },
      verdict: "pass",
      rules: ["met no_drop_detected"],
    },
    {
      name: "outputs that the baseline's grader could not score lack a grade, too",
      base: qa([...times(20, "invalid" as const), ...times(80, 1)]),
      head: qa(right),
      verdict: "inconclusive",
      rules: ["met no_drop_detected"],
      problems: ["too_few_pairs"],
    },
    {
      name: "of a slice the cases of the slice count",
      base: qa(
        right.map((_, i) => ({ slices: { l: i < 20 ? "de" : "en" }, is: i < 5 ? "ungraded" : 1 })),
      ),
      head: qa(right.map((_, i) => ({ slices: { l: i < 20 ? "de" : "en" }, is: 1 }))),
      gate: rules({ max_drop: 0.02, slice: "l=de" }),
      verdict: "inconclusive",
      rules: ["met no_drop_detected"],
      problems: ["too_few_pairs"],
    },
    {
      name: "a drop that is proven on what is left still fails",
      base: qa([...ungraded(30), ...times(70, 1)]),
      head: qa([...times(30, 1), ...times(70, 0)]),
      verdict: "fail",
      rules: ["missed drop_proven"],
      problems: ["too_few_pairs"],
    },
    {
      name: "a rule that only warns is no verdict",
      base: qa([...ungraded(95), ...times(5, 1)]),
      head: qa(right),
      gate: rules({ max_drop: 0.02, level: "warn" }, { min: 0.5 }),
      verdict: "pass",
      rules: ["met no_drop_detected", "met within_limit"],
    },
    {
      name: "fewer pairs than min_cases are too few",
      base: qa([...ungraded(2), ...times(98, 1)]),
      head: qa(right, { min_cases: 99 }),
      verdict: "inconclusive",
      rules: ["met no_drop_detected"],
      problems: ["too_few_pairs"],
    },
  ])("$name", check);

  it("says so in the first line, with the numbers and the way out", () => {
    const thin = { name: "", base: qa([...ungraded(95), ...times(5, 1)]), head: qa(right) };
    expect(decide({ ...thin, verdict: "inconclusive" }).result.reasons[0]).toBe(
      "qa/em, main: not judged: only 5 of 100 cases have a grade on both sides, and 10 may lack one; run again, where the baseline lacks them on the base branch, or set `gate.min_paired`",
    );
  });
});

describe("what a change does to the cases", () => {
  it.each<Situation>([
    {
      name: "other names pair by row: nothing is lost, and a drop is seen",
      base: qa(base),
      head: qa(named([...times(20, 0), ...times(80, 1)], (i) => `renamed${i}`, id)),
      verdict: "fail",
      rules: ["missed drop_proven"],
    },
    {
      name: "names that were dealt anew pair by row: neither row nor name is taken for another's",
      base: qa(base),
      head: qa(named([...times(20, 0), ...times(80, 1)], (i) => id((i + 1) % 100), id)),
      verdict: "fail",
      rules: ["missed drop_proven"],
      first: { n: 100, broke: 20, fixed: 0 },
    },
    {
      name: "a row with another right answer is another question: what it scored before is not held against it",
      base: qa(base),
      head: qa(named([...times(8, 0), ...times(92, 1)], id, (i) => (i < 8 ? `other ${i}` : id(i)))),
      verdict: "pass",
      rules: ["met no_drop_detected"],
      first: { n: 92 },
    },
    {
      name: "another order changes nothing",
      base: qa(base),
      head: qa(base.toReversed()),
      verdict: "pass",
      rules: ["met no_drop_detected"],
    },
    {
      name: "added cases neither help nor hurt",
      base: qa(base),
      head: qa([
        ...named([...times(20, 0), ...times(80, 1)], id),
        ...named(right, (i) => `new${i}`),
      ]),
      verdict: "fail",
      rules: ["missed drop_proven"],
    },
    {
      name: "a case that is left out fails the run",
      base: qa(base),
      head: qa(base.slice(1)),
      verdict: "fail",
      rules: ["met no_drop_detected"],
      problems: ["cases_missing"],
    },
    {
      name: "rows that were edited are not compared, and don't count against the others",
      base: qa(base),
      head: qa(named(right, id, (i) => (i < 30 ? `edited${i}` : id(i)))),
      verdict: "pass",
      rules: ["met no_drop_detected"],
      first: { n: 70 },
    },
    {
      name: "where all rows were edited nothing is compared",
      base: qa(base),
      head: qa(named(right, id, (i) => `edited${i}`)),
      verdict: "inconclusive",
      rules: ["inconclusive no_pairs"],
    },
    {
      name: "calling the metric graded does not make three broken cases a proof",
      base: qa(right, graded),
      head: qa([...times(3, 0), ...times(97, 1)], graded),
      verdict: "pass",
      rules: ["met drop_not_proven"],
    },
    {
      name: "nor does calling it binary make ten broken ones none",
      base: qa(right, graded),
      head: qa([...times(10, 0), ...times(90, 1)], graded),
      verdict: "fail",
      rules: ["missed drop_proven"],
    },
  ])("$name", check);
});

describe("a score outside of the declared range", () => {
  it.each<Situation>([
    {
      name: "counts as wrong: one 50 does not make up for a third that is lost",
      base: qa(right, graded),
      head: qa([50, ...times(33, 0), ...times(66, 1)], graded),
      verdict: "fail",
      rules: ["missed drop_proven"],
      first: { value: 0.66 },
    },
    {
      name: "lifts no average above its minimum",
      head: qa([50, ...times(99, 0)], graded),
      gate: rules({ min: 0.4 }),
      verdict: "fail",
      rules: ["missed beyond_limit"],
      first: { value: 0 },
    },
    {
      name: "at the baseline leaves the pair out, as what it was worth is not known",
      base: qa([50, -50, ...times(98, 1)], graded),
      head: qa(right, graded),
      verdict: "pass",
      rules: ["met no_drop_detected"],
      first: { n: 98, baseline: 1 },
    },
    {
      name: "by a rounding error is none",
      base: qa(right, graded),
      head: qa([1 + 1e-10, -1e-10, ...times(98, 1)], graded),
      verdict: "pass",
      rules: ["met drop_within_limit"],
    },
    {
      name: "is possible where no range is declared",
      head: qa([50, ...times(99, 0)], free),
      gate: rules({ min: 0.4 }),
      verdict: "pass",
      rules: ["met within_limit"],
    },
    {
      name: "that grade_batch gave for all cases together is no pass",
      head: side({ qa: { given: { em: 1.48 }, cases: { main: times(10, {}) } } }),
      gate: rules({ min: 0.4 }),
      verdict: "fail",
      rules: ["missed metric_missing"],
      first: { value: 1.48 },
    },
  ])("$name", check);

  it("is told, with the range", () => {
    const head = qa([50, ...right.slice(1)], graded);
    const { result } = decide({ name: "", base: qa(right, graded), head, verdict: "pass" });
    expect(result.reasons).toContain(
      "qa, main: 1 of 100 cases has a score in `em` outside of its range [0, 1]: counted as wrong; correct the grader, or declare the `range` that it has",
    );
  });
});

describe("so few that nothing can be proven", () => {
  const two = rules({ max_drop: 0.02 }, { metric: "em", max_drop: 0.05 });
  it.each<Situation>([
    {
      name: "one cluster is one case: 100 broken answers in it prove nothing, and are no pass",
      base: qa(clusters(1, 100)),
      head: qa(clusters(1, 100, 1)),
      verdict: "inconclusive",
      rules: ["inconclusive too_few_to_prove"],
      first: { mde: null },
    },
    {
      name: "four clusters prove nothing, though they may all have fallen",
      base: qa(clusters(4, 25)),
      head: qa(clusters(4, 25, 4)),
      verdict: "inconclusive",
      rules: ["inconclusive too_few_to_prove"],
    },
    {
      name: "four that stood prove nothing either",
      base: qa(clusters(4, 25)),
      head: qa(clusters(4, 25)),
      verdict: "inconclusive",
      rules: ["inconclusive too_few_to_prove"],
    },
    {
      name: "five prove something",
      base: qa(clusters(5, 20)),
      head: qa(clusters(5, 20, 5)),
      verdict: "fail",
      rules: ["missed drop_proven"],
    },
    {
      name: "but not where two comparisons share alpha",
      base: qa(clusters(5, 20)),
      head: qa(clusters(5, 20, 5)),
      gate: two,
      verdict: "inconclusive",
      rules: ["inconclusive too_few_to_prove", "inconclusive too_few_to_prove"],
    },
    {
      name: "one case that broke is no pass",
      base: qa([1]),
      head: qa([0]),
      verdict: "inconclusive",
      rules: ["inconclusive too_few_to_prove"],
    },
    {
      name: "one case that stayed could not have shown a drop: no pass, and none is said to be detectable",
      base: qa([1]),
      head: qa([1]),
      verdict: "neutral",
      rules: ["unmeasured too_few_to_prove"],
      first: { mde: null },
    },
    {
      name: "nor could three that got better",
      base: qa([0, 0, 0]),
      head: qa([1, 1, 1]),
      verdict: "neutral",
      rules: ["unmeasured too_few_to_prove"],
    },
    {
      name: "four can",
      base: qa(times(4, 1)),
      head: qa(times(4, 1)),
      verdict: "pass",
      rules: ["met no_drop_detected"],
    },
    {
      name: "nor could four among two comparisons",
      base: qa(times(4, 1)),
      head: qa(times(4, 1)),
      gate: {
        rules: [
          { metric: "em", max_drop: 0.02 },
          { metric: "em", max_drop: 0.05 },
        ],
      },
      verdict: "neutral",
      rules: ["unmeasured too_few_to_prove", "unmeasured too_few_to_prove"],
    },
    {
      name: "repeats of a case are no more cases",
      base: qa(times(3, { is: [1, 1, 1, 1, 1] })),
      head: qa(times(3, { is: [1, 1, 1, 1, 1] })),
      verdict: "neutral",
      rules: ["unmeasured too_few_to_prove"],
    },
    {
      name: "a value that the rule asks for is no proof: it passes beside what can't be measured",
      base: qa([1]),
      head: qa([1]),
      gate: {
        rules: [
          { metric: "em", max_drop: 0.02 },
          { metric: "em", min: 0.5 },
        ],
      },
      verdict: "pass",
      rules: ["unmeasured too_few_to_prove", "met within_limit"],
    },
    {
      name: "ungraded cases that would have shown a drop still leave it open",
      base: qa([1, 1, 1]),
      head: qa([...ungraded(2), 1]),
      verdict: "inconclusive",
      rules: ["unmeasured too_few_to_prove"],
      problems: ["ungraded_decide"],
    },
    {
      name: "ten cases that stayed don't show that a sum does not drop by a hundredth of the range a case",
      base: qa(times(10, 0.5), { metrics: [{ scale: "graded", aggregation: "sum" }] }),
      head: qa(times(10, 0.5), { metrics: [{ scale: "graded", aggregation: "sum" }] }),
      gate: rules({ max_drop: 0.1, prove: "no_drop" }),
      verdict: "inconclusive",
      rules: ["inconclusive no_drop_not_shown"],
    },
    {
      name: "300 do",
      base: qa(times(300, 0.5), { metrics: [{ scale: "graded", aggregation: "sum" }] }),
      head: qa(times(300, 0.5), { metrics: [{ scale: "graded", aggregation: "sum" }] }),
      gate: rules({ max_drop: 6, prove: "no_drop" }),
      verdict: "pass",
      rules: ["met no_drop_shown"],
    },
    {
      name: "ten cases that stayed show no more without a range",
      base: qa(times(10, 12), free),
      head: qa(times(10, 12), free),
      gate: rules({ max_drop: 0.5, prove: "no_drop" }),
      verdict: "inconclusive",
      rules: ["inconclusive no_drop_not_shown"],
    },
    {
      name: "100 do, as each could lose 12",
      base: qa(times(100, 12), free),
      head: qa(times(100, 12), free),
      gate: rules({ max_drop: 0.5, prove: "no_drop" }),
      verdict: "pass",
      rules: ["met no_drop_shown"],
    },
    {
      name: "what needs no proof is decided with one case",
      base: qa([1]),
      head: qa([0]),
      gate: rules({ max_drop: 0.02, prove: "nothing" }),
      verdict: "fail",
      rules: ["missed beyond_limit"],
    },
    {
      name: "no discordance is a result, with what could have been seen",
      base: qa(right),
      head: qa(right),
      verdict: "pass",
      rules: ["met no_drop_detected"],
      first: { p: 1, mde: expect.closeTo(0.057, 3) },
    },
    {
      name: "one cluster's better answer does not show 25 clusters not to have dropped",
      base: qa(clusters(25, 40, 1 / 40)),
      head: qa(clusters(25, 40)),
      gate: rules({ max_drop: 0.05, prove: "no_drop" }),
      verdict: "inconclusive",
      rules: ["inconclusive no_drop_not_shown"],
    },
    {
      name: "58 cases without a change don't show a drop to be below 5 %",
      base: qa(times(58, 1)),
      head: qa(times(58, 1)),
      gate: rules({ max_drop: 0.05, prove: "no_drop" }),
      verdict: "inconclusive",
      rules: ["inconclusive no_drop_not_shown"],
    },
    {
      name: "59 without a change do",
      base: qa(times(59, 1)),
      head: qa(times(59, 1)),
      gate: rules({ max_drop: 0.05, prove: "no_drop" }),
      verdict: "pass",
      rules: ["met no_drop_shown"],
    },
  ])("$name", check);

  it("says how many cases without a change show it: no fewer than the exact bound asks for", () => {
    const gate = rules({ max_drop: 0.02, prove: "no_drop" });
    const unchanged = { name: "", base: qa(right), head: qa(right), gate };
    expect(decide({ ...unchanged, verdict: "inconclusive" }).result.reasons[0]).toContain(
      "about 150 cases show it 4 times in 5 where nothing changed",
    );
  });

  it("says how many it takes, and what needs no proof", () => {
    const few = { name: "", base: qa(clusters(4, 25)), head: qa(clusters(4, 25, 1)) };
    expect(decide({ ...few, verdict: "inconclusive" }).result.reasons[0]).toBe(
      "qa/em, main: −25.0 points (100.0% → 75.0%); not judged: 100 cases in 4 clusters can't prove a drop, however large; it takes 5 clusters, or a rule that needs no proof (`prove: nothing`, `min`, `must_pass`)",
    );
  });
});

const draft = (scale: "binary" | "graded") => ({ metrics: [{ scale }] });

const thrice = (cases: readonly Case[]): Case[] =>
  cases.map((one) => [Number(one), Number(one), Number(one)]);

describe("the same changes have the same verdict", () => {
  it.each([
    [3, 0],
    [4, 0],
    [6, 1],
    [9, 4],
    [12, 4],
    [30, 18],
    [60, 40],
  ])("%d broken and %d fixed of 400, binary or graded, one repeat or three", (broke, fixed) => {
    const [was, is] = pairs({ broke, fixed, right: 300, wrong: 100 - broke - fixed });
    const found = [
      decide({
        name: "",
        base: qa(was, draft("binary")),
        head: qa(is, draft("binary")),
        verdict: "pass",
      }),
      decide({
        name: "",
        base: qa(was, draft("graded")),
        head: qa(is, draft("graded")),
        verdict: "pass",
      }),
      decide({
        name: "",
        base: qa(thrice(was), { ...draft("binary"), repeats: 3 }),
        head: qa(thrice(is), { ...draft("binary"), repeats: 3 }),
        verdict: "pass",
      }),
    ].map(({ result }) => result);
    const [one] = found;
    for (const other of found) {
      expect(other.verdict).toBe(one?.verdict);
      expect(other.rules[0]?.p).toBeCloseTo(one?.rules[0]?.p ?? 0, 12);
    }
  });
});

/** The first so many have other rows than in the base, and score so. */
const edited = (count: number, score: 0 | 1): Case[] =>
  named(
    right.map((is, i) => (i < count ? score : is)),
    id,
    (i) => (i < count ? `other ${i}` : id(i)),
  );

describe("rows that differ from the baseline's", () => {
  it.each<Situation>([
    {
      name: "decide where another tool brings them, and they fail",
      base: qa(base),
      head: qa(edited(15, 0)),
      casesBy: "tool",
      verdict: "inconclusive",
      rules: ["met no_drop_detected"],
      problems: ["edited_decide"],
    },
    {
      name: "are left out where they are as good",
      base: qa(base),
      head: qa(edited(15, 1)),
      casesBy: "tool",
      verdict: "pass",
      rules: ["met no_drop_detected"],
    },
    {
      name: "are left out where so few of them fail that no drop would be proven",
      base: qa(base),
      head: qa(edited(2, 0)),
      casesBy: "tool",
      verdict: "pass",
      rules: ["met no_drop_detected"],
    },
    {
      name: "are left out where the change is judged by the base's rows, too",
      base: qa(base),
      head: qa(edited(15, 0)),
      verdict: "pass",
      rules: ["met no_drop_detected"],
    },
    {
      name: "decide in a run that nobody else judges, and they fail",
      base: qa(base),
      head: qa(edited(15, 0)),
      casesBy: "user",
      verdict: "inconclusive",
      rules: ["met no_drop_detected"],
      problems: ["edited_decide"],
    },
    {
      name: "are left out of such a run where they are as good",
      base: qa(base),
      head: qa(edited(40, 1)),
      casesBy: "user",
      verdict: "pass",
      rules: ["met no_drop_detected"],
    },
    {
      name: "are left out of a branch's own run, as they were merged",
      base: qa(base),
      head: qa(edited(15, 0)),
      casesBy: "branch",
      verdict: "pass",
      rules: ["met no_drop_detected"],
    },
    {
      name: "leave too little where they are most of those that judge a change",
      base: qa(base),
      head: qa(edited(51, 1)),
      casesBy: "base",
      verdict: "inconclusive",
      rules: ["met no_drop_detected"],
      problems: ["baseline_partial"],
    },
    {
      name: "decide where the base's rules judge, and they were edited on the base since, and fail",
      base: qa(base),
      head: qa(edited(15, 0)),
      casesBy: "base",
      verdict: "inconclusive",
      rules: ["met no_drop_detected"],
      problems: ["edited_decide"],
    },
    {
      name: "are left out where the base's rules judge, and so few fail that no drop would be proven",
      base: qa(base),
      head: qa(edited(2, 0)),
      casesBy: "base",
      verdict: "pass",
      rules: ["met no_drop_detected"],
    },
    {
      name: "leave enough where half of them are the same",
      base: qa(base),
      head: qa(edited(50, 1)),
      casesBy: "base",
      verdict: "pass",
      rules: ["met no_drop_detected"],
    },
    {
      name: "leave too little where the baseline was run on a part of them",
      base: qa(base.slice(0, 20)),
      head: qa(base),
      casesBy: "base",
      verdict: "inconclusive",
      rules: ["met no_drop_detected"],
      problems: ["baseline_partial"],
    },
    {
      name: "leave what they leave where a change adds cases, by its own rules",
      base: qa(base.slice(0, 20)),
      head: qa(base),
      verdict: "pass",
      rules: ["met no_drop_detected"],
    },
  ])("$name", check);

  const lines = (casesBy: Situation["casesBy"], ...[count, score]: Parameters<typeof edited>) =>
    decide({ name: "", base: qa(base), head: qa(edited(count, score)), verdict: "pass", casesBy })
      .result.reasons;

  it.each(["user", "branch", "base"] as const)("are told with their own result (%s)", (casesBy) => {
    expect(lines(casesBy, 15, 0)).toContain(
      "qa, main: 15 of 100 cases were edited since the baseline (another input, target or other field) and are not compared: 15 of 15 fail now, 0 failed in the baseline",
    );
  });

  it("are told to be as good", () => {
    expect(lines("user", 40, 1).join()).toContain(
      "not compared: none of them fails, as in the baseline",
    );
  });

  it("are told with the metric's mean where it is no matter of failing", () => {
    const cases = [{ id: "c0", content: "another", is: 0.25 }, ...base.slice(1)];
    const sides = { base: qa(base, graded), head: qa(cases, graded) };
    expect(
      decide({ name: "", ...sides, casesBy: "user", verdict: "pass" }).result.reasons,
    ).toContain(
      "qa, main: 1 of 100 cases was edited since the baseline (another input, target or other field) and is not compared: `em` is 25.0% for it now and was 100.0% in the baseline",
    );
  });

  it("are not told beside the change's own rules, where the base's judge them", () => {
    expect(lines("change", 15, 0).join()).not.toContain("edited since");
  });

  it("are named with the way out where they decide", () => {
    expect(lines("user", 15, 0)[0]).toBe(
      "qa/em, main: 15 cases have another input or target than in the baseline, and the rule would be missed if they were compared all the same; let what made the baseline answer the new rows and compare with that run, or give `--policy-from`: the base's rows then judge",
    );
  });

  it("are the reason where not one case is left", () => {
    expect(lines("user", 100, 1)[0]).toBe(
      "qa/em, main: not compared: not one case could be paired with the baseline: 100 cases have the same id and another row (a field was added, removed or edited)",
    );
  });
});

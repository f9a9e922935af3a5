import { describe, expect, it } from "vitest";
import { pairs, side, times, type Case } from "./sides.ts";
import { check, decide, near, rules, type Situation } from "./situation.ts";

const [better, worse] = pairs({ broke: 18, fixed: 6, right: 195, wrong: 21 });
const wide = { range: [0, 10] as const, scale: "graded" as const };
const against = rules({ max_drop: 0.02, against: "plain" });

/** A run with the candidates `plain` and `skilled`. */
function run(plain: readonly Case[], skilled: readonly Case[], others = {}) {
  return side({ qa: { cases: { plain, skilled, ...others } } });
}

describe("a candidate against another one of the same run", () => {
  it.each<Situation>([
    {
      name: "is blocked by a proven loss, without any baseline",
      head: run(better, worse),
      gate: against,
      verdict: "fail",
      rules: ["missed drop_proven"],
      first: {
        candidate: "skilled",
        against: "plain",
        value: near(201 / 240),
        baseline: near(213 / 240),
        broke: 18,
        fixed: 6,
        test: "mcnemar_midp",
        p: near(0.0073),
      },
    },
    {
      name: "passes where it is the better one",
      head: run(worse, better),
      gate: against,
      verdict: "pass",
      rules: ["met no_drop_detected"],
    },
    {
      name: "is compared by each candidate that the rule covers, but the reference, with one family",
      head: run(better, worse, { third: better }),
      gate: against,
      verdict: "fail",
      rules: ["missed drop_proven", "met no_drop_detected"],
      first: { p: near(0.0073), p_adjusted: near(0.0146) },
    },
    {
      name: "says nothing of a fall of both, which the baseline shows",
      base: run(better, better),
      head: run(worse, worse),
      gate: against,
      verdict: "fail",
      rules: ["missed drop_proven", "missed drop_proven", "met no_drop_detected"],
      first: { candidate: "plain", limit: 0.02 },
    },
    {
      name: "says nothing of a fall of the other one, which makes it look better",
      base: run(better, worse),
      head: run(worse, worse),
      gate: against,
      verdict: "fail",
      rules: ["missed drop_proven", "met no_drop_detected", "met no_drop_detected"],
    },
    {
      name: "leaves the baseline to the rules that name the metric, be it for information",
      base: run(better, better),
      head: run(worse, worse),
      gate: rules({ max_drop: 0.02, against: "plain" }, { max_drop: 0.02, level: "info" }),
      verdict: "pass",
      rules: ["missed drop_proven", "met no_drop_detected", "missed drop_proven"],
    },
    {
      name: "is held to its own limit, where the default one does not suit the metric",
      base: side({
        qa: { metrics: [wide], cases: { plain: times(40, 9), skilled: times(40, 9) } },
      }),
      head: side({
        qa: { metrics: [wide], cases: { plain: times(40, 8), skilled: times(40, 8) } },
      }),
      gate: rules({ max_drop: 2, against: "plain" }),
      verdict: "pass",
      rules: ["met drop_within_limit", "met drop_within_limit", "met no_drop_detected"],
      first: { limit: 2 },
    },
    {
      name: "has its own outcome beside the baseline's",
      base: run(worse, worse),
      head: run(better, worse),
      gate: rules({ max_drop: 0.02 }, { max_drop: 0.02, against: "plain" }),
      verdict: "fail",
      rules: ["met no_drop_detected", "met no_drop_detected", "missed drop_proven"],
    },
    {
      name: "is shown not to be worse, where that is asked",
      head: run(times(200, 1), times(200, 1)),
      gate: rules({ max_drop: 0.05, against: "plain", prove: "no_drop" }),
      verdict: "pass",
      rules: ["met no_drop_shown"],
    },
    {
      name: "is held by the bare difference, where that is asked",
      head: run([1, 1, 1, 1], [1, 1, 1, 0]),
      gate: rules({ max_drop: 0.02, against: "plain", prove: "nothing" }),
      verdict: "fail",
      rules: ["missed beyond_limit"],
    },
    {
      name: "is not measured in a run that left the reference out",
      head: side({ qa: { cases: { skilled: worse } } }),
      leftOut: { tasks: [], candidates: ["plain"] },
      gate: against,
      verdict: "neutral",
      rules: ["unmeasured no_baseline"],
    },
    {
      name: "is missed where a change has taken the reference out of the suite",
      head: side({ qa: { cases: { skilled: worse } } }),
      gate: against,
      verdict: "fail",
      rules: ["missed metric_missing"],
    },
    {
      name: "is not judged where the reference has too few grades",
      head: run([...times(57, 1), ...times(3, "ungraded" as const)], times(60, 1)),
      gate: { rules: [{ metric: "em", max_drop: 0.02, against: "plain" }], min_paired: 0.99 },
      verdict: "inconclusive",
      rules: ["met no_drop_detected"],
      problems: ["too_few_pairs"],
    },
    {
      name: "is compared slice by slice",
      head: run(
        better.map((is, i) => ({ id: `c${i}`, is: Number(is), slices: { half: String(i % 2) } })),
        worse.map((is, i) => ({ id: `c${i}`, is: Number(is), slices: { half: String(i % 2) } })),
      ),
      gate: rules({ max_drop: 0.02, against: "plain", slice: "half=*" }),
      verdict: "pass",
      rules: ["met drop_not_proven", "met drop_not_proven"],
      first: { slice: "half=0", against: "plain" },
    },
  ])("$name", check);

  it("names both candidates in its reason", () => {
    const { result } = decide({
      name: "",
      verdict: "fail",
      head: run(better, worse),
      gate: against,
    });
    expect(result.reasons[0]).toMatch(/^qa\/em, skilled, against plain: −5\.0 points/);
    expect(result.rules[0]?.changed.failing).toBeUndefined();
  });

  it("is not confirmed, as both sides are fresh", () => {
    const found = decide({ name: "", verdict: "fail", head: run(better, worse), gate: against });
    expect(found.proven).toEqual([]);
    expect(found.hangsOnProven).toBe(false);
  });

  it("calls a crash of its own one, though the baseline crashed alike", () => {
    const crashed = [...times(10, "failed" as const), ...times(50, 1)];
    const base = run(times(60, 1), crashed);
    const head = run(times(60, 1), crashed);
    const { result } = decide({ name: "", verdict: "fail", base, head, gate: against });
    expect(result.rules.at(-1)).toMatchObject({ outcome: "missed", broke: 10, crashed: 10 });
  });

  it.each([
    { name: "0/1 scores", repeats: 1, top: 1, before: better, after: worse },
    {
      name: "repeats",
      repeats: 3,
      top: 1,
      before: better.map((is): Case => [Number(is), Number(is), 1]),
      after: worse.map((is): Case => [Number(is), 0, 1]),
    },
    {
      name: "graded scores",
      repeats: 1,
      top: 7,
      before: better.map((is, i): Case => Number(is) * (i % 7)),
      after: worse.map((_, i): Case => i % 5),
    },
  ])("has the very figures that a baseline with those answers gives: $name", (answers) => {
    const { repeats, top, before, after } = answers;
    const spec = { repeats, metrics: [{ range: [0, top] as const }] };
    const head = side({ qa: { ...spec, cases: { plain: before, skilled: after } } });
    const [found] = decide({ name: "", verdict: "pass", head, gate: against }).result.rules;
    const base = side({ qa: { ...spec, cases: { skilled: before } } });
    const own = side({ qa: { ...spec, cases: { skilled: after } } });
    const gate = rules({ max_drop: 0.02 });
    const [old] = decide({ name: "", verdict: "pass", gate, base, head: own }).result.rules;
    expect(old?.p).toBeTypeOf("number");
    const { against: _reference, ...figures } = found ?? {};
    expect({ ...figures, changed: null }).toEqual({ ...old, changed: null });
  });
});

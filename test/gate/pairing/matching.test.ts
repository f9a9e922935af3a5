import { describe, expect, it } from "vitest";
import { sfc32 } from "../../../src/stats/distributions/sfc32.ts";
import { qa, times, type Case } from "../sides.ts";
import { check, decide, type Situation } from "../situation.ts";

/** Cases with an id and a row each: `a=x` is the case a with the row x, here with the score 1. */
function cases(text: string, is: Case & number = 1): Case[] {
  return text
    .split(" ")
    .filter((one) => one !== "")
    .map((one) => ({ id: one.split("=")[0] ?? "", content: one.split("=")[1] ?? one, is }));
}

/** So that counts alone are looked at. */
const gate = { rules: [{ metric: "em", min: 0 }] };

describe("cases of a changed dataset", () => {
  it.each<Situation>([
    {
      name: "with another id and the same row are the same",
      base: qa(cases("a=x b=y c=z")),
      head: qa(cases("1=x 2=y 3=z")),
      gate,
      verdict: "pass",
      rules: ["met within_limit"],
      cases: { paired: 3, renamed: 3, new: 0, missing: 0 },
    },
    {
      name: "numbered anew after one was taken out are the same, and that one is missing",
      base: qa(cases("0=v 1=w 2=x 3=y 4=z")),
      head: qa(cases("0=w 1=x 2=y 3=z")),
      gate,
      verdict: "fail",
      rules: ["met within_limit"],
      problems: ["cases_missing"],
      cases: { paired: 4, renamed: 4, new: 0, missing: 1 },
    },
    {
      name: "with a corrected row keep their id, and are not compared",
      base: qa(cases("a=x b=y")),
      head: qa(cases("a=corrected b=y")),
      gate,
      verdict: "pass",
      rules: ["met within_limit"],
      cases: { paired: 1, renamed: 0, new: 0, missing: 0 },
    },
    {
      name: "that swapped their ids are still told apart",
      base: qa(cases("a=x b=y")),
      head: qa(cases("a=y b=x")),
      gate,
      verdict: "pass",
      rules: ["met within_limit"],
      cases: { paired: 2, renamed: 2 },
    },
    {
      name: "of which one of three equal ones was dropped: it is missing",
      base: qa(cases("a=x b=x c=x d=y")),
      head: qa(cases("e=x f=x d=y")),
      gate,
      verdict: "fail",
      rules: ["met within_limit"],
      problems: ["cases_missing"],
      cases: { paired: 3, renamed: 2, new: 0, missing: 1 },
    },
    {
      name: "that were dropped and replaced by others are missing, and the others new",
      base: qa(cases("a=x b=y")),
      head: qa(cases("c=z b=y")),
      gate,
      verdict: "fail",
      rules: ["met within_limit"],
      problems: ["cases_missing"],
      cases: { paired: 1, new: 1, missing: 1 },
    },
    {
      name: "that took the id of a dropped one do not hide it: its row is gone, its id is changed",
      base: qa(cases("a=x b=y")),
      head: qa(cases("a=y")),
      gate,
      verdict: "fail",
      rules: ["met within_limit"],
      problems: ["cases_missing"],
      cases: { paired: 1, renamed: 1, missing: 1 },
    },
    {
      name: "40 of 100 dropped fail, whatever the others score",
      base: qa(times(100, 1)),
      head: qa(times(60, 1)),
      verdict: "fail",
      rules: ["met no_drop_detected"],
      problems: ["cases_missing"],
      cases: { paired: 60, missing: 40 },
    },
  ])("$name", check);

  it("say how many were compared under another id", () => {
    const { notes } = decide({
      name: "",
      base: qa(cases("a=x b=y")),
      head: qa(cases("1=x b=y"), { fingerprint: { dataset: "another" } }),
      gate,
      verdict: "pass",
    });
    expect(notes).toEqual([
      "qa: the dataset changed since the baseline; cases with equal rows are compared",
      "qa, main: 1 case with another id than in the baseline, and the same row: compared",
    ]);
  });

  it("match the same in whatever order they come", () => {
    const random = sfc32([1, 2, 3]);
    const shuffled = (list: readonly Case[]): readonly Case[] =>
      list
        .map((one) => ({ one, at: random() }))
        .toSorted((x, y) => x.at - y.at)
        .map(({ one }) => one);
    const before = cases("a=x b=x c=x d=y e=z");
    const after = cases("f=x g=x d=y h=z", 0);
    const told = Array.from({ length: 20 }, () => {
      const sides = { base: qa(shuffled(before)), head: qa(shuffled(after)) };
      const {
        result,
        problems,
        cases: counts,
        notes,
      } = decide({ name: "", ...sides, verdict: "fail" });
      return JSON.stringify([result, problems, counts, notes]);
    });
    expect(new Set(told).size).toBe(1);
  });
});

describe("a case that fell from failing to ungraded never helps", () => {
  const right = times(30, 1);
  it.each<Situation>([
    {
      name: "in a comparison",
      base: qa([0, 0, ...right]),
      head: qa(["ungraded", "ungraded", ...right]),
      verdict: "pass",
      rules: ["met no_drop_detected"],
      first: { n: 30, delta: 0 },
    },
    {
      name: "nor under a minimum, which it would have missed",
      base: qa([0, 0, ...right]),
      head: qa(["ungraded", "ungraded", ...right]),
      gate: { rules: [{ metric: "em", min: 0.95 }] },
      verdict: "inconclusive",
      rules: ["met within_limit"],
      problems: ["ungraded_decide"],
    },
    {
      name: "nor among the cases that must pass",
      base: qa([0, ...right]),
      head: qa(["ungraded", ...right]),
      gate: { rules: [{ metric: "em", must_pass: ["c0000"] }] },
      verdict: "inconclusive",
      rules: ["inconclusive cases_ungraded"],
    },
  ])("$name", check);
});

const judgedBy = (how: string): Case[] =>
  cases("a=a b=b c=c").map((each) => Object.assign({}, each, { judgedBy: how }));

function reasons(base: Case[], head: Case[], casesBy: "tool" | "base" = "tool"): string {
  const situation = { name: "", gate, verdict: "pass", casesBy } as const;
  return decide({ ...situation, base: qa(base), head: qa(head) }).result.reasons.join("\n");
}

describe("errors that lack their input or their target", () => {
  const failing = cases("a=x? b=y?").map((each) => Object.assign({}, each, { is: "failed" }));

  it.each<Situation>([
    {
      name: "are the failed cases of their ids",
      base: qa(cases("a=x b=y c=z")),
      head: qa([...failing, ...cases("c=z")]),
      gate,
      casesBy: "tool",
      verdict: "pass",
      rules: ["met within_limit"],
      cases: { paired: 3, failed: 2, renamed: 0, new: 0, missing: 0 },
    },
    {
      name: "are no way to be compared with a score: such a row is another case",
      base: qa(cases("a=x b=y c=z")),
      head: qa(cases("a=other? b=y c=z")),
      gate,
      casesBy: "tool",
      verdict: "pass",
      rules: ["met within_limit"],
      cases: { paired: 2 },
    },
    {
      name: "are the same cases on both sides, and where no row has a target",
      base: qa(failing),
      head: qa([...failing.slice(0, 1), ...cases("b=y")]),
      gate,
      casesBy: "tool",
      verdict: "pass",
      rules: ["met within_limit"],
      cases: { paired: 2 },
    },
    {
      name: "are not compared where the baseline has them, as no question of theirs is known",
      base: qa([...failing, ...cases("c=z")]),
      head: qa(cases("a=asked b=asked c=z")),
      gate,
      casesBy: "tool",
      verdict: "pass",
      rules: ["met within_limit"],
      cases: { paired: 1, new: 0, missing: 0 },
    },
  ])("$name", check);

  it("are not called edited", () => {
    const base = qa([...failing, ...cases("c=z")]);
    const head = qa(cases("a=asked b=asked c=z"));
    const told = decide({ name: "", base, head, gate, casesBy: "tool", verdict: "pass" });
    expect(told.result.reasons.join()).not.toContain("expected answer");
    expect(told.notes).toContain(
      "qa, main: 2 cases not compared: an error without its input or its target in the baseline",
    );
  });
});

describe("cases of another tool", () => {
  const otherwise = "qa, main: 3 of 3 cases were judged by other assertions, limits or judges";
  const edited =
    "qa, main: 1 of 3 cases has another question or expected answer than in the baseline: not compared";

  it("are told where they were judged otherwise, as far as both files tell", () => {
    expect(reasons(judgedBy("strict"), judgedBy("mild"))).toContain(otherwise);
    expect(reasons(judgedBy("strict"), judgedBy("strict"))).not.toContain("judged by other");
    expect(reasons(cases("a=a b=b c=c"), judgedBy("mild"))).not.toContain("judged by other");
  });

  it("are counted, so that a comment is written", () => {
    const situation = { name: "", gate, verdict: "pass", casesBy: "tool" } as const;
    const [before, after] = [qa(judgedBy("strict")), qa(judgedBy("mild"))];
    expect(decide({ ...situation, base: before, head: after }).cases.otherwise).toBe(3);
    expect(decide({ ...situation, base: before, head: before }).cases).not.toHaveProperty(
      "otherwise",
    );
  });

  it("are told where a change may have edited them", () => {
    const [before, after] = [cases("a=x b=y c=z"), cases("a=x b=y c=other")];
    expect(reasons(before, after)).toContain(edited);
    expect(reasons(before, after, "base")).not.toContain("expected answer");
  });
});

describe("eight cases with the drop that 240 prove", () => {
  it("block nothing, and the words say what they could have detected", () => {
    const before = [1, 1, 1, 1, 1, 1, 1, 0];
    const after = [0, 0, 1, 1, 1, 1, 1, 1];
    const { result } = decide({ name: "", base: qa(before), head: qa(after), verdict: "pass" });
    expect(result.verdict).toBe("pass");
    expect(result.rules[0]).toMatchObject({ code: "drop_not_proven", delta: -0.125 });
    expect(result.reasons[0]).toBe(
      "qa/em, main: −12.5 points seen, not proven; 8 cases detect ≥ 79.1 points; `repeats: 5` or more cases would tell more",
    );
  });
});

describe("one repeat against five", () => {
  it(
    "is unbiased: an unchanged candidate is neither better nor worse on average, and is rarely blocked",
    { tags: "long" },
    () => {
      const random = sfc32([7, 8, 9]);
      const answer = (chance: number): number => ((random() + 0.5) / 2 ** 32 < chance ? 1 : 0);
      const runs = 400;
      let [sum, blocked] = [0, 0];
      for (let run = 0; run < runs; run += 1) {
        const chances = Array.from({ length: 60 }, (_, i) => 0.3 + (0.7 * (i % 10)) / 9);
        const { result } = decide({
          name: "",
          base: qa(chances.map(answer)),
          head: qa(
            chances.map((chance) => times(5, 0).map(() => answer(chance))),
            { repeats: 5 },
          ),
          verdict: "pass",
        });
        sum += result.rules[0]?.delta ?? 0;
        if (result.verdict === "fail") blocked += 1;
      }
      // The standard error of the mean difference is below 0.004.
      expect(Math.abs(sum / runs)).toBeLessThan(0.012);
      expect(blocked / runs).toBeLessThan(0.08);
    },
  );
});

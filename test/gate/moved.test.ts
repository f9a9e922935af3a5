import { describe, expect, it } from "vitest";
import type { BaselineMove } from "../../src/model/outcomes/compared.ts";
import type { BaselineSide } from "../../src/gate/pairing/sides.ts";
import { baseline, pairs, qa, times } from "./sides.ts";
import { check, decide, rules, type Situation } from "./situation.ts";

/** A baseline whose outputs were graded again, and moved by it. */

const whole: BaselineMove = {
  candidate: "main",
  metric: "em",
  slice: null,
  stored: 0.93,
  ci: [0.86, 0.97],
  regraded: 0,
};

function moved(side: BaselineSide, ...moves: readonly BaselineMove[]): BaselineSide {
  const task = { task: "qa", parts: ["grader"] as const, samples: 40, differ: 40, given: [] };
  return side.kind === "none" ? side : { ...side, regraded: [{ ...task, moved: moves }] };
}

const [worse, better] = pairs({ broke: 12, fixed: 0, right: 28, wrong: 0 });
const zeros = qa(times(40, 0));
const named = rules({ must_pass: ["c0003"] });

describe("a moved baseline", () => {
  it.each<Situation>([
    {
      name: "of which nothing is left to lose is no regression that was not detected",
      head: zeros,
      against: moved(baseline(zeros), whole),
      verdict: "inconclusive",
      rules: ["inconclusive baseline_moved"],
      first: { value: 0, baseline: 0 },
    },
    {
      name: "lets no rule pass that asks for the difference alone",
      head: zeros,
      gate: rules({ max_drop: 0.1, prove: "nothing" }, { max_rise: 0.1 }, { max: 0.5 }),
      against: moved(baseline(zeros), whole),
      verdict: "inconclusive",
      rules: ["inconclusive baseline_moved", "inconclusive baseline_moved", "met within_limit"],
    },
    {
      name: "does not hide a loss that is seen all the same",
      head: qa(better),
      against: moved(baseline(qa(worse)), whole),
      verdict: "fail",
      rules: ["missed drop_proven"],
    },
    {
      name: "does not excuse a named case by what it fell short of before",
      head: zeros,
      gate: named,
      ofChange: true,
      against: moved(baseline(zeros), whole),
      verdict: "inconclusive",
      rules: ["inconclusive baseline_moved"],
    },
    {
      name: "in another metric, or of another candidate, leaves a rule as it is",
      head: zeros,
      against: moved(
        baseline(zeros),
        { ...whole, metric: "f1" },
        { ...whole, candidate: "other" },
        { ...whole, slice: "kind=hard" },
      ),
      verdict: "pass",
      rules: ["met no_drop_detected"],
    },
    {
      name: "leaves what could not be compared its own reason",
      head: qa([{ id: "x", is: 1 }]),
      against: moved(baseline(qa([{ id: "x", content: "other", is: 1 }])), whole),
      verdict: "inconclusive",
      rules: ["inconclusive no_pairs"],
    },
  ])("$name", check);

  it("says both values, and what to do", () => {
    const { result } = decide({
      name: "",
      head: zeros,
      against: moved(baseline(zeros), whole),
      verdict: "inconclusive",
    });
    expect(result.reasons[0]).toBe(
      "qa/em, main: the grader changed since the baseline, whose stored outputs now score 0.0% instead of 93.0% (95%: 86.0% to 97.0%), so that equal scores prove nothing: correct the grading; if the new scores are right, have the change of the policy approved (the pull request's label), or take a new baseline, made by a run of the base branch with this grading",
    );
  });
});

import { describe, expect, it } from "vitest";
import type { MetricValue } from "../../src/model/outcomes/run.ts";
import type { Sample } from "../../src/model/outcomes/sample.ts";
import { createShownRepeats } from "../../src/verdict/shown-repeat.ts";
import { value } from "../report/examples.ts";

const sample = (repeat: number, score: number | "failed"): Sample =>
  ({
    task_id: "qa",
    repeat,
    scores: score === "failed" ? {} : { m: score },
    error: score === "failed" ? { type: "x" } : null,
  }) as unknown as Sample;

function shown(
  side: "now" | "before",
  scores: readonly (number | "failed")[],
  isUp = true,
): number | undefined {
  const metrics: readonly MetricValue[] = [value({ metric: "m", higher_is_better: isUp })];
  const both = [scores.entries(), [...scores.entries()].toReversed()].map((order) => {
    const repeats = createShownRepeats(metrics);
    for (const [repeat, score] of order)
      repeats.take("a", sample(repeat, score), { metric: "m", side });
    return repeats.get("a")?.repeat;
  });
  expect(both[0]).toBe(both[1]);
  return both[0];
}

describe("the repeat of a case that a report shows", () => {
  it.each([
    [[1, 0, 1], true, [1, 0]],
    [[0.2, 0.9], false, [1, 0]],
    [[1, "failed"], true, [1, 0]],
    [["failed", "failed"], true, [0, 0]],
    [[1, 1], true, [0, 0]],
  ] as const)("of %j is now the worst and before the best", (scores, isUp, sides) => {
    expect([shown("now", scores, isUp), shown("before", scores, isUp)]).toEqual(sides);
  });

  it("is none of a case that was not there", () => {
    expect(createShownRepeats([]).get("a")).toBeUndefined();
  });
});

import { expect, it } from "vitest";
import { rankOf } from "../../../src/stats/inference/rank.ts";

it("draws the same numbers on every machine, so that two runs choose the same cases", () => {
  expect(["a", "b", "case-1", ""].map((text) => rankOf(text, 0))).toMatchInlineSnapshot(`
    [
      0.8957367498678849,
      0.7877612662296464,
      0.3304806471422005,
      0.31748144399230693,
    ]
  `);
  expect(rankOf("a", 1)).not.toBe(rankOf("a", 0));
  expect(rankOf("a", 2 ** 32)).not.toBe(rankOf("a", 0));
});

it("draws evenly, so that no case is chosen more readily by its name", () => {
  const drawn = Array.from({ length: 20_000 }, (_, i) => rankOf(`case-${i}`, 0));
  const tenths = Array.from(
    { length: 10 },
    (_, tenth) => drawn.filter((number) => Math.floor(number * 10) === tenth).length,
  );
  // 2,000 each, give or take five standard deviations.
  for (const count of tenths) expect(Math.abs(count - 2000)).toBeLessThan(5 * Math.sqrt(1800));
  expect(new Set(drawn).size).toBe(drawn.length);
});

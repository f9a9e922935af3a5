import { expect, it } from "vitest";
import { countChanges } from "../../../src/gate/rules/changes.ts";

function count(before: readonly number[], after: readonly number[], worst: number | undefined) {
  const pairs = {
    before,
    after,
    caseIds: before.map((_, i) => `c${i}`),
    clusters: undefined,
    repeats: 1,
    bits: undefined,
    dropped: undefined,
  } as unknown as Parameters<typeof countChanges>[0];
  const gains = after.map((value, i) => value - (before[i] ?? 0));
  return countChanges(pairs, gains, worst).changed.failing;
}

it("names the cases that fail on both sides, and nothing else", () => {
  expect(count([0, 0, 1, 1, 0.5], [0, 1, 0, 1, 0.5], 0)).toEqual({ count: 1, cases: ["c0"] });
  expect(count([1, 0], [1, 0], 1)).toEqual({ count: 1, cases: ["c0"] });
});

it("has none where none does, or where no score is a failure", () => {
  expect(count([1, 0], [1, 1], 0)).toBeUndefined();
  expect(count([0, 0], [0, 0], undefined)).toBeUndefined();
});

it("counts all, and names fifty", () => {
  const all = Array.from({ length: 70 }, () => 0);
  expect(count(all, all, 0)).toMatchObject({ count: 70, cases: { length: 50 } });
});

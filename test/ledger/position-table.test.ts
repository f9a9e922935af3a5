import { describe, expect, it } from "vitest";
import { createPositionTable } from "../../src/ledger/position-table.ts";

describe("the places of case ids", () => {
  it("are those of their first appearance, however many there are", () => {
    const texts: string[] = [];
    const table = createPositionTable(texts);
    const ids = Array.from({ length: 5_000 }, (_, i) => `case ${(i * 7919) % 2_500}`);
    const expected = new Map<string, number>();
    for (const id of ids) {
      const known = expected.get(id) ?? expected.size;
      expected.set(id, known);
      expect(table.place(id)).toBe(known);
    }
    expect(texts).toEqual([...expected.keys()]);
    for (const [id, position] of expected) expect(table.get(id)).toBe(position);
    for (const id of ["", "case", "case 2500", "Case 1"]) expect(table.get(id)).toBeUndefined();
  });

  it("tell texts apart that look alike", () => {
    const texts: string[] = [];
    const table = createPositionTable(texts);
    const alike = ["", "é", "e\u0301", "__proto__", "constructor", "\u0000", "𝒂", "a".repeat(5000)];
    expect(alike.map(table.place)).toEqual(alike.map((_, i) => i));
    expect(alike.map(table.get)).toEqual(alike.map((_, i) => i));
  });

  it.each([
    ["the same", ["a", "b", "c"]],
    ["the same, each twice", ["a", "a", "b", "b", "c", "c"]],
    ["the same, all twice", ["a", "b", "c", "a", "b", "c"]],
    ["more", ["a", "b", "c", "d", "d", "a"]],
    ["some left out", ["a", "c", "b", "a"]],
    ["others first", ["x", "a", "b", "c", "x"]],
    ["none", []],
  ])("are the same beside another list: %s", (_, ids) => {
    const [texts, alone]: [string[], string[]] = [[], []];
    const [table, expected] = [
      createPositionTable(texts, ["a", "b", "c"]),
      createPositionTable(alone),
    ];
    for (const id of ids) expect(table.place(id)).toBe(expected.place(id));
    expect(texts).toEqual(alone);
    for (const id of ["a", "b", "c", "d", "x", ""]) expect(table.get(id)).toBe(expected.get(id));
    expect(table.place("later")).toBe(expected.place("later"));
    expect(texts).toEqual(alone);
  });
});

import { describe, expect, it } from "vitest";
import { createDigestColumn, createNumberColumn } from "../../src/ledger/columns.ts";

describe("a column of numbers", () => {
  it.each([
    ["small", 255],
    ["whole", 4_294_967_295],
    ["any", 0.1],
  ] as const)("keeps %s ones however far it grows", (kind, value) => {
    const column = createNumberColumn(kind);
    const many = 20_000;
    for (let i = 0; i < many; i += 1) column.push(i % 2 === 0 ? value : 0);
    column.set(9001, value);
    column.set(many, value);
    const kept = Array.from({ length: many }, (_, i) => column.at(i));
    expect(kept.every((each, i) => each === (i % 2 === 0 || i === 9001 ? value : 0))).toBe(true);
    expect([column.length(), column.at(many), column.at(-1)]).toEqual([many, undefined, undefined]);
  });
});

describe("a column of digests", () => {
  it("gives every text back as it was, digest or not", () => {
    const texts = [
      "00000000ffffffff",
      "0123456789abcdef",
      "",
      "ABCDEF0123456789",
      "x",
      "0".repeat(16),
      "0".repeat(17),
    ];
    const column = createDigestColumn();
    for (const text of texts) column.push(text);
    expect(texts.map((_, i) => column.at(i))).toEqual(texts);
    expect(column.at(texts.length)).toBeUndefined();
  });

  it("knows equal texts of two columns, digests and others, and no unequal ones", () => {
    const texts = [
      "0123456789abcdef",
      "0".repeat(16),
      "x",
      "",
      "0123456789ABCDEF",
      "0123456789abcdeg",
    ];
    const [one, other] = [createDigestColumn(), createDigestColumn()];
    for (const text of texts) one.push(text);
    for (const text of texts.toReversed()) other.push(text);
    for (const [i, text] of texts.entries())
      for (const [j, found] of texts.toReversed().entries())
        expect(one.equals(i, other, j)).toBe(text === found);
  });
});

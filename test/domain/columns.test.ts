import { describe, expect, it } from "vitest";
import { createDigestColumn, createNumberColumn } from "../../src/domain/columns.ts";

describe("a column of numbers", () => {
  it.each([
    ["small", 255],
    ["whole", 4_294_967_295],
    ["any", 0.1],
  ] as const)("keeps %s ones however far it grows", (kind, value) => {
    const column = createNumberColumn(kind);
    for (let i = 0; i < 1000; i += 1) column.push(i % 2 === 0 ? value : 0);
    column.set(1, value);
    column.set(1000, value);
    expect([column.length(), column.at(998), column.at(1), column.at(3)]).toEqual([
      1000,
      value,
      value,
      0,
    ]);
    expect([column.at(1000), column.at(-1)]).toEqual([undefined, undefined]);
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

import { describe, expect, it } from "vitest";
import { mostTokens } from "../../src/base/tokens.ts";

const many = <T>(count: number, of: (i: number) => T): T[] =>
  Array.from({ length: count }, (_, i) => of(i));

/** Counted with o200k_base and cl100k_base (gpt-tokenizer), the larger of the two. */
const counted: readonly (readonly [string, string, number])[] = [
  ["rows of JSON", JSON.stringify(many(50, (i) => ({ a: i, b: [i, i + 1, { c: null }] }))), 803],
  ["numbers as CSV", many(200, (i) => ((i * 7919) % 100_000) / 7).join(","), 1464],
  ["digits", many(300, (i) => i % 10).join(","), 599],
  ["a matrix", JSON.stringify(many(20, (i) => many(20, (j) => (i * j) % 2))), 801],
  [
    "code",
    "def f(x):\n    if x<=1: return [x*2 for x in range(10)]\n    y={'a':1,'b':2}\n".repeat(8),
    264,
  ],
  ["Chinese", "量子力学是物理学的一个基础理论描述了原子尺度的自然行为".repeat(20), 540],
  ["Thai", "ควอนตัมเป็นทฤษฎีพื้นฐานทางฟิสิกส์ที่อธิบายพฤติกรรมของธรรมชาติ ".repeat(5), 340],
  ["Amharic", "ኳንተም ሜካኒክስ የተፈጥሮ ባህሪን ይገልጻል".repeat(4), 276],
  ["emoji", "🧑‍🚀🦄🪐🫠🧿🪬".repeat(5), 115],
  ["signs", "∑∫∂≤≥≠∈∀∃∇⊕⊗".repeat(8), 208],
];

describe("the most tokens of a text", () => {
  it.each(counted)("are not below those of %s", (_, text, tokens) => {
    expect(mostTokens(text)).toBeGreaterThanOrEqual(tokens);
    expect(mostTokens(text)).toBeLessThanOrEqual(Buffer.byteLength(text));
  });

  it("are a token for 1.5 letters", () => {
    expect([mostTokens(""), mostTokens("a"), mostTokens("ab c".repeat(75))]).toEqual([0, 1, 200]);
  });
});

import { describe, expect, it } from "vitest";
import { cutText, cutTextStart } from "../../src/base/cut-text.ts";

/** What a reader takes for one character, of several UTF-16 units each. */
const characters = [
  ["a pair of surrogates", "😀"],
  ["a family that joiners make", "👩‍👩‍👧‍👦"],
  ["a flag", "🇩🇪"],
  ["a flag of tags", "🏴\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}"],
  ["a hand with its colour", "👍🏽"],
  ["a letter with its marks", "e\u0301\u0323"],
  ["a syllable of Devanagari", "क्षि"],
  ["a Hangul syllable of three letters", "\u1112\u1161\u11ab"],
  ["a key cap", "1\ufe0f\u20e3"],
  ["a line's end", "\r\n"],
] as const;

describe("a text that is cut", () => {
  it.each(characters)("keeps %s whole, wherever it is cut", (_, one) => {
    const text = `ab${one}cd`;
    const whole = ["", "a", "ab", `ab${one}`, `ab${one}c`, text];
    for (let max = 0; max <= text.length; max += 1) {
      expect(whole).toContain(cutText(text, max));
      expect(cutText(text, max).length).toBeLessThanOrEqual(max);
      const end = cutTextStart(text, max);
      expect(whole).toContain(text.slice(0, text.length - end.length));
      expect(end.length).toBeLessThanOrEqual(max);
    }
  });

  it("is not shorter than it must be, and nothing is cut of a short one", () => {
    expect(cutText("abc", 3)).toBe("abc");
    expect(cutText("abcd", 3)).toBe("abc");
    expect(cutTextStart("abcd", 3)).toBe("bcd");
    expect(cutText("שלום עולם", 6)).toBe("שלום ע");
  });

  it("of marks without end is cut anywhere but within a pair", () => {
    const marks = `a${"\u0301".repeat(500)}`;
    expect(cutText(marks, 300)).toHaveLength(300);
    const tags = "\u{e0067}".repeat(500);
    for (const max of [300, 301, 302, 303]) {
      expect(cutText(tags, max).isWellFormed()).toBe(true);
      expect(cutTextStart(tags, max).isWellFormed()).toBe(true);
    }
  });
});

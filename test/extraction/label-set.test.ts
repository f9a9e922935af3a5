import { describe, expect, it } from "vitest";
import { openLabelSet } from "../../src/extraction/label-set.ts";

describe("a label set", () => {
  const many = Array.from({ length: 5000 }, (_, i) => `label number ${i}`);

  it(
    "of thousands of labels answers in seconds, whatever the answer holds",
    { timeout: 15_000 },
    () => {
      const find = openLabelSet({ labels: many, case_sensitive: false });
      expect(find("It is Label  Number 4711.")).toBe("label number 4711");
      expect(find("label l ".repeat(100_000))).toBeNull();
      expect(find("label number 49")).toBe("label number 49");
      expect(find("LABEL NUMBER 49")).toBe("label number 49");
    },
  );

  it.each<readonly [string, readonly string[], readonly [string, string | null]]>([
    [
      "the longest at a place",
      ["no", "no answer", "no answer given"],
      ["no answer, sorry", "no answer"],
    ],
    ["the shorter one where the longer one goes on", ["C", "C++", "C+"], ["C+++", "C++"]],
    ["the earliest, whatever stands around it", ["b", "日"], ["a 日 b", "日"]],
    ["the first of equals", ["Yes", "yes"], ["YES!", "Yes"]],
    ["none within a word", ["yes"], ["eyes yes_men", null]],
  ])("finds %s", (_, labels, [text, found]) => {
    expect(openLabelSet({ labels, case_sensitive: false })(text)).toBe(found);
  });
});

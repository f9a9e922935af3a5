import { describe, expect, it } from "vitest";
import { fitAnswer } from "../../src/candidate/answer-size.ts";
import type { Generated } from "../../src/model/models/candidate.ts";

const usage = {
  input_tokens: 1,
  output_tokens: 2,
  cached_tokens: 0,
  reasoning_tokens: 0,
  usd: 0.5,
};
const answered = (more: object): Generated => ({
  kind: "answered",
  outputText: "a",
  incomplete: false,
  transcript: null,
  responseId: null,
  usage,
  ...more,
});
const large = "a".repeat(16_000_001);

describe("an answer that a sample has no room for", () => {
  it.each([
    ["its text", { outputText: large }],
    ["its text as JSON writes it", { outputText: "\u0001".repeat(2_700_000) }],
    ["its transcript", { transcript: [{ type: "reasoning", text: large }] }],
    ["both together", { outputText: large.slice(8e6), transcript: [{ text: large.slice(7e6) }] }],
    ["its id", { responseId: large }],
  ])("because of %s is a failure that was paid for", (_, more) => {
    expect(fitAnswer(answered(more))).toEqual({
      kind: "failed",
      type: "answer_too_large",
      message: "the answer takes more than 16 MB as JSON",
      usage,
    });
  });

  it.each([
    ["a short one", answered({ transcript: [{ a: 1 }] })],
    ["a long one", answered({ outputText: "\u00e9".repeat(7_900_000) })],
    ["a short failure", { kind: "failed", type: "timeout", message: "no answer" } as const],
  ])("is not %s", (_, generated) => {
    expect(fitAnswer(generated)).toBe(generated);
  });

  it("as a failure keeps its kind and the beginning of its words", () => {
    const refused: Generated = { kind: "refused", type: "refusal", message: large, usage };
    const message = `${"a".repeat(2000)}…`;
    expect(fitAnswer(refused)).toEqual({ ...refused, message });
  });
});

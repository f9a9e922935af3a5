import { describe, expect, it } from "vitest";
import { cutAtStop } from "../../../src/candidate/provider/stop.ts";
import { addTokens, priced } from "../../../src/candidate/provider/usage.ts";

describe("a text with a stop sequence in it", () => {
  it.each([
    ["one two", undefined, "one two"],
    ["one two", [], "one two"],
    ["one two", [""], "one two"],
    ["one\n\ntwo", ["\n\n"], "one"],
    ["one END two STOP", ["STOP", "END"], "one "],
    ["END", ["END"], ""],
    ["one", ["two"], "one"],
  ])("%j with %j becomes %j", (text, stop, expected) => {
    expect(cutAtStop(text, stop)).toBe(expected);
  });
});

describe("what an answer cost", () => {
  const tokens = {
    input_tokens: 1000,
    output_tokens: 200,
    cached_tokens: 400,
    reasoning_tokens: 50,
  };

  it("is the sum of all attempts, those of unknown size left out", () => {
    expect(addTokens(null, tokens)).toEqual(tokens);
    expect(addTokens(tokens, null)).toEqual(tokens);
    expect(addTokens(tokens, tokens)).toEqual({
      input_tokens: 2000,
      output_tokens: 400,
      cached_tokens: 800,
      reasoning_tokens: 100,
    });
  });

  it("is dollars where a price is known, cached input at its own, and null where none is", () => {
    const price = { input: 2, cached_input: 0.5, output: 8 };
    expect(priced(tokens, price).usd).toBeCloseTo((600 * 2 + 400 * 0.5 + 200 * 8) / 1e6, 12);
    expect(priced(tokens, undefined).usd).toBeNull();
  });
});

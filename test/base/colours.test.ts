import { expect, it } from "vitest";
import { dropUnseen, mayHoldUnseen } from "../../src/base/colours.ts";

it("drops each character that a terminal does not show, and no other one", () => {
  const isShown = /[\n\r\t]|[^\p{Cc}\p{Default_Ignorable_Code_Point}]/u;
  const wrong = Array.from({ length: 0x10_000 }, (_, unit) => String.fromCharCode(unit)).filter(
    (each) => {
      const expected = isShown.test(each) ? `a${each}` : "a";
      // A backspace takes the character before it along, and an escape what follows.
      return !["\b", "\u001b"].includes(each) && dropUnseen(`a${each}`) !== expected;
    },
  );
  expect(wrong).toEqual([]);
});

it.each([
  ["plain \n\r\t~", false],
  [String.raw`{"a": "\\b"}`, true],
  ["\u001b[1m", true],
  ["zero\u200bwidth", true],
  ["täglich – 中文 👩", false],
])("tells of %j whether it may hold such", (text, expected) => {
  expect(mayHoldUnseen(text)).toBe(expected);
});

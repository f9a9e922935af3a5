import { describe, test } from "vitest";
import { bytesIn } from "../../../src/base/encodings/bytes.ts";
import { layersOf } from "../../../src/base/encodings/layers.ts";
import { plain } from "../../../src/suite/policy/answers/told-answer.ts";
import { bothShown } from "../../../src/suite/policy/definition-values.ts";
import { constantsOf } from "../../../src/suite/policy/programs/folded-text.ts";
import { listingsIn } from "../../../src/suite/policy/programs/listings.ts";
import { newConstants } from "../../../src/suite/policy/programs/program-constants.ts";
import { programText } from "../../../src/suite/policy/programs/program-text.ts";
import { expectWithin } from "../../support/patience.ts";

const constants = (text: string): unknown =>
  newConstants(text, "", { cases: 60, hosts: new Set() });
const listings = (text: string): unknown =>
  listingsIn({ text, kind: "code", folder: "app", home: "evals" });

describe("a long text of a change holds no run up", () => {
  test.each<readonly [string, (text: string) => unknown, string]>([
    ["one word of small letters", layersOf, "acgt".repeat(50_000)],
    ["a quote before blank lines", layersOf, `"${"\n".repeat(20_000)}x`],
    ["a row of dashes within an answer", plain, `a${"-".repeat(200_000)}b`],
    ["padding of base32", bytesIn, `QUJD${"=".repeat(200_000)}!`],
    ["blank lines in Python", (text) => programText("app.py", text, "."), "\n".repeat(200_000)],
    ["a number that ends in a sign", constants, `${"1".repeat(200_000)}!`],
    ["a list with a long number", constants, `[${"1".repeat(200_000)}!]`],
    ["escaped quotes that nothing closes", constants, `"${String.raw`\"`.repeat(100_000)}`],
    ["a string that nothing closes", constantsOf, `"${String.raw`\"`.repeat(100_000)}`],
    [
      "a word of a command",
      (text) => bothShown("command", [["x"], [text]], []),
      "a".repeat(200_000),
    ],
    ["a function that is defined and called often", listings, "def f(a):\nf(".repeat(3000)],
  ])("%s", async (_, search, text) => {
    // In proportion to the text it is a part of a second, by its square minutes.
    await expectWithin(4, () => search(text));
  });
});

import { describe, expect, it } from "vitest";
import { itSome } from "../support/rows.ts";
import type { SearchRegex } from "../../src/model/grading.ts";
import type { ExtractionSpec, RegexSpec } from "../../src/model/definition/extraction.ts";
import { openExtract } from "../../src/extraction/extract.ts";
import { pythonSearch } from "./python-regex.ts";

const noRegex: SearchRegex = async () => ({ kind: "no_match" });
const late: SearchRegex = async () => ({ kind: "timeout" });

async function extract(spec: ExtractionSpec, output: string): Promise<string | null> {
  const extracted = await openExtract(spec, { searchRegex: noRegex })(output);
  if (extracted.kind !== "extracted") throw new Error(extracted.message);
  return extracted.text;
}

describe("every kind but the regexes reads the answer without its noise", () => {
  it.each<[ExtractionSpec, string, string | null]>([
    [{ type: "take_first", lines: 1 }, "<think>\nhm\n</think>\nParis\nFrance", "Paris"],
    [{ type: "take_first", lines: 2 }, "```\none\n\n two \nthree\n```", "one\ntwo"],
    [labels("yes", "no"), "<think>no, wait</think>yes", "yes"],
    [{ type: "number" }, "so 7<|reserved_special_token_5|>", "7"],
    [{ type: "number" }, "<think>2 + 2 = 4</think>", null],
  ])("%j of %j", async (spec, output, expected) => {
    expect(await extract(spec, output)).toBe(expected);
  });
});

describe("none", () => {
  it.each([
    ["\u0085\u001c ok \ufeff", "ok"],
    ["a\u2028b\rc", "a\nb\nc"],
    ["<think>a</think><think>b</think>\n c", "c"],
    ["<think>only this</think>", null],
    ["answer </think> 42", "answer </think> 42"],
    ["Paris<|eot_id|>\n<|end_of_text|>", "Paris"],
    ["Paris<｜end▁of▁sentence｜>", "Paris"],
    ["Paris</s>", "Paris"],
    ["<s>Rome</s>", "<s>Rome</s>"],
    ["a <b> c|>", "a <b> c|>"],
    ["```python\nprint(1)\n```<|im_end|>", "print(1)"],
    ["````md\n```js\n1\n```\n````", "```js\n1\n```"],
    ["```\na\n```\nand\n```\nb\n```", "```\na\n```\nand\n```\nb\n```"],
    ["```\nopen", "```\nopen"],
    ["```\n```", null],
    ["``` ```", "``` ```"],
  ])("%j is %j", async (output, expected) => {
    expect(await extract({ type: "none" }, output)).toBe(expected);
  });
});

describe("take_first", () => {
  it.each([
    [1, "\n\n  a\nb", "a"],
    [2, "a\n \nb\nc", "a\nb"],
    [3, "a\r\nb", "a\nb"],
    [2, "\n\t\n", null],
  ])("%i lines of %j", async (lines, output, expected) => {
    expect(await extract({ type: "take_first", lines }, output)).toBe(expected);
  });
});

describe("number", () => {
  it.each([
    ["-5", "-5"],
    ["\u22125", "-5"],
    ["x = -5", "-5"],
    ["-$5.00", "-5"],
    ["$-5", "-5"],
    ["10-5", "5"],
    ["covid-19", "19"],
    ["$5-$10", "10"],
    ["--5", "5"],
    ["+3", "3"],
    ["-0.0", "0"],
    ["007", "7"],
    ["1,234,567.890", "1234567.89"],
    ["100,200,3000", "3000"],
    ["12345678901234567890123", "12345678901234567890123"],
    ["1E+03", "1e3"],
    ["2.50e-07", "2.5e-7"],
    ["5e3x", "5"],
    ["(.5)", "0.5"],
    ["Rs.500", "500"],
    ["So...5", "5"],
    ["_42_", "42"],
    ["x_2", null],
    ["v2 and GPT4", null],
    ["3rd of 42km", "42"],
    ["1.2.3 or 4", "4"],
    ["192.168.0.1", null],
    ["2024-01-15", "15"],
    ["答案是42。", "42"],
    ["答案是-5", "-5"],
    [String.raw`\boxed{1.50}`, "1.5"],
    ["12:30", "30"],
  ])("%j is %j", async (output, expected) => {
    expect(await extract({ type: "number" }, output)).toBe(expected);
  });

  it.each<["." | ",", string, string | null]>([
    [",", "Das macht 12,50 €.", "12,5"],
    [",", "1.234,5", "1234,5"],
    [",", "1 000 000", "1000000"],
    [",", "zusammen 1\u202f234,0", "1234"],
    [",", "CHF 1'234,5", "1234,5"],
    [",", "2,5 oder 3", "3"],
    [",", "1,2,3", null],
    [",", "-0,5", "-0,5"],
    [".", "about 1 234.5 km", "1234.5"],
    [".", "1,234.50", "1234.5"],
    [".", "12 34", "34"],
  ])("with the decimal mark %j, %j is %j", async (decimal, output, expected) => {
    expect(await extract({ type: "number", decimal }, output)).toBe(expected);
  });
});

describe("label_set", () => {
  it.each<[ExtractionSpec, string, string | null]>([
    [labels("yes", "no"), "Yes or no? No.", "yes"],
    [{ ...labels("Yes", "No"), case_sensitive: true }, "no, NO, No", "No"],
    [{ ...labels("Yes"), case_sensitive: true }, "yes", null],
    [labels("Not Sure"), "I'm not\nsure.", "Not Sure"],
    [labels("A", "A+"), "Grade: a+", "A+"],
    [labels("été"), "l'ÉTÉ!", "été"],
    [labels("ja"), "jaïr", null],
    [labels("positive"), "__Positive__", "positive"],
    [labels("positive"), "positive_label", null],
    [labels("positive"), "label_positive", null],
    [labels("积极", "消极"), "情感是消极的", "消极"],
    [labels("A", "B"), "答案是B。", "B"],
    [labels("1", "2"), "12", null],
    [labels(".*", "x"), "axb x", "x"],
    [labels(" ", "x"), "x y", "x"],
    [labels(" "), "x y", null],
    [labels("US", "us"), "us", "us"],
  ])("%j in %j", async (spec, output, expected) => {
    expect(await extract(spec, output)).toBe(expected);
  });
});

describe("regex", () => {
  it("sees the whole answer with its newlines normalised", async () => {
    const seen: string[] = [];
    const spy: SearchRegex = async (_regex, text) => {
      seen.push(text);
      return { kind: "no_match" };
    };
    await openExtract(regex("x"), { searchRegex: spy })(" <think>a</think>\r\nb ");
    expect(seen).toEqual([" <think>a</think>\nb "]);
  });

  it.each<[RegexSpec, string, string | null]>([
    [regex("Answer:(.*)"), "Answer:  B \r\nnext", "B"],
    [regex("Answer:(.*)"), "Answer: \u00a0", null],
    [{ ...regex(".*"), type: "regex_last" }, "a\nb\n", "b"],
    [{ ...regex(String.raw`^(\w+)$`), flags: "m" }, "one\rtwo words", "one"],
    [regex("[\u{1f600}-\u{1f602}]"), "x\u{1f601}", "\u{1f601}"],
  ])("%j of %j", async (spec, output, expected) => {
    const extracted = await openExtract(spec, { searchRegex: pythonSearch(20) })(output);
    expect(extracted).toEqual({ kind: "extracted", text: expected });
  });

  it("a search that outlasts its timer leaves the sample ungraded, not wrong", async () => {
    const extracted = await openExtract(regex("(a+)+$"), { searchRegex: late })("aaa!");
    expect(extracted).toMatchObject({ kind: "ungraded", type: "regex_timeout" });
  });
});

describe("hostile answers take time in proportion to their length", () => {
  const kinds: ExtractionSpec[] = [
    { type: "none" },
    { type: "take_first", lines: 1_000_000 },
    labels("yes", "not sure", "C++"),
    { type: "number" },
    { type: "number", decimal: "," },
    { type: "number", decimal: "." },
  ];
  const units = [
    "(",
    "1,",
    "1.",
    "1,111,",
    "0",
    "1e1",
    ".",
    "-",
    "_",
    " ",
    "\n",
    "not ",
    "<think>",
    "<think></think>",
    "</think>",
    "```\n",
    "`",
    "<|a|>",
    "</s>",
    "|>",
    "\r",
    "\u00a0",
  ];
  const shapes = units.flatMap((unit) => [
    { name: JSON.stringify(unit), make: (n: number) => unit.repeat(n / unit.length) },
    { name: `x${JSON.stringify(unit)}x`, make: (n: number) => `x${unit.repeat(n / unit.length)}x` },
    {
      name: `0.${JSON.stringify(unit)}1`,
      make: (n: number) => `0.${unit.repeat(n / unit.length)}1`,
    },
  ]);

  itSome(kinds)("$type", async (spec) => {
    const run = openExtract(spec, { searchRegex: noRegex });
    const quickest = async (text: string): Promise<number> => {
      const times: number[] = [];
      for (let i = 0; i < 2; i += 1) {
        const started = process.cpuUsage();
        await run(text);
        const { user, system } = process.cpuUsage(started);
        times.push((user + system) / 1000);
      }
      return Math.min(...times);
    };
    const slow: string[] = [];
    for (const { name, make } of shapes) {
      const small = await quickest(make(40_000));
      const large = await quickest(make(320_000));
      // Eight times the text: 8 in proportion, 64 if quadratic. Below 5 ms the clock says nothing; it is
      // the processor's, since other tests run at the same time.
      if (large / Math.max(small, 5) > 32) slow.push(`${name}: ${small} ms, ${large} ms`);
    }
    expect(slow).toEqual([]);
  });
});

function labels(...all: string[]): {
  type: "label_set";
  labels: string[];
  case_sensitive: boolean;
} {
  return { type: "label_set", labels: all, case_sensitive: false };
}

function regex(pattern: string): RegexSpec {
  return { type: "regex", pattern, group: undefined, flags: "" };
}

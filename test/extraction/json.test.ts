import { describe, expect, it } from "vitest";
import { openExtract } from "../../src/extraction/extract.ts";
import type { Extracted } from "../../src/model/grading.ts";
import { expectWithin } from "../support/patience.ts";

async function extract(
  output: string,
  path: string,
  fields?: Readonly<Record<string, string>>,
): Promise<Extracted> {
  const spec = { type: "json", path, ...(fields && { fields }) } as const;
  return openExtract(spec, { searchRegex: async () => ({ kind: "no_match" }) })(output);
}

const fence = "```";

describe("json takes a value out of an answer", () => {
  it.each([
    ['{"answer": "Paris"}', "/answer", "Paris"],
    ['{"answer": " Paris\\n"}', "/answer", "Paris"],
    ['{"answer": 51.0}', "/answer", "51.0"],
    ['{"answer": 12345678901234567890123}', "/answer", "12345678901234567890123"],
    ['{"answer": [1.50, {"b": "x", "a": null}]}', "/answer", '[1.50,{"b":"x","a":null}]'],
    ['{"answer": true}', "/answer", "true"],
    ['{"a/b": {"m~n": ["x", "y"]}}', "/a~1b/m~0n/1", "y"],
    ['{"": 1}', "/", "1"],
    ['{"a": 1}', "", '{"a":1}'],
    ["42", "", "42"],
    ['{"a": "first", "a": "last"}', "/a", "last"],
    ['{"a": "\u2028\\r\\nb"}', "/a", "b"],
  ])("%j at %j is %j, without a repair", async (output, path, text) => {
    expect(await extract(output, path)).toEqual({ kind: "extracted", text });
  });

  it.each([
    ['{"answer": null}', "/answer"],
    ['{"answer": ""}', "/answer"],
    ['{"answer": " \\n"}', "/answer"],
    ['{"answer": "x"}', "/other"],
    ['{"answer": "x"}', "/answer/deeper"],
    ['["x"]', "/01"],
    ['["x"]', "/-"],
    ["{}", "/toString"],
    ["Paris", "/answer"],
    ["", ""],
    ['{"answer": "cut o', "/answer"],
    ["{'answer': 'x'}", "/answer"],
    ['{"answer": NaN}', "/answer"],
    ['{"answer": 1 // one\n}', "/answer"],
    ["[".repeat(5000), ""],
    ["[".repeat(300) + "]".repeat(300), ""],
  ])("%.40j at %j is nothing found: null, never an empty text", async (output, path) => {
    expect(await extract(output, path)).toEqual({ kind: "extracted", text: null });
  });
});

describe("an answer that is not quite JSON says what was overlooked", () => {
  it.each<readonly [string, string | null, readonly string[]]>([
    [`${fence}json\n{"a": 1}\n${fence}`, "1", ["code_fence"]],
    [`${fence}\r\n{"a": 1}\r\n${fence}`, "1", ["code_fence"]],
    ['~~~\n{"a": 1}\n~~~', "1", ["code_fence"]],
    ['{"a": 1,}', "1", ["trailing_comma"]],
    ['{"b": [1, 2, ], "a": ",]", }', ",]", ["trailing_comma"]],
    ['{"b": [1,, 2], "a": 1}', null, []],
    ['Sure! {"a": 1} Anything else?', "1", ["text_around"]],
    ['<think>{"a": 0}</think>{"a": 1}', "1", ["text_around"]],
    ['{"a": 1}<|im_end|>', "1", ["text_around"]],
    [`<think>hm</think>\n${fence}\n{"a": 1,}\n${fence}`, "1", all("text_around")],
    [`Here:\n${fence}json\n{"a": 1,}\n${fence}\nDone.`, "1", all("text_around")],
    [`Like\n${fence}\n{"a": 0}\n${fence}\nso\n${fence}\n{"a": 1}\n${fence}`, "1", around()],
    [`${fence}py\nprint([1])\n${fence}\n{"a": 1}`, "1", ["text_around"]],
    ['As [1] says: {"a": 1}, see [2].', "1", ["text_around"]],
    ['{see {"a": 1}}', "1", ["text_around"]],
    ['{ is a brace. {"a": "}{"}', "}{", ["text_around"]],
    ['an inch is 1" or so: {"a": 1}', "1", ["text_around"]],
    ["I like [lists] and {braces}.", null, []],
  ])("%j", async (output, text, repairs) => {
    const path = "/a";
    expect(await extract(output, path)).toEqual({
      kind: "extracted",
      text,
      ...(repairs.length > 0 && { repairs }),
    });
  });

  it("takes a list where there is no object, and the last of several", async () => {
    const found = await extract('First ["a"], then ["b", "c"].', "");
    expect(found).toMatchObject({ text: '["b","c"]', repairs: ["text_around"] });
  });

  it.each([
    ["brackets that open", "[{".repeat(200_000)],
    ["quotes that are escaped", '{"\\"'.repeat(200_000)],
    ["brackets that hold no JSON", "{a}".repeat(200_000)],
    ["commas and spaces", `{${", ".repeat(300_000)}`],
    ["fences", `${fence}\n`.repeat(100_000)],
  ])("is no slower for many %s", async (_, hostile) => {
    await expectWithin(5, async () => {
      expect(await extract(hostile, "/a")).toMatchObject({ text: null });
    });
  });
});

describe("fields are more values by name", () => {
  it("each a text of its own, null where its pointer finds nothing", async () => {
    const output = '{"answer": "Paris", "sources": ["a", "b"], "score": 0.50, "none": null}';
    const fields = { answer: "/answer", sources: "/sources", score: "/score", none: "/none" };
    expect(await extract(output, "/answer", fields)).toEqual({
      kind: "extracted",
      text: "Paris",
      fields: { answer: "Paris", sources: '["a","b"]', score: "0.50", none: null },
    });
    expect(await extract("no JSON", "", { answer: "/answer" })).toEqual({
      kind: "extracted",
      text: null,
      fields: { answer: null },
    });
  });
});

function around(): readonly string[] {
  return ["text_around", "code_fence"];
}

function all(first: string): readonly string[] {
  return [first, "code_fence", "trailing_comma"];
}

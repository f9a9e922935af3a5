import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { valueText } from "../../../../src/base/fields.ts";
import { isJsonObject, type Json, type JsonObject } from "../../../../src/model/json.ts";
import { addCase, isCopy, noLikeness } from "../../../../src/suite/policy/answers/likeness.ts";
import { itSome } from "../../../support/rows.ts";

/** Whether values beside these answers tell them. */
function tells(answers: readonly string[], value: (answer: string, i: number) => Json): boolean {
  const known = noLikeness();
  for (const [i, answer] of answers.entries()) addCase(known, value(answer, i), answer);
  return isCopy(known);
}

const numbers = Array.from({ length: 40 }, (_, i) => String(i * 37 + 12));
const texts = numbers.map((each) => `city of ${each} lights`);
const labels = numbers.map((_, i) => ["billing", "bug", "other"][i % 3] ?? "");

const base64 = (text: string): string => Buffer.from(text).toString("base64");
const words = "zero one two three four five six seven eight nine".split(" ");
const moved = (text: string): string =>
  text.replaceAll(/[a-z0-9]/g, (sign) => String.fromCharCode(sign.charCodeAt(0) + 3));

const ways: readonly (readonly [string, (answer: string, i: number) => Json])[] = [
  ["as it is", (text) => text],
  ["in base64", base64],
  ["in hexadecimal", (text) => Buffer.from(text).toString("hex")],
  ["packed", (text) => gzipSync(text).toString("base64")],
  ["backwards", (text) => Array.from(text).toReversed().join("")],
  [
    "in JSON's escapes",
    (text) => text.replaceAll(/./g, (sign) => `\\u00${sign.charCodeAt(0).toString(16)}`),
  ],
  ["in another alphabet", moved],
  ["between the same words", (text) => `The answer is ${text}, of course.`],
  ["in base64 among a few words", (text) => base64(`answer: ${text}`)],
  ["in a list of base64", (text) => ["x", base64(text)]],
  ["in pieces", (text) => Array.from(text)],
  ["as a digest", (text) => createHash("sha256").update(text).digest("hex")],
  ["as a part of a digest", (text) => createHash("md5").update(text).digest("hex").slice(0, 10)],
  ["in base64, of some cases", (text, i) => (i % 5 === 0 ? base64(text) : "")],
];

describe.each([
  ["numbers", numbers],
  ["texts", texts],
  ["labels", labels],
])("a field tells answers that are %s", (_, answers) => {
  it.each(ways)("%s", (...[, value]) => {
    expect(tells(answers, value)).toBe(true);
  });
});

const spelled = (text: string): string =>
  Array.from(text, (digit) => words[Number(digit)]).join(" ");

it("a field tells numbers that it has in words, digit by digit", () => {
  expect(tells(numbers, spelled)).toBe(true);
});

describe("an honest field tells no answers", () => {
  it.each<readonly [string, readonly string[], (answer: string, i: number) => Json]>([
    ["another number of each case", numbers, (_, i) => String(i * 91 + 5)],
    [
      "small numbers beside small ones",
      numbers.map((_, i) => String((i * 7) % 13)),
      (_, i) => (i * 5) % 11,
    ],
    [
      "a passage that the answer is in",
      texts,
      (text, i) => `${"The ".repeat(i)}${text} stand in ${i} rows.`,
    ],
    ["a guess that is right in seven of ten", labels, (text, i) => (i % 10 < 7 ? text : "none")],
    [
      "a digest of something else",
      labels,
      (_, i) => createHash("md5").update(`row ${i}`).digest("hex"),
    ],
    ["an id", numbers, (_, i) => `case-${i}`],
    ["base64 of something else", texts, (_, i) => base64(`picture ${i}`)],
    ["a language", labels, (_, i) => ["en", "de"][i % 2] ?? ""],
    ["nothing", labels, () => null],
  ])("%s", (...[, answers, value]) => {
    expect(tells(answers, value)).toBe(false);
  });
});

const data = new URL("../../../../../shared/data/", import.meta.url);

function rowsOf(file: string): readonly JsonObject[] {
  const lines = readFileSync(new URL(file, data), "utf8").trim().split("\n");
  return lines.map((line): unknown => JSON.parse(line)).filter(isJsonObject);
}

describe.skipIf(!existsSync(data))("no field of a real data set is taken for its answers", () => {
  itSome([
    ["svamp/svamp.jsonl", "answer", ["id", "body", "question", "type", "equation"]],
    ["gsm8k/test.jsonl", "answer", ["question"]],
    [
      "humaneval/HumanEval.jsonl",
      "canonical_solution",
      ["task_id", "prompt", "entry_point", "test"],
    ],
  ])("%s", (file, target, fields) => {
    const rows = rowsOf(file).slice(0, 600);
    const told = fields.filter((field) => {
      const known = noLikeness();
      for (const row of rows) addCase(known, row[field], valueText(row[target]));
      return isCopy(known);
    });
    expect(told).toEqual([]);
  });
});

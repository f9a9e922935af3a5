import { expect, it } from "vitest";
import { namesIn } from "../../../../src/suite/policy/programs/names-in.ts";

it.each<[string, string, boolean]>([
  ["open('evals/cases.jsonl')", "evals/cases.jsonl", true],
  ["open('cases.jsonl')", "suites/a/cases.jsonl", true],
  ["open('cases' + '.jsonl')", "cases.jsonl", false],
  ["cases, ases., ses.j, es.js, s.jso, .json, jsonl", "cases.jsonl", false],
  ["liest \u00fcbung \u{1f600}.csv", "d/\u00fcbung \u{1f600}.csv", true],
  ["a.py", "a.py", false],
  ["12345", "12345", true],
  ["", "12345", false],
])("a text %j names the file %j: %j", (text, path, expected) => {
  expect(namesIn(text)(path)).toBe(expected);
});

it("finds each word of a long text", () => {
  const words = Array.from({ length: 2_000 }, (_, i) => `word-${i * 7919}`);
  const names = namesIn(words.join(" "));
  expect(words.filter((word) => !names(word))).toEqual([]);
});

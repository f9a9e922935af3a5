import { expect, it } from "vitest";
import { dialectOf } from "../../src/dialects/recognise.ts";
import { refusalOfOther } from "../../src/dialects/other-tools.ts";
import { parseManifest } from "../../src/manifest/syntax/parse.ts";
import { formatProblem } from "../../src/model/refusal.ts";

function refusalOf(text: string): string | undefined {
  const parsed = parseManifest(text, "file.yaml");
  if (parsed.kind === "refused") throw new Error("not parsed");
  const root = { value: parsed.value, path: [], locate: parsed.locate };
  expect(dialectOf(root) === undefined).toBe(refusalOfOther(root) === undefined);
  const found = refusalOfOther(root);
  return found?.kind === "refused" ? found.problems.map(formatProblem).join() : undefined;
}

it.each([
  ["prompts: [p]\nproviders: [openai:gpt]\ntests: []", "a configuration of promptfoo"],
  ['{"evalId": "e", "results": {}, "config": {}}', "a file of results of promptfoo"],
  ["task: t\ndataset_path: d\ndoc_to_text: q", "a configuration of lm-eval"],
  ['{"results": {}, "configs": {}}', "--format lm-eval"],
  ['{"version": 2, "status": "success", "eval": {}, "plan": {}}', "--format inspect"],
  ['{"testCases": []}', "--format deepeval"],
])("the file %j of another tool is refused with the way to judge its results", (text, words) => {
  expect(refusalOf(text)).toContain(words);
});

it.each([
  "prompts: x\nproviders: {}\ndataset: d.jsonl",
  "name: x",
  "tasks: []\ndoc_to_text: a",
  "[]",
])("the manifest %j is none of them", (text) => expect(refusalOf(text)).toBeUndefined());

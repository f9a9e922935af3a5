import { resolve } from "node:path";
import { createFixture } from "fs-fixture";
import { expect, it } from "vitest";
import { inspectPath, readBytes } from "../../../../src/io/files/files.ts";
import { hashGlobs } from "../../../../src/io/files/glob.ts";
import type { FileRef } from "../../../../src/model/definition/suite.ts";
import { alteredData } from "../../../../src/suite/policy/graders/grader-data.ts";
import { taskSpec } from "../suites.ts";

const tools = { files: { inspectPath, readBytes }, candidateTools: { hashGlobs } };

const grader = `from helper import words
HERE = os.path.dirname(__file__)
KNOWN = os.path.join(HERE, "lists", "known.txt")
def grade(sample, item):
    return float(item["data"] in words or item["a.jsonl"])
`;
const base = {
  "evals/own.py": grader,
  "evals/helper.py": 'words = open("words.txt").read()\n',
  "evals/words.txt": "a",
  "evals/lists/known.txt": "a",
  "evals/lists/other.txt": "a",
  "evals/data/a.jsonl": "{}",
  "rules/deep/rule.txt": "a",
};

const ownGrader = {
  type: "python",
  contract: "sample",
  execution: "per_sample",
  metric_id: "score",
  isolation: undefined,
  timeout_seconds: 10,
  models: undefined,
} as const;

/** What differs of the grader's data where these files do. */
async function altered(
  change: Readonly<Record<string, string | Buffer>>,
): Promise<readonly string[]> {
  const own = change["evals/own.py"] ?? grader;
  await using ours = await createFixture({ ...base, "evals/own.py": own });
  await using theirs = await createFixture({ ...base, ...change });
  const at = (path: string): FileRef => ({ path, absolute: ours.getPath(path) });
  const source = { kind: "file", file: at("evals/own.py") } as const;
  const task = taskSpec({
    dataset: { file: at("evals/data/a.jsonl"), format: "jsonl", id_field: undefined },
    grader: { ...ownGrader, source, allow_read: [at("rules")] },
  });
  const [root, other] = [ours, theirs].map(({ path }) => resolve(path));
  const found = await alteredData({ tasks: [task], root: root ?? "" }, other ?? "", tools);
  return found.map(({ path }) => path);
}

it.each([
  ["that what it imports names", { "evals/words.txt": "b" }, ["evals/words.txt"]],
  ["in a folder that it names", { "evals/lists/known.txt": "b" }, ["evals/lists/known.txt"]],
  ["in what it may read", { "rules/deep/rule.txt": "b" }, ["rules"]],
  ["that is new in what it may read", { "rules/new.txt": "b" }, ["rules"]],
  [
    "that a source in another encoding than UTF-8 names",
    {
      "evals/own.py": Buffer.from(`# -*- coding: latin-1 -*-\n# caf\u00e9\n${grader}`, "latin1"),
      "evals/words.txt": "b",
    },
    ["evals/words.txt"],
  ],
  ["that it does not name", { "evals/lists/other.txt": "b" }, []],
  ["that is the data set, which is told by itself", { "evals/data/a.jsonl": "{ }" }, []],
])("a file of a grader's data %s is seen, or not", async (_, change, expected) => {
  expect(await altered(change)).toEqual(expected);
});

import { describe, expect, it } from "vitest";
import { requirementNotes } from "../../../../src/suite/policy/graders/requirements.ts";
import type { FileTools } from "../../../../src/tools.ts";
import { suiteOf, taskSpec } from "../suites.ts";

const text =
  "import json, string\nfrom score_lib.rouge import rouge\n\ndef grade(sample, item):\n    return 1\n";
const grader = {
  type: "python",
  contract: "sample",
  execution: "per_sample",
  metric_id: "score",
  source: { kind: "inline", text },
  timeout_seconds: 5,
  isolation: "chunk",
  allow_read: [],
  options: {},
  models: undefined,
} as const;
const base = suiteOf({ tasks: [taskSpec({ grader })] });
const noFiles = {} as FileTools;

async function notesOf(path: string, content: string): Promise<readonly (string | null)[]> {
  const altered = { here: [{ path, bytes: Buffer.from(content) }], there: [] };
  return (await requirementNotes(base, altered, noFiles)).map(({ note }) => note);
}

it.each([
  [".python-version", "3.13\n", 1],
  ["evals/.tool-versions", "python 3.13.1\n", 1],
  ["mise.toml", '[tools]\npython = "3.13"\n', 1],
  [".tool-versions", "nodejs 24.1.0\n", 0],
  ["docs/python-version", "3.13\n", 0],
])("a change of the file by which Python is chosen is told: %s", async (path, content, count) => {
  const notes = await notesOf(path, content);
  expect(notes).toHaveLength(count);
  for (const note of notes)
    expect(note).toContain(`another Python, which this change may choose by \`${path}\``);
});

describe("a change that may install another version of what the base's grader imports", () => {
  it.each([
    ["requirements.txt", "requests==2\nscore-lib==2.0\n"],
    ["requirements-dev.txt", "./vendor/Score_Lib\n"],
    ["evals/requirements.in", "score.lib\n"],
    ["pyproject.toml", '[project]\ndependencies = ["score-lib>=2"]\n'],
    ["uv.lock", '[[package]]\nname = "score-lib"\nversion = "2"\n'],
    ["environment.yml", "dependencies:\n  - score-lib=2\n"],
  ])("is told: %s", async (path, content) => {
    const [note, ...others] = await notesOf(path, content);
    expect(others).toEqual([]);
    expect(note).toContain("imports `score_lib`");
    expect(note).toContain(`\`${path}\``);
  });

  it.each([
    ["requirements.txt", "requests==2\nscore-lib-extras==1\n"],
    ["pyproject.toml", '[tool.ruff]\noutput-format = "json"\n'],
    ["docs/requirements.md", "score-lib\n"],
  ])("is not told of what has nothing to do with it: %s", async (path, content) => {
    expect(await notesOf(path, content)).toEqual([]);
  });
});

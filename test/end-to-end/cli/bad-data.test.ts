import { existsSync } from "node:fs";
import { createFixture } from "fs-fixture";
import { describe, expect, it } from "vitest";
import { expectRefusal, readIfThere, regrade } from "../../support/cli.ts";
import { sumApp, sumCandidate, suiteFiles } from "../../support/suite-files.ts";
import { itSome } from "../../support/rows.ts";

/** Data, recordings, graders and patterns that can't be used: said before the first sample, with file and line. */

interface Trouble {
  readonly what: string;
  /** Files beside the suite's own, or instead of them. */
  readonly files: Readonly<Record<string, string>>;
  /** The manifest's text, changed. */
  readonly change?: (manifest: string) => string;
  readonly place: string;
  readonly says: readonly (string | RegExp)[];
}

const asCsv = (manifest: string): string => manifest.replace("qa.jsonl", "qa.csv");
const pythonGrader = (manifest: string): string =>
  manifest
    .replace("grader: exact_match", "grader: { type: python, file: graders/qa.py }")
    .replace("metric: exact_match", "metric: score");
const inlineGrader =
  (source: string) =>
  (manifest: string): string =>
    manifest
      .replace(
        "grader: exact_match",
        `grader:\n  type: python\n  source: |\n${source.replaceAll(/^/gm, "    ")}`,
      )
      .replace("metric: exact_match", "metric: score");
const extraction =
  (text: string) =>
  (manifest: string): string =>
    `${manifest}output_extraction: ${text}\n`;

const troubles: readonly Trouble[] = [
  {
    what: "a ragged CSV",
    files: { "evals/data/qa.csv": "id,q,a\nc0,0+1,1\nc1,1+1\nc2,2+1,3,4\n" },
    change: asCsv,
    place: "evals/data/qa.csv:3: ",
    says: ["2 fields, the header has 3", "data/qa.csv:4: ", "double quotes"],
  },
  {
    what: "a quote that is never closed",
    files: { "evals/data/qa.csv": 'id,q,a\nc0,"0+1,1\nc1,1+1,2\n' },
    change: asCsv,
    place: "evals/data/qa.csv:2: ",
    says: [/quote/i],
  },
  {
    what: "a JSON array as a row",
    files: { "evals/data/qa.jsonl": '{"id":"c0","q":"0+1","a":"1"}\n["c1","1+1","2"]\n' },
    place: "evals/data/qa.jsonl:2: ",
    says: ["an array", "must be an object", "Give the values names"],
  },
  {
    what: "a row that is cut off",
    files: { "evals/data/qa.jsonl": '{"id":"c0","q":"0+1","a":"1"}\n\n{"id":"c1","q":\n' },
    place: "evals/data/qa.jsonl:3: ",
    says: ["the row can't be read"],
  },
  {
    what: "a duplicate case id",
    files: {
      "evals/data/qa.jsonl":
        '{"id":"c0","q":"0+1","a":"1"}\n{"id":"c1","q":"1+1","a":"2"}\n{"id":"c0","q":"2+1","a":"3"}\n',
    },
    place: "evals/data/qa.jsonl:3: ",
    says: ["'c0'", "line 1 has it too", "id_field: null"],
  },
  {
    what: "a case without an id",
    files: { "evals/data/qa.jsonl": '{"id":"c0","q":"0+1","a":"1"}\n{"q":"1+1","a":"2"}\n' },
    place: "evals/data/qa.jsonl:2: ",
    says: ["no 'id'", "id_field: null"],
  },
  {
    what: "an empty file",
    files: { "evals/data/qa.jsonl": "" },
    place: "evals/data/qa.jsonl: ",
    says: ["the file is empty", "Put a row for each case"],
  },
  {
    what: "zero cases in a file of empty lines",
    files: { "evals/data/qa.jsonl": "\n\r\n  \n" },
    place: "evals/data/qa.jsonl: ",
    says: ["no rows", "without cases nothing is measured"],
  },
  {
    what: "zero cases in a CSV with a header alone",
    files: { "evals/data/qa.csv": "id,q,a\n" },
    change: asCsv,
    place: "evals/data/qa.csv: ",
    says: ["no rows", "without cases nothing is measured"],
  },
  {
    what: "a file that is not UTF-8 text",
    files: { "evals/data/qa.jsonl": '\u0000{"id":"c0"}\n' },
    place: "evals/data/qa.jsonl:1: ",
    says: ["NUL"],
  },
  {
    what: "a grader with a syntax error",
    files: { "evals/graders/qa.py": "import re\n\ndef grade(sample, item)\n    return 1\n" },
    change: pythonGrader,
    place: "evals/graders/qa.py:3:",
    says: ["syntax error", "def grade(sample, item)", "py_compile"],
  },
  {
    what: "a grader in the manifest with a syntax error",
    files: {},
    change: inlineGrader("def grade(sample, item):\n    return (1\n"),
    place: "evals/qa.yaml:7:",
    says: ["syntax error", "line 2 of the source"],
  },
  {
    what: "a grader without grade",
    files: { "evals/graders/qa.py": "def score(sample, item):\n    return 1\n" },
    change: pythonGrader,
    place: "evals/graders/qa.py: ",
    says: ["no function grade; it defines score", "Define grade(sample, item)"],
  },
  {
    what: "a grader in the manifest without grade",
    files: {},
    change: inlineGrader("def score(sample, item):\n    return 1\n"),
    place: "evals/qa.yaml:7:",
    says: ["no function grade; it defines score"],
  },
  {
    what: "a grader that fails while it is imported",
    files: { "evals/graders/qa.py": "def grade(sample, item):\n    return 1\n\n1 / 0\n" },
    change: pythonGrader,
    place: "evals/graders/qa.py:4: ",
    says: ["ZeroDivisionError", "without an error"],
  },
  {
    what: "a bad regex",
    files: {},
    change: extraction("{ type: regex, pattern: '(\\d+' }"),
    place: "evals/qa.yaml:8:",
    says: ["output_extraction.pattern", "unterminated subpattern", "docs.python.org"],
  },
  {
    what: "a group that the regex does not have",
    files: {},
    change: extraction("{ type: regex, pattern: '(\\d+)', group: 2 }"),
    place: "evals/qa.yaml:8:",
    says: ["group"],
  },
  {
    what: "a recording with a damaged line",
    files: { "evals/outputs.jsonl": '{"case_id":"c0","output_text":"1"}\nnonsense\n' },
    change: (manifest) => manifest.replace(sumCandidate, "{ app: { replay: outputs.jsonl } }"),
    place: "evals/outputs.jsonl:2: ",
    says: ["the recording can't be read"],
  },
  {
    what: "a recording of two answers to one case",
    files: {
      "evals/outputs.jsonl":
        '{"case_id":"c0","output_text":"1"}\n{"case_id":"c0","output_text":"2"}\n',
    },
    change: (manifest) => manifest.replace(sumCandidate, "{ app: { replay: outputs.jsonl } }"),
    place: "evals/outputs.jsonl:2: ",
    says: ["line 1 has it too", "repeat"],
  },
  {
    what: "a program that is not installed",
    files: {},
    change: (manifest) => manifest.replace("python3, -S, app.py", "no-such-program"),
    place: "evals/qa.yaml:",
    says: ["no program 'no-such-program' on the PATH", "Install it"],
  },
  {
    what: "a variable that is not set",
    files: {},
    change: (manifest) => manifest.replace("app.py]", "app.py], env: [APP_TOKEN]"),
    place: "evals/qa.yaml:",
    says: ["APP_TOKEN, which is not set", "Set it"],
  },
];

describe("before the first sample, with a place and a way out, is refused", () => {
  itSome(troubles)("$what", async ({ files, change, place, says }) => {
    const suite = suiteFiles({ candidates: sumCandidate });
    const manifest = suite["evals/qa.yaml"] ?? "";
    await using fixture = await createFixture({
      ...suite,
      "evals/app.py": sumApp,
      "evals/qa.yaml": change?.(manifest) ?? manifest,
      ...files,
    });
    for (const command of [
      ["run", "evals/qa.yaml", "--out", "out"],
      ["validate", "evals/qa.yaml"],
    ]) {
      const end = await regrade(command, { in: fixture.path });
      expectRefusal(end, 2);
      expect(end.stderr).toContain(place);
      for (const words of says) expect(end.stderr).toMatch(words);
    }
    expect(await readIfThere(fixture.getPath("evals/calls.log"))).toBe("");
    expect(existsSync(fixture.getPath("out"))).toBe(false);
  });

  it("is no Python, however long the manifest takes to read", async () => {
    const labels = Array.from({ length: 3000 }, (_, i) => `label ${i}`).join(", ");
    const long = `output_extraction: { type: label_set, labels: [${labels}] }`;
    const files = suiteFiles({ more: [long] });
    await using fixture = await createFixture(files);
    const argv = ["run", "evals/qa.yaml", "--python", "no-such-python"];
    const end = await regrade(argv, { in: fixture.path });
    expectRefusal(end, 2);
    expect(end.stderr).toContain("can't start Python (no-such-python)");
    expect(end.stderr).toContain("--python");
  });
});

describe("one bad sample", () => {
  it("costs one sample, whatever the grader does to it", async () => {
    const grader = `import os, sys
def grade(sample, item):
    n = int(item["id"][1:])
    if n == 3: raise KeyError("three")
    if n == 5: os._exit(7)
    if n == 7: return True
    if n == 9: return float("nan")
    if n == 11: return {"scores": {"other": 1}}
    if n == 13: sys.exit(0)
    if n == 15: return grade(sample, item)
    if n == 17: os.kill(os.getpid(), 11)
    if n == 19:
        while True: pass
    return 1
`;
    await using fixture = await createFixture({
      ...suiteFiles({
        grader: "{ type: python, file: grader.py, timeout_seconds: 1, metric_id: quality }",
        gate: "{ rules: [{ metric: quality, min: 0.8 }] }",
      }),
      "evals/grader.py": grader,
    });
    const end = await regrade(["run", "evals/qa.yaml", "--out", "out", "--json"], {
      in: fixture.path,
    });
    const run = JSON.parse(end.stdout) as { cases: object; gate: object };
    expect(run.cases).toMatchObject({
      declared: 60,
      scored: 52,
      invalid: 8,
      failed: 0,
      ungraded: 0,
    });
    expect(run.gate).toMatchObject({ verdict: "pass" });
    expect(end).toMatchObject({ code: 0, leftovers: [] });
  });
});

import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../src/model/json.ts";
import type { Grader } from "../../src/model/grading.ts";
import type { OpenProgram, ProgramFile, ProgramRefused } from "../../src/model/ports/programs.ts";
import { formatProblem } from "../../src/model/refusal.ts";
import type { GraderSpec } from "../../src/model/definition/graders.ts";
import { createOpenGrader } from "../../src/grading/open.ts";

type GradingTools = Parameters<typeof createOpenGrader>[0];

type PythonSpec = Extract<GraderSpec, { readonly type: "python" }>;

const inline: PythonSpec = {
  type: "python",
  contract: "sample",
  execution: "per_sample",
  isolation: "chunk",
  allow_read: [],
  models: undefined,
  metric_id: "score",
  source: { kind: "inline", text: "def grade(sample, item): return 1.0" },
  timeout_seconds: 120,
};
const file: PythonSpec = {
  ...inline,
  source: { kind: "file", file: { path: "graders/qa.py", absolute: "/repo/graders/qa.py" } },
};
const numeric = (options: JsonObject): GraderSpec => ({
  type: "numeric",
  options,
  models: undefined,
});
const main = { path: "qa.py", sha256: "sha256:a" };
const helper = { path: "split.py", sha256: "sha256:b" };

const grade: Grader["grade"] = () =>
  Promise.resolve({ kind: "ungraded", type: "none", message: "not asked" });

const gradeBatch = () => Promise.reject(new Error("not asked"));
const close = () => Promise.resolve();
const hurry = () => undefined;

function programOf(files: readonly ProgramFile[], runsText?: string): OpenProgram {
  return () => Promise.resolve({ program: { files, runsText, grade, hurry, gradeBatch, close } });
}

async function hashOf(spec: GraderSpec, files: readonly ProgramFile[] = [main]): Promise<string> {
  const open = createOpenGrader({ openProgram: programOf(files), hashText: (text) => text });
  const opened = await open(spec);
  if ("problems" in opened) throw new Error("refused");
  return opened.grader.hash;
}

describe("a grader that runs text", () => {
  const models = { max_calls: 1, allow_models: [], allow_tools: false, allow_urls: false };
  it.each<[string, Partial<typeof file>, string | undefined]>([
    ["has a process a sample, and it is told", { isolation: undefined }, "grader_runs_text"],
    ["and is asked to share one is warned of", { isolation: "chunk" }, "grader_runs_text_together"],
    ["has nothing to be told where it is written", { isolation: "sample" }, undefined],
    ["and asks models has a process a sample anyway", { isolation: "chunk", models }, undefined],
    [
      "and sees all samples is warned of",
      { contract: "batch", execution: "aggregate" },
      "batch_runs_text",
    ],
  ])("%s", async (_, parts, code) => {
    const openProgram = programOf([main], "exec in grader.py, line 3");
    const opened = await createOpenGrader({ openProgram, hashText: (text) => text })({
      ...file,
      ...parts,
    });
    if ("problems" in opened) throw new Error("refused");
    expect(opened.grader.warnings.map((each) => each.code)).toEqual(
      code === undefined ? [] : [code],
    );
    for (const { message } of opened.grader.warnings)
      expect(message).toContain("exec in grader.py, line 3");
  });
});

describe("the hash of a grader", () => {
  it.each<[string, Promise<string>]>([
    ["its code", hashOf(file, [{ ...main, sha256: "sha256:other" }])],
    ["what it imports", hashOf(file, [main, helper])],
    ["its metric", hashOf({ ...file, metric_id: "f1" })],
    ["its kind", hashOf(numeric({}))],
  ])("changes with %s", async (_, changed) => {
    expect(await changed).not.toBe(await hashOf(file));
  });

  it("changes with a built-in's options", async () => {
    const hash = await hashOf(numeric({ tolerance: 0.1 }));
    expect(hash).not.toBe(await hashOf(numeric({ tolerance: 0.2 })));
  });

  it.each<[string, Promise<string>]>([
    ["its time-out", hashOf({ ...file, timeout_seconds: 5 })],
    ["its place: inline or in a file, the code is the same", hashOf(inline)],
    ["its file's name", hashOf(file, [{ ...main, path: "renamed.py" }])],
  ])("does not change with %s", async (_, same) => {
    expect(await same).toBe(await hashOf(file));
  });

  it("does not change with the order of options", async () => {
    const hash = await hashOf(numeric({ a: 1, b: 2 }));
    expect(hash).toBe(await hashOf(numeric({ b: 2, a: 1 })));
  });
});

async function refusal(
  spec: GraderSpec,
  refused: Partial<ProgramRefused>,
  tools: Partial<GradingTools> = {},
): Promise<string> {
  const nowhere = { line: undefined, column: undefined, text: undefined, traceback: undefined };
  const whole = { reason: "syntax" as const, message: "", ...nowhere, ...refused };
  const openProgram: OpenProgram = () => Promise.resolve({ refused: whole });
  const opened = await createOpenGrader({ openProgram, hashText: (text) => text, ...tools })(spec);
  if ("grader" in opened) throw new Error("opened");
  return opened.problems.map(formatProblem).join("\n");
}

describe("a grader that can't be used is refused with its place and a way out", () => {
  it.each<[GraderSpec, Partial<ProgramRefused>, string]>([
    [
      file,
      { reason: "syntax", message: "unmatched ')'", line: 2, column: 15, text: "  return 1.0)" },
      "graders/qa.py:2:15: the grader has a syntax error: unmatched ')'\n    return 1.0)\n",
    ],
    [
      file,
      { reason: "file_unreadable", message: "No such file or directory" },
      "can't read the grader's file graders/qa.py: No such file or directory\n",
    ],
    [
      file,
      { reason: "no_grade", message: "score, main" },
      "graders/qa.py: the grader defines no function grade; it defines score, main\n",
    ],
    [
      file,
      { reason: "no_grade", message: "" },
      "graders/qa.py: the grader defines no function grade\n",
    ],
    [file, { reason: "no_grade", message: "grade_batch" }, "Write contract: batch"],
    [
      { ...file, contract: "batch", execution: "aggregate" },
      { reason: "no_function", message: "grade" },
      "defines no function grade_batch, which is called once for all samples of a task; it defines grade\n",
    ],
    [
      file,
      { reason: "sandbox", message: "this kernel has no Landlock" },
      "it can't be shut in as it must be: this kernel has no Landlock\n",
    ],
    [
      file,
      { reason: "not_callable", message: "int" },
      "grade is not a function in the grader: it is of type int\n",
    ],
    [
      file,
      { reason: "signature", message: "(sample)", line: 4 },
      "graders/qa.py:4: grade(sample) can't be called as Regrade calls it\n",
    ],
    [
      file,
      {
        reason: "import_failed",
        message: "KeyError: 'a'",
        line: 3,
        traceback: "Traceback:\n  here",
      },
      "graders/qa.py:3: the grader fails while it is imported: KeyError: 'a'\n    Traceback:\n      here\n",
    ],
    [file, { reason: "module_missing", message: "numpy", line: 1 }, "a missing module: numpy\n"],
    [
      file,
      { reason: "load_timeout", message: "it is not imported within 120 s" },
      "within 120 s\n",
    ],
    [file, { reason: "died", message: "its process ended with exit code 4" }, "exit code 4\n"],
    [inline, { reason: "signature", message: "()", line: 1 }, "<grader score>:1: grade()"],
    [
      numeric({}),
      { reason: "options", message: "the option 'tol' is unknown" },
      "the built-in grader numeric does not take these options: the option 'tol' is unknown",
    ],
  ])("%#", async (spec, refused, expected) => {
    expect(await refusal(spec, refused)).toContain(expected);
  });

  it("a built-in's options are placed where the manifest declares the grader", async () => {
    const text = await refusal(
      numeric({}),
      { reason: "options", message: "the option 'tol' is unknown" },
      { declaredPlace: { file: "suite.yaml", line: 4, path: "tasks[0].grader" } },
    );
    expect(text).toMatch(/^suite\.yaml:4: tasks\[0\]\.grader: the built-in grader numeric does/);
    expect(text).toContain("\n  Correct them in the task's `grader`");
  });

  it("an inline source is placed where the manifest has it", async () => {
    const text = await refusal(
      inline,
      { reason: "syntax", message: "invalid syntax", line: 2 },
      { inlinePlace: (_, { line = 1 }) => ({ file: "suite.yaml", line: 10 + line }) },
    );
    expect(text).toMatch(/^suite\.yaml:12: the grader has a syntax error/);
  });
});

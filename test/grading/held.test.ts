import { spawnSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import {
  inputOfAssertions,
  programOfAssertions,
  resultOfAssertions,
} from "../../src/grading/held/assertions.ts";
import { createOpenGrader } from "../../src/grading/open.ts";
import { hashText } from "../../src/io/files/files.ts";
import type { HeldEnd, HeldInput, HeldProgramSpec } from "../../src/model/ports/held-programs.ts";
import type { Graded } from "../../src/model/grading.ts";
import type { JsonObject } from "../../src/model/json.ts";
import type { GraderSample } from "../../src/model/outcomes/sample.ts";
import type { BuiltinGrader } from "../../src/model/definition/builtins.ts";

/** What becomes of a program's end, whatever program it was. */

const sample: GraderSample = {
  output_text: "an answer",
  extracted_output: "answer",
  extracted_fields: { city: "Paris" },
  model: "m",
  prompt: "p",
  task_id: "t",
  run_id: "r",
  sample_id: "s",
  latency_ms: 12,
  transcript: [
    { type: "tool_call", id: "1", name: "search", arguments: { q: "x" } },
    { type: "tool_result", id: "1", output: "found" },
    { type: "error", message: "no error in content" },
  ],
  tool_calls: [{ id: "1", name: "search", arguments: { q: "x" }, result: "found" }],
};

type Ended = Extract<HeldEnd, { readonly kind: "ended" }>;

const good: Ended = {
  kind: "ended",
  exitCode: 0,
  signal: undefined,
  isLate: false,
  stdout: "",
  stderr: "",
  notLaidOut: [],
};
const killed: Ended = { ...good, exitCode: undefined, signal: "SIGSEGV" };
const late: Ended = { ...good, exitCode: undefined, signal: "SIGKILL", isLate: true };

interface Asked {
  readonly type?: BuiltinGrader;
  readonly options: JsonObject;
  readonly field?: string;
  readonly row?: JsonObject;
}

async function grade(
  end: HeldEnd,
  { type = "program", options, field, row = {} }: Asked,
): Promise<{ readonly graded: Graded; readonly input: HeldInput; readonly spec: HeldProgramSpec }> {
  const seen: { input?: HeldInput; spec?: HeldProgramSpec } = {};
  const open = createOpenGrader({
    hashText,
    openProgram: async () => ({
      program: {
        files: [],
        runsText: undefined,
        grade: async () => ({ kind: "scored", scores: {}, judge: null, printed: null }),
        gradeBatch: () => Promise.reject(new Error("no")),
        hurry: () => undefined,
        close: async () => undefined,
      },
    }),
    openHeldProgram: async (spec) => {
      seen.spec = spec;
      const run = async (input: HeldInput): Promise<HeldEnd> => {
        seen.input = input;
        return end;
      };
      return { program: { files: [{ path: "check.py", sha256: "1" }], run } };
    },
  });
  const opened = await open({
    type,
    options,
    models: undefined,
    held_base: { directory: "/repo/evals", root: "/repo" },
    ...(field !== undefined && { extracted_field: field }),
  });
  if ("problems" in opened) throw new Error(JSON.stringify(opened.problems));
  const item = { prompt: "p", target: "Paris", choices: [], task_id: "t", ...row };
  const graded = await opened.grader.grade(sample, item);
  if (seen.input === undefined || seen.spec === undefined) throw new Error("it was not run");
  return { graded, input: seen.input, spec: seen.spec };
}

const plain = { command: "check" };

function inRow(check: JsonObject): Asked {
  return { type: "row_checks", options: { field: "checks" }, row: { checks: [check] } };
}

describe("a program's end as a score", () => {
  const cases: readonly (readonly [string, Partial<Ended>, JsonObject, JsonObject])[] = [
    ["0 passes", {}, {}, { program: 1, passed: 1, feedback: "Program exited successfully" }],
    ["with what it said", { stdout: " a\nb \n" }, {}, { program: 1, passed: 1, feedback: "a\nb" }],
    [
      "another code does not",
      { exitCode: 3, stderr: "why\n" },
      {},
      { program: 0, passed: 0, feedback: "Program exited with error: exit status 3; stderr: why" },
    ],
    [
      "files without content are told",
      { exitCode: 1, notLaidOut: ["big"] },
      {},
      {
        program: 0,
        passed: 0,
        feedback:
          'Program exited with error: exit status 1 (without the content of 1 files that the sample does not keep: "big")',
      },
    ],
    [
      "a score that it prints",
      { stdout: '{"score": 0.5, "passed": true, "message": "half"}' },
      { result: "json" },
      { program: 0.5, passed: 1, feedback: "half" },
    ],
    [
      "what it leaves out is nothing",
      { stdout: "{}" },
      { result: "json" },
      { program: 0, passed: 0, feedback: "" },
    ],
    [
      "its code goes first",
      { exitCode: 1, stdout: '{"score": 1, "passed": true}', stderr: "bad" },
      { result: "json", words: "script" },
      { program: 0, passed: 0, feedback: "Script failed: bad" },
    ],
  ];
  it.each(cases)("%s", async (...[, end, options, expected]) => {
    const { graded } = await grade({ ...good, ...end }, { options: { ...plain, ...options } });
    if (graded.kind !== "scored") throw new Error(graded.message);
    expect({ ...graded.scores, feedback: graded.judge?.["feedback"] }).toEqual(expected);
  });

  const broken: readonly (readonly [string, Ended, JsonObject, string])[] = [
    ["a time-out", late, {}, "timeout"],
    ["a signal", killed, {}, "program_died"],
    ["no JSON", { ...good, stdout: "fine" }, { result: "json" }, "bad_result"],
    ["a score above 1", { ...good, stdout: '{"score":1.5}' }, { result: "json" }, "bad_result"],
    [
      "a score that is none",
      { ...good, stdout: '{"score":"1"}' },
      { result: "json" },
      "bad_result",
    ],
  ];
  it.each(broken)(
    "%s is no judgement: the sample is invalid",
    async (...[, end, options, type]) => {
      const { graded } = await grade(end, { options: { ...plain, ...options } });
      expect(graded).toMatchObject({ kind: "invalid", type });
    },
  );

  it.each(broken)(
    "%s fails a row's check, and does not pass one that is turned around",
    async (_, end, options) => {
      const check = { type: "program", ...plain, ...options };
      const failed = await grade(end, inRow(check));
      expect(failed.graded).toMatchObject({ kind: "scored", scores: { score: 0, passed: 0 } });
      const turned = await grade(end, inRow({ ...check, not: true }));
      expect(turned.graded.kind).toBe("invalid");
    },
  );

  it("is ungraded where it was not started", async () => {
    const { graded } = await grade({ kind: "not_started", reason: "gone" }, { options: plain });
    expect(graded).toMatchObject({ kind: "ungraded", type: "program_not_started" });
  });
});

describe("what a program is given", () => {
  it("is the answer as it came, an extracted field, or all that is known", async () => {
    expect((await grade(good, { options: plain })).input.stdin).toBe("an answer");
    const field = await grade(good, { options: plain, field: "city" });
    expect(field.input.stdin).toBe("Paris");
    const all = await grade(
      { ...good, stdout: "{}" },
      { options: { ...plain, input: "json" }, row: { level: 3 } },
    );
    expect(JSON.parse(all.input.stdin)).toMatchObject({
      output: "an answer",
      duration_ms: 12,
      task: { target: "Paris", level: 3 },
      tool_calls: [{ name: "search", arguments: { q: "x", path: "" }, success: true }],
      transcript: [
        { type: "tool.execution_start", tool_name: "search" },
        { type: "tool.execution_complete", success: true },
        { type: "session.error" },
      ],
      errors: [{ type: "session.error" }],
    });
  });

  it("is named by its options, from the manifest's folder", async () => {
    const options = { command: "./check", args: ["a"], directory: "../tools", timeout_seconds: 5 };
    expect((await grade(good, { options })).spec).toMatchObject({
      command: "./check",
      args: ["a"],
      directory: "/repo/tools",
      timeoutSeconds: 5,
      wordsNameFiles: true,
    });
  });
});

describe("assertions in JavaScript", () => {
  const options = { language: "javascript", assertions: ["a", "b"] };

  it("count by what Node says of each", async () => {
    const stdout = JSON.stringify({ failures: [null, "Failed: b"] });
    const { graded, spec } = await grade({ ...good, stdout }, { type: "code", options });
    expect(spec.byOwnNode).toBe(true);
    expect(graded).toMatchObject({
      kind: "scored",
      scores: { code: 0.5, passed: 0 },
      judge: { feedback: "Failed: b", total_assertions: 2 },
    });
  });

  it("fail where they give a promise, which would count as true", () => {
    const assertions = ["import('node:fs')", "(async () => false)()", "output === 'an answer'"];
    const asked = { assertions };
    const { args } = programOfAssertions(asked, { directory: "/repo", root: "/repo" });
    const input = inputOfAssertions(asked, sample);
    const { stdout } = spawnSync(process.execPath, args, { input, encoding: "utf8" });
    const { passed, details } = resultOfAssertions(asked, stdout) ?? {};
    expect(passed).toBe(false);
    expect(details?.["failures"]).toEqual([
      expect.stringContaining("import('node:fs'): it gives a promise"),
      expect.stringContaining("(async () => false)(): it gives a promise"),
    ]);
  });

  it.each([["nothing"], ["{}"], ['{"failures":[]}'], ['{"failures":[null]}']])(
    "are not evaluated where it says %s",
    async (stdout) => {
      const { graded } = await grade({ ...good, stdout }, { type: "code", options });
      expect(graded.kind).toBe("invalid");
    },
  );
});

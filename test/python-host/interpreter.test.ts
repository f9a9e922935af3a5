import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import type { GraderProgramSpec } from "../../src/model/ports/programs.ts";
import {
  findInterpreter,
  findPythonProgram,
  hostEnvironment,
} from "../../src/python-host/interpreter.ts";
import { startPython } from "../../src/python-host/pool.ts";
import { repository } from "../support/cli.ts";

describe("the interpreter", () => {
  it.each([
    [
      "an old one",
      `echo /old/python; echo 3 9 18`,
      /is Python 3\.9\.18; Regrade needs 3\.10 or newer/,
    ],
    [
      "Python 2",
      "echo 'SyntaxError: invalid' >&2; exit 1",
      /can't start Python .*SyntaxError: invalid/,
    ],
    [
      "one that the machine has no room for",
      "echo 'too many open files' >&2; exit 1",
      /too many open files\n {2}The machine allows no more: raise the limit/,
    ],
    ["something else", "echo hello", /can't start Python .*it answered hello/],
  ])("%s is refused with a way out", async (_, script, expected) => {
    const directory = mkdtempSync(path.join(tmpdir(), "regrade-test-"));
    const python = path.join(directory, "python");
    writeFileSync(python, `#!/bin/sh\n${script}\n`);
    chmodSync(python, 0o755);
    await expect(findInterpreter(python, process.env)).rejects.toThrow(expected);
    rmSync(directory, { recursive: true });
  });

  it("is the program itself, not a launcher", async () => {
    const { path: found, version } = await findInterpreter("python3", process.env);
    expect(path.isAbsolute(found)).toBe(true);
    expect(version).toMatch(/^3\.\d+\.\d+$/);
  });
});

describe("the program behind a name", () => {
  const directory = mkdtempSync(path.join(tmpdir(), "regrade-test-"));
  const file = (name: string, content: string, mode: number): string => {
    const at = path.join(directory, name);
    mkdirSync(path.dirname(at), { recursive: true });
    writeFileSync(at, content);
    chmodSync(at, mode);
    return at;
  };
  afterAll(() => rmSync(directory, { recursive: true }));

  it("is the first on the PATH that can be run", async () => {
    const { path: python } = await findInterpreter("python3", process.env);
    file("a/python3", "not to be run", 0o644);
    symlinkSync(python, path.join(mkdirs("b"), "python3"));
    const env = { PATH: ["a", "b"].map((name) => path.join(directory, name)).join(":") };
    expect(await findPythonProgram("python3", env)).toBe(path.join(directory, "b", "python3"));
    expect(await findPythonProgram(python, {})).toBe(python);
  });

  it("is not known of a launcher, of nothing, and where a launcher comes first", async () => {
    const { path: python } = await findInterpreter("python3", process.env);
    const launcher = file("c/python3", "#!/bin/sh\n", 0o755);
    expect(await findPythonProgram(launcher, {})).toBeUndefined();
    expect(await findPythonProgram("python3", { PATH: "" })).toBeUndefined();
    const env = { PATH: `${path.dirname(launcher)}:${path.dirname(python)}` };
    expect(await findPythonProgram("python3", env)).toBeUndefined();
  });

  function mkdirs(name: string): string {
    return mkdirSync(path.join(directory, name), { recursive: true }) ?? path.join(directory, name);
  }
});

const sample = {
  output_text: "a",
  extracted_output: "a",
  model: "main",
  prompt: "q",
  task_id: "qa",
  run_id: "run_1",
  sample_id: "s1",
};
const item = { prompt: "q", target: "a", choices: [], task_id: "qa" };

function grader(text: string): GraderProgramSpec {
  return {
    kind: "source",
    text,
    shown: "<grader>",
    metricId: "score",
    timeoutSeconds: 30,
    execution: "per_sample",
    contract: "sample",
    isolation: "chunk",
    allowRead: [],
    models: undefined,
  };
}

describe("Python", () => {
  const packageDirectory = path.join(repository, "python", "regrade");
  const options = { sandbox: "auto", packageDirectory, env: process.env } as const;

  it.each(["by itself", "through a launcher that needs what no host is given"])(
    "is started %s",
    async (way) => {
      const found = await findInterpreter("python3", process.env);
      const directory = mkdtempSync(path.join(tmpdir(), "regrade-test-"));
      const launcher = path.join(directory, "python3");
      writeFileSync(launcher, `#!/bin/sh\n[ -n "$NEEDED" ] && exec "${found.path}" "$@"\n`);
      chmodSync(launcher, 0o755);
      const python = way === "by itself" ? found.path : launcher;
      const tools = await startPython({ ...options, python, env: { ...process.env, NEEDED: "1" } });
      try {
        expect(tools.version).toBe(found.version);
        for (const text of ["1.0", "0.5"]) {
          const opened = await tools.openProgram(grader(`def grade(sample, item): return ${text}`));
          if ("refused" in opened) throw new Error(opened.refused.message);
          const graded = await opened.program.grade(sample, item);
          expect(graded).toMatchObject({ kind: "scored", scores: { score: Number(text) } });
        }
      } finally {
        await tools.close();
        rmSync(directory, { recursive: true });
      }
    },
  );

  it("is refused in words where the program is another one", async () => {
    const python = "/bin/true";
    await expect(startPython({ ...options, python })).rejects.toThrow(
      /can't start Python \(\/bin\/true\): it answered nothing/,
    );
  });
});

it("a host's environment is what is allowed, and nothing else", () => {
  const env = {
    PATH: "/bin",
    LANG: "C",
    LC_ALL: "C",
    LD_LIBRARY_PATH: "/lib",
    TMPDIR: "/elsewhere",
    HOME: "/root",
    PYTHONPATH: "/evil",
    LD_PRELOAD: "/evil.so",
    GITHUB_TOKEN: "secret",
    INPUT_TOKEN: "secret",
    ACTIONS_RUNTIME_TOKEN: "secret",
    MY_SECRET: "secret",
    EMPTY: undefined,
  };
  expect(hostEnvironment(env, "/private")).toEqual({
    PATH: "/bin",
    LANG: "C",
    LC_ALL: "C",
    LD_LIBRARY_PATH: "/lib",
    TMPDIR: "/private",
    TEMP: "/private",
    TMP: "/private",
  });
});

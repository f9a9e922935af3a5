import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { findInterpreter, hostEnvironment } from "../../src/process/python-interpreter.ts";

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

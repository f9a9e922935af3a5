import { readFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { createFixture } from "fs-fixture";
import { describe, expect, it } from "vitest";
import { runCommand } from "../../src/io/processes/command.ts";
import { findProgram } from "../../src/io/processes/program.ts";
import { patience } from "../support/patience.ts";

const bin = fileURLToPath(new URL("../fixtures/bin/", import.meta.url));
const env = { PATH: process.env["PATH"] ?? "" };

const run = (
  argv: readonly string[],
  more: {
    input?: string;
    timeoutSeconds?: number;
    signal?: AbortSignal;
    env?: Record<string, string>;
  } = {},
) =>
  runCommand({
    argv,
    directory: bin,
    env: { ...env, ...more.env },
    input: more.input ?? "",
    timeoutSeconds: more.timeoutSeconds ?? 20,
    signal: more.signal ?? new AbortController().signal,
  });

describe.skipIf(process.platform === "win32")("a command", () => {
  it("gets its input on stdin and answers on stdout", async () => {
    const input = `\u00E9 "quoted" $HOME \n${"x".repeat(300_000)}`;
    expect(await run(["./echo-prompt"], { input })).toEqual({
      kind: "exited",
      code: 0,
      stdout: input,
      stderr: "",
    });
  });

  it("is no shell: its arguments arrive as they are", async () => {
    const end = await run(["printf", "%s|", "a b", "$HOME", "*", "; rm", ""]);
    expect(end).toMatchObject({ stdout: "a b|$HOME|*|; rm||" });
  });

  it("has the environment and the folder that it was given, and nothing else", async () => {
    const end = await run(["./print-environment"], { env: { ONLY: "this" } });
    const lines = end.kind === "exited" ? end.stdout.trim().split("\n") : [];
    const names = lines.slice(0, -1).map((line) => line.split("=")[0]);
    // The shell itself adds the rest.
    expect(names.filter((name) => !["PWD", "SHLVL", "_", "OLDPWD"].includes(name ?? ""))).toEqual([
      "ONLY",
      "PATH",
    ]);
    expect(`${lines.at(-1)}/`).toBe(bin);
  });

  it("may leave its prompt unread, however long", async () => {
    const end = await run(["./ignore-input"], { input: "x".repeat(5_000_000) });
    expect(end).toMatchObject({ kind: "exited", code: 0, stdout: "done\n" });
  });

  it("that fails tells its code and the end of what it said", async () => {
    const end = await run(["./fail"]);
    expect(end).toMatchObject({ kind: "exited", code: 3 });
    expect(end.kind === "exited" && end.stderr).toMatch(/out of luck\n$/);
  });

  it("that dies of a signal tells which", async () => {
    expect(await run(["./kill-itself"])).toMatchObject({ kind: "killed", signal: "SIGSEGV" });
  });

  it("that ignores SIGTERM is killed, with its children, soon after the time-out", async () => {
    const start = performance.now();
    expect(await run(["./ignore-sigterm"], { timeoutSeconds: 0.3 })).toEqual({ kind: "timed_out" });
    expect((performance.now() - start) / 1000).toBeLessThan(await patience(8));
  });

  it("ends on the signal", async () => {
    const stop = new AbortController();
    const running = run(["sleep", "60"], { signal: stop.signal });
    await sleep(100);
    stop.abort();
    expect(await running).toEqual({ kind: "cancelled" });
    expect(await run(["sleep", "60"], { signal: stop.signal })).toEqual({ kind: "cancelled" });
  });

  it("that leaves a child with its stdout neither hangs the sample nor keeps the child", async () => {
    const fixture = await createFixture();
    const file = fixture.getPath("pid");
    const start = performance.now();
    const end = await run(["./leave-child"], { input: `${file}\n` });
    expect(end).toMatchObject({ kind: "exited", code: 0, stdout: "answer\n" });
    expect((performance.now() - start) / 1000).toBeLessThan(await patience(10));
    await sleep(100);
    expect(await isRunning(Number(await readFile(file, "utf8")))).toBe(false);
    await fixture.rm();
  });

  it("that leaves a process in another session does not hang the sample", async () => {
    const start = performance.now();
    const end = await run(["./leave-stranger"]);
    expect(end).toMatchObject({ kind: "exited", code: 0, stdout: "answer\n" });
    expect((performance.now() - start) / 1000).toBeLessThan(await patience(2.9));
  });

  it("that never stops talking is stopped", async () => {
    expect(await run(["./flood"])).toEqual({ kind: "output_too_large", limitBytes: 10_000_000 });
  });

  it("that answers with broken text is read with a replacement", async () => {
    expect(await run(["./broken-text"])).toMatchObject({ stdout: "caf\uFFFD\n" });
  });

  it.each([
    [
      "a missing program",
      ["no-such-program"],
      "can't start no-such-program: no such file or directory",
    ],
    ["a missing interpreter", ["./no-interpreter"], "can't start ./no-interpreter"],
    ["a file that is no program", ["./not-executable"], "permission denied"],
    ["an impossible argument", ["printf", "a\0b"], "null bytes"],
    ["an argument that is too long", ["printf", "x".repeat(200_000)], "argument list too long"],
  ])("that is %s is not started, and says so", async (_, argv, words) => {
    const end = await run(argv);
    expect(end.kind).toBe("not_started");
    expect(end.kind === "not_started" && end.message).toContain(words);
  });

  it("runs beside many others", async () => {
    const inputs = Array.from({ length: 30 }, (_, i) => `prompt ${i}`);
    const { signal } = new AbortController();
    const ends = await Promise.all(
      inputs.map((input) => run(["./echo-prompt"], { input, signal })),
    );
    expect(ends.map((end) => end.kind === "exited" && end.stdout)).toEqual(inputs);
  });
});

describe.skipIf(process.platform === "win32")("a program", () => {
  it.each([
    ["sh", "found"],
    ["./echo-prompt", "found"],
    ["../bin/echo-prompt", "found"],
    ["/bin/sh", "found"],
    ["./not-executable", "not_executable"],
    ["./gone", "missing"],
    ["gone", "missing"],
    ["../bin", "missing"],
    ["echo-prompt", "missing"],
    ["", "missing"],
  ])("%s is %s", async (name, expected) => {
    expect(await findProgram({ name, directory: bin, env })).toBe(expected);
  });

  it("is looked up on the PATH that the command will have", async () => {
    expect(await findProgram({ name: "echo-prompt", directory: "/", env: { PATH: bin } })).toBe(
      "found",
    );
    expect(await findProgram({ name: "sh", directory: "/", env: {} })).toBe("missing");
  });
});

/** A process that has ended may wait, as a zombie, for a parent that collects it. */
async function isRunning(pid: number): Promise<boolean> {
  const status = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => "gone) Z");
  return !/\) [ZX]/.test(status);
}

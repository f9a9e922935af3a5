import { spawn, type ChildProcess } from "node:child_process";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "vitest";
import type { Run } from "../../src/model/outcomes/run.ts";
import type { Sample, ScoreRow } from "../../src/model/outcomes/sample.ts";
import { mayRunHere } from "./this-process.ts";

/** The repository's root. */
export const repository = resolve(import.meta.dirname, "../..");
/** The program that users start. REGRADE_CLI tests another one, such as that of an installed package. */
export const cliPath = process.env["REGRADE_CLI"] ?? join(repository, "dist/cli.mjs");

export interface CliStart {
  /** The user's working directory. */
  readonly in: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Called once the process runs. */
  readonly meanwhile?: (running: RunningCli) => Promise<void>;
  /** Words before `node`: `unshare -m …`. */
  readonly under?: readonly string[];
}

export interface RunningCli {
  readonly child: ChildProcess;
  /** Its folder for temporary files. */
  readonly temporary: string;
  readonly stderr: () => string;
  readonly kill: (signal: NodeJS.Signals) => void;
}

export interface CliEnd {
  readonly code: number | null;
  readonly signal: string | null;
  readonly stdout: string;
  readonly stderr: string;
  /** Its files left in the temporary folder. */
  readonly leftovers: readonly string[];
}

/**
 * Runs the terminal program as a user would, in an environment without anything of ours: as a process, or, where nothing of the
 * test needs one, without the start of it (see `mayRunHere`).
 */
export async function regrade(argv: readonly string[], start: CliStart): Promise<CliEnd> {
  const temporary = await mkdtemp(join(tmpdir(), "regrade-test-"));
  const env = { ...cleanEnvironment(start.in), TMPDIR: temporary, ...start.env };
  const { meanwhile, under } = start;
  const needsProcess = meanwhile !== undefined || under !== undefined;
  if (!needsProcess && (await mayRunHere("command line", argv[0] ?? "", start.env))) {
    const { runCliHere } = await import("./cli-here.ts");
    const ended = await runCliHere({ argv, directory: start.in, env });
    return { ...ended, signal: null, leftovers: await emptied(temporary) };
  }
  const [program = "", ...rest] = [...(under ?? []), process.execPath, cliPath, ...argv];
  const child = spawn(program, rest, { cwd: start.in, env, stdio: ["ignore", "pipe", "pipe"] });
  const stdout = collect(child.stdout);
  const stderr = collect(child.stderr);
  const closed = new Promise<Pick<CliEnd, "code" | "signal">>((tell) =>
    child.on("close", (code, signal) => tell({ code, signal })),
  );
  try {
    const kill = (signal: NodeJS.Signals): void => void child.kill(signal);
    await meanwhile?.({ child, temporary, stderr, kill });
  } catch (error) {
    child.kill("SIGKILL");
    throw new Error(`the program had said: ${stderr()}`, { cause: error });
  }
  const end = await closed;
  const leftovers = await emptied(temporary);
  return { ...end, stdout: stdout(), stderr: stderr(), leftovers };
}

async function emptied(folder: string): Promise<readonly string[]> {
  const leftovers = await readdir(folder);
  await rm(folder, { recursive: true, force: true });
  return leftovers;
}

/** Variables that a process needs to find its programs and Python; nothing else. */
export function cleanEnvironment(home: string): Record<string, string> {
  return {
    PATH: `${dirname(process.execPath)}:${process.env["PATH"] ?? ""}`,
    HOME: home,
    // Outside of folders that tests inspect, and that a suite's inputs may match.
    XDG_CACHE_HOME: join(home, ".regrade", "kept"),
    LANG: "C.UTF-8",
  };
}

function collect(stream: NodeJS.ReadableStream): () => string {
  let text = "";
  stream.setEncoding("utf8");
  stream.on("data", (chunk: string) => {
    text += chunk;
  });
  return () => text;
}

/** A run directory, parsed. */
export interface RunDirectory {
  readonly run: Run;
  readonly samples: readonly Sample[];
  readonly scores: readonly ScoreRow[];
  /** The bytes of scores.jsonl without latencies: equal for equal runs. */
  readonly scoresText: string;
  readonly summary: string;
  readonly files: readonly string[];
}

/** Reads all of a run directory. */
export async function readRunDirectory(directory: string): Promise<RunDirectory> {
  const text = (name: string): Promise<string> => readFile(join(directory, name), "utf8");
  const scoresText = await text("scores.jsonl");
  return {
    run: JSON.parse(await text("run.json")) as Run,
    samples: parseLines(await text("samples.jsonl")) as Sample[],
    scores: parseLines(scoresText) as ScoreRow[],
    scoresText: withoutLatency(scoresText),
    summary: await text("summary.md"),
    files: (await readdir(directory)).toSorted(),
  };
}

/** A scores.jsonl without latencies, which differ in every run. */
export function withoutLatency(scoresText: string): string {
  return scoresText.replaceAll(/"latency_seconds":[\d.e-]+,?/g, "");
}

/** The values of a JSON Lines text. */
export function parseLines(text: string): readonly unknown[] {
  return text
    .split("\n")
    .filter((line) => line !== "")
    .map((line): unknown => JSON.parse(line));
}

/** JSON Lines. */
export function jsonLines(rows: readonly object[]): string {
  return rows.map((row) => `${JSON.stringify(row)}\n`).join("");
}

/** The text of a file; empty if there is none yet. */
export function readIfThere(path: string): Promise<string> {
  return readFile(path, "utf8").catch(() => "");
}

/** Waits, without spinning, until something is so. */
export async function until(
  what: string,
  isSo: () => boolean | Promise<boolean>,
  seconds = 30,
): Promise<void> {
  const deadline = performance.now() + seconds * 1000;
  while (!(await isSo())) {
    if (performance.now() > deadline) throw new Error(`waited ${seconds} s in vain: ${what}`);
    await sleep(20);
  }
}

/** Requirements of each refusal: its code, words on stderr only, and no stack trace. */
export function expectRefusal(end: CliEnd, code: 2 | 4): void {
  expect(end.stderr).not.toMatch(/\n\s+at /);
  expect(end.stderr).not.toContain("This is a bug in Regrade");
  expect(end, end.stderr).toMatchObject({ code, stdout: "", signal: null, leftovers: [] });
}

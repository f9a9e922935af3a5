import { execFile } from "node:child_process";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Run } from "../../src/model/outcomes/run.ts";
import { outcomeOf, type Sample } from "../../src/model/outcomes/sample.ts";
import { mayRunHere } from "../support/this-process.ts";

/** dist/cli.mjs, as a user starts it. */
export const cli = join(import.meta.dirname, "..", "..", "dist", "cli.mjs");

export interface CliEnd {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface CliOptions {
  readonly directory: string;
  readonly env?: Readonly<Record<string, string>>;
  /** A process in any case: default, see `mayRunHere`. */
  readonly isProcess?: true;
  /** A program that starts it, with its own arguments. */
  readonly through?: readonly string[];
}

/**
 * The environment of a program that runs in a folder. Answers are kept there: those that another test was given, at a port that was
 * its own then, are not for this one.
 */
export function environmentIn(directory: string): Readonly<Record<string, string>> {
  const { PATH = "", HOME = "" } = process.env;
  return { PATH, HOME, XDG_CACHE_HOME: join(directory, ".regrade", "kept") };
}

/**
 * Runs the command line to its end, as a process where the test needs one (see `mayRunHere`). Nothing of the tests' own
 * environment names a key or a proxy.
 */
export async function runCli(args: readonly string[], options: CliOptions): Promise<CliEnd> {
  const { directory, through, isProcess = false } = options;
  const env = { ...environmentIn(directory), ...options.env };
  if (
    !isProcess &&
    through === undefined &&
    (await mayRunHere("command line", args[0] ?? "", options.env))
  ) {
    const { runCliHere } = await import("../support/cli-here.ts");
    return runCliHere({ argv: args, directory, env });
  }
  const settings = {
    cwd: directory,
    env,
    timeout: 100_000,
    maxBuffer: 64 * 1024 * 1024,
  };
  return new Promise((resolve) => {
    const [program = "", ...rest] = [...(through ?? []), process.execPath, cli, ...args];
    execFile(program, rest, settings, (error, stdout, stderr) => {
      const code = error === null ? 0 : error.code;
      resolve({ code: typeof code === "number" ? code : -1, stdout, stderr });
    });
  });
}

/** What a run left behind. */
export interface LeftBehind {
  readonly run: Run;
  readonly samples: readonly Sample[];
  /** What became of each case: `{ c0: "scored", c1: "ungraded timeout" }`. */
  readonly outcomes: Readonly<Record<string, string>>;
  /** Everything that stands in the directory, as one text. */
  readonly text: string;
}

/** Reads a run directory. */
export async function readRunDirectory(directory: string): Promise<LeftBehind> {
  const texts = new Map<string, string>();
  for (const name of (await readdir(directory)).toSorted()) {
    texts.set(name, await readFile(join(directory, name), "utf8"));
  }
  const lines = (texts.get("samples.jsonl") ?? "").split("\n").filter(Boolean);
  const samples = lines.map((line) => JSON.parse(line) as Sample);
  const entries = samples.map((sample) => [sample.case_id, outcomeWords(sample)] as const);
  return {
    run: JSON.parse(texts.get("run.json") ?? "null") as Run,
    samples,
    outcomes: Object.fromEntries(
      entries.toSorted(([a], [b]) => a.localeCompare(b, "en", { numeric: true })),
    ),
    text: [...texts.values()].join("\n"),
  };
}

function outcomeWords(sample: Sample): string {
  return [outcomeOf(sample), sample.error?.type ?? []].flat().join(" ");
}

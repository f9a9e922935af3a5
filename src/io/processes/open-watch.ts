import { spawn, type ChildProcessByStdio } from "node:child_process";
import { stat } from "node:fs/promises";
import { dirname } from "node:path";
import { createInterface } from "node:readline";
import type { Readable, Writable } from "node:stream";
import { renewIndex } from "../git/git.ts";
import type { OpenWatch, WatchOpens } from "../../model/ports/processes.ts";

const longestAnswerMs = 10_000;

/** `launcher`: the words that start python/regrade/watch.py. Only Linux has what it needs. */
export function createWatchOpens(launcher: readonly string[]): WatchOpens {
  return async ({ paths, largest, always = [], more = [] }) => {
    if (process.platform !== "linux") return undefined;
    const sizes = await Promise.all(paths.map(sizeOf));
    const small = [...paths.filter((_, i) => (sizes[i] ?? Infinity) <= largest), ...always];
    if (small.length + more.length === 0) return undefined;
    // A program that asks git for its version has no reason to read a data set.
    for (const folder of new Set(small.map((path) => dirname(path)))) await renewIndex(folder);
    return await watch(small, more, launcher);
  };
}

async function sizeOf(path: string): Promise<number | undefined> {
  const found = await stat(path).catch(() => undefined);
  return found?.isFile() === true ? found.size : undefined;
}

async function watch(
  paths: readonly string[],
  first: readonly string[],
  [program = "", ...words]: readonly string[],
): Promise<OpenWatch | "failed"> {
  const child = spawn(program, words, {
    env: { PATH: process.env["PATH"] },
    stdio: ["pipe", "pipe", "ignore"],
    // A signal to this program's group must not end it first.
    detached: true,
  });
  const said = new Set<string>();
  const closed = Promise.withResolvers<void>();
  let answered = Promise.withResolvers<void>();
  createInterface({ input: child.stdout }).on("line", (line) => {
    said.add(line);
    if (line === '"ready"' || line === '"done"') answered.resolve();
  });
  const onClose = (): void => {
    answered.resolve();
    closed.resolve();
  };
  child.on("error", onClose).on("close", onClose);
  child.stdin.on("error", () => undefined);
  const files = [...paths, ...first];
  const ask = async (text: unknown): Promise<void> => {
    answered = Promise.withResolvers<void>();
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.stdin.write(`${JSON.stringify(text)}\n`);
    await within(longestAnswerMs, answered.promise, child);
  };
  await ask([paths, first]);
  if (!said.has('"ready"')) return "failed";
  return {
    rest: () => ask(null),
    resume: (more) => {
      files.push(...more);
      return ask(more);
    },
    end: async () => {
      child.stdin.end();
      await within(longestAnswerMs, closed.promise, child);
      const opened = new Set(files.filter((_, i) => said.has(`${i}`)));
      return { opened: [...opened], isWhole: said.has('"end"') };
    },
  };
}

async function within(
  milliseconds: number,
  done: Promise<void>,
  child: ChildProcessByStdio<Writable, Readable, null>,
): Promise<void> {
  const timer = setTimeout(() => child.kill("SIGKILL"), milliseconds);
  await done;
  clearTimeout(timer);
}

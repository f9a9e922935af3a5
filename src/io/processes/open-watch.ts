import { spawn, type ChildProcessByStdio } from "node:child_process";
import { stat } from "node:fs/promises";
import { dirname } from "node:path";
import { createInterface } from "node:readline";
import type { Readable, Writable } from "node:stream";
import { renewIndex } from "../git/git.ts";
import type { OpenWatch, WatchOpens } from "../../model/processes.ts";

const longestStartMs = 10_000;
const longestEndMs = 10_000;

/** `launcher`: the words that start python/regrade/watch.py. Only Linux has what it needs. */
export function createWatchOpens(launcher: readonly string[]): WatchOpens {
  return async ({ paths, largest, more = [] }) => {
    if (process.platform !== "linux") return undefined;
    const sizes = await Promise.all(paths.map(sizeOf));
    const small = paths.filter((_, i) => (sizes[i] ?? Infinity) <= largest);
    if (small.length + more.length === 0) return undefined;
    // A program that asks git for its version has no reason to read a data set.
    for (const folder of new Set(small.map((path) => dirname(path)))) await renewIndex(folder);
    return await watch([...small, ...more], launcher);
  };
}

async function sizeOf(path: string): Promise<number | undefined> {
  const found = await stat(path).catch(() => undefined);
  return found?.isFile() === true ? found.size : undefined;
}

async function watch(
  paths: readonly string[],
  [program = "", ...words]: readonly string[],
): Promise<OpenWatch | undefined> {
  const child = spawn(program, words, {
    env: { PATH: process.env["PATH"] },
    stdio: ["pipe", "pipe", "ignore"],
    // A signal to this program's group must not end it first.
    detached: true,
  });
  const said = new Set<string>();
  const [ready, closed] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  createInterface({ input: child.stdout }).on("line", (line) => {
    said.add(line);
    ready.resolve();
  });
  const onClose = (): void => {
    ready.resolve();
    closed.resolve();
  };
  child.on("error", onClose).on("close", onClose);
  child.stdin.on("error", () => undefined);
  child.stdin.write(`${JSON.stringify(paths)}\n`);
  await within(longestStartMs, ready.promise, child);
  if (!said.has('"ready"')) return undefined;
  return {
    end: async () => {
      child.stdin.end();
      await within(longestEndMs, closed.promise, child);
      const opened = paths.filter((_, i) => said.has(`${i}`));
      return { opened, isWhole: said.has('"end"') };
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

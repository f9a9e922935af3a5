import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { HeldProgram } from "../src/model/ports/held-programs.ts";
import { startPython } from "../src/python-host/pool.ts";
import { median } from "./measure.ts";
import { milliseconds, type Row } from "./table.ts";

const answer = "an answer\n".repeat(50);
const most = 0.03;

/** What a program that grades takes over its own time: one at a time, with the agent's files, beside one started bare. */
export async function programs(folder: string, rounds: number): Promise<Row[]> {
  await mkdir(folder);
  const packageDirectory = join(import.meta.dirname, "..", "python", "regrade");
  const settings = { python: "python3", sandbox: "auto", packageDirectory, hosts: 1 } as const;
  const tools = await startPython({ ...settings, env: process.env });
  try {
    const opened = await tools.openHeldProgram({
      command: "cat",
      args: [],
      timeoutSeconds: 30,
      env: [],
      files: [],
      wordsNameFiles: false,
      directory: folder,
      base: { directory: folder, root: folder },
    });
    if ("refused" in opened) throw new Error(opened.refused.message);
    return [await beside(opened.program, rounds)];
  } finally {
    await tools.close();
  }
}

async function beside(program: HeldProgram, rounds: number): Promise<Row> {
  const held: number[] = [];
  const bare: number[] = [];
  for (let round = -3; round < rounds; round += 1) {
    const took = [await timeOf(() => runHeld(program)), await timeOf(runBare)] as const;
    if (round < 0) continue;
    held.push(took[0]);
    bare.push(took[1]);
  }
  const over = median(held) - median(bare);
  return {
    what: "a program that grades, over its own time",
    ratio: over / most,
    limit: "≤ 1 (30 ms)",
    kept: over <= most,
    seen: `${milliseconds(over)} (${milliseconds(median(held))} : ${milliseconds(median(bare))})`,
  };
}

async function timeOf(work: () => Promise<void>): Promise<number> {
  const start = performance.now();
  await work();
  return (performance.now() - start) / 1000;
}

const workspace = Array.from({ length: 10 }, (_, i) => ({
  path: `src/file-${i}.txt`,
  change: "added",
  bytes: answer.length,
  sha256: null,
  text: answer,
}));

async function runHeld(program: HeldProgram): Promise<void> {
  const end = await program.run({ stdin: answer, workspace });
  if (end.kind !== "ended" || end.stdout !== answer) throw new Error(JSON.stringify(end));
}

async function runBare(): Promise<void> {
  const child = spawn("cat", { stdio: ["pipe", "pipe", "ignore"] });
  child.stdout.resume();
  child.stdin.end(answer);
  await once(child, "close");
}

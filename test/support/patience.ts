import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect } from "vitest";

/** Time to start Node on an idle machine; generous. */
const startSeconds = 0.1;

/**
 * A time limit in seconds, stretched on a busy machine like the start of a process right now. It tests a promise of the
 * product ("within 5 seconds of a signal") without failing on a busy machine.
 */
export async function patience(seconds: number): Promise<number> {
  const from = performance.now();
  for (let i = 0; i < 3; i += 1) {
    const child = spawn(process.execPath, ["-e", "0"], { stdio: "ignore" });
    await once(child, "close");
  }
  const slowness = (performance.now() - from) / 3000 / startSeconds;
  return seconds * Math.max(1, slowness);
}

/**
 * Expects work to take less than so many seconds of processor time, stretched on a slow machine. Other processes don't count.
 */
export async function expectWithin(seconds: number, work: () => unknown): Promise<void> {
  const limit = await patience(seconds);
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  expect((user + system) / 1e6).toBeLessThan(limit);
}

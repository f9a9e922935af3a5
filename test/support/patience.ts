import { spawn } from "node:child_process";
import { once } from "node:events";

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

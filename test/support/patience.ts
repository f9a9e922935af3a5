import { spawn } from "node:child_process";
import { once } from "node:events";

/** Time to start Node on an idle machine; generous. */
const startSeconds = 0.1;

/**
 * A limit in seconds as it is on a machine that has other things to do: stretched as the start of a process is, right now.
 * A promise of the product ("within 5 seconds of a signal") is tested by it, and a busy machine fails no test.
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

import { readdir, readFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";

/** The variable by which the processes of one run of an agent are known. */
export const markName = "REGRADE_AGENT_RUN";

/** A process that is started during one round is found in the next. */
const rounds = 5;

/** Ends every process that has the mark in its environment. Only Linux shows the environment of other processes. */
export async function endMarked(mark: string): Promise<void> {
  if (process.platform !== "linux") return;
  const wanted = `${markName}=${mark}`;
  for (let round = 0; round < rounds; round += 1) {
    const found = await processesMarked(wanted);
    if (found.length === 0) return;
    for (const id of found) end(id);
    await sleep(5 * (round + 1));
  }
}

async function processesMarked(wanted: string): Promise<readonly number[]> {
  const ids = (await readdir("/proc").catch(() => [])).filter((name) => /^\d+$/.test(name));
  const found = await Promise.all(
    ids.map(async (id) => {
      const environment = await readFile(`/proc/${id}/environ`, "latin1").catch(() => "");
      return environment.split("\0").includes(wanted) ? [Number(id)] : [];
    }),
  );
  return found.flat();
}

function end(id: number): void {
  try {
    process.kill(id, "SIGKILL");
  } catch {
    // It has ended already.
  }
}

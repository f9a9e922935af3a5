import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { problem, Refusal } from "../model/refusal.ts";
import { inspectPath } from "../io/files/files.ts";
import { makeFolders } from "../io/files/folders.ts";
import { claimLock } from "../io/files/lock.ts";
import { systemCode, writeFailed } from "../io/files/reason.ts";
import { pathsIn, runFiles } from "./run-files.ts";

/** A run directory that this process holds alone until it is released. */
interface ClaimedDirectory {
  readonly release: () => Promise<void>;
}

/** Makes a directory for a new run. Refuses one that is not empty, and one where another process begins a run. */
export async function claimNewDirectory(directory: string): Promise<ClaimedDirectory> {
  await makeDirectory(directory);
  const found = await readdir(directory);
  // Another program's directory is left unchanged: no lock is put there.
  if (found.length > 0 && !found.some(isLock)) throw inUse(directory);
  const claimed = await claimDirectory(directory);
  if ((await readdir(directory)).every(isLock)) return claimed;
  await claimed.release();
  throw inUse(directory);
}

/** Claims the directory of an interrupted run. Refuses one in which another process is at work. */
export async function claimOldDirectory(directory: string): Promise<ClaimedDirectory> {
  const { kind } = await inspectPath(directory);
  const found = kind === "directory" ? await readdir(directory) : [];
  const names: readonly string[] = [runFiles.generated, runFiles.samples];
  if (!found.some((name) => isLock(name) || names.includes(name))) {
    const code = found.includes(runFiles.run) ? "resume_finished" : "resume_nothing";
    throw new Refusal(problem(code, { out: directory }));
  }
  const claimed = await claimDirectory(directory);
  // Incomplete files of a killed writer.
  const torn = found.filter((name) =>
    /^\.(?:run|samples|scores|regraded|summary)\..*\.tmp$/.test(name),
  );
  for (const name of torn) await rm(join(directory, name), { force: true });
  return claimed;
}

async function claimDirectory(directory: string): Promise<ClaimedDirectory> {
  const claim = await claimLock(pathsIn(directory).lock);
  if (claim.kind === "held") return claim;
  throw new Refusal(problem("out_busy", { out: directory, pid: claim.pid }));
}

function isLock(name: string): boolean {
  return name === runFiles.lock || name.startsWith(`${runFiles.lock}.`);
}

function inUse(directory: string): Refusal {
  return new Refusal(problem("out_in_use", { out: directory }));
}

async function makeDirectory(directory: string): Promise<void> {
  try {
    await makeFolders(directory);
  } catch (error) {
    if (["EEXIST", "ENOTDIR"].includes(systemCode(error) ?? "")) {
      throw new Refusal(problem("out_is_file", { out: directory }), { cause: error });
    }
    throw writeFailed(directory, error);
  }
}

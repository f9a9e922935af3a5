import { spawnSync } from "node:child_process";
import { chmodSync, mkdtempSync, rmSync, statfsSync, writeFileSync } from "node:fs";
import { freemem } from "node:os";
import { join } from "node:path";

/** The file system type of tmpfs in Linux's statfs. */
const tmpfs = 0x0102_1994;
/** A whole test run needs some hundreds of megabytes. */
const neededBytes = 2 * 2 ** 30;
const neededMemoryBytes = 6 * 2 ** 30;

interface TemporaryFolder {
  readonly path: string;
  readonly remove: () => void;
}

/**
 * A folder in memory for the temporary files of tests, which are many small ones: making and deleting them on a disk
 * takes a sixth of the tests' processor time. undefined if there can be none: not on Linux, with a folder requested by
 * TMPDIR, with too little room, as in containers, or if programs may not run in it.
 */
export function makeFolderInMemory(): TemporaryFolder | undefined {
  if (process.platform !== "linux" || process.env["TMPDIR"] !== undefined) return undefined;
  if (freemem() < neededMemoryBytes) return undefined;
  try {
    const { type, bavail, bsize } = statfsSync("/dev/shm");
    if (type !== tmpfs || bavail * bsize < neededBytes) return undefined;
    const path = mkdtempSync("/dev/shm/regrade-");
    // The same mode as /tmp, because some tests become another user.
    chmodSync(path, 0o1777);
    const remove = (): void => rmSync(path, { recursive: true, force: true });
    if (runsPrograms(path)) return { path, remove };
    remove();
  } catch {
    // The folder does not exist, or can't be written.
  }
  return undefined;
}

function runsPrograms(folder: string): boolean {
  const program = join(folder, "program");
  writeFileSync(program, "#!/bin/sh\n");
  chmodSync(program, 0o755);
  const { status } = spawnSync(program);
  rmSync(program);
  return status === 0;
}

import { readdir, stat } from "node:fs/promises";
import { dirname, join, relative, resolve } from "node:path";
import { inspectPath } from "../io/files/files.ts";
import { findRepository } from "../io/files/locate.ts";
import type { OwnRuns } from "../model/ports/store.ts";
import { runFiles } from "./run-files.ts";

const ownFolder = ".regrade";

/**
 * The default folder, relative to the working directory: the nearest existing one upward within the repository, like
 * git's own; otherwise a new one here. Outside a repository it is always here, because a folder above may belong to
 * anybody.
 */
async function findOwnFolder(workingDirectory: string): Promise<string> {
  const here = resolve(workingDirectory);
  const top = await findRepository(here);
  const found = top === undefined ? undefined : await lookUp(here, top);
  return found === undefined ? ownFolder : relative(here, found);
}

async function lookUp(at: string, top: string): Promise<string | undefined> {
  const folder = join(at, ownFolder);
  if ((await inspectPath(folder)).kind === "directory") return folder;
  return at === top ? undefined : lookUp(dirname(at), top);
}

/** The runs in that folder, newest first: by the second in their names, and within a second by the files' times. */
export async function findOwnRuns(workingDirectory: string): Promise<OwnRuns> {
  const folder = await findOwnFolder(workingDirectory);
  const runs = join(folder, "runs");
  const names = await readdir(resolve(workingDirectory, runs)).catch(() => []);
  const found = names
    .filter((name) => nameOfRun.test(name))
    .map(async (name) => {
      const directory = join(runs, name);
      const absolute = resolve(workingDirectory, directory);
      const { kind } = await inspectPath(join(absolute, runFiles.run));
      const hasEnd = kind === "file";
      const generated = await inspectPath(join(absolute, runFiles.generated));
      const isOpen = generated.kind === "file";
      const { mtimeMs } = await stat(hasEnd ? join(absolute, runFiles.run) : absolute);
      return { directory, hasEnd, isOpen, second: name.slice(0, secondsEnd), mtimeMs };
    });
  const sorted = (await Promise.all(found)).toSorted(
    (a, b) => compare(b.second, a.second) || b.mtimeMs - a.mtimeMs,
  );
  return {
    folder,
    runs: sorted.map(({ directory, hasEnd, isOpen }) => ({ directory, hasEnd, isOpen })),
  };
}

const nameOfRun = /^run_\d{8}T\d{6}_/;
const secondsEnd = "run_20261121T223350".length;

function compare(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

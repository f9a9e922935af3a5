import { lstat, readdir, readFile } from "node:fs/promises";
import { join } from "node:path";

/** Folders with more entries count as different. */
const mostEntries = 500;
const mostBytes = 4 << 20;

/**
 * Tells whether two folders have the same files, by name and content. False for folders with links, and for large ones: the
 * answer saves work, and must not be work itself. Git's own folder does not count.
 */
export async function haveSameFiles(one: string, other: string): Promise<boolean> {
  const left = { entries: mostEntries, bytes: mostBytes };
  return areSame({ one, other, isTop: true }, left).catch(() => false);
}

interface Folders {
  readonly one: string;
  readonly other: string;
  readonly isTop: boolean;
}

async function areSame(
  { one, other, isTop }: Folders,
  left: { entries: number; bytes: number },
): Promise<boolean> {
  const [ours, theirs] = await Promise.all([namesIn(one, isTop), namesIn(other, isTop)]);
  left.entries -= ours.length;
  if (left.entries < 0 || ours.length !== theirs.length) return false;
  if (ours.some((name, i) => name !== theirs[i])) return false;
  for (const name of ours) {
    const paths = { one: join(one, name), other: join(other, name) };
    const [a, b] = await Promise.all([lstat(paths.one), lstat(paths.other)]);
    if (a.isDirectory() && b.isDirectory()) {
      if (!(await areSame({ ...paths, isTop: false }, left))) return false;
      continue;
    }
    left.bytes -= a.size;
    if (!a.isFile() || !b.isFile() || a.size !== b.size || left.bytes < 0) return false;
    const [text, otherText] = await Promise.all([readFile(paths.one), readFile(paths.other)]);
    if (!text.equals(otherText)) return false;
  }
  return true;
}

async function namesIn(folder: string, isTop: boolean): Promise<readonly string[]> {
  const names = await readdir(folder);
  return names.filter((name) => !isTop || name !== ".git").toSorted();
}

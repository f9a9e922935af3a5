import { lstatSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import type { StampTree } from "../../model/ports/files.ts";

/**
 * Remembers inode and time of the last change (ctime) of everything in a folder. No program can set that time, so a file that
 * was edited and put back is found as well, as is one that was moved into the folder.
 */
export const stampTree: StampTree = async (root) => {
  const before = await stampsOf(root);
  return {
    altered: async () => {
      const after = await stampsOf(root);
      const paths = new Set([...before.keys(), ...after.keys()]);
      const altered = [...paths].filter((path) => before.get(path) !== after.get(path));
      return altered.toSorted().map((path) => ({ path, isNew: !before.has(path) }));
    },
  };
};

/**
 * The stamp of each file and folder, by its path from the root. A folder's stamp is its inode without a time, because what is
 * added to it or removed has a path of its own.
 */
async function stampsOf(root: string): Promise<ReadonlyMap<string, string>> {
  const stamps = new Map<string, string>();
  const folders = [""];
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    const names = await readdir(join(root, folder)).catch(() => []);
    for (const path of names.map((name) => `${folder}${name}`)) {
      const found = stampOf(join(root, path));
      stamps.set(path, found?.stamp ?? "");
      if (found?.isFolder) folders.push(`${path}/`);
    }
  }
  return stamps;
}

/** Without waiting, which costs more than twice as much processor time as the look itself: a repository has many files. */
function stampOf(path: string): { readonly stamp: string; readonly isFolder: boolean } | undefined {
  try {
    const found = lstatSync(path, { bigint: true, throwIfNoEntry: false });
    if (found === undefined) return undefined;
    const isFolder = found.isDirectory();
    return { stamp: isFolder ? `${found.ino}` : `${found.ino} ${found.ctimeNs}`, isFolder };
  } catch {
    return undefined;
  }
}

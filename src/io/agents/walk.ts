import { readdirSync, type Dirent } from "node:fs";
import { setImmediate as breathe } from "node:timers/promises";
import { join } from "node:path";

/** A file or a symbolic link, whatever the link leads to. */
export interface WalkedFile {
  /** Relative to the folder, with forward slashes. */
  readonly path: string;
  readonly isLink: boolean;
}

/** Files beyond this limit are not even counted, so that a runaway agent costs no memory. */
const mostWalked = 200_000;
/** Folders that are read before other work has its turn. */
const foldersTogether = 50;

/** All files under a folder, links among them and never followed, by path. `.git` is left out, sockets and devices too. */
export async function walk(
  folder: string,
  beforeFolder: (absolute: string) => Promise<unknown> = async () => undefined,
): Promise<readonly WalkedFile[]> {
  const found: WalkedFile[] = [];
  const waiting = [""];
  let walked = 0;
  for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
    const absolute = join(folder, at);
    await beforeFolder(absolute);
    for (const entry of entriesOf(absolute, at === "")) {
      const path = at === "" ? entry.name : `${at}/${entry.name}`;
      if (entry.isSymbolicLink()) found.push({ path, isLink: true });
      else if (entry.isDirectory() && entry.name !== ".git") waiting.push(path);
      else if (entry.isFile()) found.push({ path, isLink: false });
    }
    if (found.length >= mostWalked) break;
    walked += 1;
    if (walked % foldersTogether === 0) await breathe();
  }
  return found.toSorted((a, b) => (a.path < b.path ? -1 : 1));
}

function entriesOf(absolute: string, isTop: boolean): readonly Dirent[] {
  try {
    return readdirSync(absolute, { withFileTypes: true });
  } catch (error) {
    // A subfolder that the agent made unreadable, or that disappears meanwhile, counts as empty.
    if (isTop) throw error;
    return [];
  }
}

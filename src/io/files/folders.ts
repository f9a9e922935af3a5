import { mkdir } from "node:fs/promises";
import { dirname } from "node:path";
import { inspectPath } from "./files.ts";
import { systemCode } from "./reason.ts";

/**
 * Makes a folder that may be there already, and those around it. Node's own recursive mkdir tries for ever where a file system
 * makes no folders (`/proc`), and calls a read-only one "no such file or directory".
 */
export async function makeFolders(path: string): Promise<void> {
  try {
    await mkdir(path);
  } catch (error) {
    const code = systemCode(error);
    // On a read-only file system a folder that is there fails otherwise than with EEXIST.
    if (code !== "ENOENT" && (await isFolder(path))) return;
    if (code !== "ENOENT" || (await isFolder(dirname(path)))) throw error;
    await makeFolders(dirname(path));
    await makeFolders(path);
  }
}

async function isFolder(path: string): Promise<boolean> {
  return (await inspectPath(path)).kind === "directory";
}

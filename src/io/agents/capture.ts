import { readlink } from "node:fs/promises";
import { join } from "node:path";
import { setImmediate as breathe } from "node:timers/promises";
import { isLargerThan } from "../../base/written-size.ts";
import {
  mostWorkspaceBytes,
  mostWorkspaceFiles,
  type FileChange,
  type Workspace,
  type WorkspaceFile,
} from "../../model/ports/workspace.ts";
import { readContent, type KnownFiles } from "./content.ts";
import { walk, type WalkedFile } from "./walk.ts";

/** Files that are read before other work has its turn. */
const filesTogether = 200;

/**
 * Captures the workspace after the agent and its processes have ended. Changed files come first if there is not room for
 * all; contents are kept up to a size, hashes of every file.
 */
export async function captureFiles(directory: string, before: KnownFiles): Promise<Workspace> {
  const found = await walk(directory).catch(() => []);
  const files: WorkspaceFile[] = deletedOf(found, before);
  const listed = found.slice(0, Math.max(0, mostWorkspaceFiles * 2 - files.length));
  for (const [i, file] of listed.entries()) {
    files.push(await captureFile(directory, file, before));
    if (i % filesTogether === filesTogether - 1) await breathe();
  }
  const ranked = files.toSorted(byImportance);
  const kept = ranked.slice(0, mostWorkspaceFiles);
  const omitted = files.length - kept.length + (found.length - listed.length);
  return { files: withinRoom(kept).toSorted(byPath), omitted };
}

function deletedOf(found: readonly WalkedFile[], before: KnownFiles): WorkspaceFile[] {
  const there = new Set(found.map(({ path }) => path));
  return [...before.keys()]
    .filter((path) => !there.has(path))
    .map((path) => ({ path, change: "deleted", bytes: 0, sha256: null, text: null }));
}

async function captureFile(
  directory: string,
  { path, isLink }: WalkedFile,
  before: KnownFiles,
): Promise<WorkspaceFile> {
  const absolute = join(directory, path);
  const nothing = { path, bytes: 0, sha256: null, text: null } as const;
  const added = before.has(path) ? "modified" : "added";
  if (isLink) {
    const link = await readlink(absolute).catch(() => "");
    const isKept = before.has(path) && before.get(path) === undefined;
    return { ...nothing, change: isKept ? "kept" : added, link };
  }
  try {
    const { bytes, sha256, kept } = await readContent(absolute);
    const change: FileChange = before.get(path) === sha256 && sha256 !== null ? "kept" : added;
    return { path, change, bytes, sha256, ...contentOf(kept) };
  } catch {
    return { ...nothing, change: added };
  }
}

function contentOf(kept: Buffer | undefined): Pick<WorkspaceFile, "text" | "base64"> {
  if (kept === undefined) return { text: null };
  try {
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(kept);
    if (!text.includes("\0")) return { text };
  } catch {
    // Not text: kept as bytes.
  }
  return { text: null, base64: kept.toString("base64") };
}

function byImportance(one: WorkspaceFile, other: WorkspaceFile): number {
  return rank(one) - rank(other) || byPath(one, other);
}

function rank({ change }: WorkspaceFile): number {
  return change === "kept" ? 1 : 0;
}

function byPath({ path: one }: WorkspaceFile, { path: other }: WorkspaceFile): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}

/** Drops the content of files that exceed the limit for the whole workspace. */
function withinRoom(files: readonly WorkspaceFile[]): readonly WorkspaceFile[] {
  let room = mostWorkspaceBytes;
  return files.map((file) => {
    const { base64, ...rest } = file;
    const content = base64 ?? file.text;
    if (content === null || content === "") return file;
    if (isLargerThan(room, content)) return { ...rest, text: null };
    room -= Buffer.byteLength(JSON.stringify(content));
    return file;
  });
}

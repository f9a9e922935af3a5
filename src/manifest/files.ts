import { isAbsolute, posix, relative, resolve, sep, win32 } from "node:path";
import { nearest } from "../base/nearest.ts";
import { problem } from "../model/refusal.ts";
import type { FileRef } from "../model/suite.ts";
import type { Desk } from "./desk.ts";
import { at, fieldsOf, isPresent, keyPlaceOf, type Part, placeOf, textOf } from "./part.ts";

/** The file that a part names: inside the root, links followed, and there. */
export async function resolveFile(part: Part, desk: Desk): Promise<FileRef | undefined> {
  return resolveThere(part, desk, ["file"]);
}

/** The same of a file or a folder. */
export async function resolvePath(part: Part, desk: Desk): Promise<FileRef | undefined> {
  return resolveThere(part, desk, ["file", "directory"]);
}

async function resolveThere(
  part: Part,
  desk: Desk,
  wanted: readonly ("file" | "directory")[],
): Promise<FileRef | undefined> {
  const file = resolveInside(part, desk);
  if (file === undefined) return undefined;
  const found = await desk.inspectPath(file.absolute);
  const place = placeOf(part);
  const { path } = file;
  if (!isInside(found.real, desk.realRoot)) {
    return desk.refuse(problem("path_link_outside", { path }, place));
  }
  switch (found.kind) {
    case "file":
      return file;
    case "directory":
      if (wanted.includes("directory")) return file;
      return desk.refuse(problem("path_is_directory", { path }, place));
    case "missing":
      return desk.refuse(problem("path_missing", { path }, place));
  }
}

/** A path that need not be there yet: it stays inside the root, links followed as far as it exists. */
export async function checkInside(part: Part, desk: Desk): Promise<void> {
  const file = resolveInside(part, desk);
  if (file === undefined) return;
  const { real } = await desk.inspectPath(file.absolute);
  if (isInside(real, desk.realRoot)) return;
  desk.refuse(problem("path_link_outside", { path: file.path }, placeOf(part)));
}

/** The file behind a file id; `files` maps it. */
export async function resolveFileId(part: Part, desk: Desk): Promise<FileRef | undefined> {
  const id = textOf(part);
  if (id === undefined) return undefined;
  desk.usedFileIds.add(id);
  const path = at(desk.files, id);
  if (isPresent(path)) return resolveFile(path, desk);
  const known = fieldsOf(desk.files).map(([key]) => key);
  const found = { id, known, nearest: nearest(id, known) };
  return desk.refuse(problem("file_id_unknown", found, placeOf(part)));
}

/** Says which file ids nothing uses: most likely one is misspelt, or left over. */
export function warnUnusedFileIds(desk: Desk): void {
  for (const [id, part] of fieldsOf(desk.files)) {
    if (!desk.usedFileIds.has(id)) desk.warn(problem("file_id_unused", { id }, keyPlaceOf(part)));
  }
}

/** By the text alone, before anything is looked at: a path that leaves the root is not even probed. */
export function resolveInside(part: Part, desk: Desk): FileRef | undefined {
  const path = textOf(part);
  if (path === undefined || path === "") return undefined;
  if (isAbsolute(path) || win32.isAbsolute(path)) {
    return desk.refuse(problem("path_absolute", { path }, placeOf(part)));
  }
  const absolute = resolve(desk.directory, path);
  if (!isInside(absolute, desk.root)) {
    return desk.refuse(problem("path_outside", { path }, placeOf(part)));
  }
  return { path: posix.normalize(path), absolute };
}

function isInside(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}

import { isAbsolute, posix, relative, resolve, sep, win32 } from "node:path";
import { nearest } from "../base/nearest.ts";
import { problem } from "../model/refusal.ts";
import type { FileRef } from "../model/definition/suite.ts";
import type { ManifestContext } from "./context.ts";
import { at, fieldsOf, isPresent, keyPlaceOf, type Part, placeOf, textOf } from "../base/part.ts";

/** The file that a part names: it must exist and lie inside the root, links followed. */
export async function resolveFile(
  part: Part,
  context: ManifestContext,
): Promise<FileRef | undefined> {
  return resolveThere(part, context, ["file"]);
}

/** As `resolveFile`, for a file or a folder. */
export async function resolvePath(
  part: Part,
  context: ManifestContext,
): Promise<FileRef | undefined> {
  return resolveThere(part, context, ["file", "directory"]);
}

/** As `resolveFile`, for a folder. */
export async function resolveFolder(
  part: Part,
  context: ManifestContext,
): Promise<FileRef | undefined> {
  const found = await resolvePath(part, context);
  if (found === undefined) return undefined;
  if ((await context.inspectPath(found.absolute)).kind === "directory") return found;
  return context.refuse(problem("path_is_file", { path: found.path }, placeOf(part)));
}

async function resolveThere(
  part: Part,
  context: ManifestContext,
  wanted: readonly ("file" | "directory")[],
): Promise<FileRef | undefined> {
  const file = resolveInside(part, context);
  if (file === undefined) return undefined;
  const found = await context.inspectPath(file.absolute);
  const place = placeOf(part);
  const { path } = file;
  if (!isInside(found.real, context.realRoot)) {
    return context.refuse(problem("path_link_outside", { path }, place));
  }
  switch (found.kind) {
    case "file":
      return file;
    case "directory":
      if (wanted.includes("directory")) return file;
      return context.refuse(problem("path_is_directory", { path }, place));
    case "missing":
      return context.refuse(problem("path_missing", { path }, place));
  }
}

/** A path that need not exist yet: as far as it exists it must lie inside the root, links followed. */
export async function checkInside(
  part: Part,
  context: ManifestContext,
): Promise<FileRef | undefined> {
  const file = resolveInside(part, context);
  if (file === undefined) return undefined;
  const { real } = await context.inspectPath(file.absolute);
  if (isInside(real, context.realRoot)) return file;
  return context.refuse(problem("path_link_outside", { path: file.path }, placeOf(part)));
}

/** The file behind a file id; `files` maps it. */
export async function resolveFileId(
  part: Part,
  context: ManifestContext,
): Promise<FileRef | undefined> {
  const id = textOf(part);
  if (id === undefined) return undefined;
  context.usedFileIds.add(id);
  const path = at(context.files, id);
  if (isPresent(path)) return resolveFile(path, context);
  const known = fieldsOf(context.files).map(([key]) => key);
  const found = { id, known, nearest: nearest(id, known) };
  return context.refuse(problem("file_id_unknown", found, placeOf(part)));
}

/** Warns about file ids that nothing uses: most likely one is misspelt, or left over. */
export function warnUnusedFileIds(context: ManifestContext): void {
  for (const [id, part] of fieldsOf(context.files)) {
    if (!context.usedFileIds.has(id))
      context.warn(problem("file_id_unused", { id }, keyPlaceOf(part)));
  }
}

/** Decides by the text alone, before any access: a path that leaves the root is not even probed. */
export function resolveInside(part: Part, context: ManifestContext): FileRef | undefined {
  const path = textOf(part);
  if (path === undefined || path === "") return undefined;
  if (isAbsolute(path) || win32.isAbsolute(path)) {
    return context.refuse(problem("path_absolute", { path }, placeOf(part)));
  }
  const absolute = resolve(context.directory, path);
  if (!isInside(absolute, context.root)) {
    return context.refuse(problem("path_outside", { path }, placeOf(part)));
  }
  return { path: posix.normalize(path), absolute };
}

function isInside(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}

import { relative, sep } from "node:path";
import { problem } from "../../model/refusal.ts";
import type { ForeignClass } from "../../model/ports/programs.ts";
import type { CodeSource, FileRef } from "../../model/definition/suite.ts";
import type { GraderExecution } from "../../model/definition/graders.ts";
import type { ManifestContext } from "../context.ts";
import { resolveFile, resolveFileId, resolvePath } from "../files.ts";
import { at, itemsOf, keyPlaceOf, objectOf, placeOf, textOf, type Part } from "../../base/part.ts";
import { oneKeyOf } from "../sources.ts";

/** Python that the suite brings: exactly one of `source`, `file` and `file_id`. */
export async function resolveSource(
  part: Part,
  context: ManifestContext,
): Promise<CodeSource | undefined> {
  const key = oneKeyOf(part, ["source", "file", "file_id"], context);
  if (key === undefined) return undefined;
  const source = at(part, key);
  const text = textOf(source);
  if (key === "source") return text === undefined ? undefined : { kind: "inline", text };
  const file = await (key === "file"
    ? resolveFile(source, context)
    : resolveFileId(source, context));
  return file && { kind: "file", file };
}

/**
 * The files and folders that user code may read besides its own. Never `.git`, nor a folder that contains it: it may hold
 * a checkout's token, and a sandbox that allows a folder can't exclude a part of it.
 */
export async function resolveAllowRead(
  part: Part,
  context: ManifestContext,
): Promise<readonly FileRef[]> {
  const allowed: FileRef[] = [];
  for (const item of itemsOf(part)) {
    const file = await resolvePath(item, context);
    if (file === undefined) continue;
    const { real } = await context.inspectPath(file.absolute);
    const steps = relative(context.realRoot, real).split(sep);
    if (steps.includes(".git") || steps.join("") === "") {
      context.refuse(problem("path_shows_git", { path: file.path }, placeOf(item)));
    } else allowed.push(file);
  }
  return allowed;
}

/** Settings of a class; its folders of packages are read as `allow_read` is. */
export async function resolveClass(
  part: Part,
  grader: { readonly source: CodeSource; readonly execution: GraderExecution },
  context: ManifestContext,
): Promise<ForeignClass | undefined> {
  const settings = objectOf(part);
  if (settings === undefined) return undefined;
  const role = textOf(at(part, "as")) ?? "";
  const seesAll = role === "aggregator" || role === "post_processor";
  if (grader.source.kind === "inline" || seesAll !== (grader.execution === "aggregate"))
    context.refuse(problem("class_misplaced", { role, seesAll }, keyPlaceOf(part)));
  const packages = await resolveAllowRead(at(part, "packages"), context);
  return { settings, packages };
}

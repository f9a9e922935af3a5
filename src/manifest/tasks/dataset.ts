import { basename, join } from "node:path";
import { problem } from "../../model/refusal.ts";
import type { FileRef } from "../../model/definition/suite.ts";
import {
  type DatasetFormat,
  type DatasetSource,
  type DatasetSpec,
  formatOfName,
  isDatasetFormat,
} from "../../model/definition/dataset.ts";
import type { ManifestContext } from "../context.ts";
import { resolveFile, resolveFileId } from "../files.ts";
import {
  at,
  isPresent,
  keyPlaceOf,
  type Part,
  placeOf,
  itemsOf,
  presentKeys,
  textOf,
} from "../../base/part.ts";
import { hubKeys, resolveRemote } from "./remote-dataset.ts";
import { oneKeyOf } from "../sources.ts";

/**
 * A data set given as a string, a file, a file id, or one of Hugging Face; `defaultSplit` is used if the latter names
 * none.
 */
export async function resolveDataset(
  part: Part,
  context: ManifestContext,
  defaultSplit = "test",
): Promise<DatasetSource | undefined> {
  if (typeof part.value === "string") {
    return withFormat(await resolveFile(part, context), part, context);
  }
  if (part.value === undefined || textOf(at(part, "file")) === "") return undefined;
  const hub = presentKeys(part, hubKeys);
  const local = presentKeys(part, localKeys);
  if (local.length === 0 && hub.length > 0) return resolveRemote(part, defaultSplit, context);
  refuseHubKeys(part, hub, context);
  const key = oneKeyOf(part, [...localKeys, ...(hub.includes("path") ? ["path"] : [])], context);
  if (key === "rows") return inlineRows(part, context);
  if (key !== "file" && key !== "file_id") return undefined;
  const source = at(part, key);
  const file = await (key === "file"
    ? resolveFile(source, context)
    : resolveFileId(source, context));
  return withFormat(file, part, context);
}

const localKeys = ["file", "file_id", "rows"];

/** Inline rows are read as JSON lines, so that cases and checks are the same as for a file. */
function inlineRows(part: Part, context: ManifestContext): DatasetSpec | undefined {
  const format = at(part, "format");
  if (isPresent(format)) {
    const found = { key: "format", belongs: "datasets with a `file`" };
    return context.refuse(problem("key_misplaced", found, keyPlaceOf(format)));
  }
  const rows = itemsOf(at(part, "rows"));
  const name = basename(context.path);
  return {
    file: { path: name, absolute: join(context.directory, name) },
    inline: {
      text: rows.map(({ value = null }) => `${JSON.stringify(value)}\n`).join(""),
      lines: rows.map((row) => placeOf(row).line ?? 1),
    },
    format: "jsonl",
    ...idField(part),
  };
}

function idField(part: Part): Pick<DatasetSpec, "id_field"> {
  const { value } = at(part, "id_field");
  return { id_field: typeof value === "string" || value === null ? value : undefined };
}

/** `path` next to a file is a second source, and reported as such. */
function refuseHubKeys(part: Part, keys: readonly string[], context: ManifestContext): void {
  for (const key of keys.filter((each) => each !== "path")) {
    const found = { key, belongs: "Hugging Face datasets" };
    context.refuse(problem("key_misplaced", found, keyPlaceOf(at(part, key))));
  }
}

function withFormat(
  file: FileRef | undefined,
  part: Part,
  context: ManifestContext,
): DatasetSpec | undefined {
  if (file === undefined) return undefined;
  const format = formatOf(textOf(at(part, "format")), file.path);
  if (format === undefined) {
    return context.refuse(problem("format_unknown", { path: file.path }, placeOf(part)));
  }
  return { file, format, ...idField(part) };
}

function formatOf(declared: string | undefined, path: string): DatasetFormat | undefined {
  return declared !== undefined && isDatasetFormat(declared) ? declared : formatOfName(path);
}

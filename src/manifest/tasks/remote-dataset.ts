import { isJsonObject } from "../../model/json.ts";
import { nearest } from "../../base/nearest.ts";
import { problem } from "../../model/refusal.ts";
import type { HubDataset, RemoteDataset, RemoteFiles } from "../../model/definition/dataset.ts";
import { readAddress } from "../candidates/address.ts";
import type { ManifestContext } from "../context.ts";
import {
  at,
  fieldsOf,
  isPresent,
  itemsOf,
  keyPlaceOf,
  numberOf,
  objectOf,
  type Part,
  placeOf,
  presentKeys,
  textOf,
} from "../../base/part.ts";

/** The keys that only Hugging Face datasets have. */
export const hubKeys = [
  "path",
  "source",
  "name",
  "split",
  "revision",
  "max_rows",
  "data_files",
  "dataset_kwargs",
];

/** A data set of Hugging Face, or the files of its json and csv builders. `defaultSplit` is used if the part names none. */
export function resolveRemote(
  part: Part,
  defaultSplit: string,
  context: ManifestContext,
): RemoteDataset | undefined {
  const path = textOf(at(part, "path"));
  if (path === undefined) {
    if (isPresent(at(part, "path")) || context.misspelt(part)) return undefined;
    return context.refuse(problem("key_missing", { key: "path" }, placeOf(part)));
  }
  if (isPresent(at(part, "format"))) {
    const found = { key: "format", belongs: "datasets that are files of this repository" };
    context.refuse(problem("key_misplaced", found, keyPlaceOf(at(part, "format"))));
  }
  refuseTokens(at(part, "dataset_kwargs"), context);
  const field = at(part, "id_field").value;
  const reading = {
    split: textOf(at(part, "split")) ?? defaultSplit,
    max_rows: numberOf(at(part, "max_rows")),
    id_field: typeof field === "string" || field === null ? field : undefined,
    dataset_kwargs: objectOf(at(part, "dataset_kwargs")) ?? {},
  };
  return path === "json" || path === "csv"
    ? resolveFiles(part, { source: "files", builder: path, ...reading }, context)
    : resolveHub(part, { source: "hub", path, ...reading }, context);
}

/** A secret in a manifest stays in the repository's history, and it would not be sent. */
function refuseTokens(kwargs: Part, context: ManifestContext): void {
  for (const [key, value] of fieldsOf(kwargs)) {
    const isToken = /^(?:hf_|auth_|use_auth_)?token$|^api_key$/.test(key);
    if (isToken && typeof value.value === "string")
      context.refuse(problem("dataset_token", { key }, keyPlaceOf(value)));
  }
}

/** The Hub's rule: letters, digits, `-`, `_` and `.`, with an owner before a slash or without one. */
const hubPath = /^(?=.{1,193}$)(?:[A-Za-z0-9][\w.-]*\/)?[A-Za-z0-9][\w.-]*$/;

function resolveHub(
  part: Part,
  reading: Omit<HubDataset, "name" | "revision">,
  context: ManifestContext,
): HubDataset | undefined {
  for (const files of dataFileParts(part)) {
    const found = { key: "data_files", belongs: "the builders: `path: json` and `path: csv`" };
    context.refuse(problem("key_misplaced", found, keyPlaceOf(files)));
  }
  if (!hubPath.test(reading.path)) {
    const found = { path: reading.path };
    return context.refuse(problem("hub_path_malformed", found, placeOf(at(part, "path"))));
  }
  const name = textOf(at(part, "name"));
  return { ...reading, name, revision: textOf(at(part, "revision")) };
}

function resolveFiles(
  part: Part,
  reading: Omit<RemoteFiles, "urls">,
  context: ManifestContext,
): RemoteFiles | undefined {
  for (const key of presentKeys(part, ["name", "revision"])) {
    const why = `the ${reading.builder} builder reads the files that \`data_files\` names (a revision is a part of their addresses)`;
    context.warn(problem("setting_idle", { key, why }, keyPlaceOf(at(part, key))));
  }
  const [files, second] = dataFileParts(part);
  if (files === undefined) {
    const found = { builder: reading.builder };
    return context.refuse(problem("data_files_missing", found, placeOf(part)));
  }
  if (second !== undefined) {
    const keys = ["data_files", "dataset_kwargs.data_files"];
    return context.refuse(problem("keys_exclusive", { found: keys, keys }, keyPlaceOf(second)));
  }
  const named = filesOfSplit(files, reading.split, context);
  const urls = named?.map((each) => urlOf(each, context)) ?? [];
  const whole = urls.flatMap((each) => each ?? []);
  if (whole.length === 0 || whole.length < urls.length) return undefined;
  return { ...reading, urls: whole };
}

function dataFileParts(part: Part): readonly Part[] {
  return [at(part, "data_files"), at(at(part, "dataset_kwargs"), "data_files")].filter(isPresent);
}

/** A text or a list serves every split; a mapping has files by split. */
function filesOfSplit(
  files: Part,
  split: string,
  context: ManifestContext,
): readonly Part[] | undefined {
  if (!isJsonObject(files.value)) return textsIn(files, context);
  const chosen = at(files, split);
  if (isPresent(chosen)) return textsIn(chosen, context);
  const known = fieldsOf(files).map(([key]) => key);
  const found = { split, known, nearest: nearest(split, known) };
  return context.refuse(problem("data_files_split", found, placeOf(files)));
}

function textsIn(part: Part, context: ManifestContext): readonly Part[] | undefined {
  const parts = Array.isArray(part.value) ? itemsOf(part) : [part];
  if (parts.length === 0) {
    return context.refuse(problem("data_files_empty", undefined, placeOf(part)));
  }
  const wrong = parts.find((each) => textOf(each) === undefined || textOf(each) === "");
  if (wrong === undefined) return parts;
  return context.refuse(problem("data_files_kind", undefined, placeOf(wrong)));
}

function urlOf(part: Part, context: ManifestContext): string | undefined {
  return readAddress(textOf(part) ?? "", part, context)?.href;
}

import { createHash } from "node:crypto";
import { isAbsolute } from "node:path";
import { at, type Part, placeOf, textOf } from "../../../base/part.ts";
import type { JsonObject } from "../../../model/json.ts";
import { problem } from "../../../model/refusal.ts";
import {
  isGiven,
  mappingOf,
  mappingList,
  fullText,
  optionalText,
  refuseKey,
  textList,
  type WazaEval,
} from "../eval.ts";
import { readBeside } from "../paths.ts";
import { checking, configKeys, type ReadKind } from "./kind.ts";

/** Files that must or must not exist in the workspace, and patterns of their content. */
export const fileCheck: ReadKind = (entry, file) => {
  const keys = ["must_exist", "must_not_exist", "content_patterns"];
  const config = configKeys(entry, keys, file);
  const patterns = mappingList(at(config, "content_patterns"), file).map((part) => {
    mappingOf(
      part,
      { known: ["path", "must_match", "must_not_match"], what: "an entry of content_patterns" },
      file,
    );
    return {
      path: fullText(at(part, "path"), file) ?? "",
      must_match: [...textList(at(part, "must_match"), file)],
      must_not_match: [...textList(at(part, "must_not_match"), file)],
    };
  });
  const options = {
    type: "files",
    must_exist: [...textList(at(config, "must_exist"), file)],
    must_not_exist: [...textList(at(config, "must_not_exist"), file)],
    content_patterns: patterns,
  };
  return checking(entry, { options, keys }, file);
};

/** Files of the workspace that must equal snapshots, or contain texts. */
export const diffCheck: ReadKind = async (entry, file) => {
  const config = configKeys(entry, ["expected_files", "context_dir", "update_snapshots"], file);
  refuseKey(
    at(config, "update_snapshots"),
    "A run that judges changes no files: write the snapshots with waza, or by hand.",
    file,
  );
  const folder = optionalText(at(config, "context_dir"), file);
  const entries: JsonObject[] = [];
  for (const part of mappingList(at(config, "expected_files"), file)) {
    const found = await expectedFile(part, folder, file);
    if (found !== undefined) entries.push(found);
  }
  const options = { type: "diff", expected_files: entries };
  return checking(entry, { options, keys: ["expected_files"] }, file);
};

async function expectedFile(
  part: Part,
  folder: string | undefined,
  file: WazaEval,
): Promise<JsonObject | undefined> {
  mappingOf(
    part,
    { known: ["path", "snapshot", "contains"], what: "an entry of expected_files" },
    file,
  );
  const path = fullText(at(part, "path"), file);
  const contains = [...textList(at(part, "contains"), file)];
  const named = at(part, "snapshot");
  if (path === undefined) return undefined;
  if (!isGiven(named) && contains.length === 0) {
    const found = { grader: path, keys: ["snapshot", "contains"] };
    return file.refuse(problem("waza_check_empty", found, placeOf(part)));
  }
  const snapshot = isGiven(named) ? await readSnapshot(named, folder, file) : {};
  return snapshot && { path, ...snapshot, ...(contains.length > 0 && { contains }) };
}

/** Reads a snapshot as text. For other files a manifest can check the hash. */
async function readSnapshot(
  part: Part,
  folder: string | undefined,
  file: WazaEval,
): Promise<JsonObject | undefined> {
  const written = textOf(part) ?? "";
  const path = folder === undefined || isAbsolute(written) ? written : `${folder}/${written}`;
  const found = await readBeside(part, path, file);
  if (found === undefined) return undefined;
  const sha256 = createHash("sha256").update(found.text).digest("hex");
  return { snapshot: written, sha256 };
}

import { isJsonObject, type Json, type JsonObject } from "../domain/json.ts";
import { programRefusedReasons, type ProgramFile, type ProgramRefused } from "../domain/ports.ts";

/** What became of a load. */
export type Loaded =
  | { readonly kind: "ready"; readonly files: readonly ProgramFile[] }
  | { readonly kind: "refused"; readonly refused: ProgramRefused }
  | { readonly kind: "died"; readonly reason: string };

/** The host's answer to its load frame; undefined where it is none. */
export function readLoaded(frame: JsonObject | undefined, key: string): Loaded | undefined {
  if (frame?.["key"] !== key) return undefined;
  if (frame["type"] === "ready") {
    const files = readFiles(frame["files"]);
    return files && { kind: "ready", files };
  }
  const reason = programRefusedReasons.find((known) => known === frame["reason"]);
  const message = textOf(frame["message"]);
  if (frame["type"] !== "refused" || reason === undefined || message === undefined)
    return undefined;
  const line = numberOf(frame["line"]);
  const column = numberOf(frame["column"]);
  const text = textOf(frame["text"]);
  const traceback = textOf(frame["traceback"]);
  return { kind: "refused", refused: { reason, message, line, column, text, traceback } };
}

function readFiles(value: Json | undefined): readonly ProgramFile[] | undefined {
  if (!isList(value)) return undefined;
  const files = value.map((entry) => {
    if (!isJsonObject(entry)) return undefined;
    const path = textOf(entry["path"]);
    const sha256 = textOf(entry["sha256"]);
    return path === undefined || sha256 === undefined ? undefined : { path, sha256 };
  });
  return files.every((file) => file !== undefined) ? files : undefined;
}

function isList(value: Json | undefined): value is readonly Json[] {
  return Array.isArray(value);
}

function textOf(value: Json | undefined): string | undefined {
  return typeof value === "string" ? value : undefined;
}

function numberOf(value: Json | undefined): number | undefined {
  return typeof value === "number" && value >= 1 ? value : undefined;
}

import { type Json, type JsonObject, jsonIn } from "../json.ts";

/** Values of flags and inputs that replace the manifest's; `run.json` records them. */
export interface Overrides {
  /** Candidates that replace all that the manifest declares. */
  readonly models?: readonly string[];
  readonly judge_model?: string;
  readonly embedding_model?: string;
  readonly concurrency?: number | "auto";
  /** Settings of model calls, for all candidates; a key of several parts, such as `reasoning.effort`, sets one within. */
  readonly generation?: JsonObject;
}

/** A number from `1` to `25`, or `auto`; undefined for any other text. */
export function readConcurrency(text: string): Overrides["concurrency"] {
  if (text === "auto") return text;
  const count = Number(text);
  return /^[0-9]+$/.test(text) && count >= 1 && count <= 25 ? count : undefined;
}

/**
 * Reads `KEY=VALUE`; undefined for any other text. A value that is JSON (a number, true, a list) is read as JSON, any
 * other as text.
 */
export function readSetting(text: string): readonly [key: string, value: Json] | undefined {
  const at = text.indexOf("=");
  const key = text.slice(0, Math.max(at, 0));
  if (!/^[A-Za-z][\w-]*(\.[\w-]+)*$/.test(key)) return undefined;
  return [key, valueOf(text.slice(at + 1))];
}

function valueOf(text: string): Json {
  const value = jsonIn(text);
  return value === undefined ? text : value;
}

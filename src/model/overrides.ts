import { type Json, type JsonObject, jsonIn } from "./json.ts";

/** Values of flags and inputs that replace the manifest's; `run.json` records them. */
export interface Overrides {
  /** Candidates, in the place of all that the manifest declares. */
  readonly models?: readonly string[];
  readonly judge_model?: string;
  readonly embedding_model?: string;
  readonly concurrency?: number | "auto";
  /** Settings of model calls, for all candidates; a key of several parts, such as `reasoning.effort`, sets one within. */
  readonly generation?: JsonObject;
}

/** `1` to `25`, or `auto`; undefined: something else. */
export function readConcurrency(text: string): Overrides["concurrency"] {
  if (text === "auto") return text;
  const count = Number(text);
  return /^[0-9]+$/.test(text) && count >= 1 && count <= 25 ? count : undefined;
}

/**
 * `KEY=VALUE`; undefined: something else. A value that is JSON is taken as that: a number, true, a list. Any other is a text.
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

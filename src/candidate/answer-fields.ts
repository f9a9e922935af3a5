import { isJsonObject, numberText, type Json, type JsonObject } from "../model/json.ts";
import type { Usage } from "../model/outcomes/sample.ts";
import { callsTools, readToolCalls, type Transcript } from "../model/models/transcript.ts";

/** The entries of a transcript that are objects; null if there is no transcript. */
function readTranscript(transcript: Json | undefined): Transcript | null {
  return Array.isArray(transcript) ? transcript.filter(isJsonObject) : null;
}

/**
 * The transcript of a line. The calls of `tool_calls` are added unless the transcript has calls already, which are then
 * the same ones. undefined: the calls can't be read.
 */
export function transcriptWithCalls(line: JsonObject): Transcript | null | undefined {
  const transcript = readTranscript(line["transcript"]);
  const calls = readToolCalls(line["tool_calls"]);
  if (calls === undefined) return undefined;
  if (calls.length === 0 || callsTools(transcript)) return transcript;
  return [...(transcript ?? []), ...calls];
}

export const toolCallsWords =
  "'tool_calls' is no list of {name, arguments}, or of the calls of Chat Completions";

/**
 * Reads usage; null if a token count is missing. The price may be missing. A program may hand on what its provider
 * reported: the names of Chat Completions count too, and both APIs' details.
 */
export function readUsage(usage: Json | undefined): Usage | null {
  if (!isJsonObject(usage)) return null;
  const input = tokens(usage["input_tokens"]) ?? tokens(usage["prompt_tokens"]);
  const output = tokens(usage["output_tokens"]) ?? tokens(usage["completion_tokens"]);
  if (input === undefined || output === undefined) return null;
  const [read, written] = [
    detailsOf(usage, "input", "prompt"),
    detailsOf(usage, "output", "completion"),
  ];
  return {
    input_tokens: input,
    output_tokens: output,
    cached_tokens: tokens(usage["cached_tokens"]) ?? tokens(read["cached_tokens"]) ?? 0,
    reasoning_tokens: tokens(usage["reasoning_tokens"]) ?? tokens(written["reasoning_tokens"]) ?? 0,
    usd: amount(usage["usd"]) ?? null,
  };
}

function detailsOf(usage: JsonObject, ...sides: readonly string[]): JsonObject {
  return sides.map((side) => usage[`${side}_tokens_details`]).find(isJsonObject) ?? {};
}

/** A text, or a number in its original spelling. */
export function textField(value: Json | undefined): string | undefined {
  return typeof value === "string" ? value : numberText(value);
}

function tokens(value: Json | undefined): number | undefined {
  const number = amount(value);
  return Number.isSafeInteger(number) ? number : undefined;
}

function amount(value: Json | undefined): number | undefined {
  const number = Number(numberText(value) ?? Number.NaN);
  return Number.isFinite(number) && number >= 0 ? number : undefined;
}

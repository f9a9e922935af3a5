import { cutText } from "../base/cut-text.ts";
import { isJsonObject, type Json, type JsonObject } from "../model/json.ts";
import type { ModelCallRecord, Usage } from "../model/outcomes/sample.ts";

/** A finished call, with its response or error. */
export interface MadeCall {
  readonly helper: ModelCallRecord["helper"];
  readonly model: string;
  readonly request: JsonObject;
  readonly response: JsonObject | undefined;
  readonly error: string | null;
  readonly usage: Usage | null;
  readonly latencyMs: number | null;
}

/** Limit in characters of a recorded request or answer. */
const mostCharacters = 16_000;
/** Characters that the records of one sample keep; later ones are cut to `fewCharacters`. */
const mostOfSample = 400_000;
const fewCharacters = 500;
/** Limit of one text in a request that is too long as a whole. */
const mostOfText = 2000;

/**
 * The records of one execution. Texts are cut, so that a sample's line stays bounded however many and long the calls
 * are.
 */
export function recordCalls(calls: readonly MadeCall[]): readonly ModelCallRecord[] {
  let kept = 0;
  return calls.map((call) => {
    const room = kept < mostOfSample ? mostCharacters : fewCharacters;
    const record = recordOf(call, room);
    kept += JSON.stringify(record).length;
    return record;
  });
}

function recordOf(call: MadeCall, room: number): ModelCallRecord {
  const { id, output_text: text } = call.response ?? {};
  return {
    helper: call.helper,
    model: shortened(call.model, 200),
    request: cutRequest(call.request, room),
    response_id: typeof id === "string" ? shortened(id, 200) : null,
    output_text: typeof text === "string" ? shortened(text, room) : null,
    error: call.error === null ? null : shortened(call.error, 2000),
    usage: call.usage,
    latency_ms: call.latencyMs,
  };
}

/**
 * Returns a short value unchanged. A longer one has its texts cut; if it is still too long, only the beginning of its
 * JSON is kept.
 */
export function cutRequest(request: JsonObject, room: number = mostCharacters): JsonObject {
  const json = JSON.stringify(request);
  if (json.length <= room) return request;
  const shorter = Object.fromEntries(
    Object.entries(request).map(([name, value]) => [name, cutTexts(value)]),
  );
  if (JSON.stringify(shorter).length <= room) return shorter;
  return { cut_json: shortened(json, room) };
}

function cutTexts(value: Json): Json {
  if (typeof value === "string") return shortened(value, mostOfText);
  if (Array.isArray(value)) return value.map(cutTexts);
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, cutTexts(each)]));
}

function shortened(text: string, characters: number): string {
  if (text.length <= characters) return text;
  return `${cutText(text, characters)}… (${text.length - characters} characters more)`;
}

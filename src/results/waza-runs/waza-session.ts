import { cutText } from "../../base/cut-text.ts";
import { isJsonObject, type Json, type JsonObject } from "../../model/json.ts";
import type { Transcript } from "../../model/models/transcript.ts";
import type { RecordReader } from "../record.ts";

/** Limits of an agent's recorded work: later entries, and the rest of longer texts, are left out. */
const mostEntries = 2000;
const longestText = 16_384;

/**
 * An agent's work, from the most exact of the four places where versions of waza write it: `tool_events`, `transcript`,
 * `session_digest.tool_calls`, and the names alone. undefined: the run has none of them.
 */
export function transcriptOf(record: RecordReader): Transcript | undefined {
  const entries = [
    () => objectsIn(record.value("tool_events")).flatMap(eventEntries),
    () => objectsIn(record.value("transcript")).flatMap(spokenEntries),
    () => objectsIn(record.value("session_digest.tool_calls")).flatMap(callEntries),
    () => namesIn(record.value("session_digest.tools_used")).map(namedCall),
  ];
  let found: Transcript = [];
  for (const read of entries) {
    found = read();
    if (found.some(({ type }) => type === "tool_call")) break;
  }
  const end = endOf(record);
  if (found.length === 0 && end === undefined) return undefined;
  // Without an end entry the agent's turns stay unmeasured: calls alone don't tell their number.
  return [...found.slice(0, mostEntries), ...(end === undefined ? [] : [end])];
}

/** `usage` as waza writes it, which has more figures than tokens. */
function endOf(record: RecordReader): JsonObject | undefined {
  const usage = [record.value("usage"), record.value("session_digest.usage")].find(isJsonObject);
  const { turns = record.value("session_digest.total_turns") } = usage ?? {};
  if (usage === undefined && typeof turns !== "number") return undefined;
  const more = ["cache_write_tokens", "premium_requests"].flatMap((key) => {
    const figure = usage?.[key];
    return typeof figure === "number" && figure !== 0 ? [[key, figure] as const] : [];
  });
  return {
    type: "end",
    reason: "done",
    ...(typeof turns === "number" && { turns }),
    ...Object.fromEntries(more),
  };
}

function eventEntries(event: JsonObject, index: number): Transcript {
  const { tool_call_id: given, tool_name: name, args = {}, result, success, error } = event;
  if (typeof name !== "string") return [];
  const id = typeof given === "string" ? given : `event ${index + 1}`;
  return called({ id, name, given: args, result: result ?? error, success });
}

/** Reads an event of the Copilot SDK. The first message is the prompt, and the last one the answer. */
function spokenEntries(event: JsonObject): Transcript {
  const { type, tool_call_id: id = null, tool_name: name, tool_result: result } = event;
  // The agent announces its next step by calling report_intent; waza leaves these calls out.
  if (type === "tool.execution_start" && typeof name === "string" && name !== "report_intent")
    return callOf(id, name, event["arguments"] ?? {});
  if (type === "tool.execution_complete") return [resultOf(id, result, event["success"])];
  if (type !== "session.error") return [];
  return [{ type: "error", message: textIn(event["message"] ?? event["content"] ?? "") }];
}

function callEntries(call: JsonObject, index: number): Transcript {
  const { name, arguments: given = {}, result, success } = call;
  if (typeof name !== "string") return [];
  return called({ id: `call ${index + 1}`, name, given, result, success });
}

function namedCall(name: string, index: number): JsonObject {
  return { type: "tool_call", id: `call ${index + 1}`, name, arguments: {} };
}

interface Called {
  readonly id: Json;
  readonly name: string;
  readonly given: Json;
  readonly result: Json | undefined;
  readonly success: Json | undefined;
}

function called({ id, name, given, result, success }: Called): Transcript {
  const calls = callOf(id, name, given);
  return result === undefined && success === undefined
    ? calls
    : [...calls, resultOf(id, result, success)];
}

function callOf(id: Json, name: string, given: Json): Transcript {
  const call = { type: "tool_call", id, name, arguments: argumentsOf(given) };
  const skill = name === "skill" && isJsonObject(given) ? given["skill"] : undefined;
  return typeof skill === "string" ? [call, { type: "skill", name: skill }] : [call];
}

const emptyArguments = ["path", "file_text", "command", "description", "skill"];

/** waza 0.12 writes five arguments for each call, empty where the call has none. */
function argumentsOf(given: Json): Json {
  if (!isJsonObject(given)) return given;
  return Object.fromEntries(
    Object.entries(given)
      .filter(([key, value]) => value !== "" || !emptyArguments.includes(key))
      .map(([key, value]) => [
        key,
        typeof value === "string" ? cutText(value, longestText) : value,
      ]),
  );
}

function resultOf(id: Json, result: Json | undefined, success: Json | undefined): JsonObject {
  const content = isJsonObject(result) ? (result["content"] ?? result) : (result ?? null);
  return {
    type: "tool_result",
    id,
    output: content === null ? null : textIn(content),
    ...(success === false && { is_error: true }),
  };
}

function textIn(value: Json): string {
  return cutText(typeof value === "string" ? value : JSON.stringify(value), longestText);
}

function objectsIn(value: Json | undefined): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter(isJsonObject).slice(0, mostEntries) : [];
}

function namesIn(value: Json | undefined): readonly string[] {
  const names = Array.isArray(value) ? value : [];
  return names.filter((each) => typeof each === "string").slice(0, mostEntries);
}

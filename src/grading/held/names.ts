import { ownValue } from "../../model/own-value.ts";
import { isJsonObject, type Json, type JsonObject } from "../../model/json.ts";
import type { GraderSample } from "../../model/outcomes/sample.ts";

/** Arguments that every call has in older versions: an empty text where the tool has no argument of that name. */
const usualArguments = { path: "", file_text: "", command: "", description: "", skill: "" };

/**
 * The parts of a sample that assertions and programs see: `output`, `outcome`, `transcript`, `tool_calls`, `errors` and
 * `duration_ms`. The same in Python: python/regrade/graders/code_names.py.
 */
export function assertionNames(sample: GraderSample): JsonObject {
  const transcript = objectsIn(sample["transcript"]).filter(isEvent).map(eventOf);
  const duration = sample["latency_ms"];
  return {
    output: sample.output_text,
    outcome: {},
    transcript,
    tool_calls: objectsIn(sample["tool_calls"]).map(callOf),
    errors: transcript.filter(isError),
    duration_ms: typeof duration === "number" ? duration : 0,
  };
}

function objectsIn(value: Json | undefined): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}

/** Regrade itself adds the first and the last entry: the agent did not report them. */
function isEvent({ type }: JsonObject): boolean {
  return type !== "session" && type !== "end";
}

function isError({ type = "", content = "" }: JsonObject): boolean {
  return hasError(type) || hasError(content);
}

function hasError(value: Json): boolean {
  return (typeof value === "string" ? value : JSON.stringify(value)).includes("error");
}

function callOf(call: JsonObject): JsonObject {
  const { name = "", arguments: given, result = null, is_error } = call;
  return {
    name,
    arguments: { ...usualArguments, ...(isJsonObject(given) ? given : {}) },
    ...(result !== null && { result: { content: result } }),
    success: result !== null && is_error !== true,
  };
}

/** Entries of other kinds stay as they are. */
function eventOf(entry: JsonObject): JsonObject {
  const { type } = entry;
  const event = typeof type === "string" ? ownValue(events, type) : undefined;
  return event?.(entry) ?? entry;
}

const events: Readonly<Record<string, (entry: JsonObject) => JsonObject>> = {
  message: ({ role = null, text = "" }) => ({
    type: `${role === "user" ? "user" : "assistant"}.message`,
    content: text,
  }),
  tool_call: ({ id = null, name = "", arguments: given = null }) => ({
    type: "tool.execution_start",
    tool_call_id: id,
    tool_name: name,
    arguments: given,
  }),
  tool_result: ({ id = null, is_error = false, output = null }) => ({
    type: "tool.execution_complete",
    tool_call_id: id,
    success: is_error !== true,
    tool_result: { content: output },
  }),
  skill: ({ name = "" }) => ({ type: "skill.invoked", content: name }),
  error: ({ message = "" }) => ({ type: "session.error", message }),
};

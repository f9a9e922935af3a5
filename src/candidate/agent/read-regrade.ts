import { nearest } from "../../base/nearest.ts";
import type { JsonObject } from "../../model/json.ts";
import { readUsage } from "../answer-fields.ts";
import type { Transcript } from "../../model/models/transcript.ts";
import { wholeIn, serverOf, wordsIn } from "./fields.ts";
import type { EventReader, ReportedFailure } from "./runtime.ts";

/** Types of entries that are copied into the transcript unchanged. */
const plain = new Set(["tool_result", "message", "reasoning", "commentary", "skill", "session"]);
const known = new Set([...plain, "tool_call", "answer", "error", "end"]);
/** Letters of the shortest unknown type that may be a misspelt one: `send` is no `end`. */
const fewestLetters = 5;

/**
 * Reads the lines of the user's own agent (`events: regrade`): transcript entries, an `error` with its provider's
 * `status`, and `{"type": "answer", "output_text", "usage"}`. Without such an answer, the assistant's last message is
 * the answer.
 */
export const readRegrade: EventReader = {
  entriesOf: (event) => {
    const { type } = event;
    if (type === "tool_call") return [callOf(event)];
    if (type === "end") return [];
    if (type === "answer") return saidIn(event);
    if (type === "error") return [{ ...event, message: wordsIn(event, "message") ?? "an error" }];
    return typeof type === "string" && plain.has(type) ? [event] : undefined;
  },
  endOf: (events) => {
    const answer = events.findLast(({ type }) => type === "answer");
    const end = events.findLast(({ type }) => type === "end");
    const said = events.findLast(({ type, role }) => type === "message" && role === "assistant");
    const outputText =
      (answer && wordsIn(answer, "output_text")) ?? (said && wordsIn(said, "text"));
    const failure = failureOf(end, events.at(-1)) ?? misspeltIn(events);
    const turns = end && wholeIn(end, "turns");
    return {
      outputText: failure === undefined ? outputText : undefined,
      usage: readUsage(answer?.["usage"] ?? end?.["usage"]),
      ...(turns !== undefined && { turns }),
      ...(failure && { failure }),
    };
  },
};

/** The message of an answer, which counts as a turn. */
function saidIn(answer: JsonObject): Transcript {
  const text = wordsIn(answer, "output_text");
  return text === undefined ? [] : [{ type: "message", role: "assistant", text }];
}

function callOf(event: JsonObject): JsonObject {
  const name = wordsIn(event, "name") ?? "";
  return { ...serverOf(name), arguments: {}, ...event, name };
}

/** The failure of the run. An error ends the run only if it is the last event. */
function failureOf(
  end: JsonObject | undefined,
  last: JsonObject | undefined,
): ReportedFailure | undefined {
  const reason = end && wordsIn(end, "reason");
  if (reason === "max_turns" || reason === "refused") {
    const words = reason === "max_turns" ? "it came to its turn limit" : "it refused";
    return { reason, message: (end && wordsIn(end, "message")) ?? words };
  }
  if (last?.["type"] !== "error") return undefined;
  const message = wordsIn(last, "message") ?? "an error";
  const status = wholeIn(last, "status");
  if (status === undefined) return { reason: "error", message };
  return { reason: "api", status, message };
}

/** A failure for an event of a misspelt type: what the agent did would be missing from the transcript, and from its metrics. */
function misspeltIn(events: readonly JsonObject[]): ReportedFailure | undefined {
  for (const event of events) {
    const type = wordsIn(event, "type") ?? "";
    if (known.has(type) || type.length < fewestLetters) continue;
    const meant = nearest(type, known);
    if (meant === undefined) continue;
    const message = `it wrote an event of the unknown type '${type}': write '${meant}' (docs/agents.md lists the types)`;
    return { reason: "error", message };
  }
  return undefined;
}

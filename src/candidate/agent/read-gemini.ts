import { isJsonObject, type JsonObject } from "../../model/json.ts";
import type { Usage } from "../../model/outcomes/sample.ts";
import type { Transcript } from "../../model/models/transcript.ts";
import { nestedIn, outputText, serverTool, wholeIn, wordsIn } from "./fields.ts";
import type { EventReader, ReportedFailure } from "./runtime.ts";

/** Reads `gemini -o stream-json`, in which an answer comes in pieces. */
export const readGemini: EventReader = {
  entriesOf: (event, servers) => {
    switch (wordsIn(event, "type") ?? "") {
      case "init": {
        const { model = null } = event;
        return [{ type: "session", runtime: "gemini", version: null, model }];
      }
      case "message":
        return saidEntries(event);
      case "tool_use":
        return callEntries(event, servers);
      case "tool_result":
        return [resultEntry(event)];
      case "error":
        return [{ type: "error", message: wordsIn(event, "message") ?? "" }];
      case "result":
        return [];
      default:
        return undefined;
    }
  },
  endOf: (events) => {
    const result = events.findLast(({ type }) => type === "result");
    const failure = result && failureOf(result);
    const isDone = result !== undefined && failure === undefined;
    return {
      outputText: isDone ? lastAnswer(events) : undefined,
      usage: usageOf(result),
      ...(failure && { failure }),
    };
  },
};

function saidEntries(event: JsonObject): Transcript {
  if (event["role"] !== "assistant") return [];
  const piece = event["delta"] === true ? { delta: true } : {};
  const text = wordsIn(event, "content") ?? "";
  return [{ type: "message", role: "assistant", text, ...piece }];
}

function callEntries(event: JsonObject, servers: readonly string[]): Transcript {
  const { tool_id: id = null, parameters: given = {} } = event;
  const name = wordsIn(event, "tool_name") ?? "";
  const server = servers.find((each) => name.startsWith(`mcp_${each}_`));
  const called =
    server === undefined ? { name } : serverTool(server, name.slice(`mcp_${server}_`.length));
  const call = { type: "tool_call", id, ...called, arguments: given };
  const isSkill = name === "activate_skill" && isJsonObject(given);
  const skill = isSkill ? wordsIn(given, "name") : undefined;
  return skill === undefined ? [call] : [call, { type: "skill", name: skill }];
}

/**
 * The entry of a tool's result. Gemini reports a failed shell command as a success, so the exit code is read from the
 * output.
 */
function resultEntry(event: JsonObject): JsonObject {
  const { tool_id: id = null, output = null } = event;
  const error = wordsIn(nestedIn(event, "error") ?? {}, "message");
  const text = output === null ? (error ?? "") : outputText(output);
  const failed = event["status"] === "error" || /^Exit Code: [1-9]/m.test(text);
  return { type: "tool_result", id, output: text, ...(failed && { is_error: true }) };
}

/** All text after the last tool call. */
function lastAnswer(events: readonly JsonObject[]): string {
  const last = events.findLastIndex(({ type }) => type === "tool_use" || type === "tool_result");
  const pieces = events
    .slice(last + 1)
    .filter(({ type, role }) => type === "message" && role === "assistant");
  return pieces.map((piece) => wordsIn(piece, "content") ?? "").join("");
}

function failureOf(result: JsonObject): ReportedFailure | undefined {
  if (result["status"] !== "error") return undefined;
  const error = nestedIn(result, "error") ?? {};
  const [type, message] = [wordsIn(error, "type") ?? "", wordsIn(error, "message") ?? "an error"];
  if (type === "FatalTurnLimitedError") return { reason: "max_turns", message };
  if (type === "FatalAuthenticationError") return { reason: "api", status: 401, message };
  const [, status] = /(?:"code":|\bstatus:? |API Error: )(\d{3})\b/.exec(message) ?? [];
  if (status !== undefined) return { reason: "api", status: Number(status), message };
  const isApi = /API Error|fetch failed|ECONN|network/i.test(message);
  return { reason: isApi ? "api" : "error", message };
}

function usageOf(result: JsonObject | undefined): Usage | null {
  const stats = result && nestedIn(result, "stats");
  if (stats === undefined) return null;
  const count = (key: string): number => wholeIn(stats, key) ?? 0;
  return {
    input_tokens: count("input_tokens"),
    output_tokens: count("output_tokens"),
    cached_tokens: count("cached"),
    reasoning_tokens: 0,
    usd: null,
  };
}

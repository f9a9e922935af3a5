import { isJsonObject, type Json, type JsonObject } from "../../model/json.ts";
import type { Usage } from "../../model/outcomes/sample.ts";
import type { Transcript } from "../../model/models/transcript.ts";
import { wholeIn, nestedIn, nestedList, outputText, serverOf, wordsIn } from "./fields.ts";
import type { EventReader, ReportedFailure } from "./runtime.ts";

/** Reads `claude -p --output-format stream-json --verbose`: each event is a message, or a part of one. */
export const readClaude: EventReader = {
  entriesOf: (event) => {
    switch (wordsIn(event, "type") ?? "") {
      case "system":
        return systemEntries(event);
      case "assistant":
        return contentOf(event).flatMap((part) => assistantEntries(part));
      case "user":
        return contentOf(event).flatMap((part) => resultEntries(part));
      case "result":
      case "rate_limit_event":
      case "stream_event":
        return [];
      default:
        return undefined;
    }
  },
  endOf: (events) => {
    const result = events.findLast(({ type }) => type === "result");
    if (result === undefined) return { outputText: undefined, usage: null };
    const failure = failureOf(result);
    const turns = wholeIn(result, "num_turns");
    return {
      outputText: failure === undefined ? wordsIn(result, "result") : undefined,
      usage: usageOf(result),
      ...(turns !== undefined && { turns }),
      ...(failure && { failure }),
    };
  },
};

/** Entries of system events. Hooks and progress are dropped, because they say nothing about the work. */
function systemEntries(event: JsonObject): Transcript {
  if (event["subtype"] !== "init") return [];
  const { model = null, tools = [], claude_code_version: version = null } = event;
  const servers = nestedList(event, "mcp_servers").map(({ name = null, status = null }) => ({
    name,
    status,
  }));
  return [{ type: "session", runtime: "claude-code", version, model, tools, mcp_servers: servers }];
}

function contentOf(event: JsonObject): readonly JsonObject[] {
  const message = nestedIn(event, "message");
  if (message === undefined) return [];
  const { content } = message;
  if (typeof content === "string") return [{ type: "text", text: content }];
  return nestedList(message, "content");
}

function assistantEntries(part: JsonObject): Transcript {
  switch (wordsIn(part, "type") ?? "") {
    case "text":
      return [{ type: "message", role: "assistant", text: wordsIn(part, "text") ?? "" }];
    case "thinking":
      return [{ type: "reasoning", text: wordsIn(part, "thinking") ?? "" }];
    case "tool_use":
      return callEntries(part);
    default:
      return [];
  }
}

function callEntries(part: JsonObject): Transcript {
  const { id = null, input = {} } = part;
  const name = wordsIn(part, "name") ?? "";
  const call = { type: "tool_call", id, name, arguments: input, ...serverOf(name) };
  const skill = name === "Skill" && isJsonObject(input) ? skillIn(input) : undefined;
  return skill === undefined ? [call] : [call, { type: "skill", name: skill }];
}

function skillIn(input: JsonObject): string | undefined {
  return wordsIn(input, "skill") ?? wordsIn(input, "command");
}

function resultEntries(part: JsonObject): Transcript {
  if (part["type"] !== "tool_result") return [];
  const { tool_use_id: id = null, content = null, is_error: failed } = part;
  const failure = failed === true ? { is_error: true } : {};
  return [{ type: "tool_result", id, output: outputText(content), ...failure }];
}

/** The failure that the result reports. `subtype` is "success" even for an answer that is the provider's error. */
function failureOf(result: JsonObject): ReportedFailure | undefined {
  const subtype = wordsIn(result, "subtype") ?? "";
  const message = wordsIn(result, "result") ?? errorsIn(result["errors"]) ?? subtype;
  if (subtype === "error_max_turns")
    return { reason: "max_turns", message: "it came to its turn limit" };
  if (result["is_error"] !== true && subtype === "success") return undefined;
  const status = wholeIn(result, "api_error_status") ?? statusIn(message);
  const isApi =
    status !== undefined || /^API Error|connection|Invalid API key|\/login/i.test(message);
  const reason = isApi ? "api" : "error";
  return { reason, message, ...(status !== undefined && { status }) };
}

function errorsIn(errors: Json | undefined): string | undefined {
  if (!Array.isArray(errors)) return undefined;
  const texts = errors.filter((each) => typeof each === "string");
  return texts.length === 0 ? undefined : texts.join("; ");
}

function statusIn(message: string): number | undefined {
  const [, status] = /^API Error:?\s*(\d{3})\b/.exec(message) ?? [];
  return status === undefined ? undefined : Number(status);
}

/** Usage of the run. Tokens read from and written to the provider's cache count as input, too. */
function usageOf(result: JsonObject): Usage | null {
  const usage = nestedIn(result, "usage");
  if (usage === undefined) return null;
  const count = (key: string): number => wholeIn(usage, key) ?? 0;
  const cached = count("cache_read_input_tokens");
  const { total_cost_usd: usd } = result;
  return {
    input_tokens: count("input_tokens") + cached + count("cache_creation_input_tokens"),
    output_tokens: count("output_tokens"),
    cached_tokens: cached,
    reasoning_tokens: 0,
    usd: typeof usd === "number" && usd >= 0 ? usd : null,
  };
}

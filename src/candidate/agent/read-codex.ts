import type { JsonObject } from "../../model/json.ts";
import type { Usage } from "../../model/outcomes/sample.ts";
import type { Transcript } from "../../model/models/transcript.ts";
import { nestedIn, outputText, serverTool, wholeIn, wordsIn } from "./fields.ts";
import type { EventReader, ReportedFailure } from "./runtime.ts";

/**
 * Reads `codex exec --json`: one event when an item begins, one when it ends. There is no event for a skill, because
 * Codex reads skills with its shell. A tool call is recorded together with its result.
 */
export const readCodex: EventReader = {
  entriesOf: (event) => {
    switch (wordsIn(event, "type") ?? "") {
      case "thread.started":
        return [{ type: "session", runtime: "codex", version: null, model: null }];
      case "item.completed":
        return itemEntries(nestedIn(event, "item") ?? {});
      case "error":
        return [{ type: "error", message: wordsIn(event, "message") ?? "" }];
      case "item.started":
      case "item.updated":
      case "turn.started":
      case "turn.completed":
      case "turn.failed":
        return [];
      default:
        return undefined;
    }
  },
  endOf: (events) => {
    const done = events.findLast(({ type }) => type === "turn.completed");
    const failed = events.findLast(({ type }) => type === "turn.failed");
    const failure = failed && failureOf(failed);
    const said = events.findLast((event) => isAnswer(event));
    return {
      outputText:
        done === undefined ? undefined : wordsIn(nestedIn(said ?? {}, "item") ?? {}, "text"),
      usage: usageOf(done),
      ...(failure && { failure }),
    };
  },
};

function isAnswer(event: JsonObject): boolean {
  const item = nestedIn(event, "item");
  return event["type"] === "item.completed" && item?.["type"] === "agent_message";
}

function itemEntries(item: JsonObject): Transcript | undefined {
  switch (wordsIn(item, "type") ?? "") {
    case "agent_message":
      return [{ type: "message", role: "assistant", text: wordsIn(item, "text") ?? "" }];
    case "reasoning":
      return [{ type: "reasoning", text: wordsIn(item, "text") ?? "" }];
    case "error":
      return [{ type: "error", message: wordsIn(item, "message") ?? "" }];
    case "mcp_tool_call":
      return serverCall(item);
    case "command_execution":
      return shellCall(item);
    case "file_change":
      return ownCall(item, "apply_patch", { changes: item["changes"] ?? [] });
    case "web_search":
      return ownCall(item, "web_search", { query: item["query"] ?? null });
    case "todo_list":
      return [];
    default:
      return undefined;
  }
}

function serverCall(item: JsonObject): Transcript {
  const { id = null, arguments: given = {}, error = null } = item;
  const called = serverTool(wordsIn(item, "server") ?? "", wordsIn(item, "tool") ?? "");
  const failed = error !== null || item["status"] === "failed";
  const content = nestedIn(item, "result")?.["content"] ?? null;
  const output = failed
    ? (wordsIn(nestedIn(item, "error") ?? {}, "message") ?? outputText(content))
    : outputText(content);
  return [
    { type: "tool_call", id, ...called, arguments: given },
    { type: "tool_result", id, output, ...(failed && { is_error: true }) },
  ];
}

/** Entries of a shell command. An exit code other than 0 means failure, whatever the status says. */
function shellCall(item: JsonObject): Transcript {
  const { id = null, command = null } = item;
  const output = wordsIn(item, "aggregated_output") ?? "";
  const code = item["exit_code"] ?? null;
  const failed = item["status"] !== "completed" || (code !== null && code !== 0);
  return [
    { type: "tool_call", id, name: "shell", arguments: { command } },
    { type: "tool_result", id, output, exit_code: code, ...(failed && { is_error: true }) },
  ];
}

function ownCall(item: JsonObject, name: string, given: JsonObject): Transcript {
  const { id = null } = item;
  const failed = item["status"] === "failed" ? { is_error: true } : {};
  return [
    { type: "tool_call", id, name, arguments: given },
    { type: "tool_result", id, output: "", ...failed },
  ];
}

/** The failure of a turn. The status appears only in the message. */
function failureOf(failed: JsonObject): ReportedFailure {
  const message = wordsIn(nestedIn(failed, "error") ?? {}, "message") ?? "the turn failed";
  const [, status] = /\bstatus:? (\d{3})\b/.exec(message) ?? [];
  const isBusy = /high demand|stream (?:disconnected|error)|error sending request|connection/i.test(
    message,
  );
  if (status === undefined && !isBusy) return { reason: "error", message };
  return { reason: "api", message, ...(status !== undefined && { status: Number(status) }) };
}

function usageOf(done: JsonObject | undefined): Usage | null {
  const usage = done && nestedIn(done, "usage");
  if (usage === undefined) return null;
  const count = (key: string): number => wholeIn(usage, key) ?? 0;
  return {
    input_tokens: count("input_tokens"),
    output_tokens: count("output_tokens"),
    cached_tokens: count("cached_input_tokens"),
    reasoning_tokens: count("reasoning_output_tokens"),
    usd: null,
  };
}

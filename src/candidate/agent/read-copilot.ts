import { isJsonObject, type JsonObject } from "../../model/json.ts";
import type { Usage } from "../../model/outcomes/sample.ts";
import type { Transcript } from "../../model/models/transcript.ts";
import { nestedIn, nestedList, outputText, serverTool, wholeIn, wordsIn } from "./fields.ts";
import type { EventReader, ReportedEnd, ReportedFailure } from "./runtime.ts";

/** Families of events without information about the work, besides the events that are read. */
const asides = /^(?:session|assistant|model|user|tool|hook|permission|subagent|skill)\./;

/** Reads `copilot --output-format json`. The tokens come from a separate file. */
export const readCopilot: EventReader = {
  entriesOf: (event) => {
    const type = wordsIn(event, "type") ?? "";
    const data = nestedIn(event, "data") ?? {};
    switch (type) {
      case "session.mcp_servers_loaded":
        return [sessionEntry(data)];
      case "assistant.message":
        return saidEntries(data);
      case "assistant.reasoning":
        return [{ type: "reasoning", text: wordsIn(data, "content") ?? "" }];
      case "tool.execution_start":
        return callEntries(data);
      case "tool.execution_complete":
        return [resultEntry(data)];
      case "session.error":
        return [{ type: "error", message: wordsIn(data, "message") ?? "" }];
      case "result":
        return [];
      default:
        return asides.test(type) ? [] : undefined;
    }
  },
  endOf: (events, aside) => {
    const result = events.findLast(({ type }) => type === "result");
    const failure = failureOf(events, result);
    const said = events.findLast((event) => isAnswer(event));
    const isDone = result !== undefined && failure === undefined;
    const end: ReportedEnd = {
      outputText: isDone ? wordsIn(nestedIn(said ?? {}, "data") ?? {}, "content") : undefined,
      usage: usageOf(aside),
      ...premiumPart(aside),
    };
    return failure === undefined ? end : { ...end, failure };
  },
};

function isAnswer(event: JsonObject): boolean {
  const data = nestedIn(event, "data");
  return event["type"] === "assistant.message" && wordsIn(data ?? {}, "content") !== "";
}

function sessionEntry(data: JsonObject): JsonObject {
  const servers = nestedList(data, "servers").flatMap(({ name = null, status = null }) =>
    status === "disabled" ? [] : [{ name, status }],
  );
  return { type: "session", runtime: "copilot", version: null, model: null, mcp_servers: servers };
}

function saidEntries(data: JsonObject): Transcript {
  const text = wordsIn(data, "content") ?? "";
  return text === "" ? [] : [{ type: "message", role: "assistant", text }];
}

function callEntries(data: JsonObject): Transcript {
  const { toolCallId: id = null, arguments: given = {} } = data;
  const name = wordsIn(data, "toolName") ?? "";
  const [server, tool] = [wordsIn(data, "mcpServerName"), wordsIn(data, "mcpToolName")];
  const called = server === undefined ? { name } : serverTool(server, tool ?? name);
  const call = { type: "tool_call", id, ...called, arguments: given };
  const skill = name === "skill" && isJsonObject(given) ? wordsIn(given, "skill") : undefined;
  return skill === undefined ? [call] : [call, { type: "skill", name: skill }];
}

function resultEntry(data: JsonObject): JsonObject {
  const { toolCallId: id = null } = data;
  const failed = data["success"] === false;
  const error = wordsIn(nestedIn(data, "error") ?? {}, "message");
  const content = nestedIn(data, "result")?.["content"] ?? null;
  const output = failed ? (error ?? outputText(content)) : outputText(content);
  return { type: "tool_result", id, output, ...(failed && { is_error: true }) };
}

function failureOf(
  events: readonly JsonObject[],
  result: JsonObject | undefined,
): ReportedFailure | undefined {
  const error = events.findLast(({ type }) => type === "session.error");
  const code = result && wholeIn(result, "exitCode");
  if (error === undefined || code === 0) return undefined;
  const data = nestedIn(error, "data") ?? {};
  const message = wordsIn(data, "message") ?? "an error of the session";
  const status = wholeIn(data, "statusCode");
  if (status === undefined) return { reason: "error", message };
  return { reason: "api", status, message };
}

/** Total usage of all models of the run. */
function usageOf(aside: JsonObject | undefined): Usage | null {
  const models = aside && nestedIn(aside, "modelMetrics");
  if (models === undefined) return null;
  const usages = Object.values(models).map((each) =>
    isJsonObject(each) ? nestedIn(each, "usage") : undefined,
  );
  const sum = (key: string): number =>
    usages.reduce((total, usage) => total + (wholeIn(usage ?? {}, key) ?? 0), 0);
  return {
    input_tokens: sum("inputTokens"),
    output_tokens: sum("outputTokens"),
    cached_tokens: sum("cacheReadTokens"),
    reasoning_tokens: 0,
    usd: null,
  };
}

/** Premium requests: the total, or else the sum over the models. */
function premiumPart(aside: JsonObject = {}): Pick<ReportedEnd, "premiumRequests"> {
  const total = aside["totalPremiumRequests"];
  if (typeof total === "number") return { premiumRequests: total };
  const costs = Object.values(nestedIn(aside, "modelMetrics") ?? {}).flatMap((each) => {
    const cost = isJsonObject(each) ? nestedIn(each, "requests")?.["cost"] : undefined;
    return typeof cost === "number" ? [cost] : [];
  });
  if (costs.length === 0) return {};
  return { premiumRequests: costs.reduce((sum, cost) => sum + cost, 0) };
}

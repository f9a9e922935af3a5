import type { AgentSpec, ToolKind } from "../../model/models/agent.ts";
import type { JsonObject } from "../../model/json.ts";
import type { Transcript } from "../../model/models/transcript.ts";
import { nestedList, wordsIn } from "./fields.ts";
import type { AgentOutcome } from "./runtime.ts";

/**
 * Checks that the calls that `require` names were made. An answer without them (because a server was down, for example)
 * says nothing about the agent: it is retried, then ungraded. A failure remains a failure.
 */
export function requireCalls(
  outcome: AgentOutcome,
  transcript: Transcript,
  { tool_use: use, tool_success: success }: AgentSpec["require"],
): AgentOutcome {
  if (outcome.kind !== "answered") return outcome;
  const servers = serverWords(transcript);
  if (use !== undefined && callsOf(transcript, use).length === 0)
    return unmet(use, "not_used", `it called no ${toolWords(use)} (require.tool_use)${servers}`);
  if (success === undefined) return outcome;
  const calls = callsOf(transcript, success);
  if (calls.some((call) => hasSucceeded(call, transcript))) return outcome;
  const words = `none of its calls of a ${toolWords(success)} succeeded (require.tool_success)`;
  return unmet(success, "failed", words + firstError(calls, transcript) + servers);
}

function unmet(kind: ToolKind, what: "not_used" | "failed", message: string): AgentOutcome {
  const type = `${kind === "mcp" ? "mcp" : "tool"}_${what}`;
  return { kind: "unavailable", type, message };
}

function toolWords(kind: ToolKind): string {
  return kind === "mcp" ? "tool of a server" : "tool";
}

function callsOf(transcript: Transcript, kind: ToolKind): readonly JsonObject[] {
  return transcript.filter(
    ({ type, server }) => type === "tool_call" && (kind === "any" || server !== undefined),
  );
}

function resultOf({ id }: JsonObject, transcript: Transcript): JsonObject | undefined {
  return transcript.find((entry) => entry["type"] === "tool_result" && entry["id"] === id);
}

function hasSucceeded(call: JsonObject, transcript: Transcript): boolean {
  const result = resultOf(call, transcript);
  return result !== undefined && result["is_error"] !== true;
}

function firstError(calls: readonly JsonObject[], transcript: Transcript): string {
  const [first] = calls.flatMap((call) => {
    const result = resultOf(call, transcript);
    return result === undefined ? [] : [wordsIn(result, "output") ?? ""];
  });
  return first === undefined ? "" : `: ${first.slice(0, 300)}`;
}

/** Names the servers that were not connected, according to the agent's session event. */
function serverWords(transcript: Transcript): string {
  const session = transcript.findLast(({ type }) => type === "session");
  const lost = (session === undefined ? [] : nestedList(session, "mcp_servers")).filter(
    (server) => wordsIn(server, "status") !== "connected",
  );
  if (lost.length === 0) return "";
  const words = lost.map(
    (server) =>
      `${wordsIn(server, "name") ?? "one"} is ${wordsIn(server, "status") ?? "not known"}`,
  );
  return `; of its servers ${words.join(", ")}`;
}

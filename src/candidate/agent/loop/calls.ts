import { isJsonObject, type JsonObject } from "../../../model/json.ts";
import type { MessageCall } from "../../../model/models/message.ts";
import { parseArguments } from "../../../model/models/transcript.ts";
import { shortList, type OfferedTool } from "./offer.ts";
import { textOfParts } from "./tool-text.ts";

/** Limit of the calls in one answer: a model that makes more is out of control. */
const mostCalls = 64;

/** A call with its tool, if there is one of that name. */
export interface PlannedCall {
  readonly call: MessageCall;
  readonly tool: OfferedTool | undefined;
}

/** The result of a call, for the model and the transcript. */
export interface CallEnd {
  readonly call: MessageCall;
  readonly output: string;
  readonly isError: boolean;
}

interface Calling {
  readonly offered: readonly OfferedTool[];
  readonly timeoutOf: (server: string) => number;
  readonly signal: AbortSignal;
  readonly cut: (text: string) => string;
}

/** Runs the calls of one answer side by side. The model is told of every failure, and may continue. */
export async function runCalls(
  calls: readonly PlannedCall[],
  calling: Calling,
): Promise<readonly CallEnd[]> {
  const ends = await Promise.all(
    calls.map(async (planned, i) =>
      i < mostCalls
        ? runCall(planned, calling)
        : failedCall(planned.call, `only the first ${mostCalls} calls of an answer are run`),
    ),
  );
  return ends.map((end) => Object.assign(end, { output: calling.cut(end.output) }));
}

/** The transcript's entry for a call, with the tool's full name and parsed arguments. */
export function callEntry({ call, tool }: PlannedCall): JsonObject {
  const given = readArguments(call);
  return {
    type: "tool_call",
    id: call.id,
    name: tool?.fullName ?? call.name,
    arguments: given ?? call.arguments,
    ...(tool && { server: tool.server }),
  };
}

/** The transcript's entry for the result of a call. */
export function resultEntry({ call, output, isError }: CallEnd): JsonObject {
  return { type: "tool_result", id: call.id, output, ...(isError && { is_error: true }) };
}

async function runCall(
  { call, tool }: PlannedCall,
  { offered, timeoutOf, signal }: Calling,
): Promise<CallEnd> {
  if (tool === undefined) {
    const names = offered.map(({ name }) => name);
    const there = names.length === 0 ? "there are no tools" : `the tools are ${shortList(names)}`;
    return failedCall(call, `there is no tool '${call.name.slice(0, 200)}': ${there}`);
  }
  const given = readArguments(call);
  if (given === undefined) return failedCall(call, "the arguments are not a JSON object");
  const timeoutSeconds = timeoutOf(tool.server);
  const end = await tool.call({ tool: tool.tool, arguments: given, timeoutSeconds, signal });
  if (end.kind === "failed") return failedCall(call, end.message);
  return { call, output: textOfParts(end.content), isError: end.isError };
}

function failedCall(call: MessageCall, message: string): CallEnd {
  return { call, output: `Error: ${message}`, isError: true };
}

/**
 * Parses a call's arguments; undefined if they are no JSON object. Some models send an empty text for a tool without
 * parameters.
 */
function readArguments({ arguments: given }: MessageCall): JsonObject | undefined {
  if (given.trim() === "") return {};
  const parsed = parseArguments(given);
  return isJsonObject(parsed) ? parsed : undefined;
}

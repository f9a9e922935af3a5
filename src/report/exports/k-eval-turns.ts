import type { Json, JsonObject } from "../../model/json.ts";
import type { Sample } from "../../model/outcomes/sample.ts";

/** A turn of an agent as k-eval counts them: a message, or the tools that ended together. */
type Turn =
  | { readonly kind: "said"; readonly text: string }
  | { readonly kind: "tools"; readonly calls: readonly ToolUse[] };

interface ToolUse {
  readonly call: JsonObject;
  /** undefined if the agent ended before the tool did. */
  readonly result: JsonObject | undefined;
}

/** The turns of an agent's sample, with the answer last; a sample without a transcript has none. */
export function agentTurns({
  transcript,
  output_text: answer,
}: Pick<Sample, "transcript" | "output_text">): readonly Turn[] {
  if (transcript === null || transcript.length === 0) return [];
  const turns: Turn[] = [];
  const open = new Map<Json, JsonObject>();
  for (const entry of transcript) {
    const { type, id = null } = entry;
    if (type === "message" && entry["role"] === "assistant")
      turns.push({ kind: "said", text: textOf(entry["text"]) });
    if (type === "tool_call") open.set(id, entry);
    const call = type === "tool_result" ? open.get(id) : undefined;
    if (call === undefined) continue;
    open.delete(id);
    addTools(turns, [{ call, result: entry }]);
  }
  if (answer !== null) turns.push({ kind: "said", text: answer });
  const cut = [...open.values()].map((call) => ({ call, result: undefined }));
  return cut.length === 0 ? turns : [...turns, { kind: "tools", calls: cut }];
}

/** Tools that end directly after each other are one turn. */
function addTools(turns: Turn[], calls: readonly ToolUse[]): void {
  const last = turns.at(-1);
  if (last?.kind === "tools") turns.splice(-1, 1, { ...last, calls: [...last.calls, ...calls] });
  else turns.push({ kind: "tools", calls });
}

/** All messages of the agent before its answer, as one text. */
export function reasoningTrace(sample: Sample): string {
  const said = agentTurns(sample).flatMap((turn) => (turn.kind === "said" ? [turn.text] : []));
  return said
    .slice(0, -1)
    .filter((text) => text !== "")
    .join(" ");
}

/** The entries of `answer_attribution` for one repetition. */
export function attributions(sample: Sample): readonly Json[] {
  const turns = agentTurns(sample);
  const last = turns.findLastIndex(({ kind }) => kind === "said");
  return turns.flatMap((turn, i): readonly Json[] => {
    const place = { repetition_index: sample.repeat, turn_idx: i };
    if (turn.kind === "tools") return turn.calls.map((use) => toolAttribution(use, place));
    return [
      {
        ...place,
        source: "agent_reasoning",
        extracted_value: turn.text,
        extraction_method: "text_generation",
        is_terminal: i === last,
      },
    ];
  });
}

function toolAttribution({ call, result }: ToolUse, place: JsonObject): JsonObject {
  const output = result?.["output"] ?? null;
  return {
    ...place,
    source: "mcp_tool",
    extracted_value: output === null ? "" : textOf(output),
    extraction_method: "tool_call",
    is_terminal: false,
    tool_name: textOf(call["name"]),
    tool_input: call["arguments"] ?? {},
    tool_error: result === undefined || result["is_error"] === true,
    duration_ms: result?.["duration_ms"] ?? null,
  };
}

function textOf(value: Json | undefined): string {
  return typeof value === "string" ? value : JSON.stringify(value ?? null);
}

/** The number of turns that the agent reported; null if it did not. */
export function turnCount({ transcript }: Sample): number | null {
  const end = transcript?.findLast(({ type }) => type === "end");
  const turns = end?.["turns"];
  return typeof turns === "number" ? turns : null;
}

import { type JsonObject, numberText } from "../json.ts";
import { toolCallsOf, type ToolCall, type Transcript } from "./transcript.ts";

/** An agent's activity before its answer. */
interface Session {
  readonly toolCalls: readonly ToolCall[];
  readonly skills: readonly string[];
  /** Number of the model's answers: each is followed by tool results or by the user's next message. */
  readonly turns: number;
  /** undefined if unknown. */
  readonly durationMs: number | undefined;
}

/** Pure: the same transcript always gives the same session. */
export function sessionOf(transcript: Transcript): Session {
  const toolCalls = toolCallsOf(transcript);
  const counter = createTurnCounter();
  for (const entry of transcript) counter.add(entry);
  const end = transcript.findLast(({ type }) => type === "end");
  return {
    toolCalls,
    skills: textsOf(transcript, "skill", "name"),
    turns: figureIn(end, "turns") ?? counter.turns(),
    durationMs: figureIn(end, "duration_ms"),
  };
}

/** Whether the transcript records an agent until its end, so that its turns can be counted. */
export function isAgentic(transcript: Transcript | null): transcript is Transcript {
  return transcript?.some(({ type }) => type === "end") === true;
}

/** Counts a model's answers as entries arrive. */
export function createTurnCounter(): {
  readonly add: (entry: JsonObject) => void;
  readonly turns: () => number;
} {
  let turns = 0;
  let isOwn = false;
  return {
    add: ({ type, role }) => {
      const starts = type === "tool_call" || (type === "message" && role === "assistant");
      if (starts && !isOwn) turns += 1;
      if (starts || type === "tool_result" || type === "message") isOwn = starts;
    },
    turns: () => turns,
  };
}

function textsOf(transcript: Transcript, kind: string, key: string): readonly string[] {
  return transcript.flatMap(({ type, [key]: text }) =>
    type === kind && typeof text === "string" ? [text] : [],
  );
}

/** Reads a number of an entry by its value, because Python writes 3 as 3.0. undefined if there is no number. */
export function figureIn(entry: JsonObject | undefined, key: string): number | undefined {
  const number = Number(numberText(entry?.[key]) ?? Number.NaN);
  return Number.isFinite(number) ? number : undefined;
}

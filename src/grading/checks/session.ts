import type { Json, JsonObject } from "../../model/json.ts";
import { isJsonObject } from "../../model/json.ts";
import type { GraderSample } from "../../model/outcomes/sample.ts";
import { sessionOf } from "../../model/models/session.ts";
import { textOption } from "./options.ts";

/** A call of a tool, as the checks read it. */
export interface SeenCall {
  readonly name: string;
  readonly arguments: JsonObject;
}

/** An agent's activity, read from its sample. */
export interface SeenSession {
  readonly calls: readonly SeenCall[];
  readonly skills: readonly string[];
  readonly turns: number;
  /** Input and output; undefined if the runtime does not report it. */
  readonly tokens: number | undefined;
  readonly durationMs: number | undefined;
}

/** A file of the workspace when the agent had ended. */
export interface SeenFile {
  readonly path: string;
  readonly sha256: string | undefined;
  /** undefined if it is not text, or larger than samples store. */
  readonly text: string | undefined;
}

/** undefined if the candidate left no transcript: then no check is possible. */
export function seenSession(sample: GraderSample): SeenSession | undefined {
  const { transcript, usage, latency_ms: latencyMs } = sample;
  if (!Array.isArray(transcript)) return undefined;
  const { skills, turns, durationMs } = sessionOf(transcript.filter(isJsonObject));
  return {
    calls: callsOf(sample["tool_calls"]),
    skills,
    turns,
    tokens: tokensOf(usage),
    durationMs: durationMs ?? (typeof latencyMs === "number" ? latencyMs : undefined),
  };
}

function callsOf(value: Json | undefined): readonly SeenCall[] {
  return (Array.isArray(value) ? value : []).filter(isJsonObject).map((call) => {
    const { name, arguments: given } = call;
    return { name: textOption(name) ?? "", arguments: isJsonObject(given) ? given : {} };
  });
}

function tokensOf(usage: Json | undefined): number | undefined {
  if (!isJsonObject(usage)) return undefined;
  const { input_tokens: input, output_tokens: output } = usage;
  return typeof input === "number" && typeof output === "number" ? input + output : undefined;
}

/** Files by path, without deleted ones; undefined if the candidate leaves no workspace. */
export function workspaceOf({ files }: GraderSample): ReadonlyMap<string, SeenFile> | undefined {
  if (!Array.isArray(files)) return undefined;
  return new Map(
    files.filter(isJsonObject).flatMap(({ path, change, sha256, text }) => {
      if (typeof path !== "string" || change === "deleted") return [];
      return [[path, { path, sha256: textOption(sha256), text: textOption(text) }] as const];
    }),
  );
}

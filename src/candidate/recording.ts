import { isTooDeep, tooDeepWords } from "../base/answer-json.ts";
import { kindOf, readField, valueText } from "../base/fields.ts";
import { isJsonObject, numberText, type Json, type JsonObject } from "../model/json.ts";
import { parseJsonText } from "../base/json-text.ts";
import type { Generated } from "../model/models/candidate.ts";
import { problem, type Place, type Problem } from "../model/refusal.ts";
import type { CandidateSpec } from "../model/definition/candidate-spec.ts";
import { callsTools } from "../model/models/transcript.ts";
import { readWorkspace } from "../model/ports/workspace.ts";
import { readUsage, textField, toolCallsWords, transcriptWithCalls } from "./answer-fields.ts";

export type ReplaySpec = Extract<CandidateSpec, { readonly kind: "replay" }>;

/** One line of a recording: an answer, and the sample that it belongs to. */
export interface Recording {
  readonly caseId: string;
  /** undefined if the answer serves every task. */
  readonly taskId: string | undefined;
  /** undefined if the answer serves every repeat. */
  readonly repeat: number | undefined;
  readonly model: string | undefined;
  /**
   * True for a line of a run's `samples.jsonl`. That file is a journal: a later line of a sample replaces an earlier
   * one.
   */
  readonly isSample: boolean;
  readonly generated: Generated;
}

type RecordingRead =
  | { readonly kind: "recording"; readonly recording: Recording }
  | { readonly kind: "bad"; readonly problem: Problem };

/** Reads one line of a recording. */
export function readRecording(text: string, spec: ReplaySpec, place: Place): RecordingRead {
  const parsed = parseJsonText(text, (plain) => hasNumbers(plain, spec));
  if (parsed.kind === "malformed") {
    const { column } = parsed;
    const at = { ...place, ...(column === undefined ? {} : { column }) };
    return badRecording(problem("replay_bad_line", { reason: parsed.reason }, at));
  }
  const line = parsed.value;
  if (!isJsonObject(line)) {
    const reason = `it is ${kindOf(line)}; each line must be an object`;
    return badRecording(problem("replay_bad_line", { reason }, place));
  }
  // All other fields that are read are texts and numbers.
  if (isTooDeep([line["transcript"] ?? null, line["tool_calls"] ?? null], text)) {
    const reason = `its 'transcript' or 'tool_calls' can't be replayed: ${tooDeepWords}`;
    return badRecording(problem("replay_bad_line", { reason }, place));
  }
  return readFields(line, spec, place);
}

/**
 * True if the text of numbers may matter. A line of a run's samples has many numbers, but only ids and outputs are read
 * as text.
 */
function hasNumbers(line: Json, spec: ReplaySpec): boolean {
  if (!isJsonObject(line)) return false;
  const texts = [spec.id_field, spec.output_field, "task_id", "model", "response_id"];
  return texts.some((field) => typeof readField(line, field) === "number");
}

function readFields(line: JsonObject, spec: ReplaySpec, place: Place): RecordingRead {
  const id = readField(line, spec.id_field);
  const repeat = line["repeat"] ?? undefined;
  const complaint =
    idComplaint(id, spec.id_field) ??
    (repeat === undefined || isCount(repeat)
      ? undefined
      : problem("replay_field_kind", {
          field: "repeat",
          found: kindOf(repeat) === "a number" ? valueText(repeat) : kindOf(repeat),
          wanted: "a whole number from 0",
        }));
  if (complaint !== undefined) return badRecording({ ...complaint, place });
  const generated = readAnswer(line, spec.output_field);
  if ("code" in generated) return badRecording({ ...generated, place });
  return {
    kind: "recording",
    recording: {
      caseId: valueText(id),
      // A `task_id` that is the data's id field (HumanEval) does not name one of our tasks.
      taskId: spec.id_field === "task_id" ? undefined : textField(line["task_id"]),
      repeat: isCount(repeat) ? repeat : undefined,
      model: textField(line["model"]),
      isSample: line["object"] === "eval.sample",
      generated,
    },
  };
}

function badRecording(found: Problem): RecordingRead {
  return { kind: "bad", problem: found };
}

function idComplaint(id: Json | undefined, field: string): Problem | undefined {
  if (id === undefined) return problem("replay_field_missing", { field, option: "id_field" });
  if (textField(id) !== undefined && valueText(id).trim() !== "") return undefined;
  const found = typeof id === "string" ? "empty" : kindOf(id);
  return problem("replay_field_kind", { field, found, wanted: "a text or a number" });
}

/**
 * The recorded result. A failure of the candidate is again a failure. After an infrastructure failure (a model's
 * time-out, a broken network) there is no answer, so the case is unavailable. If only extraction or grading failed, the
 * answer is used.
 */
function readAnswer(line: JsonObject, field: string): Generated | Problem {
  const failure = readFailure(line["error"]);
  if (failure !== undefined) return failure;
  const output = readField(line, field);
  const transcript = transcriptWithCalls(line);
  if (transcript === undefined) return problem("replay_bad_line", { reason: toolCallsWords });
  const isCall = (output ?? null) === null && callsTools(transcript);
  const text = isCall ? "" : textField(output);
  if (text !== undefined) {
    const responseId = textField(line["response_id"]) ?? null;
    const workspace = readWorkspace(line["workspace"]);
    const tookMs = millisecondsOf(line["latency_ms"]);
    return {
      kind: "answered",
      outputText: text,
      incomplete: line["incomplete"] === true,
      transcript,
      responseId,
      usage: readUsage(line["usage"]),
      ...(workspace && { workspace }),
      ...(tookMs !== undefined && { tookMs }),
    };
  }
  if (output === undefined)
    return problem("replay_field_missing", { field, option: "output_field" });
  return problem("replay_field_kind", { field, found: kindOf(output), wanted: "a text" });
}

function millisecondsOf(value: Json | undefined): number | undefined {
  const number = Number(numberText(value) ?? Number.NaN);
  return Number.isFinite(number) && number >= 0 ? number : undefined;
}

function readFailure(error: Json | undefined): Generated | undefined {
  if (!isJsonObject(error) || error["stage"] !== "generate") return undefined;
  return {
    kind: error["fault"] === "candidate" ? "failed" : "unavailable",
    type: textField(error["type"]) ?? "recorded_failure",
    message: `as recorded: ${textField(error["message"]) ?? "it failed"}`,
  };
}

function isCount(value: Json | undefined): value is number {
  return typeof value === "number" && Number.isInteger(value) && value >= 0;
}

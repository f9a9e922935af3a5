import { valueText } from "../../base/fields.ts";
import { isJsonObject, type JsonObject } from "../../model/json.ts";
import type { ResultRow, RowResult } from "../../model/results.ts";
import type { Row, Sample, SampleError, Usage } from "../../model/outcomes/sample.ts";
import type { TakenRow } from "./scratch-rows.ts";

/** Facts for the sample that a row becomes. */
interface SamplePlace {
  readonly id: string;
  readonly runId: string;
  readonly task: string;
  readonly candidate: string;
  readonly repeat: number;
  readonly index: number;
  /** ISO 8601 time of reading, because the file may not tell when it was made. */
  readonly moment: string;
}

/** A row of another tool's results as a sample of a run. */
export function sampleOf(row: TakenRow, at: SamplePlace): Sample {
  const error = errorOf(row.result);
  return {
    id: at.id,
    object: "eval.sample",
    run_id: at.runId,
    task_id: at.task,
    model: at.candidate,
    case_id: row.case_id,
    sample_index: at.index,
    repeat: at.repeat,
    dataset_row: datasetRow(row),
    prompt: row.prompt ?? valueText(row.input),
    target: row.target,
    response_id: null,
    output_text: row.output,
    incomplete: false,
    transcript: row.transcript ?? null,
    extracted_output: null,
    scores: error === null ? row.scores : {},
    judge: judgeOf(row),
    printed: null,
    model_calls: null,
    status: error === null ? "completed" : "failed",
    error,
    usage: wholeUsage(row.usage),
    cached: false,
    latency_ms: row.latencyMs,
    created_at: at.moment,
    completed_at: at.moment,
  };
}

function judgeOf({ explanation, checks = [] }: ResultRow): JsonObject | null {
  if (explanation === null && checks.length === 0) return null;
  return {
    ...(explanation !== null && { explanation }),
    ...(checks.length > 0 && { checks: [...checks] }),
  };
}

/** The row as a data set's row: for slices, clusters and readers. */
export function datasetRow({ input, target, fields }: ResultRow): Row {
  const asked: JsonObject = isJsonObject(input) ? input : input === null ? {} : { input };
  return { ...asked, ...(target !== null && { target }), ...fields };
}

/** Maps an outcome to the fault of an error. */
function errorOf(result: RowResult): SampleError | null {
  switch (result.kind) {
    case "scored":
      return null;
    case "failed":
      return { stage: "generate", fault: "candidate", ...typeAndMessage(result) };
    case "invalid":
      return { stage: "grade", fault: "grader", ...typeAndMessage(result) };
    case "ungraded":
      return { stage: "generate", fault: "infra", ...typeAndMessage(result) };
  }
}

function typeAndMessage({ type, message }: Exclude<RowResult, { kind: "scored" }>): {
  readonly type: string;
  readonly message: string;
} {
  return { type, message };
}

/** Tokens are counted in whole numbers. */
function wholeUsage(usage: Usage | null): Usage | null {
  if (usage === null) return null;
  return {
    input_tokens: wholeTokens(usage.input_tokens),
    output_tokens: wholeTokens(usage.output_tokens),
    cached_tokens: wholeTokens(usage.cached_tokens),
    reasoning_tokens: wholeTokens(usage.reasoning_tokens),
    usd: usage.usd === null ? null : Math.max(0, usage.usd),
  };
}

function wholeTokens(tokens: number): number {
  return Math.max(0, Math.round(tokens));
}

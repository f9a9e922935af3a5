import type { Json, JsonObject } from "../json.ts";
import type { Message } from "../models/message.ts";
import type { Measured } from "../definition/metric.ts";
import { isAgentic, sessionOf } from "../models/session.ts";
import type { Transcript } from "../models/transcript.ts";
import type { Workspace } from "../ports/workspace.ts";

/** One dataset row. */
export type Row = JsonObject;

/** One dataset row with its identity. */
export interface Case {
  /** Stable between runs: the row's id, or a hash of the question. Never the position. */
  readonly caseId: string;
  /** A hash of the whole row: cases with equal content may be compared although the data set changed. */
  readonly content: string;
  readonly row: Row;
  /** 0-based position in the dataset, for messages and order only. */
  readonly index: number;
}

/** One line of `samples.jsonl`. */
export interface Sample {
  readonly id: string;
  readonly object: "eval.sample";
  readonly run_id: string;
  readonly task_id: string;
  /** The candidate's slot name. */
  readonly model: string;
  readonly case_id: string;
  /** Position in the plan: cases in dataset order, repeats within a case. */
  readonly sample_index: number;
  /** 0-based. */
  readonly repeat: number;
  readonly dataset_row: Row;
  readonly prompt: string;
  /**
   * For a task with `messages_template`: the conversation before the last answer, including the candidate's own answers
   * and tool calls.
   */
  readonly messages?: readonly Message[];
  readonly target: string | null;
  /** Targets of graders that have their own, by name; absent if none has. */
  readonly targets?: Readonly<Record<string, string>>;
  readonly response_id: string | null;
  readonly output_text: string | null;
  /** True if the answer was cut off: by the token limit, or by a content filter. */
  readonly incomplete: boolean;
  /** Why the answer does not have the requested format; absent if it has, and if none was requested. */
  readonly format_error?: string;
  /** Events besides the text: tool calls, reasoning summaries. null if none. */
  readonly transcript: Transcript | null;
  /** Files that an agent left in its folder; absent for other candidates. */
  readonly workspace?: Workspace;
  readonly extracted_output: string | null;
  /** Absent if the task's extraction has no `fields`, or if nothing was extracted. */
  readonly extracted_fields?: ExtractedFields;
  /** Repairs that were needed to read the answer as JSON; absent if none. */
  readonly extraction_repairs?: readonly ExtractionRepair[];
  readonly scores: Scores;
  readonly judge: JsonObject | null;
  /** The grader's output, capped. */
  readonly printed: string | null;
  /** The grader's requests to models, in order, so that a score can be audited. null if none. */
  readonly model_calls: readonly ModelCallRecord[] | null;
  readonly status: "completed" | "failed";
  readonly error: SampleError | null;
  readonly usage: Usage | null;
  /** True if the answer comes from an earlier run: usage and latency are those of that run. */
  readonly cached: boolean;
  readonly latency_ms: number | null;
  readonly created_at: string;
  readonly completed_at: string;
}

/** Named parts of an answer; null: nothing found. */
export type ExtractedFields = Readonly<Record<string, string | null>>;

export type ExtractionRepair = "text_around" | "code_fence" | "trailing_comma";

/** Finite numbers by metric id. */
export type Scores = Readonly<Record<string, number>>;

export interface SampleError {
  readonly stage: "generate" | "extract" | "grade";
  readonly fault: "candidate" | "grader" | "infra";
  /** A code for programs: `exit_code`, `timeout`, `host_died`, … */
  readonly type: string;
  readonly message: string;
}

export interface Tokens {
  readonly input_tokens: number;
  readonly output_tokens: number;
}

export interface Usage extends Tokens {
  /** Input tokens that the provider had cached. */
  readonly cached_tokens: number;
  /** Output tokens used for reasoning. */
  readonly reasoning_tokens: number;
  /** null if no price is known. */
  readonly usd: number | null;
}

/** One call that a grader made over the bridge. */
export interface ModelCallRecord {
  readonly helper: "responses_create" | "embeddings_create";
  readonly model: string;
  /** The request as sent, without the parts that the run adds to every request; embeddings without their vectors. */
  readonly request: JsonObject;
  readonly response_id: string | null;
  readonly output_text: string | null;
  /** Why there was no answer. */
  readonly error: string | null;
  readonly usage: Usage | null;
  readonly latency_ms: number | null;
}

/** Outcome of a sample. Only the comparison calls a case `missing`. */
export type Outcome = "scored" | "invalid" | "failed" | "ungraded";

/** Identifies a case of a candidate across runs. */
interface CaseKey {
  readonly task: string;
  readonly candidate: string;
  readonly caseId: string;
}

/** A string that identifies a case of a candidate. */
export function caseKey({ task, candidate, caseId }: CaseKey): string {
  return JSON.stringify([task, candidate, caseId]);
}

/** Outcome of a sample, read from its journal line. */
export function outcomeOf(sample: Sample): Outcome {
  if (sample.error === null) return sample.judge?.["invalid"] === true ? "invalid" : "scored";
  switch (sample.error.fault) {
    case "candidate":
      return "failed";
    case "grader":
      return "invalid";
    case "infra":
      return "ungraded";
  }
}

/** Summary of a finished sample for the metrics; enough to resume an interrupted run. */
export interface SampleDigest {
  readonly outcome: Outcome;
  readonly scores: Scores;
  readonly usage: Usage | null;
  /** Usage of the grader's model calls; null if none were paid for. */
  readonly judgeUsage: Usage | null;
  readonly cached: boolean;
  readonly latencyMs: number | null;
  /** Turns and tool calls of an agent. */
  readonly agent?: { readonly turns: number; readonly toolCalls: number };
}

/** The digest of a sample. */
export function digestSample(sample: Sample): SampleDigest {
  return {
    outcome: outcomeOf(sample),
    scores: sample.scores,
    usage: sample.usage,
    judgeUsage: usageOfCalls(sample.model_calls),
    cached: sample.cached,
    latencyMs: sample.latency_ms,
    ...agentDigest(sample.transcript),
  };
}

function agentDigest(transcript: Transcript | null): Pick<SampleDigest, "agent"> {
  if (!isAgentic(transcript)) return {};
  const { turns, toolCalls } = sessionOf(transcript);
  return { agent: { turns, toolCalls: toolCalls.length } };
}

/** Total usage of the calls; null if no call reports it. Dollars are null if no price is known. */
export function usageOfCalls(calls: readonly ModelCallRecord[] | null | undefined): Usage | null {
  let sum: Usage | null = null;
  for (const { usage } of calls ?? [])
    sum = sum === null || usage === null ? (sum ?? usage) : plus(sum, usage);
  return sum;
}

/** The sum of two usages. Dollars are null if no price is known. */
export function plus(a: Usage, b: Usage): Usage {
  return {
    input_tokens: a.input_tokens + b.input_tokens,
    output_tokens: a.output_tokens + b.output_tokens,
    cached_tokens: a.cached_tokens + b.cached_tokens,
    reasoning_tokens: a.reasoning_tokens + b.reasoning_tokens,
    usd: a.usd === null && b.usd === null ? null : (a.usd ?? 0) + (b.usd ?? 0),
  };
}

/** Outcome and scores of a graded sample. */
export interface ScoredOutcome {
  readonly outcome: Outcome;
  readonly scores: Scores;
}

/**
 * One line of `scores.jsonl`: compact, no text. `scores` are the grader's own, without substitutes; `cluster` is the
 * value of the row's `cluster_by` field; `measured` is time, tokens and dollars, which files of earlier versions lack.
 */
export interface ScoreRow extends ScoredOutcome {
  readonly task: string;
  readonly case_id: string;
  readonly content: string;
  readonly candidate: string;
  readonly repeat: number;
  readonly cluster: string | null;
  readonly slices: Readonly<Record<string, string>>;
  readonly measured?: Measured;
  /** Digest of how another tool judged the case, as far as its file tells. */
  readonly judged_by?: string;
}

/**
 * The `item` that a grader receives: the row plus convenience fields. Python adds `reference_answer`, a copy of the
 * target.
 */
export interface GraderItem extends JsonObject {
  readonly prompt: string;
  readonly target: string | null;
  readonly choices: readonly string[];
  readonly task_id: string;
}

/** The `sample` that a grader receives. */
export interface GraderSample {
  readonly [key: string]: Json;
  readonly output_text: string;
  readonly extracted_output: string | null;
  /** Python sees `{}` if it is absent. */
  readonly extracted_fields?: ExtractedFields;
  /** For graders with targets of their own; a Python grader finds its own target in its item. */
  readonly targets?: Readonly<Record<string, string>>;
  readonly model: string;
  readonly prompt: string;
  readonly task_id: string;
  readonly run_id: string;
  readonly sample_id: string;
}

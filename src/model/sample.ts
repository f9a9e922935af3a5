import type { Json, JsonObject } from "./json.ts";
import type { Message } from "./message.ts";
import type { Measured } from "./metric.ts";
import { isAgentic, sessionOf } from "./session.ts";
import type { Transcript } from "./transcript.ts";
import type { Workspace } from "./workspace.ts";

/** One dataset row. */
export type Row = JsonObject;

/** One dataset row with its identity. */
export interface Case {
  /** Stable between runs: the row's id, or a hash of what is asked. Never the position. */
  readonly caseId: string;
  /** A hash of the whole row: equal content may be compared though the dataset changed. */
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
   * Of a task with `messages_template`: the conversation before the last answer, the candidate's own answers and calls of
   * tools among it.
   */
  readonly messages?: readonly Message[];
  readonly target: string | null;
  /** Those that graders have of their own, by name; absent where none has. */
  readonly targets?: Readonly<Record<string, string>>;
  readonly response_id: string | null;
  readonly output_text: string | null;
  /** True where the answer was cut off: by the token limit, or by a content filter. */
  readonly incomplete: boolean;
  /** Why the answer is not of the form that the model was asked for; absent where it is, and where none was. */
  readonly format_error?: string;
  /** What happened beside the text: tool calls, reasoning summaries. null where there was nothing. */
  readonly transcript: Transcript | null;
  /** What an agent left in its folder; absent where the candidate is none. */
  readonly workspace?: Workspace;
  readonly extracted_output: string | null;
  /** Absent where the task's extraction has no `fields`, and where nothing was extracted. */
  readonly extracted_fields?: ExtractedFields;
  /** What had to be overlooked to read the answer as JSON; absent where nothing had to be. */
  readonly extraction_repairs?: readonly ExtractionRepair[];
  readonly scores: Scores;
  readonly judge: JsonObject | null;
  /** What the grader printed, capped. */
  readonly printed: string | null;
  /** What the grader asked of models, in order: a score can be audited. null where it asked nothing. */
  readonly model_calls: readonly ModelCallRecord[] | null;
  readonly status: "completed" | "failed";
  readonly error: SampleError | null;
  readonly usage: Usage | null;
  /** True where the answer is an earlier run's: usage and latency are what it took then. */
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
  /** A machine's word for it: `exit_code`, `timeout`, `host_died`, … */
  readonly type: string;
  readonly message: string;
}

export interface Usage {
  readonly input_tokens: number;
  readonly output_tokens: number;
  /** Of the input, what the provider had cached. */
  readonly cached_tokens: number;
  /** Of the output, what was thought and not said. */
  readonly reasoning_tokens: number;
  /** null where no price is known. */
  readonly usd: number | null;
}

/** One call that a grader made over the bridge. */
export interface ModelCallRecord {
  readonly helper: "responses_create" | "embeddings_create";
  readonly model: string;
  /** As it was sent, without what the run adds to every request; embeddings without their vectors. */
  readonly request: JsonObject;
  readonly response_id: string | null;
  readonly output_text: string | null;
  /** Why there was no answer. */
  readonly error: string | null;
  readonly usage: Usage | null;
  readonly latency_ms: number | null;
}

/** What became of a sample. `missing` is said of a case, by the comparison. */
export type Outcome = "scored" | "invalid" | "failed" | "ungraded";

/** Names a case of a candidate, across runs. */
interface CaseKey {
  readonly task: string;
  readonly candidate: string;
  readonly caseId: string;
}

/** One string for a case of a candidate. */
export function caseKey({ task, candidate, caseId }: CaseKey): string {
  return JSON.stringify([task, candidate, caseId]);
}

/** What became of a sample, read from its line. */
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

/** What a finished sample leaves for the metrics; enough to go on from after an interruption. */
export interface SampleDigest {
  readonly outcome: Outcome;
  readonly scores: Scores;
  readonly usage: Usage | null;
  /** What its grader's model calls took, whoever answered the sample; null where none were paid for. */
  readonly judgeUsage: Usage | null;
  readonly cached: boolean;
  readonly latencyMs: number | null;
  /** Of an agent: its turns and its calls of tools. */
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

/** What the calls took together; null where none of them says. Dollars are null where no price is known. */
export function usageOfCalls(calls: readonly ModelCallRecord[] | null | undefined): Usage | null {
  let sum: Usage | null = null;
  for (const { usage } of calls ?? [])
    sum = sum === null || usage === null ? (sum ?? usage) : plus(sum, usage);
  return sum;
}

/** Both together. Dollars are null where no price is known. */
export function plus(a: Usage, b: Usage): Usage {
  return {
    input_tokens: a.input_tokens + b.input_tokens,
    output_tokens: a.output_tokens + b.output_tokens,
    cached_tokens: a.cached_tokens + b.cached_tokens,
    reasoning_tokens: a.reasoning_tokens + b.reasoning_tokens,
    usd: a.usd === null && b.usd === null ? null : (a.usd ?? 0) + (b.usd ?? 0),
  };
}

/** What a sample's grade comes to. */
export interface ScoredOutcome {
  readonly outcome: Outcome;
  readonly scores: Scores;
}

/**
 * One line of `scores.jsonl`: compact, no text. `scores` has what the grader gave, nothing made up; `cluster` the value of
 * the row's `cluster_by` field; `measured` time, tokens and dollars, which files of earlier versions don't have.
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
}

/** What `item` a grader sees: the row plus convenience fields. Python adds `reference_answer`, the target again. */
export interface GraderItem extends JsonObject {
  readonly prompt: string;
  readonly target: string | null;
  readonly choices: readonly string[];
  readonly task_id: string;
}

/** What `sample` a grader sees. */
export interface GraderSample {
  readonly [key: string]: Json;
  readonly output_text: string;
  readonly extracted_output: string | null;
  /** In Python `{}` where it is absent. */
  readonly extracted_fields?: ExtractedFields;
  /** Of graders that have targets of their own; a grader in Python finds its own in its item. */
  readonly targets?: Readonly<Record<string, string>>;
  readonly model: string;
  readonly prompt: string;
  readonly task_id: string;
  readonly run_id: string;
  readonly sample_id: string;
}

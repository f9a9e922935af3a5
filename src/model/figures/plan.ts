import type { Budget } from "../definition/suite.ts";
import type { CandidateSpec } from "../definition/candidate-spec.ts";

/** Work and cost of a run, estimated before the first request. */
export interface RunPlan {
  readonly suite: string;
  /** The manifest's path as the user wrote it. */
  readonly path: string;
  readonly parts: readonly PlannedPart[];
  readonly budget: Budget;
  /** Token limit assumed for an answer if the manifest sets no `max_output_tokens`. */
  readonly assumed_output_tokens: number;
  /** False if only the prompts of the first cases were read, as representatives. */
  readonly every_prompt_read: boolean;
  /** Upper limit of what running proven drops again adds: every case, on both sides. null: nothing would be run again. */
  readonly confirmation?: PlannedWork | null;
}

/** Tokens and dollars are an upper estimate. */
export interface PlannedWork {
  readonly samples: number;
  /**
   * Requests over the network, with one for every empty answer that may be asked again; retries after a provider's
   * errors come on top.
   */
  readonly requests: number;
  /** Upper limit of model calls by the task's grader. Not included in the other figures. */
  readonly grader_calls: number;
  /** null if unknown: only models have tokens. */
  readonly input_tokens: number | null;
  readonly output_tokens: number | null;
  /** null if no price is known. */
  readonly usd: number | null;
}

/** One task × candidate of a plan. */
export interface PlannedPart extends PlannedWork {
  readonly task: string;
  readonly candidate: string;
  readonly kind: CandidateSpec["kind"];
  readonly model: string | null;
  readonly cases: number;
  readonly repeats: number;
}

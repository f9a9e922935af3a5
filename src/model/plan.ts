import type { Budget, CandidateSpec } from "./suite.ts";

/** What a run would do and what it may cost, reckoned before the first request. */
export interface RunPlan {
  readonly suite: string;
  /** The manifest's path as the user wrote it. */
  readonly path: string;
  readonly parts: readonly PlannedPart[];
  readonly budget: Budget;
  /** What an answer may have where the manifest sets no `max_output_tokens`. */
  readonly assumed_output_tokens: number;
  /** False where the prompts of the first cases stand for the others. */
  readonly every_prompt_read: boolean;
  /** What running proven drops again may add at most: every case, on both sides. null: nothing would be run again. */
  readonly confirmation?: PlannedConfirmation | null;
}

/** Upper figures, on top of the plan's own. */
export interface PlannedConfirmation {
  readonly samples: number;
  readonly requests: number;
  readonly grader_calls: number;
  /** null where nobody can know. */
  readonly input_tokens: number | null;
  readonly output_tokens: number | null;
  readonly usd: number | null;
}

/** One task × candidate of a plan. Tokens and dollars are an upper estimate. */
export interface PlannedPart {
  readonly task: string;
  readonly candidate: string;
  readonly kind: CandidateSpec["kind"];
  readonly model: string | null;
  readonly cases: number;
  readonly repeats: number;
  readonly samples: number;
  /** Over the network, asked again after every empty answer; retries of the provider's trouble come on top. */
  readonly requests: number;
  /** What the task's grader may ask models at most, on top; it is in no other figure. */
  readonly grader_calls: number;
  /** null where nobody can know: only models have tokens. */
  readonly input_tokens: number | null;
  readonly output_tokens: number | null;
  /** null where no price is known. */
  readonly usd: number | null;
}

/** Scores of a metric that its declaration rules out. */
export interface UnexpectedScore {
  readonly metric: string;
  /** null: within the range, and yet neither 0 nor 1 under `scale: binary`. */
  readonly range: readonly [number, number] | null;
  readonly first: number;
  /** True if all of them are like the first. */
  readonly alike: boolean;
  /** Samples that have one; null: a batch grader gave it for all of them together. */
  readonly count: number | null;
}

/** Likely cause of a problem: the suite rather than what it judges. */
export type Symptom =
  | { readonly kind: "candidate_failed"; readonly share: SampleShare; readonly detail: string }
  | { readonly kind: "score_out_of_bounds"; readonly stray: UnexpectedScore }
  | { readonly kind: "always_zero"; readonly metric: string; readonly scored: number }
  | { readonly kind: "nothing_extracted"; readonly extraction: string; readonly share: SampleShare }
  | { readonly kind: "format_unmet"; readonly share: SampleShare; readonly detail: string }
  | { readonly kind: "other_case"; readonly share: SampleShare }
  | { readonly kind: "same_number"; readonly share: SampleShare }
  | { readonly kind: "target_empty"; readonly share: SampleShare }
  | { readonly kind: "field_empty"; readonly field: string; readonly share: SampleShare }
  | {
      readonly kind: "undeclared";
      /** The most likely intended one of the undeclared metrics. */
      readonly likely: string;
      readonly given: readonly string[];
      /** Whether its scores lie within 0 and 1. */
      readonly isUnit: boolean;
      readonly missing: string;
    }
  | { readonly kind: "never_given"; readonly missing: readonly string[] }
  | {
      readonly kind: "never_scored";
      readonly calls: "grade" | "grade_batch";
      /** True if it was an exception, most often. */
      readonly raised: boolean;
      readonly share: SampleShare;
      readonly detail: string;
    }
  | { readonly kind: "timeouts"; readonly share: SampleShare }
  | {
      readonly kind: "model_refused";
      /** True if the grader gave a score all the same. */
      readonly scored: boolean;
      readonly share: SampleShare;
      readonly detail: string;
    }
  | {
      readonly kind: "model_silent";
      /** The grader's time was over before the answer came. */
      readonly slow: boolean;
      readonly share: SampleShare;
      readonly detail: string;
    }
  | {
      readonly kind: "judge_failed";
      /** False: the judge was asked, but its answer is not a verdict. */
      readonly unasked: boolean;
      readonly share: SampleShare;
      readonly detail: string;
    };

export interface SampleShare {
  readonly count: number;
  readonly of: number;
}

/** Scores of a metric that contradict its declaration. */
export interface UnexpectedScore {
  readonly metric: string;
  /** The allowed range; null if the scores are within it but, despite `scale: binary`, neither 0 nor 1. */
  readonly range: readonly [number, number] | null;
  readonly first: number;
  /** True if all of them are like the first. */
  readonly alike: boolean;
  /** Number of samples with such a score; null: a batch grader gave it for all of them together. */
  readonly count: number | null;
}

/** Likely cause of a problem that lies in the suite rather than in what it judges. */
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
      /** Whether most of them are exceptions. */
      readonly raised: boolean;
      readonly share: SampleShare;
      readonly detail: string;
    }
  | {
      /** One of several graders found no valid result in any sample. */
      readonly kind: "part_never_scored";
      readonly grader: string;
      readonly share: SampleShare;
      readonly detail: string;
    }
  | { readonly kind: "timeouts"; readonly share: SampleShare }
  | {
      readonly kind: "model_refused";
      /** True if the grader gave a score nevertheless. */
      readonly scored: boolean;
      readonly share: SampleShare;
      readonly detail: string;
    }
  | {
      readonly kind: "model_silent";
      /** The grader's time limit ended before the answer came. */
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

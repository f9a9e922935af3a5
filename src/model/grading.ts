import type { JsonObject } from "./json.ts";
import type { Problem } from "./refusal.ts";
import type { Message } from "./models/message.ts";
import type {
  ExtractedFields,
  ExtractionRepair,
  GraderItem,
  GraderSample,
  ModelCallRecord,
  Scores,
} from "./outcomes/sample.ts";
import type { RegexSpec } from "./definition/extraction.ts";
import type { GraderSpec } from "./definition/graders.ts";
import type { ToolCall, Transcript } from "./models/transcript.ts";

// Extraction

export type Extracted =
  | {
      readonly kind: "extracted";
      /** null: nothing found. Never "". */
      readonly text: string | null;
      /** The fields that `output_extraction.fields` names. */
      readonly fields?: ExtractedFields;
      readonly repairs?: readonly ExtractionRepair[];
    }
  | { readonly kind: "ungraded"; readonly type: string; readonly message: string };

/** `transcript`: events on the way to the answer, including tool calls. */
export type Extract = (outputText: string, transcript?: Transcript | null) => Promise<Extracted>;

/** Python's `re`, in a process without user code and with a timer per text. */
export type SearchRegex = (
  regex: RegexSpec,
  text: string,
) => Promise<
  | { readonly kind: "found"; readonly text: string }
  | { readonly kind: "no_match" }
  | { readonly kind: "timeout" }
>;

/** undefined if Python's `re` accepts this pattern, with these flags and this group; otherwise the reason why not. */
export type CheckRegex = (regex: RegexSpec) => Promise<string | undefined>;

/** Whether a search for this pattern can take minutes on a short text that is made for it. */
export type ProbeRegex = (regex: RegexSpec) => Promise<"harmless" | "explodes">;

// Samples one by one

/** Requests to models of one grader execution, in order; absent if none. */
export interface WithModelCalls {
  readonly modelCalls?: readonly ModelCallRecord[];
}

export type Graded = WithModelCalls & GradeEnd;

type GradeEnd =
  | {
      readonly kind: "scored";
      readonly scores: Scores;
      readonly judge: JsonObject | null;
      readonly printed: string | null;
    }
  | Unscored;

/** `invalid`: the grader is at fault. `ungraded`: nobody is. */
type Unscored =
  | {
      readonly kind: "invalid";
      readonly type: string;
      readonly message: string;
      /** The raw payload and the details of the error, as the sample's `judge` keeps them. */
      readonly judge: JsonObject;
      readonly printed: string | null;
    }
  | { readonly kind: "ungraded"; readonly type: string; readonly message: string };

/** Another candidate's answer to the same case and repeat. `failed`: that candidate is at fault for giving none. */
export type OtherAnswer =
  | { readonly kind: "answered"; readonly text: string }
  | { readonly kind: "failed" }
  | { readonly kind: "unavailable"; readonly message: string };

/** A named candidate's answer to the case and repeat that is graded; waits until it is there. */
export type AnswerOf = (candidate: string) => Promise<OtherAnswer>;

/** A grader that is loaded and ready. */
export interface Grader {
  /** `answerOf`: needed by graders that compare two answers. */
  readonly grade: (sample: GraderSample, item: GraderItem, answerOf?: AnswerOf) => Promise<Graded>;
  /** Signals that few samples will follow: samples that wait for a full batch are graded at once. */
  readonly hurry: () => void;
  /**
   * Present if the grader sees a task's samples together, once, when all are there; `grade` is then called only if
   * there is a `batchPart`.
   */
  readonly gradeBatch?: GradeBatch;
  /** Scores and keys of `judge` that belong to gradeBatch if `grade` is called too; the rest of `grade`'s result is kept. */
  readonly batchPart?: {
    readonly scores: (id: string) => boolean;
    readonly judge: (key: string) => boolean;
  };
  /** Hash over the grader's code, its options and its imports from the repository. */
  readonly hash: string;
  /** Warnings about how the grader is run. */
  readonly warnings: readonly Problem[];
  readonly close: () => Promise<void>;
}

/** Opens a grader, or returns all of its problems, before the first sample. */
export type OpenGrader = (
  spec: GraderSpec,
) => Promise<{ readonly grader: Grader } | { readonly problems: readonly Problem[] }>;

// All samples of a task and candidate together

/**
 * Grades the samples of a task and candidate together. Each sample is a `BatchSample` as a line of JSON; they may be
 * read more than once.
 */
export type GradeBatch = (
  about: { readonly task: string; readonly candidate: string },
  samples: AsyncIterable<string>,
) => Promise<BatchGraded>;

/** One sample as `grade_batch` sees it. */
export interface BatchSample {
  readonly sample_id: string;
  readonly task_id: string;
  readonly model: string;
  readonly prompt: string;
  readonly target: string | null;
  readonly targets?: Readonly<Record<string, string>>;
  readonly output_text: string;
  readonly extracted_output: string | null;
  readonly extracted_fields: ExtractedFields;
  readonly dataset_row: JsonObject;
  readonly response_id: string | null;
  readonly scores: Scores;
  readonly judge: JsonObject | null;
  /** Absent if the sample has none. */
  readonly messages?: readonly Message[];
  readonly transcript?: Transcript;
  readonly tool_calls?: readonly ToolCall[];
  readonly skills?: readonly string[];
  readonly files?: readonly JsonObject[];
  readonly usage?: JsonObject;
  readonly latency_ms?: number;
}

export type BatchGraded = WithModelCalls & BatchEnd;

type BatchEnd =
  | {
      readonly kind: "graded";
      /** Finite numbers by metric id, as returned. */
      readonly metrics: Scores;
      /** 95 % intervals of metrics for which the grader returned one. */
      readonly intervals?: Readonly<Record<string, readonly [number, number]>>;
      /** Additional details for reports. */
      readonly details?: JsonObject | null;
      readonly updates: readonly SampleUpdate[];
      readonly printed: string | null;
      /** Parts of the result that were not used, one sentence each. */
      readonly notes: readonly string[];
    }
  | Unscored;

/** Changes that a batch grader makes to a sample; an absent key changes nothing. */
export interface SampleUpdate {
  readonly sample_id: string;
  /** Added to the sample's scores. */
  readonly scores?: Scores;
  /** Replaces the sample's `judge`; null clears it. */
  readonly judge?: JsonObject | null;
  readonly extracted_output?: string | null;
}

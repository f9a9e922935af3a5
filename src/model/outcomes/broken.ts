import type { JsonObject } from "../json.ts";
import type { ComparedPlace, TaskPlace } from "../place.ts";
import type { SampleError, Scores } from "./sample.ts";

/** A case that got worse in one metric, with the texts of both sides where they are known. */
export interface BrokenCase extends ComparedPlace {
  readonly caseId: string;
  readonly slices: Readonly<Record<string, string>>;
  /** The fields of its row, if its id is a hash. */
  readonly row?: string;
  /** The prompt, or the conversation before the last answer. */
  readonly asked?: string;
  readonly target?: string | null;
  readonly before: {
    /** null if the baseline has none. */
    readonly score: number | null;
    readonly output?: string | null;
    /** Names of the tools that were called, each once. */
    readonly calls?: readonly string[];
  };
  readonly after: {
    /** null if the case could not be graded. */
    readonly score: number | null;
    readonly output?: string | null;
    readonly extracted?: string | null;
    readonly judge?: JsonObject | null;
    /** All scores of the sample that is shown. */
    readonly scores?: Scores | undefined;
    readonly error?: SampleError | null;
    readonly printed?: string | null;
    readonly calls?: readonly string[];
  };
}

/** A case that got worse, once, though it may have done so in several metrics. */
export interface WorseCase extends TaskPlace {
  /** The candidate of the same run than which it is worse; undefined: it is worse than in the baseline. */
  readonly against?: string | undefined;
  readonly caseId: string;
  /** Ordered by influence on the verdict, strongest first. */
  readonly changes: readonly MetricChange[];
  /** A blocking `must_pass` rule names it, and it falls short. */
  readonly mustPass: boolean;
  /** Distance of its score from the limit of a missed `min` or `max`; undefined: it is here because it got worse. */
  readonly beyondBy?: number;
}

/** A score before and now. */
export interface MetricChange {
  readonly metric: string;
  readonly before: number | null;
  readonly after: number | null;
}

/** The cases of a run that got worse, each listed once. */
export interface WorseCases {
  /** Cases in the metrics that decide the verdict: those of missed blocking rules, else of all rules that can block. */
  readonly cases: readonly WorseCase[];
  /** Number of these cases; larger than the list if the run holds only some of the ids. */
  readonly total: number;
  /** Number of cases that were looked at. */
  readonly of: number;
  /** Cases that got worse in other metrics only. */
  readonly others: readonly WorseCase[];
}

/** Cases that got worse in the same metric, or are beyond its limit, with the same message of the grader. */
export interface BrokenGroup extends ComparedPlace {
  readonly kind: "broke" | "beyond";
  /** The grader's message or the error that these cases share; undefined if they share none, or if it may not be shown. */
  readonly reason: string | undefined;
  /** Slices in which these cases are over-represented, the largest first. */
  readonly where: readonly SliceCount[];
  /** Cases that must pass come first, then the largest losses. */
  readonly cases: readonly WorseCase[];
  /** Number of cases that must pass. */
  readonly mustPass: number;
  /** Sum of its cases' losses, each as a share of the metric's range. */
  readonly loss: number;
}

export interface SliceCount {
  readonly field: string;
  readonly value: string;
  readonly cases: number;
}

import type { TaskPlace } from "../place.ts";
import type { SampleMetricId } from "../definition/metric.ts";
import type { Outcome, ScoredOutcome, ScoreRow, Scores } from "../outcomes/sample.ts";

/**
 * The scores of a run, held in columns: a million samples take tens of megabytes instead of hundreds. Filled during the
 * run, or from a `scores.jsonl`; read by the metrics and the gate.
 */
export interface Ledger extends LedgerReader {
  readonly add: (row: ScoreRow) => void;
  /** Replaces the outcome and scores of a sample, because a batch grader decides last. */
  readonly amend: (at: TaskPlace & { readonly i: number }, change: ScoredOutcome) => void;
  /** Stores the metrics that a batch grader returned for the whole group. */
  readonly give: (given: GivenMetrics) => void;
}

/** Read access to a filled ledger. */
export interface LedgerReader {
  /** Ordered by first appearance. */
  readonly groups: () => readonly LedgerGroup[];
  readonly group: (task: string, candidate: string) => LedgerGroup | undefined;
}

/**
 * Metrics that a batch grader returned for a whole task and candidate: numbers that are not aggregated from the cases'
 * scores.
 */
export interface GivenMetrics extends TaskPlace {
  readonly metrics: Scores;
  /** 95 % intervals of metrics for which it returned one. */
  readonly intervals?: Readonly<Record<string, readonly [number, number]>> | undefined;
  /** Ids of metrics that the grader gave although the task does not declare them. */
  readonly dropped: readonly string[];
}

/** The samples of one task × candidate; `i` runs from 0 to `size` − 1. */
export interface LedgerGroup extends TaskPlace {
  readonly size: number;
  /** The ids of the cases, in the order in which they first appeared. */
  readonly caseIds: () => readonly string[];
  /** Position of each id among the samples. */
  readonly positions: () => Pick<PositionTable, "get">;
  /** Position of the sample's case among the cases. */
  readonly caseAt: (i: number) => number;
  readonly caseId: (i: number) => string;
  readonly content: (i: number) => string;
  /** Whether a sample has the same row as a sample of another group. */
  readonly hasContentOf: (i: number, other: LedgerGroup, j: number) => boolean;
  /** Content hash per case. */
  readonly contents: () => DigestColumn;
  /** Digest of how the case was judged; undefined: nothing tells. */
  readonly judgedBy: (i: number) => string | undefined;
  /** False if nothing tells how any case was judged: avoids a search over a million cases. */
  readonly tellsJudging: () => boolean;
  readonly repeat: (i: number) => number;
  readonly outcome: (i: number) => Outcome;
  /** null: the case is its own cluster. */
  readonly cluster: (i: number) => string | null;
  /** False if every case is its own cluster: avoids a search over a million cases. */
  readonly hasClusters: () => boolean;
  /** The grader's score; undefined if it gave none. */
  readonly score: (i: number, metric: string) => number | undefined;
  /** The batch grader's value for the whole group. Sample scores of the same metric are then ignored. */
  readonly given: (metric: string) => number | undefined;
  /** The batch grader's interval of the metric. */
  readonly givenInterval: (metric: string) => readonly [number, number] | undefined;
  /** Every id under which a batch grader gave the group something, used or not, sorted. */
  readonly givenIds: () => readonly string[];
  /** A measurement of the sample: time, tokens, cost. */
  readonly measured: (i: number, metric: SampleMetricId) => number | undefined;
  /** False if no sample has a score or a measurement of that name: then a million samples need not be searched. */
  readonly hasAny: (metric: string) => boolean;
  /** Every id under which some sample has a score, sorted. */
  readonly scoreIds: () => readonly string[];
  /** One object for all samples with the same values. */
  readonly slices: (i: number) => Readonly<Record<string, string>>;
  /** Each combination of slices that some sample has. */
  readonly sliceCombinations: () => readonly Readonly<Record<string, string>>[];
  readonly row: (i: number) => ScoreRow;
}

/** Position of each text in a list. */
export interface PositionTable {
  readonly get: (text: string) => number | undefined;
  /** Position of the text; a new text is appended. */
  readonly place: (text: string) => number;
}

/**
 * A growing column of numbers in a typed array: compact, and outside V8's heap, which V8 lets grow to twice its live
 * size.
 */
export interface NumberColumn {
  readonly length: () => number;
  readonly push: (value: number) => void;
  /** undefined: there is no value. */
  readonly at: (i: number) => number | undefined;
  /** Does nothing if the column has no such place. */
  readonly set: (i: number, value: number) => void;
}

/** A column of short digests, 16 hexadecimal digits each, in 8 bytes; other texts are stored unchanged. */
export interface DigestColumn {
  readonly push: (text: string) => void;
  readonly at: (i: number) => string | undefined;
  /** Whether two texts are the same, without building them: a comparison does this for a million cases. */
  readonly equals: (i: number, other: DigestColumn, j: number) => boolean;
  /** The two halves of each digest (0 if the text is no digest), and the texts that are no digests, by position. */
  readonly parts: {
    readonly high: NumberColumn;
    readonly low: NumberColumn;
    readonly others: ReadonlyMap<number, string>;
  };
}

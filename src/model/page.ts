import type { JsonObject } from "./json.ts";
import type { Message } from "./models/message.ts";
import type { RuleKind, RuleOutcome } from "./outcomes/rule-result.ts";
import type { SampleError, Usage, ModelCallRecord } from "./outcomes/sample.ts";
import type { RuleLevel } from "./definition/gate.ts";
import type { Transcript } from "./models/transcript.ts";
import type { MetricUnit } from "./definition/metric.ts";

/** Format of the data in a `report.html`. */
export const pageFormat = "regrade.page/1";

/** Number of cases whose texts are unpacked together. */
export const casesPerChunk = 200;

/** Element ids of the data in the page. */
export const pageIds = {
  index: "index",
  chunk: (run: number, i: number) => `r${run}c${i}`,
} as const;

/** A sentence in pieces, as `report/words` makes them. */
export type PageText = readonly {
  readonly kind: "text" | "name" | "strong";
  readonly text: string;
}[];

/** Page data that is needed before a case is opened. */
export interface PageIndex {
  readonly format: typeof pageFormat;
  readonly runs: readonly PageRun[];
}

/** One run of a page: a suite's run, a shard's, or the run by the change's own policy. */
export interface PageRun {
  readonly suite: string;
  /** Distinguishes it from other runs of the suite: by whose rules, or which shard. Empty if there is no other. */
  readonly which: string;
  readonly id: string;
  readonly verdict: PageVerdict;
  readonly rules: readonly PageRule[];
  readonly groups: readonly PageGroup[];
  readonly slices: readonly PageSlice[];
  readonly trends: readonly PageTrend[];
  readonly cases: PageCases;
  /** Lists of name and value, each under a title. */
  readonly facts: readonly {
    readonly title: string;
    readonly rows: readonly (readonly [name: string, value: string])[];
  }[];
  /** The run's address for `regrade show`. */
  readonly shownAs: string;
  /**
   * Both verdicts, if this run is judged by two sets of rules; the next run of the page is then the one by the change's
   * own.
   */
  readonly policy?: PagePolicy;
  /** True for that next run. */
  readonly isByOwnRules?: true;
  /** Why the page lacks the baseline's texts; undefined if it has them, or if nothing was compared. */
  readonly beforeGone?: string;
}

export type PageTone = "pass" | "fail" | "unsure" | "neutral";

export interface PageVerdict {
  readonly tone: PageTone;
  readonly title: string;
  readonly sentence: PageText;
  readonly lines: readonly PageText[];
  /** Number of broken cases, and of compared cases. */
  readonly broke: number;
  readonly of: number;
}

/** The rules of the base and the change's own, side by side. */
export interface PagePolicy {
  /** Sentences: what the change alters in the rules, then which policy decides. */
  readonly lines: readonly PageText[];
  /** The last of the lines. */
  readonly decision: PageText;
  /** The base's name and verdict, and the verdict by the change's own rules. */
  readonly base: string;
  readonly own: string;
  readonly rules: readonly (readonly [name: string, base: string, own: string])[];
}

export interface PageRule {
  readonly name: string;
  readonly kind: RuleKind;
  readonly level: RuleLevel;
  readonly outcome: RuleOutcome;
  readonly before: string;
  readonly now: string;
  readonly difference: string;
  readonly interval: string;
  readonly consequence: string;
  readonly found: string;
}

/** Cases that broke, or that are beyond a limit, for one reason. */
export interface PageGroup {
  readonly kind: "broke" | "beyond";
  readonly place: number;
  readonly metric: string;
  readonly reason: string | null;
  readonly where: readonly (readonly [field: string, value: string, cases: number])[];
  readonly cases: number;
  readonly mustPass: number;
}

/** The difference of a metric in a slice. */
export interface PageSlice {
  readonly place: number;
  readonly field: string;
  readonly value: string;
  readonly cases: number;
  readonly difference: number;
  readonly interval: readonly [number, number] | null;
}

/** A metric in the earlier runs of the base branch, the oldest first, and in this one. */
export interface PageTrend {
  readonly name: string;
  readonly place: number;
  readonly metric: string;
  readonly slice: string | null;
  readonly unit: MetricUnit;
  readonly values: readonly (number | null)[];
  readonly commits: readonly (string | null)[];
  /** When each run ended. */
  readonly times: readonly (string | null)[];
  /** Indexes of the values from which on the scores have another meaning. */
  readonly breaks: readonly number[];
}

/** A metric of a task. */
export interface PageMetric {
  readonly metric: string;
  readonly unit: MetricUnit;
  readonly isBinary: boolean;
  readonly higherIsBetter: boolean;
}

/** A task and candidate, with the metric that decides. */
export interface PagePlace extends PageMetric {
  readonly task: string;
  readonly candidate: string;
  readonly others: readonly PageMetric[];
}

/** Flags of a case that are known before it is opened, as bits. */
export const caseFlags = {
  broke: 1,
  fixed: 2,
  /** The case fails now, and failed before. */
  failing: 4,
  fresh: 8,
  ungraded: 16,
  /** The case ended without an answer or a valid score. */
  error: 32,
  mustPass: 64,
  /** The case got worse in a metric that does not decide the verdict. */
  worse: 128,
  /** It is beyond a limit that the run misses. */
  beyond: 256,
} as const;

export type CaseFlag = keyof typeof caseFlags;

/** The cases of a page in columns, in the order of the queue, worst first. -1 and null: no value. */
export interface PageCases {
  /** Number of all cases of the run, including those that the page leaves out. */
  readonly total: number;
  /** Number of cases that changed or failed, listed or not. */
  readonly noted: number;
  /** Number of cases, from the first, whose texts the page holds. */
  readonly withTexts: number;
  readonly places: readonly PagePlace[];
  readonly sliceSets: readonly Readonly<Record<string, string>>[];
  readonly errors: readonly string[];
  readonly id: readonly string[];
  /** Fields of the row of a case whose id is a hash, by the case's index, as far as its texts are there. */
  readonly rows: Readonly<Record<string, string>>;
  readonly place: readonly number[];
  readonly flags: readonly number[];
  /** Scores in the metric of the case's place. */
  readonly before: readonly (number | null)[];
  readonly now: readonly (number | null)[];
  /** The metric in which a case broke, by the case's index, if it is not the metric of its place. */
  readonly brokeIn: Readonly<Record<string, string>>;
  readonly group: readonly number[];
  readonly slices: readonly number[];
  readonly error: readonly number[];
  readonly secondsBefore: readonly (number | null)[];
  readonly seconds: readonly (number | null)[];
  readonly usdBefore: readonly (number | null)[];
  readonly usd: readonly (number | null)[];
  /** All metrics that changed, by the case's index. */
  readonly changes: Readonly<
    Record<string, readonly (readonly [metric: string, before: number, now: number])[]>
  >;
}

/** The texts of a case. */
export interface PageCase {
  readonly row: JsonObject;
  readonly prompt: string;
  readonly messages?: readonly Message[];
  readonly target: string | null;
  readonly targets?: Readonly<Record<string, string>>;
  /** One sample per repeat. */
  readonly now: readonly PageSample[];
  readonly before: readonly PageSample[];
}

export interface PageSample {
  readonly repeat: number;
  /** Present only if it differs from the case's prompt. */
  readonly prompt?: string;
  readonly messages?: readonly Message[];
  readonly output: string | null;
  readonly extracted: string | null;
  readonly fields?: Readonly<Record<string, string | null>>;
  readonly formatError?: string;
  readonly incomplete: boolean;
  readonly scores: Readonly<Record<string, number>>;
  readonly judge: JsonObject | null;
  readonly printed: string | null;
  readonly calls: readonly ModelCallRecord[] | null;
  readonly transcript: Transcript | null;
  readonly error: SampleError | null;
  readonly usage: Usage | null;
  readonly latencyMs: number | null;
  readonly cached: boolean;
}

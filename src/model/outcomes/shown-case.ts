import type { Run } from "./run.ts";
import type { Sample } from "./sample.ts";

/** One case, as `regrade show` prints it. */
export interface ShownCase {
  readonly run: Run;
  readonly caseId: string;
  /** The run with the earlier answers, as people know it, or the reason why there is none. */
  readonly before:
    | { readonly kind: "run"; readonly shown: string }
    | { readonly kind: "none"; readonly reason: string };
  /** Ordered by task, candidate and repeat. */
  readonly samples: readonly ShownSample[];
}

/** A sample of either run or of both: at least one is present. */
export interface ShownSample {
  readonly sample: Sample | undefined;
  readonly before: Sample | undefined;
}

export type EntryKind = "broken" | "beyond" | "fixed" | "failed" | "worst" | "claims";

/**
 * A case in the list: broken, beyond a limit that was missed, fixed, failed (it has no answer or no score), with the worst
 * score of the first metric in a run without a baseline, or with unverified claims in its answers.
 */
export interface CaseEntry {
  readonly kind: EntryKind;
  readonly task: string;
  readonly candidate: string;
  /** The candidate of the same run that it was compared with. */
  readonly against?: string | undefined;
  readonly caseId: string;
  /** The metric in which it changed or has its worst score; undefined if it has no score. */
  readonly metric: string | undefined;
  readonly before: number | undefined;
  readonly after: number | undefined;
  readonly slices: Readonly<Record<string, string>>;
  readonly error: string | undefined;
  /** For a case without an id of its own, the fields of its row. */
  readonly row?: string | undefined;
  /** Unverified claims of all repeats, each once. */
  readonly claims: readonly string[];
}

export interface CaseList {
  readonly run: Run;
  readonly entries: readonly CaseEntry[];
  /** True if more cases changed than the run stores ids for. */
  readonly isCut: boolean;
}

/** Filter of the listed cases; an empty list or undefined means all. */
export interface CaseFilter {
  readonly kinds: readonly EntryKind[];
  readonly task: string | undefined;
  readonly candidate: string | undefined;
  /** A glob. */
  readonly metric: string | undefined;
  /** A part of an error's type or message. */
  readonly error: string | undefined;
  readonly slices: readonly (readonly [field: string, value: string])[];
}

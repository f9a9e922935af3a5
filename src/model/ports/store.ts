import type { TaskPlace } from "../place.ts";
import type { AttemptAsked } from "../outcomes/attempts.ts";
import type { BatchGraded } from "../grading.ts";
import type { Ledger, LedgerGroup } from "../figures/ledger.ts";
import type { Generated } from "../models/candidate.ts";
import type { Run } from "../outcomes/run.ts";
import type { Sample, SampleDigest } from "../outcomes/sample.ts";

// Answers kept for later runs

/** Answers of earlier runs, by everything that they depend on. A failure of the cache never fails a run. */
export interface AnswerCache {
  /** Finds an earlier run's answer; answers that this run stored are not found. */
  readonly find: (key: string) => Promise<Answer | undefined>;
  /** Resolves when the operating system has the data. Never rejects. */
  readonly keep: (key: string, answer: Answer) => Promise<void>;
  readonly close: () => Promise<void>;
}

// The run directory

/** A candidate's answer and its latency. */
export interface Answer {
  readonly generated: Generated;
  readonly latencyMs: number;
  /** ISO 8601, UTC. */
  readonly createdAt: string;
  /** True if an earlier run received this answer, so that this run paid nothing. */
  readonly cached?: boolean;
}

/** Spending of a run including its earlier attempts; an upper limit if a provider does not report it. */
export interface Spent {
  readonly usd: number;
  readonly tokens: number;
}

/** A run while it is being written. */
export interface RunStore {
  readonly directory: string;
  readonly runId: string;
  /** ISO 8601 time of the run's first start; resuming does not change it. */
  readonly createdAt: string;
  /** Kept samples of an earlier attempt, by sample id. */
  readonly finished: ReadonlyMap<string, SampleDigest>;
  /** Answers of an earlier attempt that wait to be graded, by sample id. */
  readonly answers: ReadonlyMap<string, Answer>;
  /**
   * For rerunning the failed and ungraded samples of a finished run: these samples. A sample without a new result keeps
   * its old one.
   */
  readonly previous?: ReadonlyMap<string, SampleDigest> | undefined;
  /** Number of such reruns, including this one. */
  readonly reruns?: Run["reruns"] | undefined;
  /**
   * Samples of `finished` that earlier attempts of the same workflow run made, by id: this one makes further repeats beside
   * them.
   */
  readonly earlier?: ReadonlySet<string> | undefined;
  /** The attempts, as in run.json. */
  readonly attempts?: Run["attempts"] | undefined;
  /** Spending counted by earlier attempts, and the part that belongs to samples that are run again. */
  readonly spent?: { readonly counted: Spent; readonly again: Spent } | undefined;
  /** Stores the spending so far; the samples alone don't account for all of it. */
  readonly recordSpent: (spent: Spent) => Promise<void>;
  readonly recordAnswer: (sampleId: string, answer: Answer) => Promise<void>;
  readonly recordSample: (sample: Sample) => Promise<void>;
  /** Results of batch graders from an earlier attempt, by `batchKey`. */
  readonly batches: ReadonlyMap<string, StoredBatch>;
  /** Stores a batch grader's result, before it changes any sample. */
  readonly recordBatch: (batch: StoredBatch) => Promise<void>;
  /** Replaces the line of a recorded sample. */
  readonly amendSample: (sample: Sample) => Promise<void>;
  /** The samples recorded so far, including earlier attempts'. */
  readonly openSamples: () => Promise<SampleReader>;
  /** Ends the journals and leaves one line per sample. May be called more than once. */
  readonly seal: () => Promise<void>;
  /** Decrypts the samples of this run and of its sides. No candidate may be asked any more. */
  readonly reveal: () => Promise<void>;
  /**
   * Writes scores.jsonl, regraded.jsonl, summary.md and run.json, and deletes files that only a run in progress needs.
   */
  readonly finish: (parts: {
    readonly run: Run;
    readonly ledger: Ledger;
    readonly summary: string;
    /** The baseline's scores by this run's grader, if it was graded again. */
    readonly regraded?: Iterable<LedgerGroup> | undefined;
  }) => Promise<void>;
  /** Releases the directory for other processes; must be called at the end, even after a failure. */
  readonly release: () => Promise<void>;
}

/** Reads samples back from a journal, by id. */
export interface SampleReader {
  readonly read: (id: string) => Promise<Sample | undefined>;
  readonly close: () => Promise<void>;
}

/** Result of a batch grader, as a resumed run needs it. */
export interface StoredBatch extends TaskPlace {
  /** Hash of the ids of its samples: with other samples its result would be different. */
  readonly given: string;
  /** Number of samples graded. */
  readonly samples: number;
  readonly graded: BatchGraded;
}

/** A string that identifies a batch in a run. */
export function batchKey({ task, candidate }: TaskPlace): string {
  return JSON.stringify([task, candidate]);
}

/** Result of fetching a run's texts. `gone`: why they are not available, as a clause. */
export type FetchedTexts =
  | { readonly kind: "here" }
  | { readonly kind: "gone"; readonly reason: string };

/** A run directory, and the name of its suite. */
export interface SuiteRun {
  readonly directory: string;
  readonly suite: string;
  /** The path of its manifest. */
  readonly path: string;
}

/** A run read from its directory and checked against the schemas, because it may come from a stranger. */
export interface StoredRun {
  readonly directory: string;
  readonly run: Run;
  readonly ledger: Ledger;
  /**
   * For a run that was kept without its samples: fetches them into its directory, once, if they still exist somewhere.
   * Must be called before they are read. Never throws if they are not available.
   */
  readonly fetchTexts?: (() => Promise<FetchedTexts>) | undefined;
}

/** How a run directory is started or resumed. */
export interface RunStart {
  readonly directory: string;
  readonly resume: boolean;
  /** Run the failed and ungraded samples of the finished run there again. */
  readonly rerun?: boolean;
  /** Attempt of a workflow run: if an earlier one left a whole run, `resume` makes a further attempt of it. */
  readonly attempt?: AttemptAsked | undefined;
  /** Hash of imported results, for attempts at a run that need to share only the question. */
  readonly resultsHash?: string | undefined;
  readonly inputHash: string;
  readonly runId: string;
  /** ISO 8601, UTC. */
  readonly createdAt: string;
  /**
   * Present if a candidate could read the run's files: its journals, and those of the runs in its directory, are encrypted
   * until `reveal`. The key is made from the salt and the answers themselves, so that `resume` can make it again.
   */
  readonly makeKey?: ((salt: string) => Promise<Uint8Array>) | undefined;
}

/** The runs in Regrade's own folder, newest first. */
export interface OwnRuns {
  readonly folder: string;
  readonly runs: readonly {
    readonly directory: string;
    /** False for a run that is in progress, or was cut off. */
    readonly hasEnd: boolean;
    /** True for a run that was cut off or stopped, or is in progress. */
    readonly isOpen: boolean;
  }[];
}

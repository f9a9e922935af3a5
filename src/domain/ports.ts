import type { Json, JsonObject } from "./json.ts";
import type { Problem } from "./refusal.ts";
import type { Ledger } from "./ledger.ts";
import type { Run } from "./run.ts";
import type {
  Case,
  GraderItem,
  GraderSample,
  Sample,
  SampleDigest,
  Scores,
  Usage,
} from "./sample.ts";
import type { AdaptiveSlots } from "./slots.ts";
import type { GraderSpec, RegexSpec } from "./suite.ts";

// Files

/** The bytes of a file, in order, read as they are asked for. Throws a Refusal where it can't be read. */
export type ReadBytes = (absolutePath: string) => AsyncIterable<Uint8Array>;
export type ReadText = (absolutePath: string) => Promise<string>;
/** SHA-256 of a text, `sha256:<hex>`. */
export type HashText = (text: string) => string;
/** A file that is read by position. Throws a Refusal where it can't be opened or read. */
export type OpenFile = (absolutePath: string) => Promise<OpenedFile>;

export interface OpenedFile {
  /** Fewer bytes than asked for only at the file's end. */
  readonly read: (offset: number, length: number) => Promise<Uint8Array>;
  readonly close: () => Promise<void>;
}

// Dataset

/** A dataset read twice: once to check it and to learn its shape, then, in batches, to run it. */
export interface Dataset {
  /** SHA-256 of the file's bytes. */
  readonly hash: string;
  readonly size: number;
  /** Every top-level field that some row has, in order of appearance. */
  readonly fields: ReadonlySet<string>;
  readonly cases: () => AsyncIterable<readonly Case[]>;
}

// Candidates

export interface GenerateRequest {
  readonly taskId: string;
  readonly caseId: string;
  readonly repeat: number;
  readonly prompt: string;
  /** The fields that the prompt uses, and those that `pass` names. Never the target. */
  readonly fields: JsonObject;
}

/**
 * What a candidate did. `failed` is its own fault and counts as the worst; `unavailable` is nobody's and is no score;
 * `halted` is unavailable too, and so will be every further request (no quota, a wrong key): the run stops.
 */
export type Generated =
  | {
      readonly kind: "answered";
      readonly outputText: string;
      readonly incomplete: boolean;
      readonly transcript: readonly JsonObject[] | null;
      readonly responseId: string | null;
      readonly usage: Usage | null;
    }
  | {
      readonly kind: "refused" | "failed" | "unavailable" | "halted";
      readonly type: string;
      readonly message: string;
      /** What the attempts cost all the same. */
      readonly usage?: Usage;
    };

/** A candidate that is ready to answer. */
export interface Candidate {
  readonly id: string;
  /** Never throws for one bad sample; a throw is a bug or a Refusal. */
  readonly generate: (request: GenerateRequest, signal: AbortSignal) => Promise<Generated>;
  /** How many requests may be in flight where the manifest says `auto` and there are no `slots`. */
  readonly concurrency: number;
  /** Where the manifest says `auto`: places that candidates of one provider and key share, and that grow and shrink. */
  readonly slots?: AdaptiveSlots;
  /** True where an answer costs something, so that a resumed run must not ask again. */
  readonly costly: boolean;
  /** All that an answer depends on, where that is known: such an answer may be kept for later runs. Absent: never kept. */
  readonly cacheKey?: ((request: GenerateRequest) => Json) | undefined;
  readonly close: () => Promise<void>;
}

/** Time and chance. */
export interface Clock {
  /** Milliseconds since 1970 that no set clock can move: they only ever go forward. */
  readonly now: () => number;
  /** Resolves after the time, or as soon as the signal is aborted. Never rejects. */
  readonly sleep: (milliseconds: number, signal: AbortSignal) => Promise<void>;
  /** From 0 to just below 1. */
  readonly random: () => number;
}

/** One HTTP exchange, as it went: nothing is retried, followed or thrown. */
export type SendHttp = (request: HttpRequest) => Promise<HttpEnd>;

export interface HttpRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
  /** From the start to the last byte. */
  readonly timeoutSeconds: number;
  readonly signal: AbortSignal;
}

export type HttpEnd =
  | {
      readonly kind: "response";
      readonly status: number;
      /** Names in lower case. */
      readonly headers: Readonly<Record<string, string>>;
      /** UTF-8, replaced where it is not. */
      readonly body: string;
    }
  /** `sent`: the request may have reached the other side, which may have worked and charged for it. */
  | {
      readonly kind: "failed";
      readonly type: HttpFault;
      readonly message: string;
      readonly sent: boolean;
    }
  | { readonly kind: "cancelled" };

export type HttpFault =
  | "timeout"
  | "connection_reset"
  | "connection_refused"
  | "name_not_resolved"
  | "tls"
  | "response_too_large"
  /** What came is not what the protocol promises: no HTTP, or, where the candidate looks into it, not the JSON of its API. */
  | "bad_response"
  | "network";

/** One process, no shell. Ends it, and what it started, on the time-out and on the signal. */
export type RunCommand = (command: {
  readonly argv: readonly string[];
  readonly directory: string;
  readonly env: Readonly<Record<string, string>>;
  readonly input: string;
  readonly timeoutSeconds: number;
  readonly signal: AbortSignal;
}) => Promise<CommandEnd>;

/** Where a command's program is, looked up as the system would; never started. */
export type FindProgram = (program: {
  readonly name: string;
  readonly directory: string;
  readonly env: Readonly<Record<string, string>>;
}) => Promise<"found" | "missing" | "not_executable">;

export type CommandEnd =
  | {
      readonly kind: "exited";
      readonly code: number;
      readonly stdout: string;
      readonly stderr: string;
    }
  | { readonly kind: "killed"; readonly signal: string; readonly stderr: string }
  | { readonly kind: "timed_out" }
  | { readonly kind: "output_too_large"; readonly limitBytes: number }
  | { readonly kind: "cancelled" }
  | { readonly kind: "not_started"; readonly message: string };

/**
 * Starts a long-lived process, spoken to a line at a time. No shell; the environment exactly as given; it and what it
 * starts are a group of their own, which is ended with it.
 */
export type SpawnWorker = (worker: {
  readonly argv: readonly string[];
  readonly directory: string;
  readonly env: Readonly<Record<string, string>>;
}) => Promise<WorkerProcess | { readonly kind: "not_started"; readonly message: string }>;

export interface WorkerProcess {
  readonly kind: "started";
  /**
   * Writes a line and waits for the next one; one at a time. A line that came unasked is the answer's place taken: it is
   * returned at once, `asked` false, and nothing is written. Whatever is not a line in turn has ended the process.
   */
  readonly ask: (
    line: string,
    limits: { readonly timeoutSeconds: number; readonly signal: AbortSignal },
  ) => Promise<WorkerEnd>;
  /** False once it has ended. */
  readonly isAlive: () => boolean;
  /** Ends it and its group: end of file, SIGTERM, SIGKILL. */
  readonly close: () => Promise<void>;
}

export type WorkerEnd =
  | { readonly kind: "line"; readonly text: string; readonly asked: boolean }
  /** `code` null: a signal. `silent`: it had not written a byte since it was asked. */
  | {
      readonly kind: "ended";
      readonly code: number | null;
      readonly signal: string | null;
      readonly silent: boolean;
      readonly stderr: string;
    }
  | { readonly kind: "timed_out"; readonly stderr: string }
  | { readonly kind: "line_too_large"; readonly limitBytes: number }
  | { readonly kind: "cancelled" };

// Answers kept for later runs

/** Answers of earlier runs by what they depend on. Nothing that goes wrong with it is ever a run's failure. */
export interface AnswerCache {
  /** What an earlier run was answered; answers that this run put in are not found. */
  readonly find: (key: string) => Promise<Answer | undefined>;
  /** Resolves once it is with the operating system. Never rejects. */
  readonly keep: (key: string, answer: Answer) => Promise<void>;
  readonly close: () => Promise<void>;
}

// Extraction

export type Extracted =
  /** null: nothing found. Never "". */
  | { readonly kind: "extracted"; readonly text: string | null }
  | { readonly kind: "ungraded"; readonly type: string; readonly message: string };

export type Extract = (outputText: string) => Promise<Extracted>;

/** Python's `re`, in a process without user code and with a timer per text. */
export type SearchRegex = (
  regex: RegexSpec,
  text: string,
) => Promise<
  | { readonly kind: "found"; readonly text: string }
  | { readonly kind: "no_match" }
  | { readonly kind: "timeout" }
>;

/** undefined, or why Python's `re` does not take this pattern, these flags or this group. */
export type CheckRegex = (regex: RegexSpec) => Promise<string | undefined>;

// Grading

export type Graded =
  | {
      readonly kind: "scored";
      readonly scores: Scores;
      readonly judge: JsonObject | null;
      readonly printed: string | null;
    }
  | {
      readonly kind: "invalid";
      readonly type: string;
      readonly message: string;
      /** The raw payload and the details of the error, as the sample's `judge` keeps them. */
      readonly judge: JsonObject;
      readonly printed: string | null;
    }
  | { readonly kind: "ungraded"; readonly type: string; readonly message: string };

/** A grader that is loaded and ready. */
export interface Grader {
  readonly grade: (sample: GraderSample, item: GraderItem) => Promise<Graded>;
  /** Hash over the grader's code, its options and what it imports from the repository. */
  readonly hash: string;
  readonly close: () => Promise<void>;
}

/** Opens a grader, or says all that is wrong with it, before the first sample. */
export type OpenGrader = (
  spec: GraderSpec,
) => Promise<{ readonly grader: Grader } | { readonly problems: readonly Problem[] }>;

// The run directory

/** A candidate's answer and what it took. */
export interface Answer {
  readonly generated: Generated;
  readonly latencyMs: number;
  /** ISO 8601, UTC. */
  readonly createdAt: string;
  /** True where an earlier run was given it: this one paid nothing. */
  readonly cached?: boolean;
}

/** A run while it is being written. */
export interface RunStore {
  readonly directory: string;
  readonly runId: string;
  /** ISO 8601: when the run was started, whoever resumed it since. */
  readonly createdAt: string;
  /** Samples of an earlier attempt that stand, by sample id. */
  readonly finished: ReadonlyMap<string, SampleDigest>;
  /** Answers of an earlier attempt that wait to be graded, by sample id. */
  readonly answers: ReadonlyMap<string, Answer>;
  readonly recordAnswer: (sampleId: string, answer: Answer) => Promise<void>;
  readonly recordSample: (sample: Sample) => Promise<void>;
  /** Ends the journals and leaves one line a sample. May be called again. */
  readonly seal: () => Promise<void>;
  /** Writes scores.jsonl, summary.md and run.json, and clears away what only a running run needs. */
  readonly finish: (parts: {
    readonly run: Run;
    readonly ledger: Ledger;
    readonly summary: string;
  }) => Promise<void>;
  /** Lets others into the directory; to be called at the end, however it came. */
  readonly release: () => Promise<void>;
}

/** A run read from its directory, checked against the schemas: it may come from a stranger. */
export interface StoredRun {
  readonly directory: string;
  readonly run: Run;
  readonly ledger: Ledger;
}

// The Python host, which the graders are handed

/** What a host loads as a grader. `shown`: the name of the source in messages. */
export type GraderProgramSpec = {
  readonly metricId: string;
  /** Per sample. */
  readonly timeoutSeconds: number;
} & (
  | { readonly kind: "source"; readonly text: string; readonly shown: string }
  | { readonly kind: "file"; readonly absolutePath: string; readonly shown: string }
  | { readonly kind: "builtin"; readonly name: string; readonly options: JsonObject }
);

/** A grader loaded in Python hosts. */
export interface GraderProgram {
  /** What it is made of, the main file first; paths are relative to its folder. */
  readonly files: readonly ProgramFile[];
  readonly grade: Grader["grade"];
  readonly close: () => Promise<void>;
}

export interface ProgramFile {
  readonly path: string;
  readonly sha256: string;
}

/** Why a program can't be used. Lines and columns count from 1, in the program's own source. */
export interface ProgramRefused {
  readonly reason: ProgramRefusedReason;
  readonly message: string;
  readonly line: number | undefined;
  readonly column: number | undefined;
  /** The source line. */
  readonly text: string | undefined;
  /** The user's own frames. */
  readonly traceback: string | undefined;
}

export const programRefusedReasons = [
  "file_unreadable",
  "syntax",
  "import_failed",
  "module_missing",
  "load_timeout",
  "no_grade",
  "not_callable",
  "signature",
  "options",
  "died",
] as const;
export type ProgramRefusedReason = (typeof programRefusedReasons)[number];

export type OpenProgram = (
  spec: GraderProgramSpec,
) => Promise<{ readonly program: GraderProgram } | { readonly refused: ProgramRefused }>;

// Statistics, which the gate is handed by the corridor

export interface Interval {
  readonly lower: number;
  readonly upper: number;
}

/** Of differences head − base, one a case. What no case can answer (a mean of none) throws a RangeError. */
export interface Statistics {
  readonly mean: (values: ArrayLike<number>) => number;
  /** One-sided mid-p of McNemar's test: `broke` pairs right → wrong, `fixed` pairs wrong → right. */
  readonly mcnemarMidP: (broke: number, fixed: number) => number;
  /** Tango's score interval of (fixed − broke) / n. */
  readonly tangoInterval: (
    pairs: { broke: number; fixed: number; n: number },
    level: number,
  ) => Interval;
  /** `pLess`: evidence that the true mean is below 0. One difference has no `stderr` and no `interval`. */
  readonly pairedT: (
    differences: ArrayLike<number>,
    level: number,
  ) => {
    readonly mean: number;
    readonly stderr: number | undefined;
    readonly pLess: number;
    readonly interval: Interval | undefined;
  };
  /** Exact up to 20 differences that are not zero, else seeded. */
  readonly signFlip: (differences: ArrayLike<number>) => {
    readonly pLess: number;
    readonly exact: boolean;
  };
  /** Holm's adjustment; the p-values of comparisons that could not be made count in `family`. */
  readonly holm: (pValues: readonly number[], family: number) => readonly number[];
  /** The smallest drop that would be proven 4 times in 5. */
  readonly detectableDrop: (spread: {
    perCaseVariance: number;
    n: number;
    alpha: number;
  }) => number;
}

// Secrets

/** What may not be written or printed. Learnt while a run is being prepared, known to whoever writes. */
export interface Secrets {
  /** From now on the values of these environment variables are hidden. */
  readonly learn: (names: SecretNames) => void;
  /** A whole text without the secrets in it: one that is cut in two is not found. */
  readonly redact: (text: string) => string;
  /** JSON of a value without the secrets in its texts; it stays JSON whatever the secret is. */
  readonly stringify: (value: unknown, indent?: number) => string;
}

/** Names of environment variables. */
export interface SecretNames {
  /** Keys: their values are secrets, whatever they look like. */
  readonly keys: readonly string[];
  /** Variables that may be settings as well: hidden unless name and value are plainly public (`APP_MODE=production`). */
  readonly variables: readonly string[];
}

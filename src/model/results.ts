import type { Json, JsonObject } from "./json.ts";
import type { Scores, Usage } from "./outcomes/sample.ts";
import type { Transcript } from "./models/transcript.ts";

/** The formats of other tools' results that can be gated. */
export const resultFormats = [
  "promptfoo",
  "inspect",
  "lm-eval",
  "deepeval",
  "sygra",
  "waza",
  "k-eval",
  "junit",
  "jsonl",
  "csv",
] as const;
export type ResultFormat = (typeof resultFormats)[number];

/** One answer to one case, as another tool recorded and scored it. */
export interface ResultRow {
  /** Position in its file, for messages: `line 12`, `results[3]`, `testcase 4`. */
  readonly at: string;
  /** The tool's name for the row's group: an eval, a task, a test file. null if there is only one. */
  readonly task: string | null;
  /** Name of the provider or model that answered. null if the tool doesn't tell. */
  readonly candidate: string | null;
  /** The tool's own id of the test; null: the case is named by its input. Never a position. */
  readonly id: string | null;
  /** The question without the expected answer: the same question has the same input in every run. */
  readonly input: Json;
  /** 0-based epoch or repeat; null if the tool doesn't count them. */
  readonly repeat: number | null;
  readonly prompt: string | null;
  readonly target: string | null;
  readonly output: string | null;
  readonly result: RowResult;
  /** Scores by metric id; empty unless scored. */
  readonly scores: Scores;
  /** The scorer's own explanation. null: none. */
  readonly explanation: string | null;
  /** How the row was judged, as far as the file tells: assertions, limits, judges. Equal in two runs if nothing of it changed. */
  readonly judgedBy?: Json;
  /** Files that judged the row, as the tool names them: scripts of assertions, files of tests. Absent if it names none. */
  readonly judges?: readonly string[];
  /** Each grader's result, as `row_checks` gives it. Absent if the tool has no graders of a kind and a weight. */
  readonly checks?: readonly JsonObject[];
  /** An agent's steps before the answer. Absent if the file does not have them. */
  readonly transcript?: Transcript;
  /** Further fields to slice and cluster by, by name. */
  readonly fields: Readonly<Record<string, string>>;
  readonly usage: Usage | null;
  readonly latencyMs: number | null;
}

/**
 * Outcome of the row. `failed` is the candidate's fault (no answer), `invalid` the scorer's (a broken assertion or
 * grader), `ungraded` the environment's (network, time-out, rate limit).
 */
export type RowResult =
  | { readonly kind: "scored" }
  | {
      readonly kind: "failed" | "invalid" | "ungraded";
      readonly type: string;
      readonly message: string;
    };

/** A metric of a tool, as far as its file describes it. */
export interface ResultMetric {
  readonly id: string;
  /** Its possible values; null if the tool doesn't tell. */
  readonly range: readonly [number, number] | null;
  readonly direction: "higher_is_better" | "lower_is_better";
  /** The scale, if the tool tells: binary for two values only, graded for more. */
  readonly scale?: "binary" | "graded";
}

/** Names of columns (csv) or keys (jsonl). undefined: the usual names. */
export interface ResultFields {
  readonly id?: string;
  readonly input?: readonly string[];
  readonly output?: string;
  readonly target?: string;
  readonly error?: string;
  readonly repeat?: string;
  readonly candidate?: string;
  readonly task?: string;
}

/** Results that a task names instead of its data, prompt, candidates and grader. */
export interface ResultsFrom {
  /** Paths as written, relative to the manifest or to the working directory; also globs. */
  readonly paths: readonly string[];
  readonly format: ResultFormat | "auto";
  /** The tool's group that becomes the task; undefined: there is only one. */
  readonly group: string | undefined;
  readonly columns: ResultFields;
  /** Metrics whose direction the manifest declares; for others the tool knows the direction. */
  readonly directed: readonly string[];
}

/** A file of results that is being read. Rows come one by one; metrics are known only after the last row. */
export interface OpenedResults {
  /** The tool and the version that wrote it, if the file tells. */
  readonly tool: string;
  readonly rows: AsyncIterable<ResultRow>;
  /** The metrics found, the tool's main one first. Call it after the last row. */
  readonly metrics: () => readonly ResultMetric[];
}

/** Rules that a command line or a workflow gives in the absence of a manifest. */
export interface ResultRules {
  readonly maxDrop: number | undefined;
  readonly min: number | undefined;
  /** The metrics of the rules; empty: each task's main one. */
  readonly metrics: readonly string[];
}

/** Results without a manifest: every group becomes a task, judged by these rules. */
export interface ResultsAsked {
  readonly from: ResultsFrom;
  readonly rules: ResultRules;
  /** Name of the suite; undefined: the tool's name, or the file's. */
  readonly name: string | undefined;
  /** True for the baseline: it may lack metrics that the run asks for. */
  readonly isBaseline?: boolean;
}

/** Whether a name is valid for a suite that no manifest names: it must be usable in file and artifact names. */
export function isSuiteName(name: string): boolean {
  return /^[A-Za-z0-9][A-Za-z0-9_.-]{0,99}$/.test(name);
}

/** One result file of a run whose results come from another tool, as run.json describes it. */
export interface RunResults {
  readonly format: string;
  /** The tool and the version that wrote it, if the file tells. */
  readonly tool: string;
  /** Paths as they were found. */
  readonly files: readonly string[];
  /** Choices of the command line or the workflow that replace a manifest. */
  readonly asked?: {
    readonly paths: readonly string[];
    readonly name: string;
    readonly max_drop: number | null;
    readonly min: number | null;
    readonly metrics: readonly string[];
  };
}

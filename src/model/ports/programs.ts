import type { ProgramModels } from "./bridge.ts";
import type { GradeBatch, Grader, CheckRegex, ProbeRegex, SearchRegex } from "../grading.ts";
import type { JsonObject } from "../json.ts";
import type { FileRef } from "../definition/suite.ts";
import type { GraderContract, GraderExecution, GraderIsolation } from "../definition/graders.ts";
import type { OpenHeldProgram } from "./held-programs.ts";

// Graders, which the Python host loads

/** A grader that a host loads. `shown`: the source's name in messages. */
export type GraderProgramSpec = {
  readonly metricId: string;
  /** Limit of one execution: of a sample, or of a whole task. */
  readonly timeoutSeconds: number;
  /** `per_sample` calls `grade`, `aggregate` calls `grade_batch`. */
  readonly execution: GraderExecution;
  /** The kind of grader as the manifest names it, for messages. */
  readonly contract: GraderContract;
  /** undefined: `sample` for a grader that executes text (the host that loads it finds out), otherwise `chunk`. */
  readonly isolation: GraderIsolation | undefined;
  /** Files and folders that it may read in addition to its own. Absolute. */
  readonly allowRead: readonly string[];
  /** Models behind `ctx.responses_create` and `ctx.embeddings_create`; undefined: these refuse. */
  readonly models: ProgramModels | undefined;
} & ProgramSource;

export type ProgramSource =
  | { readonly kind: "source"; readonly text: string; readonly shown: string }
  | {
      readonly kind: "file";
      readonly absolutePath: string;
      readonly shown: string;
      /** A class of the file that is used as a grader. */
      readonly class?: JsonObject;
    }
  | { readonly kind: "builtin"; readonly name: string; readonly options: JsonObject };

/** A class that was written for SyGra. */
export interface ForeignClass {
  /** Kind, name and settings of the class, as in the manifest. */
  readonly settings: JsonObject;
  /** Folders that the class imports as packages of these names. */
  readonly packages: readonly FileRef[];
}

/** The functions that grade through a program. */
export interface GraderCalls {
  readonly grade: Grader["grade"];
  readonly gradeBatch: GradeBatch;
}

/** A grader loaded in Python hosts. */
export interface GraderProgram extends GraderCalls {
  /** The program's files, the main one first; paths are relative to its folder. */
  readonly files: readonly ProgramFile[];
  /**
   * The place where the grader executes text that may come from an answer: `exec in checks.py, line 3`. undefined: no
   * such place was found.
   */
  readonly runsText: string | undefined;
  readonly hurry: Grader["hurry"];
  readonly close: () => Promise<void>;
}

// Preprocessors

export type PreprocessorProgramSpec = {
  readonly contract: "row" | "batch";
  readonly timeoutSeconds: number;
  readonly allowRead: readonly string[];
} & ProgramSource;

export interface PreprocessorProgram {
  readonly files: readonly ProgramFile[];
  /** Contract row: takes a row as JSON; gives no row, one row or several rows as JSON. */
  readonly row: (row: string) => Promise<Preprocessed>;
  /** Contract batch: takes all rows, in order. */
  readonly batch: (rows: AsyncIterable<string>) => Promise<Preprocessed>;
  readonly close: () => Promise<void>;
}

export type Preprocessed =
  | { readonly kind: "rows"; readonly rows: readonly string[] }
  | { readonly kind: "failed"; readonly type: string; readonly message: string };

export type OpenPreprocessor = (
  spec: PreprocessorProgramSpec,
) => Promise<{ readonly program: PreprocessorProgram } | { readonly refused: ProgramRefused }>;

// Either of them

export interface ProgramFile {
  readonly path: string;
  readonly sha256: string;
}

/** The protections around user code that the hosts found on this machine. */
export interface SandboxReport {
  /** The protections in force: `landlock+seccomp`, `seccomp`, `none`, …. */
  readonly level: string;
  readonly details: JsonObject;
}

/** Why a program can't be used. Lines and columns count from 1, in the program's own source. */
export interface ProgramRefused {
  readonly reason: ProgramRefusedReason;
  readonly message: string;
  readonly line: number | undefined;
  readonly column: number | undefined;
  /** The source line. */
  readonly text: string | undefined;
  /** The frames of the traceback that are in the user's code. */
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
  "no_function",
  "sandbox",
  "died",
] as const;
type ProgramRefusedReason = (typeof programRefusedReasons)[number];

export type OpenProgram = (
  spec: GraderProgramSpec,
) => Promise<{ readonly program: GraderProgram } | { readonly refused: ProgramRefused }>;

/** The Python hosts of one run, which start when they are needed. */
export interface PythonTools {
  readonly version: string;
  readonly openProgram: OpenProgram;
  readonly openPreprocessor: OpenPreprocessor;
  readonly openHeldProgram: OpenHeldProgram;
  readonly searchRegex: SearchRegex;
  readonly checkRegex: CheckRegex;
  readonly probeRegex: ProbeRegex;
  /** The sandbox of user code, as the first host reported it; undefined before that. */
  readonly sandbox: () => SandboxReport | undefined;
  /** Ends all hosts, and removes their temporary folder. */
  readonly close: () => Promise<void>;
}

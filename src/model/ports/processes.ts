/**
 * Watches files for being opened; undefined: there is nothing to watch, or not on this system; `failed`: it could not begin.
 * Of `paths`, files larger than `largest` bytes are left out; `always` and `more` may have any size.
 */
export type WatchOpens = (files: {
  readonly paths: readonly string[];
  readonly largest: number;
  readonly always?: readonly string[];
  readonly more?: readonly string[];
}) => Promise<OpenWatch | "failed" | undefined>;

/** A watch on files, whichever process of this machine opens them. */
export interface OpenWatch {
  /** From now on watches `paths` and `always` alone, and not git's copies of them: Regrade opens the others itself. */
  readonly rest: () => Promise<void>;
  /** Watches git's copies and others again. */
  readonly resume: (more: readonly string[]) => Promise<void>;
  readonly end: () => Promise<WatchEnd>;
}

/** The files that were opened. `isWhole`: the watch was not ended by another process, which would hide further ones. */
export interface WatchEnd {
  readonly opened: readonly string[];
  readonly isWhole: boolean;
}

/** Runs one process without a shell. Ends it and its children on time-out and on the signal. */
export type RunCommand = (command: {
  readonly argv: readonly string[];
  readonly directory: string;
  readonly env: Readonly<Record<string, string>>;
  readonly input: string;
  readonly timeoutSeconds: number;
  readonly signal: AbortSignal;
}) => Promise<CommandEnd>;

/**
 * Runs one process without a shell and reads its stdout line by line until it ends or `onLine` stops it. Ends it together
 * with all its children.
 */
export type RunLines = (program: {
  readonly argv: readonly string[];
  readonly directory: string;
  readonly env: Readonly<Record<string, string>>;
  readonly input: string;
  readonly mark: string;
  readonly timeoutSeconds: number;
  readonly signal: AbortSignal;
  readonly onLine: (line: string) => "go_on" | "enough";
}) => Promise<LinesEnd>;

export type LinesEnd =
  | { readonly kind: "exited"; readonly code: number; readonly stderr: string }
  | { readonly kind: "killed"; readonly signal: string; readonly stderr: string }
  | { readonly kind: "timed_out"; readonly stderr: string }
  | { readonly kind: "output_too_large"; readonly limitBytes: number }
  | { readonly kind: "enough" }
  | { readonly kind: "cancelled" }
  | NotStarted;

/** Path of a command's program, looked up as the system would; the program is never started. */
export type FindProgram = (program: {
  readonly name: string;
  readonly directory: string;
  readonly env: Readonly<Record<string, string>>;
}) => Promise<"found" | "missing" | "not_executable">;

/** A program that did not start. */
export interface NotStarted {
  readonly kind: "not_started";
  /** `open_files_limit`: this process may open no more files (EMFILE), for which the program is not to blame. */
  readonly type: "not_started" | "open_files_limit";
  readonly message: string;
}

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
  | NotStarted;

/**
 * Starts a long-lived process and exchanges lines with it. No shell; exactly the given environment. The process and its
 * children form a process group, which is ended together.
 */
export type SpawnWorker = (worker: {
  readonly argv: readonly string[];
  readonly directory: string;
  readonly env: Readonly<Record<string, string>>;
}) => Promise<WorkerProcess | NotStarted>;

export interface WorkerProcess {
  readonly kind: "started";
  /**
   * Writes a line and waits for the next one; one request at a time. If a line came before the request, that line is
   * returned at once with `asked` false, and nothing is written. After any other result the process has ended.
   */
  readonly ask: (
    line: string,
    limits: { readonly timeoutSeconds: number; readonly signal: AbortSignal },
  ) => Promise<WorkerEnd>;
  /** False once it has ended. */
  readonly isAlive: () => boolean;
  /** Ends the process and its group: end of file, then SIGTERM, then SIGKILL. */
  readonly close: () => Promise<void>;
}

export type WorkerEnd =
  | { readonly kind: "line"; readonly text: string; readonly asked: boolean }
  /** `code` null: ended by a signal. `silent`: it has not written a byte since the request. */
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

/** Environment variables, of this process or for a program. */
export type Environment = Readonly<Record<string, string | undefined>>;

import type { FenceReport } from "./fence.ts";
import type { Json, JsonObject } from "./json.ts";
import type { Message } from "./message.ts";
import type { Case, Usage } from "./sample.ts";
import type { Workspace } from "./workspace.ts";

/** Environment variables, of this process or for a program. */
export type Environment = Readonly<Record<string, string | undefined>>;

// Files

/** The bytes of a file, in order, read as they are asked for. Throws a Refusal if it can't be read. */
export type ReadBytes = (absolutePath: string) => AsyncIterable<Uint8Array>;
export type ReadText = (absolutePath: string) => Promise<string>;
/** SHA-256 of a text, `sha256:<hex>`. */
export type HashText = (text: string) => string;
/** A file that is read by position. Throws a Refusal if it can't be opened or read. */
export type OpenFile = (absolutePath: string) => Promise<OpenedFile>;

export interface OpenedFile {
  /** Returns fewer bytes than requested only at the end of the file. */
  readonly read: (offset: number, length: number) => Promise<Uint8Array>;
  readonly close: () => Promise<void>;
}

/** A file that a path or a glob names. `path`: as the user would write it. `size`: in bytes. */
export interface FoundFile {
  readonly path: string;
  readonly absolute: string;
  readonly size: number;
}

/** A private temporary file; `remove` deletes it. Throws a Refusal if the disk is full. */
export interface Scratch {
  readonly absolute: string;
  readonly append: (line: string) => Promise<void>;
  /** Must be called before the file is read. */
  readonly finish: () => Promise<void>;
  readonly remove: () => Promise<void>;
}

// Dataset

/** A data set that is read twice: first to check it and to learn its shape, then to run it in batches. */
export interface Dataset {
  /** SHA-256 of the file's bytes. */
  readonly hash: string;
  readonly size: number;
  /** Every top-level field that some row has, in order of appearance. */
  readonly fields: ReadonlySet<string>;
  /**
   * Present if only the first rows were read, as a check. `checked`: number of these rows; `size`: number of rows that a
   * run reads, if known. Without it the data set's own `size` counts the rows read.
   */
  readonly first?: { readonly checked: number; readonly size: number | undefined };
  readonly cases: () => AsyncIterable<readonly Case[]>;
}

// Candidates

export interface GenerateRequest {
  readonly taskId: string;
  readonly caseId: string;
  readonly repeat: number;
  readonly prompt: string;
  /** The fields that the prompt uses or that `pass` names. Never the target. */
  readonly fields: JsonObject;
  /** The messages to send; `prompt` then has the same content as one text. */
  readonly messages?: readonly Message[];
  /** Further turns of the user, each sent after the previous one is answered. */
  readonly turns?: readonly Message[];
  /** Recorded results of the tools that the candidate may call. */
  readonly toolResults?: ToolResults;
  /** The instructions for this case, if they are a template. */
  readonly instructions?: string;
}

/** Recorded results by the tool's name. The first one with the call's arguments is used, otherwise one for any arguments. */
export type ToolResults = Readonly<Record<string, readonly RecordedResult[]>>;

export type RecordedResult = {
  readonly arguments?: Json;
  readonly output: string;
  readonly is_error: boolean;
};

/**
 * Result of a request to a candidate. `failed` is the candidate's fault and counts as the worst score. `unavailable` is
 * nobody's fault and has no score. `halted` is like `unavailable`, but every further request would end the same way (no
 * quota, a wrong key): the run stops.
 */
export type Generated =
  | {
      readonly kind: "answered";
      readonly outputText: string;
      readonly incomplete: boolean;
      readonly transcript: readonly JsonObject[] | null;
      /** Items that the provider needs back when the conversation continues; never stored. */
      readonly thoughts?: readonly JsonObject[];
      readonly responseId: string | null;
      readonly usage: Usage | null;
      /** Files that an agent left in its folder. */
      readonly workspace?: Workspace;
      /** For a recorded answer: its latency when it was recorded. */
      readonly tookMs?: number;
    }
  | {
      readonly kind: "refused" | "failed" | "unavailable" | "halted";
      readonly type: string;
      readonly message: string;
      /** Usage of the attempts, which costs money despite the failure. */
      readonly usage?: Usage;
      /** Transcript of an unusable answer: thoughts, the reason for its end. */
      readonly incomplete?: boolean;
      readonly transcript?: readonly JsonObject[] | null;
      readonly responseId?: string | null;
      readonly workspace?: Workspace;
    };

/**
 * Reports the cost of an answer when it arrives, if one request may be answered several times; null if the provider
 * does not report it. `asksAgain`: waits until the budget allows another attempt; false if it does not, or if the run
 * has ended. `next`: the text of the next request, if it differs from the first.
 */
export type Pay = (
  usage: Usage | null,
  asksAgain: boolean,
  next?: () => string,
) => Promise<boolean>;

/** A candidate that is ready to answer. */
export interface Candidate {
  readonly id: string;
  /**
   * Never throws because of one bad sample; a throw is a bug or a Refusal. A candidate that calls `pay` for one answer
   * calls it for all.
   */
  readonly generate: (
    request: GenerateRequest,
    signal: AbortSignal,
    pay?: Pay,
  ) => Promise<Generated>;
  /** Maximum number of requests in flight if the manifest says `auto` and there are no `slots`. */
  readonly concurrency: number;
  /** Adaptive limit for `auto`, shared by the candidates of one provider and key. */
  readonly slots?: AdaptiveSlots;
  /** True if an answer costs something, so that a resumed run must not ask again. */
  readonly costly: boolean;
  /** Description of an agent's workspace and required calls: the base's policy may replace them. */
  readonly terms?: string;
  /** The sandbox around its program (`fence`); absent if it asks for none. */
  readonly fence?: FenceReport;
  /** True if answers come from a file: latency then says nothing about the candidate. */
  readonly recorded?: boolean;
  /** Everything that an answer depends on, if known: such an answer may be stored for later runs. Absent: never stored. */
  readonly cacheKey?: ((request: GenerateRequest) => Json) | undefined;
  /** The cost of an answer's tokens by the manifest's prices of today. A cached answer keeps its original cost. */
  readonly price?: (tokens: Usage) => Usage;
  readonly close: () => Promise<void>;
}

/** Time and chance. */
export interface Clock {
  /** Milliseconds since 1970, from a clock that never goes back, even if the system's clock is set. */
  readonly now: () => number;
  /** Resolves after the time, or as soon as the signal is aborted. Never rejects. */
  readonly sleep: (milliseconds: number, signal: AbortSignal) => Promise<void>;
  /** From 0 to just below 1. */
  readonly random: () => number;
}

/** Makes one HTTP exchange: no retry, no redirect, and nothing is thrown. */
export type SendHttp = (request: HttpRequest) => Promise<HttpEnd>;

export interface HttpRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
  /** Covers the time from the start to the last byte. */
  readonly timeoutSeconds: number;
  readonly signal: AbortSignal;
}

export type HttpEnd =
  | {
      readonly kind: "response";
      readonly status: number;
      /** Names in lower case. */
      readonly headers: Readonly<Record<string, string>>;
      /** Decoded as UTF-8; invalid bytes are replaced. */
      readonly body: string;
    }
  /** `sent`: the request may have reached the other side, which may have processed and charged it. */
  | {
      readonly kind: "failed";
      readonly type: HttpFault;
      readonly message: string;
      readonly sent: boolean;
    }
  | { readonly kind: "cancelled" };

export type HttpResponse = Extract<HttpEnd, { readonly kind: "response" }>;

export type HttpFault =
  | "timeout"
  | "connection_reset"
  | "connection_refused"
  | "name_not_resolved"
  | "tls"
  | "response_too_large"
  /** The response breaks the protocol: it is not HTTP or, if the candidate parses it, not the JSON of its API. */
  | "bad_response"
  | "network"
  /** This process may open no more files (EMFILE). */
  | "open_files_limit";

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
 * Makes a fresh folder outside the checkout for one run of an agent: `folders` are copied in, each to `target` inside
 * it, and `files` are written, by their paths inside it.
 */
export type OpenWorkspace = (wanted: {
  readonly folders: readonly { readonly source: string; readonly target: string }[];
  readonly files: Readonly<Record<string, string>>;
}) => Promise<OpenedWorkspace | { readonly kind: "not_opened"; readonly message: string }>;

export interface OpenedWorkspace {
  readonly kind: "opened";
  /** The agent's working directory. Absolute, like `home` and `temporary`. */
  readonly directory: string;
  readonly home: string;
  readonly temporary: string;
  /** Marks the processes of this run, so that they can be found. */
  readonly mark: string;
  readonly writeHome: (path: string, text: string) => Promise<void>;
  readonly readHome: (path: string) => Promise<string | undefined>;
  readonly capture: () => Promise<Workspace>;
  readonly remove: () => Promise<void>;
}

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

/** A limit of concurrent work. */
export interface Slots {
  /** Waits for a slot, in the order of the requests; undefined if a slot is free at once. `leave` must follow. */
  readonly enter: () => Promise<void> | undefined;
  /** Releases the slot. */
  readonly leave: () => void;
}

/** A limit that adapts to the load that the other side accepts. */
export interface AdaptiveSlots extends Slots {
  /** Current limit. */
  readonly limit: () => number;
  /** Upper bound of the limit. */
  readonly most: number;
}

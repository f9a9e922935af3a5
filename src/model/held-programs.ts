import type { JsonObject } from "./json.ts";
import type { ProgramFile } from "./programs.ts";

/** A program of any language that grades, behind the fence. */
export interface HeldProgramSpec {
  /** A name on the PATH, or a path from the folder. */
  readonly command: string;
  /** Whether `node` is the one that runs Regrade. */
  readonly byOwnNode?: true;
  readonly args: readonly string[];
  readonly timeoutSeconds: number;
  /** Names of variables of the environment that it is given. */
  readonly env: readonly string[];
  /** All that it can read of the repository. */
  readonly files: readonly NamedFile[];
  /** Whether words of the command that are paths of files name files too. */
  readonly wordsNameFiles: boolean;
  /** The folder that it starts in. Absolute, inside the root. */
  readonly directory: string;
  /** The folder that paths start from, and the one that they may not leave. Absolute. */
  readonly base: HeldBase;
}

export interface HeldBase {
  readonly directory: string;
  readonly root: string;
}

export interface NamedFile {
  /** A file or a folder, relative to the base. */
  readonly path: string;
  /** Expected hash of a file; undefined: whatever it is. */
  readonly sha256: string | undefined;
}

export interface HeldProgram {
  /** The files that it can read. Paths are relative to the base. */
  readonly files: readonly ProgramFile[];
  readonly run: (input: HeldInput) => Promise<HeldEnd>;
}

export interface HeldInput {
  readonly stdin: string;
  /** Files of the agent's workspace as the sample keeps them; undefined: there is none. */
  readonly workspace: readonly JsonObject[] | undefined;
}

export type HeldEnd =
  | {
      readonly kind: "ended";
      /** undefined: a signal ended it. */
      readonly exitCode: number | undefined;
      readonly signal: string | undefined;
      readonly isLate: boolean;
      /** The last 256 KiB of each. */
      readonly stdout: string;
      readonly stderr: string;
      /** Paths of the workspace whose content is not there. */
      readonly notLaidOut: readonly string[];
    }
  /** The answer was not judged. */
  | { readonly kind: "not_started"; readonly reason: string };

export interface HeldRefused {
  /** `sandbox`: it can't be shut in as it must be. */
  readonly reason: "sandbox" | "unusable";
  readonly message: string;
}

export type OpenHeldProgram = (
  spec: HeldProgramSpec,
) => Promise<{ readonly program: HeldProgram } | { readonly refused: HeldRefused }>;

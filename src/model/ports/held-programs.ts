import type { JsonObject } from "../json.ts";
import type { ProgramFile } from "./programs.ts";

/** A program of any language that grades in the sandbox. */
export interface HeldProgramSpec {
  /** A name on the PATH, or a path from the folder. */
  readonly command: string;
  /** Whether `node` is the one that runs Regrade. */
  readonly byOwnNode?: true;
  readonly args: readonly string[];
  readonly timeoutSeconds: number;
  /** Names of the environment variables that it receives. */
  readonly env: readonly string[];
  /** The files and folders of the repository that it can read, and no others. */
  readonly files: readonly NamedFile[];
  /** Whether words of the command that are paths of files add to the readable files. */
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
  /** Path of a file or a folder, relative to the base. */
  readonly path: string;
  /** Expected hash of a file; undefined: any content. */
  readonly sha256: string | undefined;
}

export interface HeldProgram {
  /** The files that it can read. Paths are relative to the base. */
  readonly files: readonly ProgramFile[];
  readonly run: (input: HeldInput) => Promise<HeldEnd>;
}

export interface HeldInput {
  readonly stdin: string;
  /** Files of the agent's workspace, as the sample stores them; undefined if there is no workspace. */
  readonly workspace: readonly JsonObject[] | undefined;
}

export type HeldEnd =
  | {
      readonly kind: "ended";
      /** undefined if a signal ended it. */
      readonly exitCode: number | undefined;
      readonly signal: string | undefined;
      readonly isLate: boolean;
      /** The last 256 KiB of the output. */
      readonly stdout: string;
      readonly stderr: string;
      /** Paths of the workspace whose content the sample does not have. */
      readonly notLaidOut: readonly string[];
    }
  /** The program could not be started, so the answer was not judged. */
  | { readonly kind: "not_started"; readonly reason: string };

export interface HeldRefused {
  /** `sandbox`: this machine can't provide the required sandbox. */
  readonly reason: "sandbox" | "unusable";
  readonly message: string;
}

export type OpenHeldProgram = (
  spec: HeldProgramSpec,
) => Promise<{ readonly program: HeldProgram } | { readonly refused: HeldRefused }>;

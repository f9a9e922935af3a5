import type { ProgramModels } from "../model/ports/bridge.ts";

/** One piece of work, and the receiver of its answer. */
export interface Job<Answer> {
  /** Subject of the job's model calls. */
  readonly subject: string;
  readonly work: Work;
  /** When the job arrived, in milliseconds of `performance.now`. */
  readonly since: number;
  readonly settle: (answer: Answer) => void;
  /** Called if the work itself could not be read: the job's promise fails with this error. */
  readonly fail: (error: unknown) => void;
}

/** A job on its way to a host, with its line. */
export interface SentJob<Answer> {
  readonly job: Job<Answer>;
  /** undefined for work that is sent in parts. */
  readonly line: string | undefined;
}

export type Work =
  /** JSON in a line, which is made when it is sent: waiting jobs hold no text. */
  | { readonly kind: "line"; readonly text: () => string }
  /** Many lines that are one execution; they can be read once. */
  | { readonly kind: "whole"; readonly lines: AsyncIterable<string> };

/** Rules for a host's jobs, shared by pool and host. */
export interface JobRules<Answer> {
  /** Reads the lines of an answer; undefined if they violate the protocol. */
  readonly readAnswer: (lines: readonly string[]) => Answer | undefined;
  /** The result of a job whose process ended. */
  readonly blame: (fault: HostFault) => Answer;
  /** Models that answer the job's requests. */
  readonly models: ProgramModels | undefined;
}

/** Cause of a process's end during work. */
export type HostFault =
  | { readonly kind: "died"; readonly reason: string }
  | { readonly kind: "timeout" }
  | { readonly kind: "forged"; readonly reason: string };

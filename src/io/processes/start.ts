import type { Readable, Writable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import type { execa } from "./execa.ts";
import type { NotStarted } from "../../model/ports/processes.ts";
import { reasonOf, systemCode } from "../files/reason.ts";

/** A program to start: no shell, the environment exactly as given. */
interface ProgramToStart {
  readonly argv: readonly string[];
  readonly directory: string;
  readonly env: Readonly<Record<string, string>>;
  /** Text for its stdin, which then ends. undefined: its stdin stays open for the caller. */
  readonly input: string | undefined;
}

/** A running program, in its own process group. */
export interface Started {
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly stderr: Readable;
  readonly exited: Promise<{ readonly code: number | null; readonly signal: string | null }>;
  /** Sends a signal to the whole group; does nothing if the group has ended. */
  readonly kill: (signal: "SIGTERM" | "SIGKILL") => void;
}

/** From SIGTERM to SIGKILL: a time-out of 1 s ends within 2 s, whatever the program does. */
const killGraceMilliseconds = 750;

/** Starts a program. The caller must read its streams. */
export async function startProgram(program: ProgramToStart): Promise<Started | NotStarted> {
  try {
    // Loaded with the first program: a run without any starts faster.
    const { execa } = await import("./execa.ts");
    const subprocess = spawn(execa, program);
    if (subprocess.pid !== undefined) {
      return {
        stdin: subprocess.stdin,
        stdout: subprocess.stdout,
        stderr: subprocess.stderr,
        exited: new Promise((resolve) => {
          subprocess.nodeChildProcess.once("exit", (code, signal) => resolve({ code, signal }));
        }),
        kill: (signal) => void subprocess.kill(signal),
      };
    }
    const { cause } = await subprocess;
    return notStarted(program, cause);
  } catch (error) {
    // Node refuses some commands before the system call: for example a NUL in an argument.
    return notStarted(program, error);
  }
}

function spawn(run: typeof execa, program: ProgramToStart) {
  const { argv, directory, env, input } = program;
  const [file = "", ...rest] = argv;
  return run(file, rest, {
    cwd: directory,
    env,
    extendEnv: false,
    stdin: "pipe",
    ...(input !== undefined && { input }),
    // Streams are read here: execa would wait for any process that holds them open.
    buffer: false,
    reject: false,
    killDescendants: true,
    // Signal that execa sends if this process ends at once (a second Ctrl-C): there is no time for a second signal.
    killSignal: "SIGKILL",
    forceKillAfterDelay: false,
  });
}

function notStarted({ argv }: ProgramToStart, cause: unknown): NotStarted {
  return {
    kind: "not_started",
    type: systemCode(cause) === "EMFILE" ? "open_files_limit" : "not_started",
    message: `can't start ${argv[0] ?? "an empty command"}: ${reasonOf(cause)}`,
  };
}

/** Sends SIGTERM, waits, and then sends SIGKILL. */
export async function endGroup({ kill, exited, stdout, stderr }: Started): Promise<void> {
  kill("SIGTERM");
  await within(exited, killGraceMilliseconds);
  kill("SIGKILL");
  await exited;
  stdout.destroy();
  stderr.destroy();
}

/** True if the promise settles in time. */
export async function within(promise: Promise<unknown>, milliseconds: number): Promise<boolean> {
  const timer = new AbortController();
  const late = sleep(milliseconds, false, { signal: timer.signal }).catch(() => false);
  const isInTime = await Promise.race([promise.then(() => true), late]);
  timer.abort();
  return isInTime;
}

export interface Collected {
  readonly text: () => string;
  readonly closed: Promise<void>;
}

/** Collects the end of a stream. */
export function collectEnd(stream: Readable, keptBytes: number): Collected {
  let kept: Uint8Array = new Uint8Array();
  stream.on("data", (chunk: Uint8Array) => {
    kept = Buffer.concat([kept, chunk]).subarray(-keptBytes);
  });
  return { text: () => decode([kept]), closed: closing(stream) };
}

/** Bytes as text; invalid UTF-8 becomes U+FFFD. */
export function decode(chunks: readonly Uint8Array[]): string {
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(Buffer.concat(chunks));
}

/** Resolves when a stream has given all that it had. */
export function closing(stream: Readable): Promise<void> {
  return new Promise((resolve) => {
    stream.once("close", () => resolve());
    // A pipe may break when its process is killed; the process's end has the reason.
    stream.on("error", () => resolve());
  });
}

/** The first event of a running program: its end, what stopped it, the time-out or the signal. */
export async function firstEvent<Stop>(
  { exited }: Started,
  stopped: Promise<Stop>,
  limits: { readonly timeoutSeconds: number; readonly signal: AbortSignal },
): Promise<Stop | "exited" | "timed_out" | "cancelled"> {
  const over = new AbortController();
  const signal = AbortSignal.any([limits.signal, over.signal]);
  const late = sleep(limits.timeoutSeconds * 1000, "timed_out" as const, { signal }).catch(
    () => "cancelled" as const,
  );
  const event = await Promise.race([exited.then(() => "exited" as const), stopped, late]);
  over.abort();
  return event;
}

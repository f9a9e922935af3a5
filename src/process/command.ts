import type { Readable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import type { execa } from "execa";
import type { CommandEnd, RunCommand } from "../domain/ports.ts";
import { reasonOf } from "./reason.ts";

type Command = Parameters<RunCommand>[0];

/** An answer of more is a program that ran wild. */
const stdoutLimitBytes = 10_000_000;
/** The end of stderr is kept: the reason stands there. */
const stderrKeptBytes = 64 * 1024;
/** From SIGTERM to SIGKILL. A cancelled run has 5 s in all. */
const killGraceMilliseconds = 2000;
/** How long what the program started may hold its stdout open after it. */
const drainMilliseconds = 250;

/**
 * Runs a program once: no shell, the input on stdin, the environment exactly as given. It and what it starts are a
 * process group of their own, which is ended on the time-out, on the signal, and when the program has ended.
 * Bytes of stdout that are not UTF-8 become U+FFFD: a damaged answer is graded, as it would be read by a user.
 * What is *not* ended: a process that left the group (setsid), and on Windows what outlives the program.
 */
export const runCommand: RunCommand = async (command) => {
  if (command.signal.aborted) return { kind: "cancelled" };
  const started = await start(command);
  if ("kind" in started) return started;
  const stdout = collectStart(started.stdout, stdoutLimitBytes);
  const stderr = collectEnd(started.stderr, stderrKeptBytes);
  const why = await firstOf(started.exited, stdout.overflow, command);
  if (why !== "exited") {
    await endGroup(started);
    return earlyEnd(why);
  }
  await drain(started, Promise.all([stdout.closed, stderr.closed]));
  if (stdout.isTooLarge()) return earlyEnd("output_too_large");
  const { code, signal } = await started.exited;
  return code === null
    ? { kind: "killed", signal: signal ?? "a signal", stderr: stderr.text() }
    : { kind: "exited", code, stdout: stdout.text(), stderr: stderr.text() };
};

interface Started {
  readonly stdout: Readable;
  readonly stderr: Readable;
  readonly exited: Promise<{ readonly code: number | null; readonly signal: string | null }>;
  /** Sends a signal to the whole group; where nothing is left of it, nothing happens. */
  readonly kill: (signal: "SIGTERM" | "SIGKILL") => void;
}

async function start(command: Command): Promise<Started | CommandEnd> {
  try {
    // Loaded with the first command: a run without commands starts faster.
    const { execa } = await import("execa");
    const subprocess = spawn(execa, command);
    if (subprocess.pid !== undefined) {
      return {
        stdout: subprocess.stdout,
        stderr: subprocess.stderr,
        exited: new Promise((resolve) => {
          subprocess.nodeChildProcess.once("exit", (code, signal) => resolve({ code, signal }));
        }),
        kill: (signal) => void subprocess.kill(signal),
      };
    }
    const { cause } = await subprocess;
    return { kind: "not_started", message: notStarted(command, cause) };
  } catch (error) {
    // What Node refuses before it asks the system: a NUL in an argument, say.
    return { kind: "not_started", message: notStarted(command, error) };
  }
}

function spawn(run: typeof execa, { argv: [file = "", ...rest], directory, env, input }: Command) {
  return run(file, rest, {
    cwd: directory,
    env,
    extendEnv: false,
    input,
    // Streams are read here: execa would wait for whoever holds them open.
    buffer: false,
    reject: false,
    killDescendants: true,
    // What execa sends where this process itself ends at once (a second Ctrl-C): nobody is left to ask twice.
    killSignal: "SIGKILL",
    forceKillAfterDelay: false,
  });
}

function notStarted({ argv }: Command, cause: unknown): string {
  return `can't start ${argv[0] ?? "an empty command"}: ${reasonOf(cause)}`;
}

type Why = "exited" | "output_too_large" | "timed_out" | "cancelled";

/** What happens first to a running command. */
async function firstOf(
  exited: Started["exited"],
  overflow: Promise<void>,
  { timeoutSeconds, signal }: Command,
): Promise<Why> {
  const over = new AbortController();
  const either = AbortSignal.any([signal, over.signal]);
  const late = sleep(timeoutSeconds * 1000, "timed_out" as const, { signal: either }).catch(
    () => "cancelled" as const,
  );
  const why = await Promise.race([
    exited.then(() => "exited" as const),
    overflow.then(() => "output_too_large" as const),
    late,
  ]);
  over.abort();
  return why;
}

function earlyEnd(why: Exclude<Why, "exited">): CommandEnd {
  return why === "output_too_large" ? { kind: why, limitBytes: stdoutLimitBytes } : { kind: why };
}

/** Asks, waits, and then does not ask. */
async function endGroup({ kill, exited, stdout, stderr }: Started): Promise<void> {
  kill("SIGTERM");
  await within(exited, killGraceMilliseconds);
  kill("SIGKILL");
  await exited;
  stdout.destroy();
  stderr.destroy();
}

/**
 * Waits for the rest of the output, and ends what the program left running: a sample must not wait
 * for a stranger that holds its stdout, nor fill the machine with strangers.
 */
async function drain(started: Started, closed: Promise<unknown>): Promise<void> {
  const isClosed = await within(closed, drainMilliseconds);
  started.kill("SIGKILL");
  if (!isClosed) await within(closed, drainMilliseconds);
  started.stdout.destroy();
  started.stderr.destroy();
}

async function within(promise: Promise<unknown>, milliseconds: number): Promise<boolean> {
  const timer = new AbortController();
  const late = sleep(milliseconds, false, { signal: timer.signal }).catch(() => false);
  const isInTime = await Promise.race([promise.then(() => true), late]);
  timer.abort();
  return isInTime;
}

interface Collected {
  readonly text: () => string;
  readonly closed: Promise<void>;
}

/** Collects a stream up to a limit; what comes after is dropped. */
function collectStart(
  stream: Readable,
  limitBytes: number,
): Collected & { readonly overflow: Promise<void>; readonly isTooLarge: () => boolean } {
  const { promise: overflow, resolve: overflowed } = Promise.withResolvers<void>();
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  stream.on("data", (chunk: Uint8Array) => {
    bytes += chunk.length;
    if (bytes <= limitBytes) chunks.push(chunk);
    else overflowed();
  });
  return {
    text: () => decode(chunks),
    closed: closing(stream),
    overflow,
    isTooLarge: () => bytes > limitBytes,
  };
}

/** Collects the end of a stream. */
function collectEnd(stream: Readable, keptBytes: number): Collected {
  let kept: Uint8Array = new Uint8Array();
  stream.on("data", (chunk: Uint8Array) => {
    kept = Buffer.concat([kept, chunk]).subarray(-keptBytes);
  });
  return { text: () => decode([kept]), closed: closing(stream) };
}

function decode(chunks: readonly Uint8Array[]): string {
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(Buffer.concat(chunks));
}

function closing(stream: Readable): Promise<void> {
  return new Promise((resolve) => {
    stream.once("close", () => resolve());
    // A pipe may break when its process is killed; the process's end says what happened.
    stream.on("error", () => resolve());
  });
}

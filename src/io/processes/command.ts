import type { Readable } from "node:stream";
import type { CommandEnd, RunCommand } from "../../model/ports/processes.ts";
import {
  closing,
  collectEnd,
  decode,
  endGroup,
  startProgram,
  within,
  firstEvent,
  type Collected,
  type Started,
} from "./start.ts";

/** Limit of a program's output: a program that writes more repeats itself without end. */
const stdoutLimitBytes = 10_000_000;
/** The end of stderr is kept: it has the reason. */
const stderrKeptBytes = 64 * 1024;
/** Time that child processes may hold the program's stdout open after its end. */
const drainMilliseconds = 250;

/**
 * Runs a program once: no shell, the input on stdin, the environment exactly as given. The program and its children are a
 * process group, which is ended on the time-out, on the signal, and when the program has ended. Bytes of stdout that are
 * not UTF-8 become U+FFFD: a damaged answer is graded, as it would be read by a user. *Not* ended: a process that left
 * the group (setsid), and on Windows child processes that outlive the program.
 */
export const runCommand: RunCommand = async (command) => {
  if (command.signal.aborted) return { kind: "cancelled" };
  const started = await startProgram(command);
  if ("kind" in started) return started;
  const stdout = collectStart(started.stdout, stdoutLimitBytes);
  const stderr = collectEnd(started.stderr, stderrKeptBytes);
  const why = await firstEvent(started, stdout.overflow, command);
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

function earlyEnd(why: "output_too_large" | "timed_out" | "cancelled"): CommandEnd {
  return why === "output_too_large" ? { kind: why, limitBytes: stdoutLimitBytes } : { kind: why };
}

/**
 * Waits for the rest of the output, and ends remaining processes of the program: a sample must not wait for a child that
 * holds its stdout, nor leave processes running.
 */
async function drain(started: Started, closed: Promise<unknown>): Promise<void> {
  const isClosed = await within(closed, drainMilliseconds);
  started.kill("SIGKILL");
  if (!isClosed) await within(closed, drainMilliseconds);
  started.stdout.destroy();
  started.stderr.destroy();
}

/** Collects a stream up to a limit; the rest is dropped. */
function collectStart(
  stream: Readable,
  limitBytes: number,
): Collected & {
  readonly overflow: Promise<"output_too_large">;
  readonly isTooLarge: () => boolean;
} {
  const { promise: overflow, resolve: stop } = Promise.withResolvers<"output_too_large">();
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  stream.on("data", (chunk: Uint8Array) => {
    bytes += chunk.length;
    if (bytes <= limitBytes) chunks.push(chunk);
    else stop("output_too_large");
  });
  return {
    text: () => decode(chunks),
    closed: closing(stream),
    overflow,
    isTooLarge: () => bytes > limitBytes,
  };
}

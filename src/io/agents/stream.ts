import { createLineSplitter } from "../../base/lines.ts";
import type { RunLines, LinesEnd } from "../../model/ports/processes.ts";
import {
  closing,
  collectEnd,
  decode,
  endGroup,
  startProgram,
  within,
  type Started,
  firstEvent,
} from "../processes/start.ts";
import { endMarked, markName } from "./marked.ts";

/** Limit of an agent's output: an agent that writes more repeats itself without end. */
const stdoutLimitBytes = 32_000_000;
const stderrKeptBytes = 64 * 1024;
/** Time for the last output to arrive after the program's end. */
const drainMilliseconds = 250;

/**
 * Runs a program and reads its stdout line by line. The program and all processes that it started are ended: its process
 * group, and on Linux what left the group, found by a variable of its environment. *Not* ended: a process that left the
 * group and cleared its environment, unless a fence holds it.
 */
export const runLines: RunLines = async (program) => {
  if (program.signal.aborted) return { kind: "cancelled" };
  const env = { ...program.env, [markName]: program.mark };
  const started = await startProgram({ ...program, env });
  if ("kind" in started) return started;
  // A program that does not read its whole prompt closes the pipe; the process's end tells what happened.
  started.stdin.on("error", () => undefined);
  const stderr = collectEnd(started.stderr, stderrKeptBytes);
  const reading = readLines(started, program);
  const first = await firstEvent(started, reading.stopped, program);
  if (first === "exited")
    await within(Promise.all([reading.closed, stderr.closed]), drainMilliseconds);
  await endGroup(started);
  await endMarked(program.mark);
  reading.finish();
  // A program that ends at its limit may have ended before its last lines were read.
  const why = first === "exited" ? (reading.stop() ?? first) : first;
  if (why !== "exited") return stoppedEnd(why, stderr.text());
  const { code, signal } = await started.exited;
  return code === null
    ? { kind: "killed", signal: signal ?? "a signal", stderr: stderr.text() }
    : { kind: "exited", code, stderr: stderr.text() };
};

type Stop = "enough" | "output_too_large";

function stoppedEnd(why: Stop | "timed_out" | "cancelled", stderr: string): LinesEnd {
  switch (why) {
    case "output_too_large":
      return { kind: why, limitBytes: stdoutLimitBytes };
    case "timed_out":
      return { kind: why, stderr };
    case "enough":
    case "cancelled":
      return { kind: why };
  }
}

interface Reading {
  readonly stopped: Promise<Stop>;
  /** Why the program was stopped; undefined if it was not. */
  readonly stop: () => Stop | undefined;
  readonly closed: Promise<void>;
  /** Passes on the last line if it has no line end. */
  readonly finish: () => void;
}

function readLines({ stdout }: Started, { onLine }: Parameters<RunLines>[0]): Reading {
  const splitter = createLineSplitter();
  const { promise: stopped, resolve } = Promise.withResolvers<Stop>();
  let bytes = 0;
  let why: Stop | undefined;
  const stop = (reason: Stop): void => {
    why ??= reason;
    resolve(reason);
  };
  const give = (lines: ReturnType<typeof splitter.push>): void => {
    for (const line of lines) {
      if (why !== undefined || line.bytes === undefined || line.bytes.length === 0) continue;
      if (onLine(decode([line.bytes])) === "go_on") continue;
      stop("enough");
    }
  };
  stdout.on("data", (chunk: Uint8Array) => {
    bytes += chunk.length;
    if (bytes > stdoutLimitBytes) stop("output_too_large");
    else give(splitter.push(chunk));
  });
  return { stopped, stop: () => why, closed: closing(stdout), finish: () => give(splitter.end()) };
}

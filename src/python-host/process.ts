import { spawn, type ChildProcess } from "node:child_process";
import type { Readable, Writable } from "node:stream";
import { createFrameReader, encodeFrame } from "./frames.ts";
import { reasonOf } from "../io/files/reason.ts";

/** Length of a host's stdout and stderr kept for messages. */
const tailKept = 4_000;
/** Time that a channel may stay open after its process ended: a process that left the group may still hold it. */
const drainMilliseconds = 1_000;
/** Time for a process to end by itself. */
const lastMoment = 250;

export interface PythonCommand {
  readonly interpreter: string;
  readonly arguments: readonly string[];
  readonly directory: string;
  readonly env: Readonly<Record<string, string>>;
}

interface PythonEvents {
  readonly frames: (texts: readonly string[]) => void;
  /** Called for an impossible length: the channel can't be read any further. */
  readonly malformed: () => void;
  /** Called once, after the last frame. `reason` continues "the process …". */
  readonly ended: (reason: string) => void;
}

/**
 * One Python process in its own process group, connected by descriptors 3 and 4; its stdout and stderr are read, and
 * shown only in messages. Not blocked: a program that it starts and that creates its own session (`setsid`) outlives it.
 */
export class PythonProcess {
  readonly #child: ChildProcess;
  readonly #ended = Promise.withResolvers<void>();
  #events: PythonEvents | undefined;
  #tail = "";
  /** Why it ended. */
  #reason: string | undefined;

  constructor(command: PythonCommand) {
    this.#child = spawn(command.interpreter, command.arguments, {
      cwd: command.directory,
      env: command.env,
      stdio: ["ignore", "pipe", "pipe", "pipe", "pipe"],
      detached: true,
      windowsHide: true,
    });
    this.#child.on("error", (error) => {
      if (this.#child.pid === undefined) this.#end(`can't be started: ${reasonOf(error)}`);
    });
    this.#child.on("exit", (code, signal) => this.#drain(endOf(code, signal)));
    this.#listen();
  }

  /** Sends events to this listener from now on, instead of the previous one; an end that came before is reported too. */
  listen(events: PythonEvents): void {
    this.#events = events;
    const reason = this.#reason;
    if (reason !== undefined) setImmediate(() => events.ended(reason));
  }

  get hasEnded(): boolean {
    return this.#reason !== undefined;
  }

  /** Writes a frame of lines. If the process has ended it is lost: `ended` reports that. */
  send(...lines: readonly string[]): void {
    const channel = this.#channel;
    if (channel?.writable === true) channel.write(encodeFrame(lines));
  }

  /** Kills the process, and all that it started in its group, at once. */
  kill(): void {
    const { pid } = this.#child;
    // The system may reuse the number later.
    if (pid === undefined || this.#reason !== undefined) return;
    try {
      process.kill(-pid, "SIGKILL");
    } catch {
      // The group does not exist: on Windows, or after all of it has ended.
      this.#child.kill("SIGKILL");
    }
  }

  /** Lets a stopped process continue (after SIGSTOP). */
  goOn(): void {
    if (this.#reason === undefined && process.platform !== "win32") this.#child.kill("SIGCONT");
  }

  /** Waits until all data has been sent. */
  async drained(): Promise<void> {
    const channel = this.#channel;
    if (channel?.writableNeedDrain !== true) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    channel.once("drain", resolve);
    channel.once("close", resolve);
    await promise;
    channel.off("drain", resolve);
    channel.off("close", resolve);
  }

  /**
   * Asks the process to end, which also ends its children in process groups of their own; kills it soon after; waits
   * for its end.
   */
  async close(): Promise<void> {
    this.#channel?.end();
    const timer = setTimeout(() => this.kill(), lastMoment);
    await this.#ended.promise;
    clearTimeout(timer);
  }

  get #channel(): Writable | undefined {
    const stream = this.#child.stdio?.[3];
    return isWritable(stream) ? stream : undefined;
  }

  #listen(): void {
    // A process that can't be started for lack of descriptors has no streams.
    const [, out, error, input, output] = this.#child.stdio ?? [];
    const keepTail = (chunk: Buffer): void => {
      this.#tail = (this.#tail + chunk.toString("latin1")).slice(-tailKept);
    };
    for (const stream of [out, error]) if (isReadable(stream)) stream.on("data", keepTail);
    // A broken pipe means the end of the process, which `exit` reports.
    for (const stream of [out, error, input, output]) stream?.on("error", () => undefined);
    const read = createFrameReader();
    if (isReadable(output)) {
      output.on("data", (chunk: Buffer) => {
        const { frames, malformed } = read(chunk);
        if (frames.length > 0) this.#events?.frames(frames);
        if (malformed) this.#events?.malformed();
      });
    }
  }

  /** The process has ended; its last output may still arrive. */
  #drain(reason: string): void {
    this.kill();
    const output = this.#child.stdio?.[4];
    const end = (): void => this.#end(`${reason}${tailOf(this.#tail)}`);
    if (!output || output.destroyed) return end();
    output.once("close", end);
    const timer = setTimeout(() => output.destroy(), drainMilliseconds);
    output.once("close", () => clearTimeout(timer));
  }

  #end(reason: string): void {
    if (this.#reason !== undefined) return;
    this.#reason = reason;
    for (const stream of this.#child.stdio ?? []) stream?.destroy();
    this.#ended.resolve();
    this.#events?.ended(reason);
  }
}

function endOf(code: number | null, signal: NodeJS.Signals | null): string {
  return signal === null ? `ended with exit code ${code}` : `was killed by ${signal}`;
}

/** The last output of a process, without parts that differ from run to run (addresses of threads). */
function tailOf(tail: string): string {
  const text = Buffer.from(tail, "latin1").toString("utf8");
  const lines = text.split("\n").filter((line) => line.trim() !== "" && !line.includes("hread 0x"));
  const last = lines.slice(-12).join("\n").slice(-1_000);
  return last === "" ? "" : `; its last words: ${last}`;
}

function isReadable(stream: Readable | Writable | null | undefined): stream is Readable {
  return stream !== null && stream !== undefined && "read" in stream;
}

function isWritable(stream: Readable | Writable | null | undefined): stream is Writable {
  return stream !== null && stream !== undefined && "write" in stream;
}

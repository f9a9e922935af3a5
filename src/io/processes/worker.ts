import { createLineSplitter, type Line } from "../../base/lines.ts";
import type { SpawnWorker, WorkerEnd, WorkerProcess } from "../../model/ports/processes.ts";
import {
  closing,
  collectEnd,
  decode,
  endGroup,
  startProgram,
  within,
  type Collected,
  type Started,
} from "./start.ts";

/** Limit of an answer: a program that writes more repeats itself without end. */
const lineLimitBytes = 10_000_000;
/** The end of stderr is kept: it has the reason. */
const stderrKeptBytes = 64 * 1024;
/** Time for the last output to arrive after the worker's end. */
const drainMilliseconds = 250;
/** Time for a worker to end by itself after its input has ended. */
const exitGraceMilliseconds = 500;

/**
 * Starts a long-lived program and speaks to it by lines: one out, one back. The program and its children are a process
 * group. Bytes that are not UTF-8 become U+FFFD; empty lines are skipped. *Not* ended with it: a process that left the
 * group (setsid), and on Windows child processes that outlive the program.
 */
export const spawnWorker: SpawnWorker = async (worker) => {
  const started = await startProgram({ ...worker, input: undefined });
  if ("kind" in started) return started;
  const conversation = new Conversation(started);
  return {
    kind: "started",
    ask: (line, limits) => conversation.ask(line, limits),
    isAlive: () => conversation.isAlive,
    close: () => conversation.close(),
  };
};

/** Result of one request. */
interface Asked {
  readonly settle: (end: WorkerEnd) => void;
  /** True until it writes a byte. */
  silent: boolean;
}

/** Owns a worker's process. */
class Conversation {
  readonly #process: Started;
  readonly #stderr: Collected;
  readonly #stdoutClosed: Promise<void>;
  readonly #splitter = createLineSplitter();
  #received = 0;
  #lineEnd = 0;
  #asked: Asked | undefined;
  /** The first line that came although nothing had been asked. */
  #unasked: string | undefined;
  #ended: Promise<void> | undefined;
  #hasExited = false;

  constructor(started: Started) {
    this.#process = started;
    this.#stderr = collectEnd(started.stderr, stderrKeptBytes);
    this.#stdoutClosed = closing(started.stdout);
    started.stdout.on("data", (chunk: Uint8Array) => this.#read(chunk));
    // A pipe breaks if the process has ended; its end has the reason.
    started.stdin.on("error", () => undefined);
    void this.#watchExit();
  }

  get isAlive(): boolean {
    return this.#ended === undefined && !this.#hasExited;
  }

  async ask(line: string, limits: Parameters<WorkerProcess["ask"]>[1]): Promise<WorkerEnd> {
    if (limits.signal.aborted) return this.#stop({ kind: "cancelled" });
    if (this.#unasked !== undefined) {
      return this.#stop({ kind: "line", text: this.#unasked, asked: false });
    }
    const { promise, resolve } = Promise.withResolvers<WorkerEnd>();
    const asked: Asked = { settle: resolve, silent: true };
    this.#asked = asked;
    if (!this.#hasExited) this.#process.stdin.write(`${line}\n`);
    else await this.#tellEnd();
    const unwatch = this.#watch(asked, limits);
    const end = await promise;
    unwatch();
    this.#asked = undefined;
    return end.kind === "line" ? end : this.#stop(end);
  }

  /** End of file, then SIGTERM, then SIGKILL, each for the whole group where it has no effect. */
  close(): Promise<void> {
    this.#ended ??= this.#sayFarewell();
    return this.#ended;
  }

  async #sayFarewell(): Promise<void> {
    this.#process.stdin.end();
    await within(this.#process.exited, exitGraceMilliseconds);
    await endGroup(this.#process);
  }

  /** Ends the process at once, with the reason. */
  async #stop(end: WorkerEnd): Promise<WorkerEnd> {
    this.#ended ??= endGroup(this.#process);
    await this.#ended;
    return end;
  }

  #watch(asked: Asked, { timeoutSeconds, signal }: Parameters<WorkerProcess["ask"]>[1]) {
    const late = setTimeout(() => {
      // Node itself may have been busy: read an answer waiting in the pipe first.
      setImmediate(() => asked.settle({ kind: "timed_out", stderr: this.#stderr.text() }));
    }, timeoutSeconds * 1000);
    const cancel = (): void => asked.settle({ kind: "cancelled" });
    signal.addEventListener("abort", cancel);
    return (): void => {
      clearTimeout(late);
      signal.removeEventListener("abort", cancel);
    };
  }

  #read(chunk: Uint8Array): void {
    this.#received += chunk.length;
    if (this.#asked) this.#asked.silent = false;
    for (const line of this.#splitter.push(chunk)) this.#take(line);
    if (this.#received - this.#lineEnd <= lineLimitBytes) return;
    const end = { kind: "line_too_large", limitBytes: lineLimitBytes } as const;
    if (this.#asked) this.#asked.settle(end);
    else void this.#stop(end);
  }

  #take({ bytes, end }: Line): void {
    this.#lineEnd = end;
    const text = decode(bytes === undefined ? [] : [bytes]);
    if (text.trim() === "") return;
    const asked = this.#asked;
    this.#asked = undefined;
    if (asked) asked.settle({ kind: "line", text, asked: true });
    else this.#unasked ??= text;
  }

  async #watchExit(): Promise<void> {
    await this.#process.exited;
    // Its last output may still be on its way.
    await within(this.#stdoutClosed, drainMilliseconds);
    this.#hasExited = true;
    await this.#tellEnd();
  }

  async #tellEnd(): Promise<void> {
    const { code, signal } = await this.#process.exited;
    await within(this.#stderr.closed, drainMilliseconds);
    const stderr = this.#stderr.text();
    const silent = this.#asked?.silent ?? true;
    this.#asked?.settle({ kind: "ended", code, signal, silent, stderr });
  }
}

import { randomBytes } from "node:crypto";
import { isJsonObject, type JsonObject } from "../domain/json.ts";
import { type Loaded, readLoaded } from "./python-loaded.ts";
import { PythonProcess, type PythonCommand } from "./python-process.ts";

/** One piece of work: a line of JSON, and where its answer goes. */
export interface Job<Answer> {
  readonly text: string;
  readonly settle: (answer: Answer) => void;
}

export interface HostProgram<Answer> {
  readonly command: PythonCommand;
  /** The load frame, without type, key and careful. */
  readonly load: JsonObject;
  /** undefined where a host that keeps to the protocol can't have said it. */
  readonly readAnswer: (result: JsonObject, printed: string | null) => Answer | undefined;
  readonly timeoutSeconds: number;
  readonly loadTimeoutSeconds: number;
  /** What a host is given beyond a time-out to end the sample by itself. */
  readonly graceSeconds: number;
  /** Every answer is sent at once: slower, and the first job without one is the one that was under way. */
  readonly careful: boolean;
}

/** Why a host ended with work in hand. */
export type HostFault =
  | { readonly kind: "died"; readonly reason: string }
  | { readonly kind: "timeout" }
  | { readonly kind: "forged"; readonly reason: string };

export interface HostEvents {
  /** A job was answered: there may be room for more. */
  readonly progress: () => void;
  readonly ended: (fault: HostFault) => void;
}

/**
 * One warm interpreter with one program. Jobs are answered in the order in which they were fed. Every frame is checked;
 * one that can't be right ends the host.
 */
export class PythonHost<Answer> {
  /** Jobs without an answer, in order. */
  readonly pending: Job<Answer>[] = [];
  answered = 0;
  /** Milliseconds a job, a moving average; the start is a guess. */
  pace = 5;
  readonly loaded: Promise<Loaded>;
  readonly #resolveLoaded: (loaded: Loaded) => void;
  readonly #program: HostProgram<Answer>;
  readonly #events: HostEvents;
  readonly #process: PythonProcess;
  readonly #key = randomBytes(12).toString("hex");
  #state: "loading" | "ready" | "ended" = "loading";
  #watchdog: NodeJS.Timeout;
  #fault: HostFault | undefined;
  #answeredAt = 0;

  constructor(program: HostProgram<Answer>, events: HostEvents) {
    this.#program = program;
    this.#events = events;
    const { promise, resolve } = Promise.withResolvers<Loaded>();
    this.loaded = promise;
    this.#resolveLoaded = resolve;
    this.#watchdog = this.#watch(program.loadTimeoutSeconds);
    this.#process = new PythonProcess(program.command, {
      frames: (texts) => this.#read(texts),
      malformed: () => this.#stop({ kind: "forged", reason: "bytes that are no frame" }),
      ended: (reason) => this.#end(reason),
    });
    const { load, careful } = program;
    this.#process.send(JSON.stringify({ type: "load", key: this.#key, careful, ...load }));
  }

  get careful(): boolean {
    return this.#program.careful;
  }

  get ready(): boolean {
    return this.#state === "ready" && this.#fault === undefined;
  }

  /** Hands over jobs, as one frame: a head, then a job a line (JSON has no raw line breaks). */
  feed(jobs: readonly Job<Answer>[]): void {
    const first = this.answered + this.pending.length;
    if (this.pending.length === 0) this.#startClock();
    this.pending.push(...jobs);
    this.#process.send(`{"type":"batch","first":${first}}`, ...jobs.map((job) => job.text));
  }

  async close(): Promise<void> {
    await this.#process.close();
  }

  #startClock(): void {
    this.#answeredAt = performance.now();
    this.#watchdog.refresh();
  }

  #read(texts: readonly string[]): void {
    let answers = 0;
    for (const text of texts) {
      if (this.#fault !== undefined) return;
      if (this.#state === "loading") this.#readLoaded(text);
      else if (this.#readAnswer(text)) answers += 1;
    }
    if (answers === 0) return;
    const now = performance.now();
    const weight = 1 - 0.95 ** answers;
    this.pace += ((now - this.#answeredAt) / answers - this.pace) * weight;
    this.#answeredAt = now;
    this.#watchdog.refresh();
    this.#events.progress();
  }

  #readLoaded(text: string): void {
    const loaded = readLoaded(parse(text), this.#key);
    if (loaded === undefined) return this.#stop({ kind: "forged", reason: said(text) });
    clearTimeout(this.#watchdog);
    this.#state = "ready";
    this.#watchdog = this.#watch(this.#program.timeoutSeconds);
    this.#resolveLoaded(loaded);
  }

  #readAnswer(text: string): boolean {
    const frame = parse(text);
    const job = this.pending[0];
    const known = job && frame?.["key"] === this.#key && frame["n"] === this.answered;
    const answer = known ? this.#answerOf(frame) : undefined;
    if (!job || answer === undefined) {
      this.#stop({ kind: "forged", reason: said(text) });
      return false;
    }
    this.pending.shift();
    this.answered += 1;
    job.settle(answer);
    return true;
  }

  #answerOf(frame: JsonObject): Answer | undefined {
    const { result, printed } = frame;
    if (!isJsonObject(result) || (printed !== null && typeof printed !== "string"))
      return undefined;
    return this.#program.readAnswer(result, printed);
  }

  /** Fires where the host's own timer did not help: code that swallows it, or never returns to Python. */
  #watch(seconds: number): NodeJS.Timeout {
    const milliseconds = (seconds + this.#program.graceSeconds) * 1000;
    return setTimeout(() => {
      const { answered } = this;
      const state = this.#state;
      // Node itself may have been busy: an answer that lies in the channel is read first.
      setImmediate(() => {
        const idle = state === "ready" && this.pending.length === 0;
        if (!idle && answered === this.answered && state === this.#state)
          this.#stop({ kind: "timeout" });
      });
    }, milliseconds).unref();
  }

  #stop(fault: HostFault): void {
    this.#fault ??= fault;
    this.#process.kill();
  }

  #end(reason: string): void {
    clearTimeout(this.#watchdog);
    const fault = this.#fault ?? { kind: "died", reason };
    if (this.#state === "loading") this.#resolveLoaded(notLoaded(fault, this.#program));
    this.#state = "ended";
    this.#events.ended(fault);
  }
}

function notLoaded<Answer>(fault: HostFault, program: HostProgram<Answer>): Loaded {
  switch (fault.kind) {
    case "died":
      return { kind: "died", reason: fault.reason };
    case "forged":
      return { kind: "died", reason: `wrote ${fault.reason} into Regrade's own channel` };
    case "timeout": {
      const message = `it was not imported within ${program.loadTimeoutSeconds} s`;
      const nowhere = { line: undefined, column: undefined, text: undefined, traceback: undefined };
      return { kind: "refused", refused: { reason: "load_timeout", message, ...nowhere } };
    }
  }
}

function parse(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** What a frame says, for a message; never the key, which the next sample's forger could use. */
function said(text: string): string {
  return text.includes('"key"') ? "a frame out of turn" : `"${text.slice(0, 100)}"`;
}

import { randomBytes } from "node:crypto";
import type { Json, JsonObject } from "../model/json.ts";
import { type HostMessage, readMessage } from "./frames.ts";
import type { HostFault, Job, JobRules, SentJob } from "./job.ts";
import { type Loaded, notLoaded, readLoaded } from "./loaded.ts";
import type { PythonProcess } from "./process.ts";
import { answerQuestion, type HostQuestion } from "./question.ts";

export interface HostProgram<Answer> extends JobRules<Answer> {
  readonly start: () => PythonProcess;
  /** The load frame, without type, key, careful and grace_seconds. */
  readonly load: JsonObject;
  readonly timeoutSeconds: number;
  readonly loadTimeoutSeconds: number;
  /** Time that a sample has after its time-out to end by itself. */
  readonly graceSeconds: number;
  /** Further seconds after which the host itself counts as hanging. */
  readonly hangSeconds: number;
  /** One job at a time: slower, but if the host itself ends, it is known which job it worked on. */
  readonly careful: boolean;
}

interface HostEvents {
  /** A job was answered, so that the host may accept more. */
  readonly progress: () => void;
  readonly ended: (fault: HostFault) => void;
}

interface Pending<Answer> {
  readonly job: Job<Answer>;
  /** Number of questions asked so far. */
  asked: number;
  /** Lines of an answer that comes in several messages. */
  readonly lines: string[];
  characters: number;
}

/** Characters of one answer in several messages. */
const answerLimit = 256 * 1024 * 1024;
/**
 * Time after which an old measurement counts for only a third: chunks vary in size, and a small one takes as long as
 * its fork.
 */
const paceMilliseconds = 500;
const guessedPace = 25;
/** Interval at which a silent host is woken. */
const wakeMilliseconds = 100;
/** Lines of a job that comes in parts travel together up to this many characters. */
const partCharacters = 1_000_000;

/** One warm interpreter with one program. Every message is checked; an impossible one ends the host. */
export class PythonHost<Answer> {
  readonly #pending = new Map<number, Pending<Answer>>();
  /** Milliseconds spent on recent jobs, and their number; both begin with a guess. */
  #spent = guessedPace;
  #answered = 1;
  readonly loaded: Promise<Loaded>;
  readonly #resolveLoaded: (loaded: Loaded) => void;
  readonly #program: HostProgram<Answer>;
  readonly #events: HostEvents;
  readonly #process: PythonProcess;
  readonly #key = randomBytes(12).toString("hex");
  #state: "loading" | "ready" | "ended" = "loading";
  #watchdog: NodeJS.Timeout;
  #fault: HostFault | undefined;
  #next = 0;
  #heard = 0;
  #answeredAt = 0;

  constructor(program: HostProgram<Answer>, events: HostEvents) {
    this.#program = program;
    this.#events = events;
    const { promise, resolve } = Promise.withResolvers<Loaded>();
    this.loaded = promise;
    this.#resolveLoaded = resolve;
    this.#watchdog = this.#watch(program.loadTimeoutSeconds + program.graceSeconds);
    this.#process = program.start();
    this.#process.listen({
      frames: (texts) => this.#read(texts),
      malformed: () => this.#stop({ kind: "forged", reason: "bytes that are no frame" }),
      ended: (reason) => this.#end(reason),
    });
    const { load, careful, graceSeconds: grace_seconds } = program;
    const frame = { type: "load", key: this.#key, careful, grace_seconds, ...load };
    this.#process.send(JSON.stringify(frame));
  }

  get careful(): boolean {
    return this.#program.careful;
  }

  get ready(): boolean {
    return this.#state === "ready" && this.#fault === undefined;
  }

  /** Number of jobs without an answer. */
  get busy(): number {
    return this.#pending.size;
  }

  /** Milliseconds per job. */
  get pace(): number {
    return this.#spent / this.#answered;
  }

  /** Sends jobs. Consecutive line jobs share one frame: a head, then one job per line (JSON has no raw line breaks). */
  feed(jobs: readonly SentJob<Answer>[]): void {
    if (this.#pending.size === 0) this.#startClock();
    const first = this.#next;
    const lines: string[] = [];
    for (const { job, line } of jobs) {
      const number = this.#next;
      this.#next += 1;
      this.#pending.set(number, { job, asked: 0, lines: [], characters: 0 });
      if (line !== undefined) lines.push(line);
      else void this.#feedWhole(number, job);
    }
    if (lines.length > 0) this.#process.send(`{"type":"batch","first":${first}}`, ...lines);
  }

  /** Takes back the jobs without an answer, in order. */
  takeBack(): Job<Answer>[] {
    const jobs = [...this.#pending.values()].map(({ job }) => job);
    this.#pending.clear();
    return jobs;
  }

  kill(): void {
    this.#process.kill();
  }

  async close(): Promise<void> {
    await this.#process.close();
  }

  async #feedWhole(number: number, job: Job<Answer>): Promise<void> {
    if (job.work.kind === "line") return;
    this.#process.send(`{"type":"open","n":${number}}`);
    try {
      let lines: string[] = [];
      let characters = 0;
      for await (const line of job.work.lines) {
        if (!this.#pending.has(number)) return;
        lines.push(line);
        characters += line.length;
        if (characters < partCharacters) continue;
        await this.#sendPart(number, lines);
        lines = [];
        characters = 0;
      }
      if (lines.length > 0) await this.#sendPart(number, lines);
      this.#process.send(`{"type":"go","n":${number}}`);
      this.#watchdog.refresh();
    } catch (error) {
      this.#process.send(`{"type":"stop","n":${number}}`);
      if (this.#pending.delete(number)) job.fail(error);
      this.#events.progress();
    }
  }

  async #sendPart(number: number, lines: readonly string[]): Promise<void> {
    this.#watchdog.refresh();
    this.#process.send(`{"type":"part","n":${number}}`, ...lines);
    await this.#process.drained();
  }

  #startClock(): void {
    this.#answeredAt = performance.now();
    this.#watchdog.refresh();
  }

  #read(texts: readonly string[]): void {
    const before = this.#pending.size;
    for (const text of texts) {
      if (this.#fault !== undefined) return;
      this.#heard += 1;
      const message = readMessage(text);
      if (this.#state === "loading") this.#readLoaded(text, message);
      else if (!this.#readMessage(message)) this.#stop({ kind: "forged", reason: said(text) });
    }
    if (this.#state === "ready") this.#watchdog.refresh();
    this.#keepPace(before - this.#pending.size);
  }

  #keepPace(answers: number): void {
    if (answers <= 0) return;
    const now = performance.now();
    const elapsed = now - this.#answeredAt;
    const kept = Math.exp(-elapsed / paceMilliseconds);
    this.#spent = this.#spent * kept + elapsed;
    this.#answered = this.#answered * kept + answers;
    this.#answeredAt = now;
    this.#events.progress();
  }

  #readLoaded(text: string, { head }: HostMessage): void {
    const loaded = readLoaded(head, this.#key);
    if (loaded === undefined) return this.#stop({ kind: "forged", reason: said(text) });
    clearTimeout(this.#watchdog);
    this.#state = "ready";
    const { timeoutSeconds, graceSeconds } = this.#program;
    this.#watchdog = this.#watch(timeoutSeconds + graceSeconds);
    this.#resolveLoaded(loaded);
  }

  /** False if the message is impossible. */
  #readMessage({ head, body }: HostMessage): boolean {
    if (head?.["key"] !== this.#key) return false;
    if (head["goes_on"] === true) return true;
    if (Array.isArray(head["ns"])) return this.#readAnswers(head["ns"], body.split("\n"));
    const number = head["n"];
    const pending = typeof number === "number" ? this.#pending.get(number) : undefined;
    if (typeof number !== "number" || pending === undefined) return false;
    if (head["fault"] !== undefined) return this.#readFault(number, head["fault"]);
    if (head["ask"] !== undefined) return this.#readQuestion(number, pending, body);
    // A plain loop: a million lines as arguments of one call would overflow the stack.
    for (const line of body.split("\n")) pending.lines.push(line);
    pending.characters += body.length;
    if (pending.characters > answerLimit) return this.#settle(number, []);
    return head["part"] === true || this.#settle(number, pending.lines);
  }

  #readAnswers(numbers: readonly Json[], lines: readonly string[]): boolean {
    if (numbers.length !== lines.length) return false;
    return numbers.every((number, place) => this.#settle(number, lines.slice(place, place + 1)));
  }

  /** The job's own lines may be anything; the job validates them. */
  #settle(number: Json, lines: readonly string[]): boolean {
    const pending = typeof number === "number" ? this.#pending.get(number) : undefined;
    if (typeof number !== "number" || pending === undefined) return false;
    this.#pending.delete(number);
    const answer = this.#program.readAnswer(lines);
    const reason = "an answer that Regrade does not give";
    pending.job.settle(answer ?? this.#program.blame({ kind: "forged", reason }));
    return true;
  }

  #readFault(number: number, told: Json): boolean {
    const fault = readFault(told);
    const pending = this.#pending.get(number);
    if (fault === undefined || pending === undefined) return false;
    this.#pending.delete(number);
    pending.job.settle(this.#program.blame(fault));
    return true;
  }

  #readQuestion(number: number, pending: Pending<Answer>, question: string): boolean {
    const index = pending.asked;
    pending.asked += 1;
    void this.#answer(number, { subject: pending.job.subject, index, question });
    return true;
  }

  async #answer(number: number, question: HostQuestion): Promise<void> {
    const end = JSON.stringify(await answerQuestion(this.#program.models, question));
    this.#process.send(`{"type":"answer","n":${number},"ask":${question.index}}`, end);
  }

  /** Fires if the host's own timers did not help. */
  #watch(seconds: number): NodeJS.Timeout {
    const fire = (): void => this.#rouse(this.#heard, performance.now());
    return setTimeout(fire, seconds * 1000).unref();
  }

  /** Code that no sandbox restricts may have stopped it; if it stays silent after being woken, it hangs. */
  #rouse(heard: number, since: number): void {
    // Node itself may have been busy: read waiting data first.
    setImmediate(() => {
      const idle = this.#state === "ready" && this.#pending.size === 0;
      if (idle || heard !== this.#heard || this.#state === "ended") return;
      if (performance.now() - since >= this.#program.hangSeconds * 1000)
        return this.#stop({ kind: "timeout" });
      this.#process.goOn();
      setTimeout(() => this.#rouse(heard, since), wakeMilliseconds).unref();
    });
  }

  #stop(fault: HostFault): void {
    this.#fault ??= fault;
    this.#process.kill();
  }

  #end(reason: string): void {
    clearTimeout(this.#watchdog);
    const fault = this.#fault ?? { kind: "died", reason };
    if (this.#state === "loading")
      this.#resolveLoaded(notLoaded(fault, this.#program.loadTimeoutSeconds));
    this.#state = "ended";
    this.#events.ended(fault);
  }
}

function readFault(told: Json): HostFault | undefined {
  if (typeof told !== "object" || told === null || !("kind" in told)) return undefined;
  const { kind, reason } = told;
  if (kind === "timeout") return { kind };
  if ((kind !== "died" && kind !== "forged") || typeof reason !== "string") return undefined;
  return { kind, reason };
}

/** Quotes a frame for a message; never the key, with which the next sample could forge frames. */
function said(text: string): string {
  return text.includes('"key"') ? "a frame out of turn" : `"${text.slice(0, 100)}"`;
}

import type { SandboxReport } from "../model/programs.ts";
import { type HostProgram, PythonHost } from "./host.ts";
import type { HostFault, Job, SentJob, Work } from "./job.ts";
import type { Loaded } from "./loaded.ts";

/** Jobs in one frame at most, two chunks of a host, which works on two at a time; and characters, so that large samples don't pile up. */
const batchJobs = 512;
const batchCharacters = 1_000_000;
/** A host is fed work for about this long ahead: a fast grader never waits, a slow one doesn't hoard. */
const aheadMilliseconds = 250;
/**
 * Jobs wait for others until there is a whole frame, none came for a while, or the first has waited long: a host forks for
 * each chunk, which takes as long as grading some dozens of samples.
 */
const gatheredJobs = batchJobs;
const gatherMilliseconds = { quiet: 40, most: 200 };
/**
 * Work for less than this is not worth another host: its start takes as long, and on two cores it takes the time of those
 * that make the work.
 */
const worthAHostMilliseconds = 250;
/** Starts that fail in a row before the rest is given up. */
const startsTried = 3;

/** The reason of a signal where this process ends within the turn: nothing can be waited for. */
export const endedByExit = "exit";

export interface PooledProgram<Answer> extends Omit<HostProgram<Answer>, "careful"> {
  readonly hosts: number;
  /**
   * Jobs that a host runs at a time, each in a process of its own; `chunk`: one after the other, hundreds of them in a
   * process of their own; `one`: one after the other, in the host itself.
   */
  readonly atOnce: number | "chunk" | "one";
  /** Ends all hosts at once; what waits is unavailable. */
  readonly signal: AbortSignal;
  /** What a job says where no host can be started any more. */
  readonly unavailable: (reason: string) => Answer;
  /** Told once a host is ready. */
  readonly sandboxed: (report: SandboxReport) => void;
}

/** A program in several hosts. */
export interface RunningProgram<Answer> {
  readonly run: (subject: string, work: Work) => Promise<Answer>;
  /** What waits for more to come waits no longer. */
  readonly hurry: () => void;
  readonly close: () => Promise<void>;
}

/** Starts a first host, and more when work piles up. Where the program can't be loaded, `loaded` says why. */
export async function openHosts<Answer>(
  program: PooledProgram<Answer>,
): Promise<{ readonly loaded: Loaded; readonly running: RunningProgram<Answer> }> {
  const hosts = new Hosts(program);
  const loaded = await hosts.start();
  return {
    loaded,
    running: {
      run: (subject, work) => hosts.run(subject, work),
      hurry: () => hosts.hurry(),
      close: () => hosts.close(),
    },
  };
}

/** Owns the hosts of one program and the queue before them. */
class Hosts<Answer> {
  readonly #program: PooledProgram<Answer>;
  readonly #hosts = new Set<PythonHost<Answer>>();
  #queue: Job<Answer>[] = [];
  #pumping: "no" | "later" | "soon" = "no";
  #gathering: NodeJS.Timeout | undefined;
  /** No more come: until the queue is empty, nothing is gathered. */
  #hurried = false;
  /** When the last job came, and the first of those that are gathered: milliseconds of `performance.now`. */
  #lastCame = 0;
  #gatheredSince = 0;
  #failedStarts = 0;
  /** Since a first host died with work in hand. */
  #careful = false;
  #broken: string | undefined;
  /** The main file's hash: a grader that changes during the run is not the one that was opened. */
  #main: string | undefined;

  constructor(program: PooledProgram<Answer>) {
    this.#program = program;
    program.signal.addEventListener("abort", () => this.#abort(), { once: true });
  }

  run(subject: string, work: Work): Promise<Answer> {
    if (this.#broken !== undefined) return Promise.resolve(this.#program.unavailable(this.#broken));
    return new Promise((settle, fail) => {
      this.#queue.push({ subject, work, settle, fail });
      this.#lastCame = performance.now();
      this.#pumpSoon();
    });
  }

  hurry(): void {
    this.#hurried = this.#queue.length > 0;
    if (this.#hurried) this.#pumpSoon();
  }

  async start(): Promise<Loaded> {
    const host: PythonHost<Answer> = new PythonHost(
      { ...this.#program, careful: this.#careful },
      {
        progress: () => this.#pumpSoon(),
        ended: (fault) => this.#bury(host, fault),
      },
    );
    this.#hosts.add(host);
    if (this.#program.signal.aborted) this.#abort();
    const loaded = await host.loaded;
    const failure = this.#whyNot(loaded);
    if (failure === undefined) this.#failedStarts = 0;
    else await this.#giveUp(host, failure);
    if (loaded.kind === "ready" && loaded.sandbox !== undefined)
      this.#program.sandboxed(loaded.sandbox);
    this.#pumpSoon();
    return loaded;
  }

  async close(): Promise<void> {
    this.#breakOff("the grader was closed");
    await Promise.all([...this.#hosts].map((host) => host.close()));
  }

  #abort(): void {
    if (this.#program.signal.reason === endedByExit) for (const host of this.#hosts) host.kill();
    void this.close();
  }

  /** Jobs that arrive together travel together: those of this turn always, others where each chunk is a process. */
  #pumpSoon(): void {
    const gathers = this.#program.atOnce === "chunk" && !this.#careful && !this.#hurried;
    const isEnough = !gathers || this.#queue.length >= gatheredJobs;
    if (this.#pumping === "soon" || (this.#pumping === "later" && !isEnough)) return;
    this.#pumping = isEnough ? "soon" : "later";
    if (isEnough) setImmediate(() => this.#pump());
    else {
      this.#gatheredSince = performance.now();
      this.#gather(gatherMilliseconds.quiet);
    }
  }

  #gather(milliseconds: number): void {
    this.#gathering = setTimeout(() => {
      const now = performance.now();
      const quiet = this.#lastCame + gatherMilliseconds.quiet - now;
      const rest = Math.min(quiet, this.#gatheredSince + gatherMilliseconds.most - now);
      if (rest > 1) this.#gather(rest);
      else this.#pump();
    }, milliseconds);
  }

  #pump(): void {
    this.#pumping = "no";
    clearTimeout(this.#gathering);
    for (const host of this.#hosts) {
      if (!host.ready) continue;
      const count = Math.min(this.#queue.length, this.#room(host));
      if (count > 0) host.feed(this.#take(count));
    }
    if (this.#queue.length === 0) this.#hurried = false;
    const starting = [...this.#hosts].some((host) => !host.ready);
    if (this.#queue.length === 0 || starting || this.#hosts.size >= this.#program.hosts) return;
    if (this.#broken === undefined && this.#isWorthAHost()) void this.start();
  }

  #isWorthAHost(): boolean {
    const hosts = [...this.#hosts];
    const waited = Math.max(0, ...hosts.map((host) => host.waited));
    if (waited >= worthAHostMilliseconds) return true;
    if (hosts.length > 0 && !hosts.some((host) => host.isMeasured)) {
      setTimeout(() => this.#pump(), worthAHostMilliseconds - waited).unref();
      return false;
    }
    const rate = hosts.reduce((sum, { pace }) => sum + 1 / pace, 0);
    return this.#queue.length > rate * worthAHostMilliseconds;
  }

  #room(host: PythonHost<Answer>): number {
    const { atOnce } = this.#program;
    if (host.careful) return host.busy === 0 ? 1 : 0;
    if (typeof atOnce === "number") return atOnce - host.busy;
    const most = Math.max(1, Math.round(aheadMilliseconds / host.pace));
    const ahead = Math.min(2 * batchJobs, most);
    if (host.busy > 0 && host.busy > ahead / 2) return 0;
    // A half of a chunk is worth a fork; less of it is better left to one host.
    const share = Math.max(Math.ceil(this.#queue.length / this.#hosts.size), gatheredJobs / 2);
    return Math.min(share, batchJobs, ahead - host.busy);
  }

  #take(count: number): readonly SentJob<Answer>[] {
    const taken: SentJob<Answer>[] = [];
    let characters = 0;
    for (const job of this.#queue) {
      if (taken.length >= count || characters >= batchCharacters) break;
      const line = job.work.kind === "line" ? job.work.text() : undefined;
      characters += line?.length ?? 0;
      taken.push({ job, line });
    }
    this.#queue.splice(0, taken.length);
    return taken;
  }

  /**
   * A host itself ended, which no job in a process of its own can bring about. Of a careful one the first job without an
   * answer may have done it; the jobs behind it go to another host. Of any other it is not known which job did it: all
   * without an answer go to a careful one, but those that were read already and can't be read again.
   */
  #bury(host: PythonHost<Answer>, fault: HostFault): void {
    this.#hosts.delete(host);
    const pending = host.takeBack();
    if (pending.length > 0) this.#careful = true;
    const closed = this.#broken;
    const settle = (job: Job<Answer>): void =>
      job.settle(
        closed === undefined ? this.#program.blame(fault) : this.#program.unavailable(closed),
      );
    const again = pending.filter(({ work }) => work.kind === "line");
    for (const job of pending) if (job.work.kind === "whole") settle(job);
    if (host.careful) {
      const first = again.shift();
      if (first !== undefined) settle(first);
    }
    this.#queue.unshift(...again);
    if (closed === undefined) this.#pumpSoon();
    else this.#breakOff(closed);
  }

  #whyNot(loaded: Loaded): string | undefined {
    switch (loaded.kind) {
      case "ready":
        this.#main ??= loaded.files[0]?.sha256;
        return this.#main === loaded.files[0]?.sha256
          ? undefined
          : "the grader's file changed during the run";
      case "refused":
        return `the grader could not be loaded again: ${loaded.refused.message}`;
      case "died":
        return `a Python process ${loaded.reason}`;
    }
  }

  async #giveUp(host: PythonHost<Answer>, reason: string): Promise<void> {
    this.#failedStarts += 1;
    this.#hosts.delete(host);
    await host.close();
    const first = this.#main === undefined;
    if (first || this.#failedStarts >= startsTried) this.#breakOff(reason);
  }

  #breakOff(reason: string): void {
    this.#broken = reason;
    for (const job of this.#queue.splice(0)) job.settle(this.#program.unavailable(reason));
  }
}

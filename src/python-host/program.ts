import type { SandboxReport } from "../model/ports/programs.ts";
import { type HostProgram, PythonHost } from "./host.ts";
import type { HostFault, Job, SentJob, Work } from "./job.ts";
import type { Loaded } from "./loaded.ts";

/** Jobs that share a fork of a host (`CHUNK` in python/regrade/jobs.py); a host works on two chunks at a time. */
const chunkJobs = 256;
/** Limit of characters in one frame, so that large samples don't pile up. */
const batchCharacters = 1_000_000;
/** A host gets jobs for about this long ahead: a fast grader never waits, a slow one doesn't hoard. */
const aheadMilliseconds = 250;
/** Jobs wait this long for others to share a fork with, which takes as long as grading some dozens of samples. */
const flushMilliseconds = 100;
/** If jobs have waited this long, another host is started: its start takes as long. */
const worthAHostMilliseconds = 250;
/** Number of starts that may fail in a row before the remaining jobs are given up. */
const startsTried = 3;

/** The abort reason if this process ends within the turn, so that nothing can be waited for. */
export const endedByExit = "exit";

export interface PooledProgram<Answer> extends Omit<HostProgram<Answer>, "careful"> {
  readonly hosts: number;
  /**
   * Number of jobs that a host runs at once, each in its own process; `chunk`: one after the other, hundreds of them in
   * one process; `one`: one after the other, in the host itself.
   */
  readonly atOnce: number | "chunk" | "one";
  /** Ends all hosts at once; waiting jobs become unavailable. */
  readonly signal: AbortSignal;
  /** The result of a job if no host can be started any more. */
  readonly unavailable: (reason: string) => Answer;
  /** Called once a host is ready. */
  readonly sandboxed: (report: SandboxReport) => void;
}

/** A program in several hosts. */
export interface RunningProgram<Answer> {
  readonly run: (subject: string, work: Work) => Promise<Answer>;
  /** Grades waiting samples at once. */
  readonly hurry: () => void;
  readonly close: () => Promise<void>;
}

/** Starts a first host, and more when jobs accumulate. If the program can't be loaded, `loaded` has the reason. */
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

/** Owns the hosts of one program and the queue of its jobs. */
class Hosts<Answer> {
  readonly #program: PooledProgram<Answer>;
  readonly #hosts = new Set<PythonHost<Answer>>();
  #queue: Job<Answer>[] = [];
  #pumping: "no" | "later" | "soon" = "no";
  #flush: NodeJS.Timeout | undefined;
  #startingMore: NodeJS.Timeout | undefined;
  /** True if no more jobs come: until the queue is empty, no job waits for others. */
  #hurried = false;
  #failedStarts = 0;
  /** Number of hosts that the machine can run: less than requested if starting another one failed. */
  #most: number;
  /** Set after a first host died during work. */
  #careful = false;
  #broken: string | undefined;
  /** Hash of the main file: a grader whose file changes during the run is no longer the one that was opened. */
  #main: string | undefined;

  constructor(program: PooledProgram<Answer>) {
    this.#program = program;
    this.#most = program.hosts;
    program.signal.addEventListener("abort", () => this.#abort(), { once: true });
  }

  run(subject: string, work: Work): Promise<Answer> {
    if (this.#broken !== undefined) return Promise.resolve(this.#program.unavailable(this.#broken));
    return new Promise((settle, fail) => {
      this.#queue.push({ subject, work, since: performance.now(), settle, fail });
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
    else if (loaded.kind === "died" && this.#hasReady()) await this.#doWithout(host);
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

  /** Sends jobs that arrive together in one go: those of this turn always, later ones if each chunk is a process. */
  #pumpSoon(): void {
    const gathers = this.#program.atOnce === "chunk" && !this.#careful && !this.#hurried;
    const isEnough = !gathers || this.#queue.length >= chunkJobs;
    if (this.#pumping === "soon" || (this.#pumping === "later" && !isEnough)) return;
    this.#pumping = isEnough ? "soon" : "later";
    if (isEnough) setImmediate(() => this.#pump());
    else this.#flush = setTimeout(() => this.#pump(), flushMilliseconds);
  }

  #pump(): void {
    this.#pumping = "no";
    clearTimeout(this.#flush);
    for (const host of this.#hosts) {
      if (!host.ready) continue;
      const count = Math.min(this.#queue.length, this.#room(host));
      if (count > 0) host.feed(this.#take(count));
    }
    if (this.#queue.length === 0) this.#hurried = false;
    this.#startAnother();
  }

  /** Starts another host if jobs have waited for long, or at the time when they will have. */
  #startAnother(): void {
    clearTimeout(this.#startingMore);
    const [first] = this.#queue;
    const isStarting = [...this.#hosts].some((host) => !host.ready);
    if (first === undefined || isStarting || this.#hosts.size >= this.#most) return;
    if (this.#broken !== undefined) return;
    const left = first.since + worthAHostMilliseconds - performance.now();
    if (left <= 0 || this.#hosts.size === 0) void this.start();
    else this.#startingMore = setTimeout(() => this.#pump(), left).unref();
  }

  #room(host: PythonHost<Answer>): number {
    const { atOnce } = this.#program;
    if (host.careful) return host.busy === 0 ? 1 : 0;
    if (typeof atOnce === "number") return atOnce - host.busy;
    const most = Math.max(1, Math.round(aheadMilliseconds / host.pace));
    const ahead = Math.min(4 * chunkJobs, most);
    if (host.busy > 0 && host.busy > ahead / 2) return 0;
    // Less than a chunk is better left to one host than shared out.
    const share = Math.max(Math.ceil(this.#queue.length / this.#hosts.size), chunkJobs);
    return Math.min(share, 2 * chunkJobs, ahead - host.busy);
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
   * Called when a host itself ended, which a job in its own process can't cause. In a careful host the first job
   * without an answer may be the cause; the jobs after it go to another host. In any other host the cause is unknown:
   * all jobs without an answer go to a careful host, except those whose input was read and can't be read again.
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

  #hasReady(): boolean {
    return [...this.#hosts].some((host) => host.ready);
  }

  /** Another host could not be started for lack of memory, processes or open files: the running hosts take all jobs. */
  async #doWithout(host: PythonHost<Answer>): Promise<void> {
    this.#hosts.delete(host);
    this.#most = Math.max(1, this.#hosts.size);
    await host.close();
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

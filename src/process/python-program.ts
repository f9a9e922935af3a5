import { type HostFault, type HostProgram, type Job, PythonHost } from "./python-host.ts";
import type { Loaded } from "./python-loaded.ts";

/** Jobs in one frame at most, and characters, so that large samples don't pile up. */
const batchJobs = 64;
const batchCharacters = 1_000_000;
/** A host is fed work for about this long ahead: a fast grader never waits, a slow one doesn't hoard. */
const aheadMilliseconds = 50;
/** Starts that fail in a row before the rest is given up. */
const startsTried = 3;

export interface PooledProgram<Answer> extends Omit<HostProgram<Answer>, "careful"> {
  readonly hosts: number;
  /** Ends all hosts at once; what waits is unavailable. */
  readonly signal: AbortSignal;
  /** What a job says whose host ended under it. */
  readonly blame: (fault: HostFault) => Answer;
  /** What a job says where no host can be started any more. */
  readonly unavailable: (reason: string) => Answer;
}

/** A program in several hosts. */
export interface RunningProgram<Answer> {
  readonly run: (job: string) => Promise<Answer>;
  readonly close: () => Promise<void>;
}

/** Starts a first host, and more when work piles up. Where the program can't be loaded, `loaded` says why. */
export async function openHosts<Answer>(
  program: PooledProgram<Answer>,
): Promise<{ readonly loaded: Loaded; readonly running: RunningProgram<Answer> }> {
  const hosts = new Hosts(program);
  const loaded = await hosts.start();
  return { loaded, running: { run: (job) => hosts.run(job), close: () => hosts.close() } };
}

/** Owns the hosts of one program and the queue before them. */
class Hosts<Answer> {
  readonly #program: PooledProgram<Answer>;
  readonly #hosts = new Set<PythonHost<Answer>>();
  #queue: Job<Answer>[] = [];
  #pumping = false;
  #failedStarts = 0;
  /** Since a first host died with work in hand. */
  #careful = false;
  #broken: string | undefined;
  /** The main file's hash: a grader that changes during the run is not the one that was opened. */
  #main: string | undefined;

  constructor(program: PooledProgram<Answer>) {
    this.#program = program;
    program.signal.addEventListener("abort", () => void this.close(), { once: true });
  }

  run(text: string): Promise<Answer> {
    if (this.#broken !== undefined) return Promise.resolve(this.#program.unavailable(this.#broken));
    return new Promise((settle) => {
      this.#queue.push({ text, settle });
      this.#pumpSoon();
    });
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
    if (this.#program.signal.aborted) void this.close();
    const loaded = await host.loaded;
    const failure = this.#whyNot(loaded);
    if (failure === undefined) this.#failedStarts = 0;
    else await this.#giveUp(host, failure);
    this.#pumpSoon();
    return loaded;
  }

  async close(): Promise<void> {
    this.#breakOff("the grader was closed");
    await Promise.all([...this.#hosts].map((host) => host.close()));
  }

  /** Waits until the tasks of this turn are done, so that samples that arrive together travel together. */
  #pumpSoon(): void {
    if (this.#pumping) return;
    this.#pumping = true;
    setImmediate(() => {
      this.#pumping = false;
      this.#pump();
    });
  }

  #pump(): void {
    for (const host of this.#hosts) {
      if (!host.ready) continue;
      const count = this.#room(host);
      if (count > 0) host.feed(this.#take(count));
    }
    const starting = [...this.#hosts].some((host) => !host.ready);
    if (this.#queue.length === 0 || starting || this.#hosts.size >= this.#program.hosts) return;
    if (this.#broken === undefined) void this.start();
  }

  #room(host: PythonHost<Answer>): number {
    const ahead = Math.min(2 * batchJobs, Math.max(1, Math.round(aheadMilliseconds / host.pace)));
    const pending = host.pending.length;
    if (pending > 0 && pending > ahead / 2) return 0;
    const share = Math.ceil(this.#queue.length / this.#program.hosts);
    return Math.min(share, batchJobs, ahead - pending);
  }

  #take(count: number): Job<Answer>[] {
    let characters = 0;
    let taken = 0;
    for (const job of this.#queue) {
      characters += job.text.length;
      if (taken >= count || (taken > 0 && characters > batchCharacters)) break;
      taken += 1;
    }
    return this.#queue.splice(0, taken);
  }

  /**
   * A host ended. Of a careful one the first job without an answer did it; the jobs behind it go to another host.
   * Of any other it is not known which job did it: all without an answer go to a careful one.
   */
  #bury(host: PythonHost<Answer>, fault: HostFault): void {
    this.#hosts.delete(host);
    const pending = host.pending.splice(0);
    if (pending.length > 0) this.#careful = true;
    if (host.careful) pending.shift()?.settle(this.#program.blame(fault));
    this.#queue.unshift(...pending);
    if (this.#broken === undefined) this.#pumpSoon();
    else this.#breakOff(this.#broken);
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

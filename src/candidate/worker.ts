import { backOffMs, type BackOff } from "../base/back-off.ts";
import { notAsked } from "../base/error-line.ts";
import type { Generated, GenerateRequest } from "../model/models/candidate.ts";
import type { WorkerEnd, WorkerProcess } from "../model/ports/processes.ts";
import type { CandidateSpec } from "../model/definition/candidate-spec.ts";
import { inContact } from "./contact.ts";
import type { Fence } from "./fence/grants.ts";
import { fencedProgram, heldBy, openFence, wishOf } from "./fence/open.ts";
import { notOpened, prepareStart } from "./fence/start.ts";
import type { CandidateTools, OpenedCandidate } from "./open.ts";
import { checkProgram, programCacheKey } from "./program.ts";
import { chatMessagesOf } from "./provider/messages-chat.ts";
import { readWorkerAnswer, type WorkerAnswer } from "./worker-answer.ts";

type WorkerSpec = Extract<CandidateSpec, { readonly kind: "worker" }>;

/**
 * After this many processes in a row without one answer, no more are started: a program that can't work then fails its
 * samples within seconds. A single answer resets the count, so that samples which crash the worker cost only
 * themselves.
 */
const fruitlessLimit = 20;
/** Pauses before starting again after such an end; each is twice as long as the last. */
const pauses: BackOff = { firstMs: 50, longestMs: 1000, jitter: 0 };

/**
 * Opens a candidate of long-lived programs: as many processes as requests in flight, each with one request at a time.
 */
export async function openWorker(
  spec: WorkerSpec,
  tools: CandidateTools,
): Promise<OpenedCandidate> {
  const program = { ...spec, argv: spec.worker };
  const { env, inputs, problems } = await checkProgram(program, tools);
  if (problems.length > 0) return { problems };
  const { id, worker, pass, timeout_seconds } = spec;
  const opening = await openFence(fencedProgram(spec, { words: worker, inputs, env }), tools);
  if (opening !== undefined && "problems" in opening) return opening;
  const { fence, report } = opening ?? {};
  const asked = { kind: "worker", worker, inputs, env: spec.env, pass, ...wishOf(spec) };
  const workers = new WorkerPool({ ...spec, around: fence }, tools, env);
  return {
    candidate: {
      id,
      generate: inContact((request, signal) => workers.ask(request, signal)),
      concurrency: tools.cpus,
      costly: true,
      ...(report !== undefined && { fence: report }),
      cacheKey: programCacheKey(spec, heldBy(asked, report), env),
      close: () => workers.close(),
    },
    hash: { ...asked, timeout_seconds },
  };
}

/** A worker's candidate with its fence. */
type FencedSpec = WorkerSpec & { readonly around: Fence | undefined };

interface Worker {
  readonly process: WorkerProcess;
  /** Removes the worker's private home, if it has one. */
  readonly remove: () => Promise<void>;
  answers: number;
}

/** Why a request got no answer, if its process is at fault. */
interface Fault {
  readonly kind: "failed" | "unavailable";
  readonly type: string;
  readonly message: string;
}

/**
 * Owns a candidate's processes: takes an idle one or starts one, sends the request, and ends processes that are out of
 * step.
 */
class WorkerPool {
  readonly #spec: FencedSpec;
  readonly #tools: CandidateTools;
  readonly #env: Readonly<Record<string, string>>;
  readonly #all = new Set<Worker>();
  readonly #idle: Worker[] = [];
  #fruitless = 0;
  #lastFault: Fault | undefined;

  constructor(spec: FencedSpec, tools: CandidateTools, env: Readonly<Record<string, string>>) {
    this.#spec = spec;
    this.#tools = tools;
    this.#env = env;
  }

  async ask(request: GenerateRequest, signal: AbortSignal): Promise<Generated> {
    const worker = (await this.#takeIdle()) ?? (await this.#start(signal));
    if ("kind" in worker) return worker;
    const id = requestId(request, this.#tools);
    const { prompt, fields, messages } = request;
    const asked = messages && { messages: chatMessagesOf(messages) };
    const line = JSON.stringify({ id, prompt, ...asked, fields });
    const timeoutSeconds = this.#spec.timeout_seconds;
    const end = await worker.process.ask(line, { timeoutSeconds, signal });
    if (isRecycling(end, worker)) {
      await this.#dismiss(worker);
      return this.ask(request, signal);
    }
    return this.#settle(worker, readWorkerAnswer(end, { id, timeoutSeconds }));
  }

  async close(): Promise<void> {
    await Promise.all([...this.#all].map((worker) => this.#dismiss(worker)));
  }

  async #takeIdle(): Promise<Worker | undefined> {
    for (let worker = this.#idle.pop(); worker; worker = this.#idle.pop()) {
      if (worker.process.isAlive()) return worker;
      await this.#dismiss(worker);
    }
    return undefined;
  }

  async #start(signal: AbortSignal): Promise<Worker | Generated> {
    if (this.#fruitless >= fruitlessLimit && this.#lastFault) return givenUp(this.#lastFault);
    await pause(this.#fruitless, this.#tools, signal);
    if (signal.aborted) return stopped;
    const { worker: argv, around } = this.#spec;
    const start = await prepareStart(around, { argv, env: this.#env }, this.#tools);
    if (start.kind === "not_opened") return notOpened(start.message);
    const started = await this.#tools.spawnWorker({
      argv: start.argv,
      directory: this.#tools.suite.directory,
      env: start.env,
    });
    if (started.kind === "not_started") {
      await start.remove();
      return this.#note({ kind: "unavailable", type: started.type, message: started.message });
    }
    const worker = { process: started, remove: start.remove, answers: 0 };
    this.#all.add(worker);
    return worker;
  }

  async #settle(worker: Worker, { generated, inStep }: WorkerAnswer): Promise<Generated> {
    if (inStep) {
      worker.answers += 1;
      this.#fruitless = 0;
      this.#idle.push(worker);
      return generated;
    }
    await this.#dismiss(worker);
    if (generated.kind !== "failed" || worker.answers > 0) return generated;
    return this.#note({ ...generated, kind: "failed" });
  }

  #note(fault: Fault): Fault {
    this.#fruitless += 1;
    this.#lastFault = fault;
    return fault;
  }

  async #dismiss(worker: Worker): Promise<void> {
    this.#all.delete(worker);
    await worker.process.close();
    await worker.remove();
  }
}

const stopped = { kind: "unavailable", type: "cancelled", message: "the run was stopped" } as const;

/**
 * True if a worker that has answered before ends with code 0 without reading the request just sent. It ended between
 * two requests, as self-renewing servers do, so the request goes to a fresh process.
 */
function isRecycling(end: WorkerEnd, worker: Worker): boolean {
  return end.kind === "ended" && end.code === 0 && end.silent && worker.answers > 0;
}

/**
 * The id of a request. It is unique to the sample, so that a late answer can't be assigned to another one, and the same
 * in every run, so that a worker may use it as a seed. It is a hash, because a case's id may reveal the expected
 * answer.
 */
function requestId({ taskId, caseId, repeat }: GenerateRequest, tools: CandidateTools): string {
  return `req_${tools.hashText(JSON.stringify([taskId, caseId, repeat])).slice(-24)}`;
}

async function pause(fruitless: number, tools: CandidateTools, signal: AbortSignal): Promise<void> {
  if (fruitless === 0) return;
  await tools.clock.sleep(backOffMs(fruitless - 1, pauses), signal);
}

function givenUp({ kind, type, message }: Fault): Generated {
  return { kind, type, message: `${notAsked(fruitlessLimit)}; the last one: ${message}` };
}

import type { Slots } from "../model/ports/slots.ts";
import type { Candidate, Generated, GenerateRequest } from "../model/models/candidate.ts";
import type { Answer } from "../model/ports/store.ts";
import type { Message } from "../model/models/message.ts";
import { loadImages } from "../suite/prompts/images.ts";
import type { Tools } from "../tools.ts";
import { createSemaphore } from "../base/semaphore.ts";
import { isoTime } from "../base/time.ts";
import type { RunContext } from "./context.ts";
import type { PlannedSample } from "./plan.ts";
import { atTodaysPrice, type ResponseCache } from "./response-cache.ts";

/**
 * Gives the answers to a run's samples: from an earlier attempt at the run, otherwise from the cache, otherwise from
 * the candidate.
 */
export interface Answers {
  readonly find: (planned: PlannedSample, request: GenerateRequest) => Promise<Answer>;
  /** Maximum number of requests in flight, over all candidates. */
  readonly atOnce: number;
  readonly close: () => Promise<void>;
}

type Asking = Omit<RunContext, "answers">;

/** `concurrency`: the run's setting. */
export function createAnswers(
  concurrency: "auto" | number,
  cache: ResponseCache,
  run: Asking,
): Answers {
  const { candidates, store, tools } = run;
  const places = placesFor(candidates, concurrency);
  return {
    find: async (planned, request) => {
      const { candidate } = planned;
      const known = store.answers.get(planned.id);
      if (known) return atTodaysPrice(known, candidate);
      const cached = await cache.get(candidate, request);
      if (cached) return { ...cached, createdAt: isoTime(tools.now()) };
      const place = places.get(candidate.id);
      // An answer occupies its slot until it is stored: if the process is killed, at most as many answers are lost as
      // requests may be in flight.
      await place?.enter();
      try {
        return await askAndKeep({ planned, request, cache }, run);
      } finally {
        place?.leave();
      }
    },
    atOnce:
      concurrency === "auto"
        ? candidates.reduce((sum, each) => sum + limitOf(each), 0)
        : concurrency,
    close: cache.close,
  };
}

/** Slots by candidate. A number limits the whole run: its candidates share the slots. `auto` learns a limit for each. */
function placesFor(
  candidates: readonly Candidate[],
  concurrency: "auto" | number,
): ReadonlyMap<string, Slots> {
  const shared = concurrency === "auto" ? undefined : createSemaphore(concurrency);
  return new Map(
    candidates.map((each) => [each.id, shared ?? each.slots ?? createSemaphore(each.concurrency)]),
  );
}

/** Maximum number of requests of a candidate that can be in flight. */
function limitOf({ slots, concurrency }: Candidate): number {
  return slots?.most ?? concurrency;
}

async function askAndKeep(
  asked: {
    readonly planned: PlannedSample;
    readonly request: GenerateRequest;
    readonly cache: ResponseCache;
  },
  run: Asking,
): Promise<Answer> {
  const { planned, request, cache } = asked;
  const { id, candidate } = planned;
  const startedMs = run.tools.now();
  const generated = await askOnce(candidate, request, run);
  const answer = {
    generated,
    latencyMs: Math.round((run.tools.now() - startedMs) * 1000) / 1000,
    createdAt: isoTime(startedMs),
  };
  // An end that every further request would have too stops the run.
  if (generated.kind === "halted")
    run.stopSignal.stop({ kind: "halted", candidate: candidate.id, message: generated.message });
  if (!candidate.costly || generated.kind !== "answered") return answer;
  const stored = cache.put(candidate, request, answer);
  await run.store.recordAnswer(id, answer);
  if (stored !== undefined) await stored;
  return answer;
}

/** Asks the candidate, unless the run has ended. Costs are counted when they arrive. */
async function askOnce(
  candidate: Candidate,
  request: GenerateRequest,
  { tools, stopSignal, meter, store }: Asking,
): Promise<Generated> {
  if (tools.signal.aborted || stopSignal.cause() !== undefined) return notStarted;
  const bill = await meter.reserve(candidate.id, request);
  if (bill === undefined || tools.signal.aborted) {
    bill?.release();
    return notStarted;
  }
  try {
    const whole = hasImageFiles(request) ? await withImages(request, tools.files) : request;
    const generated =
      whole === undefined ? imageChanged : await candidate.generate(whole, tools.signal, bill.pay);
    if (bill.settle(generated)) await store.recordSpent(meter.own());
    return generated;
  } finally {
    bill.release();
  }
}

function hasImageFiles({ messages, turns = [] }: GenerateRequest): boolean {
  return messages !== undefined && [...messages, ...turns].some(hasFile);
}

function hasFile({ content }: Message): boolean {
  if (typeof content === "string") return false;
  return content.some((part) => part.type === "image" && part.absolute !== undefined);
}

/** Images are read just before sending, so that waiting requests hold none. */
async function withImages(
  request: GenerateRequest,
  files: Tools["files"],
): Promise<GenerateRequest | undefined> {
  const messages = await loadImages(request.messages ?? [], files);
  const turns = await loadImages(request.turns ?? [], files);
  return messages && turns && { ...request, messages, turns };
}

const imageChanged: Generated = {
  kind: "unavailable",
  type: "image_changed",
  message: "an image of the case was changed while the run was under way: run again",
};

/** Result of a request that the end of the run prevented. Candidates return the same one. */
export const notStarted = {
  kind: "unavailable",
  type: "cancelled",
  message: "the run was stopped",
} as const;

import type { Clock, HttpEnd, HttpRequest } from "../../domain/ports.ts";
import { readAdvice, type Advice } from "./advice.ts";
import { asksTooMuch, isWorthRepeating, type Repeats } from "./repeatable.ts";
import { longestPauseMs, type Traffic } from "./traffic.ts";

export interface RetryOptions extends Clock {
  /** 0 to 10: a request is sent at most once more than this. */
  readonly maxRetries: number;
  readonly repeats: Repeats;
  /** Shared by all who send to the same provider with the same key. */
  readonly traffic: Traffic;
}

/** Full jitter (https://aws.amazon.com/blogs/architecture/exponential-backoff-and-jitter): 0 to 0.5 s, 1 s, 2 s … 60 s. */
const firstBackOffMs = 500;
const longestBackOffMs = 60_000;
/** A request that has waited this long in all, between its attempts, is not sent again. */
const patienceMs = 15 * 60_000;

/**
 * Sends a request until it is answered in a way that is worth nothing to repeat (see `isWorthRepeating`), `maxRetries` are
 * used up, or 15 minutes were spent waiting; returns the last end as it was. Where the server names a time, that is
 * waited for, and nobody else sends meanwhile; where it names more than 5 minutes, the request ends with that answer, and so
 * do the others, unsent, until the time has come. Otherwise it backs off, alone.
 * `cancelled` also where the run gave up before the first attempt was sent.
 */
export function retrying<End extends HttpEnd>(
  send: (request: HttpRequest) => Promise<End>,
  options: RetryOptions,
): (request: HttpRequest) => Promise<End | HttpEnd> {
  const { traffic, now } = options;
  return async (request) => {
    let last: End | undefined;
    let throttled = false;
    let waitedMs = 0;
    for (let attempt = 0; ; attempt += 1) {
      const waitingSinceMs = last === undefined ? 0 : now();
      const passage = await traffic.pass(request.signal);
      if (last !== undefined) waitedMs += now() - waitingSinceMs;
      if (passage.kind === "closed")
        return request.signal.aborted ? cancelled : (last ?? passage.end);
      last = await send(request);
      throttled ||= isTooMany(last);
      const waitMs = tellTraffic(last, options) ?? backOffMs(attempt, options.random);
      if (isSuccess(last) && !throttled) traffic.succeeded();
      if (!isWorthRepeating(last, options.repeats) || attempt >= options.maxRetries) return last;
      if (waitedMs + waitMs > patienceMs) return last;
      waitedMs += await wait(waitMs, request, options);
    }
  };
}

const cancelled: HttpEnd = { kind: "cancelled" };

/**
 * How long nothing is to be waited for beside the pause that was told to all: 0 where there is one, undefined where
 * there is none. A quota with something left that is full again only after more than the longest pause has room for a
 * request before that.
 */
function tellTraffic(end: HttpEnd, { traffic, now }: RetryOptions): number | undefined {
  if (end.kind !== "response" || end.status < 400) return undefined;
  const tooMany = isTooMany(end);
  const milliseconds = pauseOf(readAdvice(end, now()), tooMany);
  if (tooMany || (milliseconds > 0 && isWorthRepeating(end, "harmless"))) {
    traffic.pause({ milliseconds, tooMany, end });
  }
  return milliseconds > 0 ? 0 : undefined;
}

function pauseOf(advice: Advice, tooMany: boolean): number {
  switch (advice.kind) {
    case "none":
      return 0;
    case "asked":
      return advice.milliseconds;
    case "reset":
      if (!tooMany) return 0;
      return advice.usedUp || advice.milliseconds <= longestPauseMs ? advice.milliseconds : 0;
  }
}

/**
 * Seconds that the answer asks to wait where that is more than a run waits for (5 minutes); undefined where it is not.
 * Whoever gets such an end at last does well to stop the run: it can be resumed when the time has come.
 */
export function tooLongToWait(end: HttpEnd, nowMs: number): number | undefined {
  if (end.kind !== "response" || !isWorthRepeating(end, "harmless")) return undefined;
  const milliseconds = pauseOf(readAdvice(end, nowMs), isTooMany(end));
  return milliseconds > longestPauseMs ? Math.ceil(milliseconds / 1000) : undefined;
}

/** Milliseconds before the retry after attempt `attempt` (from 0). */
export function backOffMs(attempt: number, random: () => number): number {
  return random() * Math.min(longestBackOffMs, firstBackOffMs * 2 ** attempt);
}

/** Waits, and returns how long it was. */
async function wait(
  milliseconds: number,
  { signal }: HttpRequest,
  { traffic, sleep, now }: RetryOptions,
): Promise<number> {
  if (milliseconds <= 0) return 0;
  const startedMs = now();
  await sleep(milliseconds, AbortSignal.any([signal, traffic.givenUp]));
  return now() - startedMs;
}

/** A limit on the rate. One request that is too large for its quota says nothing about the others. */
function isTooMany(end: HttpEnd): boolean {
  return end.kind === "response" && end.status === 429 && !asksTooMuch(end.body);
}

function isSuccess(end: HttpEnd): boolean {
  return end.kind === "response" && end.status < 300;
}

import type { Clock } from "../../model/ports/clock.ts";
import type { HttpEnd, HttpRequest } from "../../model/ports/http.ts";
import { backOffMs, type BackOff } from "../../base/back-off.ts";
import { readAdvice, type Advice } from "./advice.ts";
import { asksTooMuch, isWorthRepeating, type Repeats } from "./repeatable.ts";
import { longestPauseMs, type Traffic } from "./traffic.ts";

interface RetryOptions extends Clock {
  /** Maximum number of retries, 0 to 10, not counting those after a 429. With 0 the request is sent once. */
  readonly maxRetries: number;
  readonly repeats: Repeats;
  /** Shared by all requests to the same provider with the same key. */
  readonly traffic: Traffic;
}

/** Full jitter (https://aws.amazon.com/blogs/architecture/exponential-backoff-and-jitter): 0 to 0.5 s, 1 s, 2 s … 60 s. */
const backOff: BackOff = { firstMs: 500, longestMs: 60_000, jitter: 1 };
/**
 * Longest back-off after a 429 while other requests succeed: it only means that this request must wait for its turn,
 * which comes soon.
 */
const longestInTurnMs = 8000;
/** A request that has waited this long in all between its attempts is not sent again. */
const patienceMs = 15 * 60_000;

/**
 * Sends a request until its answer is not worth a retry (see `isWorthRepeating`), `maxRetries` are used up, or 15
 * minutes were spent waiting; returns the last result. It backs off before each retry, and longer if the server names a
 * time: until then no other request is sent either. If that time is more than 5 minutes away, the request ends with
 * that answer, and others end unsent until then. A 429 is the provider's way to limit the rate and not a failure, so it
 * uses up no retry; it ends the request if only 429s came back for 5 minutes. The result is `cancelled` if the run gave
 * up before the first attempt was sent.
 */
export function retrying<End extends HttpEnd>(
  send: (request: HttpRequest) => Promise<End>,
  options: RetryOptions,
): (request: HttpRequest) => Promise<End | HttpEnd> {
  const { traffic, now } = options;
  return async (request) => {
    let last: End | undefined;
    const totals = { sent: 0, rejected: 0 };
    let waitedMs = 0;
    for (;;) {
      const waitingSinceMs = last === undefined ? 0 : now();
      const passage = await traffic.pass(request.signal);
      if (last !== undefined) waitedMs += now() - waitingSinceMs;
      if (passage.kind === "closed")
        return request.signal.aborted ? cancelled : (last ?? passage.end);
      last = await send(request);
      totals.sent += 1;
      if (isTooMany(last)) totals.rejected += 1;
      tellTraffic(last, options);
      if (isSuccess(last) && totals.rejected === 0) traffic.succeeded();
      if (!isSentAgain(last, totals, options)) return last;
      const waitMs = backOffMs(totals.sent - 1, backOffOf(last, traffic), options.random());
      if (waitedMs + waitMs > patienceMs) return last;
      waitedMs += await wait(waitMs, request, options);
    }
  };
}

const cancelled: HttpEnd = { kind: "cancelled" };

/** Progress of a request. */
interface Attempts {
  readonly sent: number;
  /** Number of sent requests that got a 429. */
  readonly rejected: number;
}

function isSentAgain(
  end: HttpEnd,
  { sent, rejected }: Attempts,
  { maxRetries, repeats, traffic }: RetryOptions,
): boolean {
  if (!isWorthRepeating(end, repeats)) return false;
  if (!isTooMany(end)) return sent - rejected <= maxRetries;
  return maxRetries > 0 && traffic.shutForMs() <= longestPauseMs;
}

/** Reports a 429 or a requested pause to all requests to the same provider. */
function tellTraffic(end: HttpEnd, { traffic, now }: RetryOptions): void {
  if (end.kind !== "response") return;
  const tooMany = isTooMany(end);
  if (!tooMany) traffic.cameThrough();
  if (end.status < 400) return;
  const milliseconds = pauseOf(readAdvice(end, now()), tooMany);
  if (tooMany || (milliseconds > 0 && isWorthRepeating(end, "harmless"))) {
    traffic.pause({ milliseconds, tooMany, end });
  }
}

/**
 * Length of the pause that an answer asks for, in milliseconds. If a quota has some left and is full again only after
 * more than the longest pause, it has room for a request before then, so there is no pause.
 */
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
 * Seconds that the answer asks to wait, if more than a run waits (5 minutes); else undefined. The caller should then stop
 * the run: it can be resumed after that time.
 */
export function tooLongToWait(end: HttpEnd, nowMs: number): number | undefined {
  if (end.kind !== "response" || !isWorthRepeating(end, "harmless")) return undefined;
  const milliseconds = pauseOf(readAdvice(end, nowMs), isTooMany(end));
  return milliseconds > longestPauseMs ? Math.ceil(milliseconds / 1000) : undefined;
}

function backOffOf(end: HttpEnd, traffic: Traffic): BackOff {
  const isTurn = isTooMany(end) && traffic.shutForMs() <= longestInTurnMs;
  return isTurn ? { ...backOff, longestMs: longestInTurnMs } : backOff;
}

/** Waits, and returns the time waited, in milliseconds. */
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

/**
 * True for a rate limit. It is not if the single request exceeds its quota, which says nothing about other requests.
 */
function isTooMany(end: HttpEnd): boolean {
  return end.kind === "response" && end.status === 429 && !asksTooMuch(end.body);
}

function isSuccess(end: HttpEnd): boolean {
  return end.kind === "response" && end.status < 300;
}

import type { Clock } from "../../model/ports/clock.ts";
import type { AdaptiveSlots } from "../../model/ports/slots.ts";
import type { HttpEnd } from "../../model/ports/http.ts";
import { createAdaptiveSlots } from "./slots.ts";

/** Control that all requests to one provider with one key share: their number at once, and pauses. */
export interface Traffic {
  readonly slots: AdaptiveSlots;
  /** Waits while the provider asks for a pause; returns at once if there is none. */
  readonly pass: (signal: AbortSignal) => Passage | Promise<Passage>;
  /** Reports a 429, or another answer that asks for a pause: until the end of the pause no request is sent. */
  readonly pause: (asked: {
    readonly milliseconds: number;
    /** True for a 429: the provider then gets fewer requests at once from now on. */
    readonly tooMany: boolean;
    /** The answer that asked for the pause. */
    readonly end: HttpEnd;
  }) => void;
  /** Called after a request that met no 429. */
  readonly succeeded: () => void;
  /** Called after a request that got past the rate limit, whatever its answer. */
  readonly cameThrough: () => void;
  /** Time for which only 429s have come back; 0 if the last result was something else. */
  readonly shutForMs: () => number;
  /** Aborted when the run stops sending; retries that wait are then given up. */
  readonly givenUp: AbortSignal;
}

type Passage =
  | { readonly kind: "open" }
  /** The request is not sent. `end`: the result to use in place of an answer. */
  | { readonly kind: "closed"; readonly end: HttpEnd };

/** The traffic of a run, by provider and account. */
export interface TrafficControl {
  /**
   * Returns the same traffic for the same account. `provider` is the name for messages; `account` identifies it
   * (address, key), is only compared and never shown.
   */
  readonly of: (provider: string, account: string) => Traffic;
  /** Stops sending: waits end at once, and requests under way continue. */
  readonly giveUp: () => void;
}

/** No request waits longer than this for one pause: it then ends with the provider's answer. */
export const longestPauseMs = 5 * 60_000;

/**
 * Traffic control for one run. `onPause` is called once per pause; `shares`: number of parallel runs that share the
 * limit.
 */
export function createTrafficControl(
  clock: Clock,
  onPause: (pause: { readonly provider: string; readonly seconds: number }) => void,
  shares = 1,
): TrafficControl {
  const stop = new AbortController();
  const known = new Map<string, Traffic>();
  return {
    of: (provider, account) => {
      const name = JSON.stringify([provider, account]);
      const found = known.get(name);
      if (found) return found;
      const made = createTraffic(clock, {
        onPause: (seconds) => onPause({ provider, seconds }),
        givenUp: stop.signal,
        shares,
      });
      known.set(name, made);
      return made;
    },
    giveUp: () => stop.abort(),
  };
}

interface TrafficOptions {
  readonly onPause: (seconds: number) => void;
  readonly givenUp: AbortSignal;
  readonly shares?: number;
}

/** The traffic to one provider with one key. */
function createTraffic(clock: Clock, { onPause, givenUp, shares = 1 }: TrafficOptions): Traffic {
  const slots = createAdaptiveSlots(clock.now, shares);
  let pausedUntilMs = 0;
  const streak = createStreak(clock.now);
  let closedBy: HttpEnd = { kind: "cancelled" };
  const look = (signal: AbortSignal): Passage | { kind: "paused"; leftMs: number } => {
    if (signal.aborted || givenUp.aborted) return { kind: "closed", end: { kind: "cancelled" } };
    if (pausedUntilMs === 0) return open;
    const leftMs = pausedUntilMs - clock.now();
    if (leftMs <= 0) return open;
    return leftMs > longestPauseMs ? { kind: "closed", end: closedBy } : { kind: "paused", leftMs };
  };
  const wait = async (signal: AbortSignal): Promise<Passage> => {
    for (;;) {
      const seen = look(signal);
      if (seen.kind !== "paused") return seen;
      const spreadMs = clock.random() * Math.min(seen.leftMs * spread, longestSpreadMs);
      await clock.sleep(seen.leftMs + spreadMs, AbortSignal.any([signal, givenUp]));
    }
  };
  const pass = (signal: AbortSignal): Passage | Promise<Passage> => {
    const seen = look(signal);
    return seen.kind === "paused" ? wait(signal) : seen;
  };
  return {
    slots,
    pass,
    givenUp,
    succeeded: slots.succeeded,
    cameThrough: streak.end,
    shutForMs: streak.lengthMs,
    pause: ({ milliseconds, tooMany, end }) => {
      const nowMs = clock.now();
      if (tooMany) {
        streak.goOn();
        slots.throttled(milliseconds);
      }
      if (milliseconds <= 0 || nowMs + milliseconds <= pausedUntilMs) return;
      if (nowMs >= pausedUntilMs) onPause(milliseconds / 1000);
      pausedUntilMs = nowMs + milliseconds;
      closedBy = end;
    },
  };
}

/** Measures for how long only 429s have come back. */
function createStreak(now: () => number): {
  readonly goOn: () => void;
  readonly end: () => void;
  readonly lengthMs: () => number;
} {
  let sinceMs: number | undefined;
  return {
    goOn: () => {
      sinceMs ??= now();
    },
    end: () => {
      sinceMs = undefined;
    },
    lengthMs: () => (sinceMs === undefined ? 0 : now() - sinceMs),
  };
}

const open: Passage = { kind: "open" };

/**
 * Requests that wait return at different times, because a quota may have room for only one at a time. This is their
 * spread, as a share of the pause.
 */
const spread = 0.5;
const longestSpreadMs = 5000;

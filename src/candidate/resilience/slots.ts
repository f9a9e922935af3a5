import type { AdaptiveSlots } from "../../model/ports.ts";
import { afterSuccess, afterThrottle, firstLimit, mostPlaces } from "./limit.ts";

/** Places whose number follows what comes back; see `afterSuccess` and `afterThrottle` for the rule. */
export interface LearningSlots extends AdaptiveSlots {
  /** A request came through without a 429 on its way. */
  readonly succeeded: () => void;
  /** A 429, with the pause that it asked for, 0 where it asked for none. */
  readonly throttled: (pauseMs: number) => void;
}

/**
 * Places for the requests to one provider with one key. `now`: milliseconds of a clock that never goes back. `shares`: how
 * many runs go at once: each starts with its part of the places, and stays within its part of the most.
 */
export function createAdaptiveSlots(now: () => number, shares = 1): LearningSlots {
  const most = part(mostPlaces, shares);
  let limit = { ...firstLimit, places: part(firstLimit.places, shares) };
  let inFlight = 0;
  const waiting: (() => void)[] = [];
  const admit = (): void => {
    while (inFlight < limit.places && waiting.length > 0) {
      inFlight += 1;
      waiting.shift()?.();
    }
  };
  return {
    most,
    limit: () => limit.places,
    enter: () =>
      new Promise((resolve) => {
        waiting.push(resolve);
        admit();
      }),
    leave: () => {
      inFlight -= 1;
      admit();
    },
    succeeded: () => {
      const next = afterSuccess(limit, { nowMs: now(), inFlight });
      limit = { ...next, places: Math.min(most, next.places) };
      admit();
    },
    throttled: (pauseMs) => {
      limit = afterThrottle(limit, { nowMs: now(), inFlight, pauseMs });
    },
  };
}

function part(places: number, shares: number): number {
  return Math.max(1, Math.floor(places / shares));
}

import { createSemaphore } from "../../base/semaphore.ts";
import type { AdaptiveSlots } from "../../model/ports.ts";
import { afterSuccess, afterThrottle, firstLimit, type Limit, mostPlaces } from "./limit.ts";

/** A limit that adapts to results; `afterSuccess` and `afterThrottle` have the rule. */
interface LearningSlots extends AdaptiveSlots {
  /** A request came through without a 429 on its way. */
  readonly succeeded: () => void;
  /** A 429, with the pause that it asked for, 0 where it asked for none. */
  readonly throttled: (pauseMs: number) => void;
}

/**
 * Slots for the requests to one provider with one key. `now`: milliseconds of a monotonic clock. `shares`: number of
 * parallel runs: each starts with its part of the slots, and stays within its part of the maximum.
 */
export function createAdaptiveSlots(now: () => number, shares = 1): LearningSlots {
  const most = part(mostPlaces, shares);
  let limit = { ...firstLimit, places: part(firstLimit.places, shares) };
  const semaphore = createSemaphore(limit.places);
  const learn = (next: Limit): void => {
    limit = next;
    semaphore.resize(next.places);
  };
  return {
    most,
    limit: () => limit.places,
    enter: semaphore.enter,
    leave: semaphore.leave,
    succeeded: () => {
      const next = afterSuccess(limit, { nowMs: now(), inFlight: semaphore.inFlight() });
      learn({ ...next, places: Math.min(most, next.places) });
    },
    throttled: (pauseMs) =>
      learn(afterThrottle(limit, { nowMs: now(), inFlight: semaphore.inFlight(), pauseMs })),
  };
}

function part(places: number, shares: number): number {
  return Math.max(1, Math.floor(places / shares));
}

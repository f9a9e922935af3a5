import { createSemaphore } from "../../base/semaphore.ts";
import type { AdaptiveSlots } from "../../model/ports/slots.ts";
import { afterSuccess, afterThrottle, firstLimit, type Limit, mostPlaces } from "./limit.ts";

/** Slots whose number adapts to results, by the rules of `afterSuccess` and `afterThrottle`. */
interface LearningSlots extends AdaptiveSlots {
  /** Called after a request that met no 429. */
  readonly succeeded: () => void;
  /** Called after a 429, with the pause that it asked for, or 0. */
  readonly throttled: (pauseMs: number) => void;
}

/**
 * Makes the slots for requests to one provider with one key. `now`: milliseconds of a monotonic clock. `shares`: number
 * of parallel runs; each starts with its share of the slots, and stays within its share of the maximum.
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

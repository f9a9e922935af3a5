import type { AdaptiveSlots } from "../../domain/slots.ts";
import { afterSuccess, afterThrottle, firstLimit, mostPlaces } from "./limit.ts";

/** Places whose number follows what comes back; see `afterSuccess` and `afterThrottle` for the rule. */
export interface LearningSlots extends AdaptiveSlots {
  /** A request came through without a 429 on its way. */
  readonly succeeded: () => void;
  /** A 429, with the pause that it asked for, 0 where it asked for none. */
  readonly throttled: (pauseMs: number) => void;
}

/** Places for the requests to one provider with one key. `now`: milliseconds of a clock that never goes back. */
export function createAdaptiveSlots(now: () => number): LearningSlots {
  let limit = firstLimit;
  let inFlight = 0;
  const waiting: (() => void)[] = [];
  const admit = (): void => {
    while (inFlight < limit.places && waiting.length > 0) {
      inFlight += 1;
      waiting.shift()?.();
    }
  };
  const enter = (): Promise<void> =>
    new Promise((resolve) => {
      waiting.push(resolve);
      admit();
    });
  return {
    most: mostPlaces,
    limit: () => limit.places,
    run: async (work) => {
      await enter();
      try {
        return await work();
      } finally {
        inFlight -= 1;
        admit();
      }
    },
    succeeded: () => {
      limit = afterSuccess(limit, { nowMs: now(), inFlight });
      admit();
    },
    throttled: (pauseMs) => {
      limit = afterThrottle(limit, { nowMs: now(), pauseMs });
    },
  };
}

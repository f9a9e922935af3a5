/** The number of concurrent requests to one provider with one key, and the observations behind it. */
export interface Limit {
  readonly places: number;
  /** Requests that came through without a 429 since the number last changed, or since the last 429. */
  readonly clean: number;
  readonly everThrottled: boolean;
  /**
   * Until this time successes don't raise the limit, because their requests were sent before the cut. Milliseconds of
   * the caller's clock.
   */
  readonly cooldownUntilMs: number;
}

const startPlaces = 20;
/** Largest number of concurrent requests to one provider with one key. */
export const mostPlaces = 100;
const fewestPlaces = 1;
const cut = 0.8;
const growth = 0.05;
const smallestRound = 4;
/** Share of the limit that must be in use: otherwise successes say nothing about a higher limit. */
const saturation = 0.8;
const cooldownMs = 15_000;

/** The limit before the first request. */
export const firstLimit: Limit = {
  places: startPlaces,
  clean: 0,
  everThrottled: false,
  cooldownUntilMs: 0,
};

/**
 * The limit after a request that succeeded without a 429. A round consists of as many such requests as the limit (at
 * least 4), made while at least 80 % of the limit were in use. Until the first 429 a round doubles the limit,
 * afterwards it adds 5 %, at least one. Within a cool-down nothing counts. A 5xx or a time-out is not reported here,
 * because it says nothing about the rate. (This is the rule of inspect_ai's AdaptiveConcurrencyController, with 1 to
 * 100 places, from 20.)
 */
export function afterSuccess(limit: Limit, { nowMs, inFlight }: Moment): Limit {
  if (nowMs < limit.cooldownUntilMs || inFlight < limit.places * saturation) return limit;
  const clean = limit.clean + 1;
  if (clean < Math.max(limit.places, smallestRound)) return { ...limit, clean };
  const step = limit.everThrottled ? Math.max(1, Math.round(limit.places * growth)) : limit.places;
  return { ...limit, clean: 0, places: Math.min(mostPlaces, limit.places + step) };
}

/**
 * The limit after a 429: four fifths, once the previous cut has taken effect. While more requests are in flight than
 * the limit, a 429 gives no new information. (inspect_ai cuts only once in 15 seconds, which is too slow for a quota of
 * a few requests a second: it takes many cuts to find.) For 15 seconds after a cut, and as long as the provider asks
 * for a pause, the limit does not grow.
 */
export function afterThrottle(
  limit: Limit,
  { nowMs, inFlight, pauseMs }: Moment & { readonly pauseMs: number },
): Limit {
  const isKnown = inFlight > limit.places;
  const places = isKnown ? limit.places : Math.max(fewestPlaces, Math.floor(limit.places * cut));
  const until = nowMs + Math.max(pauseMs, isKnown ? 0 : cooldownMs);
  const cooldownUntilMs = Math.max(limit.cooldownUntilMs, until);
  return { places, clean: 0, everThrottled: true, cooldownUntilMs };
}

interface Moment {
  readonly nowMs: number;
  /** Requests in flight, including those that wait for a retry and the one that ended. */
  readonly inFlight: number;
}

/** Milliseconds before something is tried again: they double with each failure, up to the longest. */
export interface BackOff {
  readonly firstMs: number;
  readonly longestMs: number;
  /** The share of the wait that chance decides, so that several callers do not retry at once: 0 none, 1 all of it. */
  readonly jitter: number;
}

/** The wait after a failure, in milliseconds. `failure` counts from 0; `chance` is a random number from 0 to 1. */
export function backOffMs(
  failure: number,
  { firstMs, longestMs, jitter }: BackOff,
  chance = 0,
): number {
  const full = Math.min(longestMs, firstMs * 2 ** failure);
  return full * (1 - jitter) + full * jitter * chance;
}

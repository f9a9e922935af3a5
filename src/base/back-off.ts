/** Milliseconds before something is tried again: they double with each failure, up to the longest. */
export interface BackOff {
  readonly firstMs: number;
  readonly longestMs: number;
  /** The part of it that is left to chance, so that several do not come back at once: 0 none, 1 all of it. */
  readonly jitter: number;
}

/** The wait after failure `failure`, counted from 0. `chance`: 0 to 1. */
export function backOffMs(
  failure: number,
  { firstMs, longestMs, jitter }: BackOff,
  chance = 0,
): number {
  const full = Math.min(longestMs, firstMs * 2 ** failure);
  return full * (1 - jitter) + full * jitter * chance;
}

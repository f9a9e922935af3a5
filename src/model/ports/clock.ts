/** Time and chance. */
export interface Clock {
  /** Milliseconds since 1970, from a clock that never goes back, even if the system's clock is set. */
  readonly now: () => number;
  /** Resolves after the time, or as soon as the signal is aborted. Never rejects. */
  readonly sleep: (milliseconds: number, signal: AbortSignal) => Promise<void>;
  /** A random number from 0 to just below 1. */
  readonly random: () => number;
}

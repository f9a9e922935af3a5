/** Places for work in flight, as many as the other side bears at the moment. */
export interface AdaptiveSlots {
  /** Waits for a place, in the order of asking. */
  readonly run: <T>(work: () => Promise<T>) => Promise<T>;
  /** How many places there are now. */
  readonly limit: () => number;
  /** How many there can ever be. */
  readonly most: number;
}

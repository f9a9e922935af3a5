/** A limit of concurrent work. */
export interface Slots {
  /** Waits for a slot, in the order of the requests; undefined if a slot is free at once. `leave` must follow. */
  readonly enter: () => Promise<void> | undefined;
  /** Releases the slot. */
  readonly leave: () => void;
}

/** A limit that adapts to the load that the other side accepts. */
export interface AdaptiveSlots extends Slots {
  /** Current limit. */
  readonly limit: () => number;
  /** Upper bound of the limit. */
  readonly most: number;
}

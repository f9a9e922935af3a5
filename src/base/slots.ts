/** Places for work in flight. */
export interface Slots {
  /** Waits for a place, in the order of asking; undefined where there is nothing to wait for. `leave` must follow. */
  readonly enter: () => Promise<void> | undefined;
  /** Gives the place up. */
  readonly leave: () => void;
}

/** As many places as the other side bears at the moment. */
export interface AdaptiveSlots extends Slots {
  /** How many places there are now. */
  readonly limit: () => number;
  /** How many there can ever be. */
  readonly most: number;
}

/** Runs a piece of work when there is a place for it. */
export async function inSlot<T>(slots: Slots, work: () => Promise<T>): Promise<T> {
  await slots.enter();
  try {
    return await work();
  } finally {
    slots.leave();
  }
}

import type { Slots } from "../model/ports/slots.ts";

/** Slots for pieces of work, up to a limit; requests wait in order if none is free. */
interface Semaphore extends Slots {
  /**
   * Changes the number of slots. After a reduction the work under way goes on, and no new work enters until enough has
   * ended.
   */
  readonly resize: (places: number) => void;
  readonly inFlight: () => number;
  /** Waits until nothing is under way. */
  readonly drained: () => Promise<void>;
}

/** Makes a semaphore that lets at most `places` pieces of work be under way at once. */
export function createSemaphore(places: number): Semaphore {
  let [most, inFlight] = [places, 0];
  const waiting: (() => void)[] = [];
  let empty: (() => void) | undefined;
  const admit = (): void => {
    while (inFlight < most && waiting.length > 0) {
      inFlight += 1;
      waiting.shift()?.();
    }
  };
  return {
    enter: () => {
      if (inFlight < most) {
        inFlight += 1;
        return undefined;
      }
      return new Promise((resolve) => {
        waiting.push(resolve);
      });
    },
    leave: () => {
      inFlight -= 1;
      admit();
      if (inFlight === 0) empty?.();
    },
    resize: (wanted) => {
      most = wanted;
      admit();
    },
    inFlight: () => inFlight,
    drained: async () => {
      if (inFlight === 0) return;
      await new Promise<void>((resolve) => {
        empty = resolve;
      });
    },
  };
}

/** Runs a piece of work as soon as a slot is free. */
export async function inSlot<T>(slots: Slots, work: () => Promise<T>): Promise<T> {
  await slots.enter();
  try {
    return await work();
  } finally {
    slots.leave();
  }
}

/** Items in batches, so that an item costs no asynchronous step. */
type Batches<T> = AsyncIterable<Iterable<T>> | readonly Iterable<T>[];

/**
 * Processes items as they arrive, at most `concurrency` at once, and returns when all are done: memory holds only items
 * in flight. After the first failure no more items are started, those in flight are awaited, and the failure is thrown.
 */
export async function forEachConcurrently<T>(
  batches: Batches<T>,
  concurrency: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const semaphore = createSemaphore(concurrency);
  let failure: { readonly error: unknown } | undefined;
  const failed = (error: unknown): void => {
    failure ??= { error };
    semaphore.leave();
  };
  for await (const batch of batches) {
    for (const item of batch) {
      await semaphore.enter();
      if (failure) {
        semaphore.leave();
        break;
      }
      void work(item).then(semaphore.leave, failed);
    }
    if (failure) break;
  }
  await semaphore.drained();
  if (failure) throw failure.error;
}

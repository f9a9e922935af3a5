import type { Slots } from "../model/ports.ts";

/** Items in batches: an item costs no turn of its own. */
export type Batches<T> = AsyncIterable<Iterable<T>> | readonly Iterable<T>[];

/**
 * Works on the items as they come, at most `lanes` at once, and returns when all are done: memory holds what is
 * in flight and no more. The first failure stops the feeding, waits for what is under way, and is thrown.
 */
export async function inLanes<T>(
  batches: Batches<T>,
  lanes: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const gate = createGate(lanes);
  let failure: { readonly error: unknown } | undefined;
  const failed = (error: unknown): void => {
    failure ??= { error };
    gate.leave();
  };
  for await (const batch of batches) {
    for (const item of batch) {
      await gate.enter();
      if (failure) {
        gate.leave();
        break;
      }
      void work(item).then(gate.leave, failed);
    }
    if (failure) break;
  }
  await gate.empty();
  if (failure) throw failure.error;
}

/** Lets at most `places` pieces of work be under way at once; the others wait in the order they came. */
export function createSlots(places: number): Slots {
  return createGate(places);
}

interface Gate extends Slots {
  readonly empty: () => Promise<void>;
}

function createGate(places: number): Gate {
  let free = places;
  const waiting: (() => void)[] = [];
  let emptied: (() => void) | undefined;
  return {
    enter: () => {
      if (free > 0) {
        free -= 1;
        return undefined;
      }
      return new Promise((resolve) => {
        waiting.push(resolve);
      });
    },
    leave: () => {
      const next = waiting.shift();
      if (next) return next();
      free += 1;
      if (free === places) emptied?.();
      return undefined;
    },
    empty: async () => {
      if (free === places) return;
      await new Promise<void>((resolve) => {
        emptied = resolve;
      });
    },
  };
}

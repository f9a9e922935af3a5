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
  const start = async (item: T): Promise<void> => {
    try {
      await work(item);
    } catch (error) {
      failure ??= { error };
    } finally {
      gate.leave();
    }
  };
  for await (const batch of batches) {
    for (const item of batch) {
      await gate.enter();
      if (failure) {
        gate.leave();
        break;
      }
      void start(item);
    }
    if (failure) break;
  }
  await gate.empty();
  if (failure) throw failure.error;
}

/** Runs a piece of work when there is a place for it. */
export type Slots = <T>(work: () => Promise<T>) => Promise<T>;

/** Lets at most `places` pieces of work be under way at once; the others wait in the order they came. */
export function createSlots(places: number): Slots {
  const gate = createGate(places);
  return async (work) => {
    await gate.enter();
    try {
      return await work();
    } finally {
      gate.leave();
    }
  };
}

interface Gate {
  readonly enter: () => Promise<void> | undefined;
  readonly leave: () => void;
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

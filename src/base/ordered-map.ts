/**
 * Results of numbered work in order, with some started ahead: never more than `ahead` results are held or in progress.
 * After an early exit or an error nothing more is started.
 */
export async function* mapInOrder<T>(
  count: number,
  ahead: number,
  work: (index: number) => Promise<T>,
): AsyncGenerator<T> {
  const under: Promise<T>[] = [];
  const begin = (index: number): void => {
    if (index >= count) return;
    const next = work(index);
    // It is awaited in its turn; until then its failure must not count as unhandled.
    next.catch(() => undefined);
    under.push(next);
  };
  for (let index = 0; index < ahead; index += 1) begin(index);
  for (let index = ahead; ; index += 1) {
    const first = under.shift();
    if (first === undefined) return;
    const result = await first;
    begin(index);
    yield result;
  }
}

/**
 * Takes numbered items in any order and passes them on in the order of their numbers, so that the same work gives the
 * same bytes.
 */
export interface ReorderBuffer<T> {
  readonly put: (sequence: number, item: T) => void;
  /** Passes on the items that wait behind a gap, which interrupted work leaves. */
  readonly flush: () => void;
}

/** A buffer for numbers from 0 without gaps. Memory holds the items that finished before the slowest one. */
export function createReorderBuffer<T extends object>(pass: (item: T) => void): ReorderBuffer<T> {
  const waiting = new Map<number, T>();
  let next = 0;
  return {
    put: (sequence, item) => {
      waiting.set(sequence, item);
      for (let ready = waiting.get(next); ready; ready = waiting.get(next)) {
        waiting.delete(next);
        pass(ready);
        next += 1;
      }
    },
    flush: () => {
      for (const sequence of [...waiting.keys()].toSorted((a, b) => a - b)) {
        const item = waiting.get(sequence);
        if (item) pass(item);
      }
      waiting.clear();
    },
  };
}

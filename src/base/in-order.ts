import type { ScoreRow } from "../model/sample.ts";

/** Takes rows as samples finish and passes them on in the order of the plan, so that equal runs leave equal bytes. */
export interface InOrder {
  readonly put: (sequence: number, row: ScoreRow) => void;
  /** Passes on what waits behind a gap: a stopped run has some. */
  readonly flush: () => void;
}

/** `sequence` counts from 0 without gaps; memory holds what has overtaken the slowest sample in flight. */
export function createInOrder(add: (row: ScoreRow) => void): InOrder {
  const waiting = new Map<number, ScoreRow>();
  let next = 0;
  return {
    put: (sequence, row) => {
      waiting.set(sequence, row);
      for (let ready = waiting.get(next); ready; ready = waiting.get(next)) {
        waiting.delete(next);
        add(ready);
        next += 1;
      }
    },
    flush: () => {
      for (const sequence of [...waiting.keys()].toSorted((a, b) => a - b)) {
        const row = waiting.get(sequence);
        if (row) add(row);
      }
      waiting.clear();
    },
  };
}

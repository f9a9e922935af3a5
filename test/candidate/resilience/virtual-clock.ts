import type { Clock } from "../../../src/model/ports/clock.ts";

/** A clock that stands still until everybody waits, then jumps to the first who is done waiting. */
export interface VirtualClock extends Clock {
  /** Runs until the work is done; throws where it never will be. Takes no real time. */
  readonly run: <T>(work: Promise<T>) => Promise<T>;
  /** Milliseconds since the start. */
  readonly elapsed: () => number;
}

const startMs = Date.parse("2026-11-21T12:00:00Z");

export function createVirtualClock(random: () => number = () => 0.5): VirtualClock {
  let nowMs = startMs;
  const sleepers = new Map<symbol, { readonly atMs: number; readonly wake: () => void }>();
  const jump = (): boolean => {
    const [first] = [...sleepers].toSorted(([, a], [, b]) => a.atMs - b.atMs);
    if (first === undefined) return false;
    nowMs = Math.max(nowMs, first[1].atMs);
    sleepers.delete(first[0]);
    first[1].wake();
    return true;
  };
  return {
    now: () => nowMs,
    random,
    elapsed: () => nowMs - startMs,
    sleep: (milliseconds, signal) =>
      new Promise((resolve) => {
        const name = Symbol("sleeper");
        const wake = (): void => {
          sleepers.delete(name);
          resolve();
        };
        if (signal.aborted) return wake();
        signal.addEventListener("abort", wake, { once: true });
        sleepers.set(name, { atMs: nowMs + milliseconds, wake });
        return undefined;
      }),
    run: async (work) => {
      let isDone = false;
      const done = work.finally(() => {
        isDone = true;
      });
      done.catch(() => undefined);
      for (;;) {
        // Everything that can go on without time passing does, before time passes.
        await new Promise((resolve) => {
          setImmediate(resolve);
        });
        if (isDone) return done;
        if (!jump()) throw new Error("everybody waits for something that never comes");
      }
    },
  };
}

/** The same numbers for the same seed (mulberry32). */
export function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

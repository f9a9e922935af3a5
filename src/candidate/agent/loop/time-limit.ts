import type { Clock } from "../../../model/ports/clock.ts";

/** The time budget of one sample. Only work counts: a pause that a provider asks for uses none of it. */
export interface TimeLimit {
  /** Aborted when the time is up, and when the run is stopped. */
  readonly signal: AbortSignal;
  /** True once the time is up. */
  readonly isOver: () => boolean;
  /**
   * Does a piece of work while the clock runs. `counts` tells from the result whether its time counts; it does not
   * after a failure that is not the candidate's fault.
   */
  readonly during: <Done>(
    work: () => Promise<Done>,
    counts?: (done: Done) => boolean,
  ) => Promise<Done>;
}

/** Makes a time budget of some seconds. `stop`: aborted when the run is stopped. */
export function createTimeLimit(seconds: number, stop: AbortSignal, clock: Clock): TimeLimit {
  const over = new AbortController();
  const signal = AbortSignal.any([stop, over.signal]);
  let leftMs = seconds * 1000;
  const watch = async (milliseconds: number, done: AbortSignal): Promise<void> => {
    await clock.sleep(milliseconds, AbortSignal.any([stop, done]));
    if (!done.aborted && !stop.aborted) over.abort();
  };
  return {
    signal,
    isOver: () => over.signal.aborted,
    during: async (work, counts = () => true) => {
      const startedMs = clock.now();
      const done = new AbortController();
      void watch(leftMs, done.signal);
      try {
        const result = await work();
        if (counts(result)) leftMs = Math.max(0, leftMs - (clock.now() - startedMs));
        return result;
      } finally {
        done.abort();
      }
    },
  };
}

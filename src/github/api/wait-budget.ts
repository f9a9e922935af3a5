import { AsyncLocalStorage } from "node:async_hooks";
import type { GitHubPace } from "./pace.ts";

/** The purpose of a call: to find data that decides the gate, or to report the verdict. */
export type Purpose = "decide" | "tell";

/**
 * Total seconds that all calls of a purpose may wait: until a limit has passed, before a retry, for an answer. A
 * verdict is worth some minutes; a comment about it is not.
 */
export const longestWaitSeconds: Readonly<Record<Purpose, number>> = { decide: 600, tell: 60 };

/** Time that the calls of a step have waited and may still wait. Parallel waits count once. */
export interface WaitBudget {
  /** True if a wait may begin; it is then counted. */
  readonly mayWait: (purpose: Purpose, seconds: number) => boolean;
  /** Counts a wait that ends now. */
  readonly waited: (purpose: Purpose, seconds: number) => void;
  /** Remaining seconds, 0 or more. */
  readonly left: (purpose: Purpose) => number;
}

/** Makes a budget in which nothing has been waited yet. */
export function createWaitBudget({ retryMilliseconds }: GitHubPace): WaitBudget {
  const counts = { decide: createCount(), tell: createCount() };
  // Seconds are shorter in tests.
  const now = (): number => performance.now() / retryMilliseconds;
  const left = (purpose: Purpose): number =>
    Math.max(0, longestWaitSeconds[purpose] - counts[purpose].seconds);
  return {
    left,
    mayWait: (purpose, seconds) => {
      const from = now();
      const added = uncounted(counts[purpose], from, from + seconds);
      if (added > left(purpose) + roundingSeconds) return false;
      count(counts[purpose], from, from + seconds);
      return true;
    },
    waited: (purpose, seconds) => {
      const to = now();
      count(counts[purpose], to - seconds, to);
    },
  };
}

/** Differences of the clock's large numbers have rounding errors up to this. */
const roundingSeconds = 1e-3;

interface Count {
  seconds: number;
  /** Waits up to this time have been counted. */
  until: number;
}

function createCount(): Count {
  return { seconds: 0, until: -Infinity };
}

function uncounted({ until }: Count, from: number, to: number): number {
  return Math.max(0, to - Math.max(from, until));
}

function count(known: Count, from: number, to: number): void {
  known.seconds += uncounted(known, from, to);
  known.until = Math.max(known.until, to);
}

const purposes = new AsyncLocalStorage<Purpose>();

/** Runs work whose calls have this purpose. */
export function withPurpose<T>(purpose: Purpose, work: () => Promise<T>): Promise<T> {
  return purposes.run(purpose, work);
}

/** The purpose of the current call. */
export function currentPurpose(): Purpose {
  return purposes.getStore() ?? "tell";
}

import type { Environment } from "../../model/ports/processes.ts";

/** Waiting times of the client: between two writes, before a retry, for an answer. */
export interface GitHubPace {
  /** Milliseconds for each second that a retry waits. */
  readonly retryMilliseconds: number;
  /**
   * Milliseconds between two writes, and between two that notify people; undefined: the plugin's default (1 s and 3 s).
   */
  readonly writes: { readonly each: number; readonly notifying: number } | undefined;
  /** The time limit of an answer, computed from that in production. */
  readonly timeoutSeconds: (seconds: number) => number;
  /** The pause before the comment is read again, computed from that in production. */
  readonly pauseMilliseconds: (milliseconds: number) => number;
}

const production: GitHubPace = {
  retryMilliseconds: 1000,
  writes: undefined,
  timeoutSeconds: (seconds) => seconds,
  pauseMilliseconds: (milliseconds) => milliseconds,
};

/**
 * Lower limit of a scaled time limit, before scaling: even a busy machine must be able to answer in time. If everything
 * waits a fiftieth, it is 2 s.
 */
const shortestTimeoutSeconds = 100;

/**
 * The waits of GitHub's client. For tests only, `REGRADE_TEST_GITHUB_PACE` scales them all: `0.02` waits a fiftieth.
 * Values that are not a number above 0 and at most 1 are ignored.
 */
export function githubPace(env: Environment): GitHubPace {
  const factor = Number(env["REGRADE_TEST_GITHUB_PACE"] ?? "");
  if (!(factor > 0 && factor < 1)) return production;
  return {
    retryMilliseconds: 1000 * factor,
    writes: { each: 1000 * factor, notifying: 3000 * factor },
    timeoutSeconds: (seconds) =>
      Math.min(seconds, Math.max(seconds, shortestTimeoutSeconds) * factor),
    pauseMilliseconds: (milliseconds) => milliseconds * factor,
  };
}

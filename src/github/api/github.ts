import { problem, type Problem } from "../../model/refusal.ts";
import { githubPace } from "./pace.ts";
import { withPurpose } from "./wait-budget.ts";
import { createGitHubTraffic, doNotRetry, retries, type GitHubTraffic } from "./traffic.ts";
import type { Repository } from "../runner/context.ts";
import type { Octokit } from "./octokit.ts";
import type { Environment } from "../../model/ports/processes.ts";

/**
 * GitHub's API for one repository. Calls go through `attempt`: a failed call is reported and does not change the
 * verdict.
 */
export interface GitHub {
  /** Octokit's typed `request("GET /repos/{owner}/{repo}/…", {...})`. Throws; see `attempt`. */
  readonly request: Octokit["request"];
  readonly paginate: Octokit["paginate"];
  readonly graphql: Octokit["graphql"];
  readonly repository: Repository;
  /** Number of requests sent so far, including retries. */
  readonly calls: () => number;
  /** Counts a pause of the caller as waiting time of reporting calls. */
  readonly waited: (seconds: number) => void;
  /**
   * Calls the API; failures are returned as a value, worded for the user. If the job is cancelled it gives up at once,
   * unless it is work `forTheEnd`.
   */
  readonly attempt: <T>(doing: Doing, work: () => Promise<T>) => Promise<CallResult<T>>;
}

/** The purpose of a call, in words that "failed" can follow. */
export interface Doing {
  /** The subject of a sentence: `the comment`. */
  readonly what: string;
  /** The permission that the call needs, as a workflow writes it: `pull-requests: write`. */
  readonly permission: string;
  /** True if the call must be tried in a cancelled job, too. */
  readonly forTheEnd?: boolean;
  /** True if the gate depends on the answer, which is worth a longer wait than reporting. */
  readonly decides?: boolean;
}

export type CallResult<T> = { readonly kind: "done"; readonly value: T } | FailedCall;

export interface FailedCall {
  readonly kind: "failed";
  readonly problem: Problem;
  /** Status of GitHub's answer; undefined if there was none. */
  readonly status: number | undefined;
  readonly reason: FailureReason;
}

/**
 * `forbidden`: the token lacks the permission. `missing`: the object does not exist, or the token may not see it.
 * `refused`: GitHub does not accept the request. `limited`: too many requests. `down`: no answer, or a server's error.
 */
export type FailureReason =
  | "forbidden"
  | "missing"
  | "gone"
  | "refused"
  | "limited"
  | "down"
  | "cancelled";

interface GitHubOptions {
  readonly env: Environment;
  readonly token: string;
  readonly repository: Repository;
  /** Cancels the client: waits end, and no further request is sent, except those marked `forTheEnd`. */
  readonly signal: AbortSignal;
  readonly warn: (problem: Problem) => void;
  /** Time limit of an answer, in seconds. */
  readonly timeoutSeconds?: number;
}

/** Opens the client. Proxies and addresses, including those of GitHub Enterprise Server, come from the environment. */
export async function openGitHub(options: GitHubOptions): Promise<GitHub> {
  const { getOctokit, retry, throttling, createWriteQueue } = await import("./octokit.ts");
  const pace = githubPace(options.env);
  const traffic = createGitHubTraffic({ ...options, pace, timeoutSeconds: options.timeoutSeconds });
  const octokit = getOctokit(
    options.token,
    {
      userAgent: "regrade",
      baseUrl: options.env["GITHUB_API_URL"] || "https://api.github.com",
      log: { debug: noop, info: noop, warn: noop, error: noop },
      retry: { retries, retryAfterBaseValue: pace.retryMilliseconds, doNotRetry },
      throttle: {
        // GitHub counts limits for each token, and so does the pause between writes.
        id: options.token,
        retryAfterBaseValue: pace.retryMilliseconds,
        onRateLimit: traffic.mayWait,
        onSecondaryRateLimit: traffic.mayWait,
        ...(pace.writes && {
          write: createWriteQueue("write", pace.writes.each),
          notifications: createWriteQueue("notifications", pace.writes.notifying),
        }),
      },
    },
    traffic.tries,
    retry,
    throttling,
    traffic.calls,
  );
  return {
    request: octokit.request,
    paginate: octokit.paginate,
    graphql: octokit.graphql,
    repository: options.repository,
    calls: traffic.count,
    waited: traffic.waited,
    attempt: (doing, work) => attempt({ doing, signal: options.signal, traffic }, work),
  };
}

function noop(): void {}

async function attempt<T>(
  { doing, signal, traffic }: { doing: Doing; signal: AbortSignal; traffic: GitHubTraffic },
  work: () => Promise<T>,
): Promise<CallResult<T>> {
  const purpose = doing.decides === true ? "decide" : "tell";
  const cancelled = doing.forTheEnd === true ? never<T>() : whenAborted<T>(signal);
  try {
    if (doing.forTheEnd !== true) signal.throwIfAborted();
    return {
      kind: "done",
      value: await Promise.race([withPurpose(purpose, work), cancelled.promise]),
    };
  } catch (cause) {
    if (signal.aborted && doing.forTheEnd !== true) return failed(doing, "cancelled", cause);
    const reason = reasonOf(cause);
    // A bug of ours is no failed call.
    if (reason === undefined) throw cause;
    if (reason === "down") traffic.wentDown(purpose);
    return failed(doing, reason, cause);
  } finally {
    cancelled.stop();
  }
}

interface Abortable<T> {
  readonly promise: Promise<T>;
  readonly stop: () => void;
}

function never<T>(): Abortable<T> {
  return { promise: new Promise<T>(noop), stop: noop };
}

function whenAborted<T>(signal: AbortSignal): Abortable<T> {
  const { promise, reject } = Promise.withResolvers<T>();
  const onAbort = (): void => reject(new Error("cancelled"));
  signal.addEventListener("abort", onAbort);
  promise.catch(noop);
  return { promise, stop: () => signal.removeEventListener("abort", onAbort) };
}

/** The reason of a failed call; undefined if the error is no failed call. */
function reasonOf(cause: unknown): FailureReason | undefined {
  const status = statusOf(cause);
  if (status === undefined) return undefined;
  if (isLimit(cause, status)) return "limited";
  if (status === 401 || status === 403) return "forbidden";
  if (status === 404) return "missing";
  if (status === 410) return "gone";
  return status >= 500 ? "down" : "refused";
}

/** The status of an error. GraphQL's errors come with status 200 and have no status of their own. */
function statusOf(cause: unknown): number | undefined {
  if (!(cause instanceof Error)) return undefined;
  if ("status" in cause && typeof cause.status === "number") return cause.status;
  return cause.name === "GraphqlResponseError" ? 403 : undefined;
}

function isLimit(cause: unknown, status: number): boolean {
  if (status === 429) return true;
  return status === 403 && cause instanceof Error && /\brate limit\b/i.test(cause.message);
}

function failed({ what, permission }: Doing, reason: FailureReason, cause: unknown): FailedCall {
  const message = cause instanceof Error ? cause.message : String(cause);
  const status = statusOf(cause);
  const found = { what, permission, message: message.split("\n", 1)[0] ?? "", status };
  return { kind: "failed", status, reason, problem: wordFailure(reason, found) };
}

function wordFailure(
  reason: FailureReason,
  found: { what: string; permission: string; message: string; status: number | undefined },
): Problem {
  switch (reason) {
    case "forbidden":
      return problem("github_forbidden", found);
    case "missing":
    case "gone":
      return problem("github_missing", found);
    case "refused":
      return problem("github_refused", found);
    case "limited":
      return problem("github_limited", found);
    case "down":
      return problem("github_down", found);
    case "cancelled":
      return problem("github_cancelled", found);
  }
}

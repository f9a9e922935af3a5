import { problem, type Problem } from "../../model/refusal.ts";
import type { GitHubPace } from "./pace.ts";
import {
  createWaitBudget,
  currentPurpose,
  longestWaitSeconds,
  type WaitBudget,
  type Purpose,
} from "./wait-budget.ts";
import type { Octokit } from "./octokit.ts";

/** Controls the requests: counts them, limits their time, and decides whether a failed one is retried. */
export interface GitHubTraffic {
  /** The innermost plugin, which sees each try. */
  readonly tries: Plugin;
  /** The outermost plugin, which sees each call where it is made. */
  readonly calls: Plugin;
  /** True if the client may wait as long as a rate limit of GitHub asks for. */
  readonly mayWait: (
    seconds: number,
    ...[options, octokit, count]: readonly [object, object, number]
  ) => boolean;
  readonly count: () => number;
  /** Counts a wait of reporting calls. */
  readonly waited: (seconds: number) => void;
  /** Called when GitHub failed a call even after all retries. */
  readonly wentDown: (purpose: Purpose) => void;
}

type Plugin = (octokit: Pick<Octokit, "hook">) => object;

interface TrafficOptions {
  readonly pace: GitHubPace;
  readonly signal: AbortSignal;
  readonly warn: (problem: Problem) => void;
  readonly timeoutSeconds: number | undefined;
}

/** Number of retries after a server's error that may pass. */
export const retries = 2;
/** Statuses that are not retried. 429 names a time to wait for, which the other plugin handles. */
export const doNotRetry = [400, 401, 403, 404, 409, 410, 422, 429, 451];

/** Time limit of an answer. GitHub itself gives up on a request after 10 seconds. */
const usualTimeoutSeconds = 15;
/** Time limit once GitHub has failed a call completely: the other calls for the same purpose get one short try each. */
const briefTimeoutSeconds = 5;
/** Time in which GitHub usually answers. It does not count as a wait, and every call may take it. */
const promptSeconds = 2;
/** Limit of waits, in case GitHub asks for a second's wait again and again. */
const mostWaits = 10;

/** Makes the plugins that control a client's requests. */
export function createGitHubTraffic(options: TrafficOptions): GitHubTraffic {
  const waitBudget = createWaitBudget(options.pace);
  const state: TrafficState = { ...options, waitBudget, down: new Set(), count: 0 };
  return {
    count: () => state.count,
    waited: (seconds) => waitBudget.waited("tell", seconds),
    wentDown: (purpose) => void state.down.add(purpose),
    mayWait: (seconds, ...[call, , waits]) =>
      waits < mostWaits && mayWait(seconds, purposeOf(call), state),
    calls: ({ hook }) => {
      // The queues of the inner plugins run a call in the context of another one, so the purpose is recorded here.
      hook.before("request", ({ request }) => {
        request["purpose"] = currentPurpose();
      });
      return {};
    },
    tries: ({ hook }) => {
      hook.wrap("request", (request, call) => tryOnce(async () => request(call), call, state));
      return {};
    },
  };
}

interface TrafficState extends TrafficOptions {
  readonly waitBudget: WaitBudget;
  /** Purposes for which GitHub failed a call completely. */
  readonly down: Set<Purpose>;
  count: number;
}

/** Decides about a wait. It is logged in either case, so that a job that seems to hang explains itself. */
function mayWait(
  seconds: number,
  purpose: Purpose,
  { signal, waitBudget, warn }: TrafficState,
): boolean {
  if (signal.aborted) return false;
  const isGranted = waitBudget.mayWait(purpose, seconds);
  const found = { seconds, most: longestWaitSeconds[purpose] };
  warn(isGranted ? problem("github_waits", found) : problem("github_waits_no_more", found));
  return isGranted;
}

async function tryOnce<T extends Answer>(
  request: () => Promise<T>,
  call: Call,
  state: TrafficState,
): Promise<T> {
  const { waitBudget, pace } = state;
  const purpose = purposeOf(call);
  const isDown = state.down.has(purpose);
  if (isDown && waitBudget.left(purpose) === 0) throw givenUp(purpose);
  state.count += 1;
  if (isDown) call.request["retries"] = 0;
  const seconds = secondsFor(call, state);
  const timeout = AbortSignal.timeout(Math.ceil(pace.timeoutSeconds(seconds) * 1000));
  // The options are changed in place, because every hook receives these, whatever the previous one returns.
  call.request["signal"] = timeout;
  const from = performance.now();
  try {
    const response = await request();
    refuseText(response, call);
    return response;
  } catch (cause) {
    if (timeout.aborted) waitBudget.waited(purpose, seconds);
    if (!mayTryAgain(cause, call, waitBudget)) call.request["retries"] = 0;
    throw cause;
  } finally {
    const late = (performance.now() - from) / 1000 - promptSeconds;
    // A download may take its time.
    if (purpose === "tell" && late > 0 && !timeout.aborted) waitBudget.waited(purpose, late);
  }
}

interface Answer {
  readonly data: unknown;
}

interface Call {
  readonly request: Record<string, unknown>;
}

function purposeOf(call: object): Purpose {
  const request: unknown = "request" in call ? call.request : undefined;
  const isObject = typeof request === "object" && request !== null;
  return isObject && "purpose" in request && request.purpose === "decide" ? "decide" : "tell";
}

/** Time limit of an answer, in seconds. */
function secondsFor(
  call: Call,
  { down, waitBudget, timeoutSeconds = usualTimeoutSeconds }: TrafficState,
): number {
  const purpose = purposeOf(call);
  // A download takes longer than an answer, so its caller sets the time.
  const usual = numberOr(call.request["timeoutSeconds"], timeoutSeconds);
  const most = down.has(purpose) ? Math.min(briefTimeoutSeconds, usual) : usual;
  return Math.min(most, Math.max(waitBudget.left(purpose), promptSeconds));
}

/** True if the plugin may pause once more before its next try; the pause is counted. */
function mayTryAgain(cause: unknown, { request }: Call, waitBudget: WaitBudget): boolean {
  const status =
    cause instanceof Error && "status" in cause && typeof cause.status === "number"
      ? cause.status
      : 0;
  if (status < 400 || doNotRetry.includes(status)) return true;
  const tried = numberOr(request["retryCount"], 0);
  if (tried >= numberOr(request["retries"], retries)) return true;
  return waitBudget.mayWait(purposeOf({ request }), (tried + 1) ** 2);
}

function numberOr(value: unknown, otherwise: number): number {
  return typeof value === "number" ? value : otherwise;
}

/** The error of a call that was given up. It has no `request`, so that the plugins leave it alone. */
function givenUp(purpose: Purpose): Error {
  const most = longestWaitSeconds[purpose];
  const message = `it has not answered, and all calls together have waited ${most} s for it`;
  return Object.assign(new Error(message), { status: 503 });
}

/** Refuses a text with status 200: it comes from a portal or a proxy in GitHub's place. */
function refuseText({ data }: Answer, request: object): void {
  if (typeof data !== "string" || data === "") return;
  const error = new Error("what answered is not GitHub's API");
  // The form by which the other plugins recognise an error that may be retried.
  throw Object.assign(error, {
    name: "HttpError",
    status: 502,
    request,
    response: { headers: {} },
  });
}

import type { Reply } from "./server.ts";

/**
 * Behaviour of a route instead of answering. `slow` answers after the time; `hang` never; `reset` breaks the connection.
 */
export type FaultKind =
  | 401
  | 403
  | 404
  | 409
  | 410
  | 422
  | 429
  | 502
  | "secondary"
  | "primary"
  | "slow"
  | "hang"
  | "reset"
  | "garbage";

export interface Fault {
  /** `PATCH /repos/{owner}/{repo}/check-runs/{check_run_id}`; undefined: every route. */
  readonly route?: string;
  readonly as: FaultKind;
  /** Number of times; undefined: always. */
  times?: number;
  /** Seconds that a rate limit asks to wait. */
  readonly retryAfter?: number;
  readonly slowMilliseconds?: number;
}

export interface Faults {
  readonly add: (fault: Fault) => void;
  readonly clear: () => void;
  /** The fault that strikes this request, used up by one. */
  readonly take: (route: string) => Fault | undefined;
}

export function createFaults(): Faults {
  let faults: Fault[] = [];
  return {
    add: (fault) => faults.push({ ...fault }),
    clear: () => {
      faults = [];
    },
    take: (route) => {
      const found = faults.find(
        (fault) => (fault.route ?? route) === route && (fault.times ?? 1) > 0,
      );
      if (found?.times !== undefined) found.times -= 1;
      return found;
    },
  };
}

const plain: Readonly<Record<401 | 403 | 404 | 409 | 410 | 422, string>> = {
  401: "Bad credentials",
  403: "Resource not accessible by integration",
  404: "Not Found",
  409: "Conflict",
  410: "Gone",
  422: "Validation Failed ##[set-output name=verdict]forged\n::error::forged",
};

/** GitHub's answer for a fault; undefined if the fault is no answer. */
export function replyOf({ as, retryAfter = 1 }: Fault): Reply | undefined {
  if (isPlain(as)) return say(as, plain[as]);
  const wait = { "retry-after": String(retryAfter) };
  switch (as) {
    case 429:
    case "secondary":
      return say(as === 429 ? 429 : 403, "You have exceeded a secondary rate limit.", wait);
    case "primary":
      return say(403, "API rate limit exceeded for installation ID 1.", {
        "x-ratelimit-remaining": "0",
        "x-ratelimit-reset": String(Math.floor(Date.now() / 1000) + 3000),
      });
    case 502:
      return { status: 502, headers: { "content-type": "text/html" }, body: "<h1>502</h1>" };
    case "garbage":
      return { status: 200, headers: { "content-type": "application/json" }, body: "{not json" };
    case "slow":
    case "hang":
    case "reset":
      return undefined;
  }
}

function isPlain(as: FaultKind): as is keyof typeof plain {
  return Object.hasOwn(plain, as);
}

function say(
  status: number,
  message: string,
  headers: Readonly<Record<string, string>> = {},
): Reply {
  const body = JSON.stringify({ message, documentation_url: "https://docs.github.com/rest" });
  return { status, headers: { "content-type": "application/json", ...headers }, body };
}

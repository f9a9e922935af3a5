import type { HttpEnd } from "../../model/ports/http.ts";

/** Consequence of sending a request twice. */
export type Repeats =
  /**
   * Nothing worse than double cost, as for a model call. It may be repeated even if the first request may have been
   * processed.
   */
  | "harmless"
  /**
   * Something may happen twice, such as an order or a mail. It is repeated only if the first request was surely not
   * processed.
   */
  | "may_act";

/**
 * True if a request is worth sending again: after 408, 409, 429 and 5xx, an interrupted or refused connection, a
 * time-out, a name that did not resolve. It is not after a used-up quota (402, or a 429 that says so), a TLS error, an
 * answer that is too large, or a request that exceeds its quota: these would end the same way, and cost again. OpenAI's
 * `x-should-retry` decides if it is sent.
 */
export function isWorthRepeating(end: HttpEnd, repeats: Repeats): boolean {
  switch (end.kind) {
    case "cancelled":
      return false;
    case "failed":
      return transientFaults.includes(end.type) && (repeats === "harmless" || !end.sent);
    case "response":
      return isTransient(end) && (repeats === "harmless" || unprocessed.includes(end.status));
  }
}

/**
 * True if a provider reports that no quota is left, which waiting within a run can't solve: 402, or a 429 with a code
 * such as OpenAI's `insufficient_quota` (https://platform.openai.com/docs/guides/error-codes) or with a daily quota of
 * Google or OpenRouter. A bare 429 is a limit on the rate.
 */
function isQuotaExhausted(end: HttpEnd): boolean {
  if (end.kind !== "response") return false;
  return end.status === 402 || (end.status === 429 && tellsQuota(end.body));
}

/**
 * True if an error reports that the single request exceeds a quota, which waiting can't solve: the message of OpenAI
 * (429) and Groq (413) is "Request too large for … on tokens per min (TPM): Limit 30000, Requested 42305".
 */
export function asksTooMuch(errorMessage: string): boolean {
  const limits = /\bLimit:? (\d+),(?: Used:? \d+,)? Requested:? (\d+)/.exec(errorMessage);
  if (limits !== null) return Number(limits[2]) > Number(limits[1]);
  return /request too large for .* (?:tokens|input) per min/i.test(errorMessage);
}

/**
 * True for OpenAI's message of a used-up quota, also without its code, as proxies return it. Google uses the same
 * message for a per-minute quota, which does not count here.
 */
function tellsQuota(body: string): boolean {
  if (quotaCodes.test(body)) return true;
  return /check your plan and billing/.test(body) && !body.includes('"RESOURCE_EXHAUSTED"');
}

const quotaCodes =
  /"(?:insufficient_quota|insufficient_user_quota|billing_hard_limit_reached|billing_not_active|access_terminated)"|"quotaId"\s*:\s*"[^"]*PerDay|free-models-per-day/;

const transientFaults: readonly string[] = [
  "timeout",
  "connection_reset",
  "connection_refused",
  "name_not_resolved",
  "bad_response",
  "network",
  "open_files_limit",
] satisfies readonly Extract<HttpEnd, { kind: "failed" }>["type"][];

/** Statuses of a server that has not processed the request: too slow to arrive, too early, too many, not ready. */
const unprocessed: readonly number[] = [408, 425, 429, 503];

function isTransient(end: Extract<HttpEnd, { kind: "response" }>): boolean {
  if (isQuotaExhausted(end) || (end.status === 429 && asksTooMuch(end.body))) return false;
  const said = end.headers["x-should-retry"];
  if (said === "true" || said === "false") return said === "true" && end.status >= 400;
  return [408, 409, 425, 429].includes(end.status) || end.status >= 500;
}

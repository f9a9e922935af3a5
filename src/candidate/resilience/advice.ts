import type { HttpResponse } from "../../model/ports/http.ts";
import { longestPauseMs } from "./traffic.ts";

/** A server's request to wait, in milliseconds from now, never negative. */
export type Advice =
  | { readonly kind: "none" }
  /** The server names a time before which a retry is pointless. */
  | { readonly kind: "asked"; readonly milliseconds: number }
  /**
   * The time until a quota is full again, which may be long after there is room for one request. It is relevant if the
   * quota is used up.
   */
  | { readonly kind: "reset"; readonly milliseconds: number; readonly usedUp: boolean };

/** From these values on, a bare number is a time since 1970 (in seconds or milliseconds) and not a duration. */
const epochSeconds = 1e9;
const epochMilliseconds = 1e12;

/**
 * Reads, in this order: `retry-after-ms` (OpenAI, Azure); `retry-after` (RFC 9110 §10.2.3: seconds or a date); Google's
 * `retryDelay` in the body; the text of a 429 (OpenAI and Groq, often without a header: "try again in 18.642s"); the
 * times at which a quota is full again: `x-ratelimit-reset…` (`1s`, `6m0s`, `12ms`, seconds, or a point in time) and
 * Anthropic's `anthropic-ratelimit-…-reset` (a date). Unreadable values are ignored. Times are compared with the
 * response's own `date`, so that a wrong clock here does not matter.
 */
export function readAdvice({ status, headers, body }: HttpResponse, nowMs: number): Advice {
  const clockMs = dateOf(headers["date"]) ?? nowMs;
  const asked =
    millisecondsOf(headers["retry-after-ms"]) ??
    untilText(headers["retry-after"], clockMs) ??
    untilText(/"retryDelay"\s*:\s*"([^"]*)"/.exec(body)?.[1], clockMs) ??
    (status === 429 ? durationOf(wordsOfWait(body)) : undefined);
  if (asked !== undefined) return { kind: "asked", milliseconds: asked };
  return resetOf(headers, clockMs);
}

/** The duration in "try again in 1m30.5s", "retry in 120ms", "retry after 6 seconds"; "" if there is none. */
function wordsOfWait(body: string): string {
  const found = /\b(?:try again|retry) (?:in|after) ((?:\d+(?:\.\d+)?(?:h|ms|m|s))+)\b/i.exec(body);
  if (found !== null) return found[1] ?? "";
  const seconds = /\b(?:try again|retry) (?:in|after) (\d+(?:\.\d+)?) seconds?\b/i.exec(body)?.[1];
  return seconds === undefined ? "" : `${seconds}s`;
}

/**
 * The longest reset time of the quotas that are used up; if none is known to be, of those whose remainder is unknown.
 * If every quota has some left, any of them may have been too small for this request: then the longest time that a run
 * is willing to wait.
 */
function resetOf(headers: HttpResponse["headers"], clockMs: number): Advice {
  const resets = Object.entries(headers).flatMap(([name, text]) => {
    if (!/^(?:x-ratelimit-reset|anthropic-ratelimit-.*-reset$)/.test(name)) return [];
    const milliseconds = untilText(text, clockMs);
    if (milliseconds === undefined) return [];
    return [{ milliseconds, left: leftOf(headers[name.replace("reset", "remaining")]) }];
  });
  const those = (left: Left): readonly number[] =>
    resets.filter((each) => each.left === left).map((each) => each.milliseconds);
  const some = those("some").filter((each) => each <= longestPauseMs);
  const chosen = [those("nothing"), those("unknown"), some].find((each) => each.length > 0) ?? [];
  if (chosen.length === 0) return { kind: "none" };
  const usedUp = those("nothing").length > 0;
  return { kind: "reset", milliseconds: Math.max(...chosen), usedUp };
}

type Left = "nothing" | "unknown" | "some";

/** The state of a quota. Azure reports a remainder below 0 for a quota that does not count. */
function leftOf(remaining: string | undefined): Left {
  const left = remaining === undefined || remaining.trim() === "" ? Number.NaN : Number(remaining);
  if (left === 0) return "nothing";
  return left > 0 ? "some" : "unknown";
}

/** Milliseconds until the given time: seconds, a duration, a time since 1970, or a date. */
function untilText(text: string | undefined, clockMs: number): number | undefined {
  const trimmed = text?.trim() ?? "";
  if (/^-?\d+(?:\.\d+)?$/.test(trimmed)) return untilNumber(Number(trimmed), clockMs);
  const duration = durationOf(trimmed);
  if (duration !== undefined) return duration;
  const date = dateOf(trimmed);
  return date === undefined ? undefined : Math.max(0, date - clockMs);
}

function untilNumber(number: number, clockMs: number): number {
  if (number >= epochMilliseconds) return Math.max(0, number - clockMs);
  if (number >= epochSeconds) return Math.max(0, number * 1000 - clockMs);
  return Math.max(0, number * 1000);
}

const unitMilliseconds: Readonly<Record<string, number>> = {
  h: 3_600_000,
  m: 60_000,
  s: 1000,
  ms: 1,
  us: 0.001,
  µs: 0.001,
};

/** A duration in Go's notation, `1h2m3.5s` or `12ms`, which OpenAI and Groq use. */
function durationOf(text: string): number | undefined {
  if (!/^(?:\d+(?:\.\d+)?(?:h|ms|m|s|us|µs))+$/.test(text)) return undefined;
  let milliseconds = 0;
  for (const [, number, unit] of text.matchAll(/(\d+(?:\.\d+)?)(h|ms|m|s|us|µs)/g)) {
    milliseconds += Number(number) * (unitMilliseconds[unit ?? ""] ?? 0);
  }
  return milliseconds;
}

function millisecondsOf(text: string | undefined): number | undefined {
  const trimmed = text?.trim() ?? "";
  return /^-?\d+(?:\.\d+)?$/.test(trimmed) ? Math.max(0, Number(trimmed)) : undefined;
}

/** A date. It must contain letters, as in `Wed, 21 Oct` or `…T07:28:00Z`, because V8 parses very odd texts as dates. */
function dateOf(text: string | undefined): number | undefined {
  if (text === undefined || !/^(?:[A-Z][a-z]{2}|\d{4}-\d{2}-\d{2}T)/.test(text)) return undefined;
  const milliseconds = Date.parse(text);
  return Number.isNaN(milliseconds) ? undefined : milliseconds;
}

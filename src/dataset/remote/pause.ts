/**
 * Seconds that a server asks to wait: `retry-after` (RFC 9110 §10.2.3: seconds or a date), or the Hub's quotas,
 * `ratelimit: "api";r=0;t=55` (https://huggingface.co/docs/hub/rate-limits). A date is compared with the response's own
 * `date`.
 */
export function pauseOf(
  headers: Readonly<Record<string, string>>,
  nowMs: number,
): number | undefined {
  const asked = headers["retry-after"]?.trim() ?? "";
  if (/^\d+$/.test(asked)) return Number(asked);
  const clockMs = dateOf(headers["date"]) ?? nowMs;
  const until = dateOf(asked);
  if (until !== undefined) return Math.max(0, (until - clockMs) / 1000);
  const reset = /;\s*t=(\d+)/.exec(headers["ratelimit"] ?? "")?.[1];
  return reset === undefined ? undefined : Number(reset);
}

function dateOf(text: string | undefined): number | undefined {
  if (text === undefined || !/^[A-Z][a-z]{2},/.test(text)) return undefined;
  const milliseconds = Date.parse(text);
  return Number.isNaN(milliseconds) ? undefined : milliseconds;
}

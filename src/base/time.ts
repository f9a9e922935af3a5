let lastMilliseconds = Number.NaN;
let lastText = "";

/**
 * A time as ISO 8601 in UTC, to the millisecond, of milliseconds since 1970 with or without a fraction. Some thousand samples
 * a second ask for it three times each, most often for the millisecond before.
 */
export function isoTime(milliseconds: number): string {
  const whole = Math.floor(milliseconds);
  if (whole !== lastMilliseconds) {
    lastText = new Date(whole).toISOString();
    lastMilliseconds = whole;
  }
  return lastText;
}

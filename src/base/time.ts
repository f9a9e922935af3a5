let lastMilliseconds = Number.NaN;
let lastText = "";

/**
 * A time as ISO 8601 in UTC, to the millisecond, from milliseconds since 1970 (fractions are dropped). The last result
 * is kept: several thousand samples a second ask for it three times each, mostly for the same millisecond.
 */
export function isoTime(milliseconds: number): string {
  const whole = Math.floor(milliseconds);
  if (whole !== lastMilliseconds) {
    lastText = new Date(whole).toISOString();
    lastMilliseconds = whole;
  }
  return lastText;
}

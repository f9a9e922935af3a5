/**
 * The probability left on each side of a two-sided interval: (1 − level) / 2.
 * Throws a RangeError for a level outside [0, 1).
 */
export function tailOf(level: number): number {
  if (level >= 0 && level < 1) return (1 - level) / 2;
  throw new RangeError(`an interval needs a level from 0 to below 1, not ${level}`);
}

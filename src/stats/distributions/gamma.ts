/**
 * The error of Stirling's formula for ln Γ(x), for x > 0: ln Γ(x) = (x − ½)·ln x − x + ½·ln 2π + `stirlingError(x)`,
 * accurate to about 10⁻¹⁵.
 *
 * Ratios of gamma functions are built from these small numbers and not from ln Γ itself: the logarithms of two large
 * factorials agree in most of their digits, and their difference would lose them. Abramowitz & Stegun 6.1.40 from 10 on;
 * below, up to 10 by Γ(x + 1) = x·Γ(x).
 */
export function stirlingError(x: number): number {
  let shifted = x;
  let error = 0;
  for (; shifted < 10; shifted += 1) error += (shifted + 0.5) * Math.log1p(1 / shifted) - 1;
  const square = shifted * shifted;
  const series = stirlingSeries.reduce((sum, coefficient) => sum / square + coefficient);
  return error + series / shifted;
}

/** B₂ₖ / (2k·(2k − 1)), k from 7 down to 1. */
const stirlingSeries = [
  1 / 156,
  -691 / 360360,
  1 / 1188,
  -1 / 1680,
  1 / 1260,
  -1 / 360,
  1 / 12,
] as const;

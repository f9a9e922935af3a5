import { bisect } from "./bisect.ts";
import { stirlingError } from "./gamma.ts";

/** The shape of a beta distribution; both above 0. */
interface BetaShape {
  readonly a: number;
  readonly b: number;
}

/**
 * The regularised incomplete beta function Iₓ(a, b): P(X ≤ x) of a beta distribution. `complement` is 1 − x; pass it if
 * it is known more precisely than by subtraction.
 *
 * Iₓ(a, b) = xᵃ(1 − x)ᵇ / (a·B(a, b)) · 1/(1 + d₁/(1 + d₂/(1 + …))), DLMF 8.17.22, and Iₓ(a, b) = 1 − I₁₋ₓ(b, a) on the
 * side where the fraction converges slowly.
 */
export function incompleteBeta(shape: BetaShape, x: number, complement = 1 - x): number {
  if (x <= 0) return 0;
  if (complement <= 0) return 1;
  const { a, b } = shape;
  const power = betaPower(shape, x, complement);
  if (x < (a + 1) / (a + b + 2)) return (power / a) * fraction(shape, x);
  return 1 - (power / b) * fraction({ a: b, b: a }, complement);
}

/**
 * xᵃ·yᵇ / B(a, b) for x + y = 1, without overflow and without loss of digits for large a and b:
 * √(ab / 2π(a + b)) · exp(δ(a + b) − δ(a) − δ(b) − D(a, (a + b)x) − D(b, (a + b)y)), δ the error of
 * Stirling's formula, D the deviance. C. Loader, "Fast and Accurate Computation of Binomial
 * Probabilities", 2000.
 */
export function betaPower({ a, b }: BetaShape, x: number, y: number): number {
  const sum = a + b;
  const errors = stirlingError(sum) - stirlingError(a) - stirlingError(b);
  const deviances = deviance(a, sum * x) + deviance(b, sum * y);
  return Math.sqrt((a / sum) * (b / (2 * Math.PI))) * Math.exp(errors - deviances);
}

/** D(x, m) = x·ln(x/m) + m − x; computed by its series if x is close to m, because the terms cancel. */
function deviance(x: number, m: number): number {
  const relative = (x - m) / (x + m);
  if (Math.abs(relative) >= 0.1) return x * Math.log(x / m) + m - x;
  let sum = (x - m) * relative;
  let term = 2 * x * relative;
  for (let odd = 3; ; odd += 2) {
    term *= relative * relative;
    const next = sum + term / odd;
    if (next === sum) return sum;
    sum = next;
  }
}

/**
 * The continued fraction of the incomplete beta function by Lentz's method in Thompson and Barnett's
 * form (Journal of Computational Physics 64 (1986), 490–509). It takes about √max(a, b) steps.
 */
function fraction(shape: BetaShape, x: number): number {
  const tiny = 1e-300;
  const notZero = (value: number): number => (Math.abs(value) < tiny ? tiny : value);
  let above = 1;
  let below = 1 / notZero(1 - ((shape.a + shape.b) * x) / (shape.a + 1));
  let value = below;
  for (let step = 1; step <= 1_000_000; step += 1) {
    const before = value;
    for (const d of coefficients(shape, step)) {
      below = 1 / notZero(1 + d * x * below);
      above = notZero(1 + (d * x) / above);
      value *= below * above;
    }
    if (Math.abs(value - before) <= 4e-16 * Math.abs(value)) return value;
  }
  return value;
}

/** d₂ₘ/x and d₂ₘ₊₁/x of the fraction. */
function coefficients({ a, b }: BetaShape, m: number): readonly [number, number] {
  const even = (m * (b - m)) / ((a + 2 * m - 1) * (a + 2 * m));
  const odd = (-(a + m) * (a + b + m)) / ((a + 2 * m) * (a + 2 * m + 1));
  return [even, odd];
}

/** The x with Iₓ(a, b) = p, 0 ≤ p ≤ 1, by bisection. */
export function betaQuantile(p: number, shape: BetaShape): number {
  if (!(p >= 0 && p <= 1)) throw new RangeError(`a quantile needs 0 ≤ p ≤ 1, not ${p}`);
  if (p === 0 || p === 1) return p;
  return bisect({ lower: 0, upper: 1 }, (x) => incompleteBeta(shape, x) < p);
}

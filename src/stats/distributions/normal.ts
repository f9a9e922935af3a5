/**
 * P(Z ≤ z) of the standard normal distribution, with full relative accuracy in the lower tail
 * (the upper one is `normalCdf(-z)`).
 *
 * Near the middle Φ(z) = ½ + φ(z)·(z + z³/3 + z⁵/(3·5) + …), G. Marsaglia, "Evaluating the Normal
 * Distribution", Journal of Statistical Software 11(4), 2004; beyond, Laplace's continued fraction of
 * Mills' ratio, Φ(−z) = φ(z) / (z + 1/(z + 2/(z + 3/(z + …)))), Abramowitz & Stegun 26.2.14.
 */
export function normalCdf(z: number): number {
  if (z > 2.5) return 1 - lowerTail(z);
  if (z < -2.5) return lowerTail(-z);
  let term = z;
  let sum = z;
  for (let odd = 3; Math.abs(term) > 1e-18; odd += 2) {
    term *= (z * z) / odd;
    sum += term;
  }
  return 0.5 + density(z) * sum;
}

/** Φ(−z) for z above 2.5, where 120 levels of the fraction are more than enough. */
function lowerTail(z: number): number {
  let fraction = z;
  for (let level = 120; level >= 1; level -= 1) fraction = z + level / fraction;
  return density(z) / fraction;
}

function density(z: number): number {
  return Math.exp((-z * z) / 2) / Math.sqrt(2 * Math.PI);
}

/**
 * The z with P(Z ≤ z) = p, to about 1 part in 10¹⁶.
 * M. J. Wichura, "Algorithm AS 241: The Percentage Points of the Normal Distribution", Applied
 * Statistics 37 (1988), 477–484, routine PPND16. Throws a RangeError unless 0 < p < 1.
 */
export function normalQuantile(p: number): number {
  if (!(p > 0 && p < 1)) throw new RangeError(`a quantile needs 0 < p < 1, not ${p}`);
  const q = p - 0.5;
  if (Math.abs(q) <= 0.425) return q * ratio(middle, 0.180625 - q * q);
  const r = Math.sqrt(-Math.log(q < 0 ? p : 1 - p));
  const z = r <= 5 ? ratio(shoulder, r - 1.6) : ratio(tail, r - 5);
  return q < 0 ? -z : z;
}

/** Coefficients of a ratio of two polynomials, the highest power first. */
interface Ratio {
  readonly above: readonly number[];
  readonly below: readonly number[];
}

const middle: Ratio = {
  above: [
    2509.0809287301227, 33430.57558358813, 67265.7709270087, 45921.95393154987, 13731.69376550946,
    1971.5909503065513, 133.14166789178438, 3.3871328727963665,
  ],
  below: [
    5226.495278852854, 28729.085735721943, 39307.89580009271, 21213.794301586597, 5394.196021424751,
    687.1870074920579, 42.31333070160091, 1,
  ],
};

const shoulder: Ratio = {
  above: [
    0.0007745450142783414, 0.022723844989269184, 0.2417807251774506, 1.2704582524523684,
    3.6478483247632045, 5.769497221460691, 4.630337846156546, 1.4234371107496835,
  ],
  below: [
    1.0507500716444169e-9, 0.0005475938084995345, 0.015198666563616457, 0.14810397642748008,
    0.6897673349851, 1.6763848301838038, 2.053191626637759, 1,
  ],
};

const tail: Ratio = {
  above: [
    2.0103343992922881e-7, 2.7115555687434876e-5, 0.0012426609473880784, 0.026532189526576124,
    0.29656057182850487, 1.7848265399172913, 5.463784911164114, 6.657904643501103,
  ],
  below: [
    2.0442631033899397e-15, 1.421511758316446e-7, 1.8463183175100548e-5, 0.0007868691311456133,
    0.014875361290850615, 0.1369298809227358, 0.599832206555888, 1,
  ],
};

function ratio({ above, below }: Ratio, x: number): number {
  const polynomial = (coefficients: readonly number[]): number =>
    coefficients.reduce((value, coefficient) => value * x + coefficient);
  return polynomial(above) / polynomial(below);
}

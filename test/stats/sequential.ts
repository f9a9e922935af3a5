import { normalCdf, normalQuantile } from "../../src/stats/distributions/normal.ts";

/**
 * Sequential methods and a coefficient of agreement, which Regrade does not judge by. The boundaries rest on its normal
 * distribution; the others stand here so that no reference result is left unread.
 */
interface Look {
  readonly information: number;
  readonly bound: number;
}

const nodes = 201;

/** The chance that |Z| first exceeds its bound at each look, by P. Armitage, C. K. McPherson, B. C. Rowe's recursion. */
function crossings(looks: readonly Look[]): number[] {
  let density: readonly { at: number; mass: number }[] = [{ at: 0, mass: 1 }];
  let before = 0;
  return looks.map(({ information, bound }) => {
    const spread = Math.sqrt(information - before);
    const limit = bound * Math.sqrt(information);
    const beyond = density.reduce(
      (sum, { at, mass }) =>
        sum + mass * (normalCdf((-limit - at) / spread) + normalCdf((at - limit) / spread)),
      0,
    );
    const step = (2 * limit) / (nodes - 1);
    const last = density;
    density = Array.from({ length: nodes }, (_, i) => {
      const at = -limit + i * step;
      const weight = ((i === 0 || i === nodes - 1 ? 1 : i % 2 === 1 ? 4 : 2) * step) / 3;
      const height = last.reduce((sum, other) => {
        const distance = (at - other.at) / spread;
        return sum + other.mass * Math.exp((-distance * distance) / 2);
      }, 0);
      return { at, mass: (weight * height) / spread / Math.sqrt(2 * Math.PI) };
    });
    before = information;
    return beyond;
  });
}

/** Bounds of one shape, `c` times as high; `c` so that all looks together cross with `alpha`. */
export function shaped(
  looks: number,
  alpha: number,
  shape: (share: number) => number,
): { c: number; z: number[] } {
  const at = (c: number): Look[] =>
    Array.from({ length: looks }, (_, k) => ({
      information: (k + 1) / looks,
      bound: c * shape((k + 1) / looks),
    }));
  const total = (c: number): number => crossings(at(c)).reduce((sum, each) => sum + each, 0);
  // The tolerance asked for is 1e-4: 16 halvings of [1.9, 2.6].
  let [lower, upper] = [1.9, 2.6];
  for (let step = 0; step < 16; step += 1) {
    const middle = (lower + upper) / 2;
    if (total(middle) > alpha) lower = middle;
    else upper = middle;
  }
  const c = (lower + upper) / 2;
  return { c, z: at(c).map(({ bound }) => bound) };
}

/** How much of a two-sided alpha is spent at each share of the information. */
export function alphaSpent(alpha: number, share: number, spend: string): number {
  return spend === "pocock"
    ? alpha * Math.log(1 + (Math.E - 1) * share)
    : 4 * normalCdf(normalQuantile(alpha / 4) / Math.sqrt(share));
}

/** Bounds that spend alpha as they go: K. K. G. Lan, D. L. DeMets, Biometrika 70 (1983), 659–663. */
export function spendingBounds(alpha: number, shares: readonly number[], spend: string): number[] {
  const looks: Look[] = [];
  let spent = 0;
  for (const information of shares) {
    const target = alphaSpent(alpha, information, spend);
    const here = (bound: number): number =>
      crossings([...looks, { information, bound }])[looks.length] ?? Number.NaN;
    let [lower, upper] = [1.5, 6];
    for (let step = 0; step < 18; step += 1) {
      const middle = (lower + upper) / 2;
      if (here(middle) > target - spent) lower = middle;
      else upper = middle;
    }
    looks.push({ information, bound: (lower + upper) / 2 });
    spent = target;
  }
  return looks.map(({ bound }) => bound);
}

/** H. Robbins' normal mixture. */
export function mixtureReach(of: { t: number; sigma: number; rho: number; alpha: number }): number {
  const information = of.t * of.rho ** 2;
  const square = (2 * (information + 1)) / (of.t * information);
  return of.sigma * Math.sqrt(square * Math.log(Math.sqrt(information + 1) / of.alpha));
}

/** I. Waudby-Smith, A. Ramdas, JRSS B 86 (2024), 1–27, theorem 2, intersected over time. */
export function empiricalBernstein(
  values: readonly number[],
  { alpha, cap }: { alpha: number; cap: number },
): (readonly [number, number])[] {
  const log = Math.log(2 / alpha);
  let [mean, variance, sum, squares] = [0.5, 0.25, 0.5, 0.25];
  let [weights, weighted, spread] = [0, 0, 0];
  let limits: readonly [number, number] = [0, 1];
  return values.map((x, i) => {
    const t = i + 1;
    const weight = Math.min(cap, Math.sqrt((2 * log) / (variance * t * Math.log(1 + t))));
    spread += (x - mean) ** 2 * (-Math.log(1 - weight) - weight);
    weights += weight;
    weighted += weight * x;
    const reach = (log + spread) / weights;
    const middle = weighted / weights;
    limits = [Math.max(limits[0], middle - reach), Math.min(limits[1], middle + reach)];
    sum += x;
    mean = sum / (t + 1);
    squares += (x - mean) ** 2;
    variance = squares / (t + 1);
    return limits;
  });
}

/** K. Krippendorff's alpha, by coincidences. */
export function agreement(units: readonly (readonly number[])[], metric: string): number {
  const pairable = units.filter((unit) => unit.length > 1);
  const values = [...new Set(pairable.flat())].toSorted((a, b) => a - b);
  const count = (value: number): number => pairable.flat().filter((each) => each === value).length;
  const distance = (a: number, b: number): number => {
    if (metric === "nominal") return a === b ? 0 : 1;
    const [low, high] = [Math.min(a, b), Math.max(a, b)];
    const between = values.filter((value) => value >= low && value <= high);
    const total = between.reduce((sum, value) => sum + count(value), 0);
    return (total - (count(low) + count(high)) / 2) ** 2;
  };
  const all = pairable.flat();
  const within = pairable.reduce((sum, unit) => {
    const pairs = unit.flatMap((a, i) => unit.filter((_, j) => j !== i).map((b) => distance(a, b)));
    return sum + pairs.reduce((total, each) => total + each, 0) / (unit.length - 1);
  }, 0);
  const between = all.reduce(
    (sum, a, i) => sum + all.reduce((part, b, j) => part + (i === j ? 0 : distance(a, b)), 0),
    0,
  );
  return 1 - ((all.length - 1) * within) / between;
}

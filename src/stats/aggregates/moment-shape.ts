import { mean, meanOf } from "./mean.ts";
import { exactSum } from "./sum.ts";
import {
  type DeltaOf,
  type ShapeArithmetic,
  sizesOf,
  type Swappable,
  type Units,
} from "./units.ts";

/**
 * The sample standard deviation √(Σ(x − mean)² / (n − 1)), as a shape; also the mean, which serves to check the other
 * shapes.
 */
export function momentShape(kind: "mean" | "stddev"): ShapeArithmetic {
  return {
    value: kind === "mean" ? mean : standardDeviation,
    influence: kind === "mean" ? (values) => Float64Array.from(values) : influence,
    resample: (units) => resample(units, kind),
    swap: (sides) => swap(sides, kind),
  };
}

function standardDeviation(values: ArrayLike<number>): number | undefined {
  const n = values.length;
  if (n === 1) return undefined;
  const found = (meanOf(values).stderr ?? 0) * Math.sqrt(n);
  return Number.isFinite(found) ? found : undefined;
}

/** The influence values ((x − mean)² − s²) / 2s, with s the standard deviation. */
function influence(values: ArrayLike<number>): Float64Array {
  const { mean: centre, stderr = 0, n } = meanOf(values);
  const deviation = stderr * Math.sqrt(n);
  return Float64Array.from(values, (value) =>
    deviation === 0 ? 0 : ((value - centre) ** 2 / deviation - deviation) / 2,
  );
}

function resample(units: Units, kind: "mean" | "stddev"): (counts: Int32Array) => number {
  const centre = meanOf(units.values).mean;
  const { sizes, sums, squares } = momentsOf(units, centre);
  return (counts) => {
    let [n, sum, square] = [0, 0, 0];
    for (let g = 0; g < sizes.length; g += 1) {
      const count = counts[g] ?? 0;
      n += count * (sizes[g] ?? 0);
      sum += count * (sums[g] ?? 0);
      square += count * (squares[g] ?? 0);
    }
    return kind === "mean" ? centre + sum / n : deviationOf({ n, sum, square });
  };
}

function swap(sides: Swappable, kind: "mean" | "stddev"): DeltaOf {
  const n = sides.before.length;
  const centre = mean(sides.before);
  const old = momentsOf({ values: sides.before, clusters: sides.clusters }, centre);
  const now = momentsOf({ values: sides.after, clusters: sides.clusters }, centre);
  const sums = now.sums.map((sum, g) => sum - (old.sums[g] ?? 0));
  const squares = now.squares.map((square, g) => square - (old.squares[g] ?? 0));
  const base = { sum: exactSum(old.sums), square: exactSum(old.squares) };
  const head = { sum: exactSum(now.sums), square: exactSum(now.squares) };
  return (swapped) => {
    let [sum, square] = [0, 0];
    for (let g = 0; g < swapped.length; g += 1) {
      const mark = swapped[g] ?? 0;
      sum += mark * (sums[g] ?? 0);
      square += mark * (squares[g] ?? 0);
    }
    const [low, high] = [base.sum + sum, head.sum - sum];
    if (kind === "mean") return (high - low) / n;
    const before = deviationOf({ n, sum: low, square: base.square + square });
    return deviationOf({ n, sum: high, square: head.square - square }) - before;
  };
}

/** Sums and squares around a centre near the mean, so that nothing cancels, by unit. */
interface Moments {
  readonly sizes: Int32Array;
  readonly sums: Float64Array;
  readonly squares: Float64Array;
}

function momentsOf({ values, clusters }: Units, centre: number): Moments {
  const sums = new Float64Array(clusters.size);
  const squares = new Float64Array(clusters.size);
  for (let i = 0; i < values.length; i += 1) {
    const unit = clusters.of[i] ?? 0;
    const value = (values[i] ?? Number.NaN) - centre;
    sums[unit] = (sums[unit] ?? 0) + value;
    squares[unit] = (squares[unit] ?? 0) + value * value;
  }
  return { sizes: sizesOf(clusters), sums, squares };
}

/** The sample standard deviation of n values with this sum and these squares. */
function deviationOf(of: { n: number; sum: number; square: number }): number {
  const { n, sum, square } = of;
  return Math.sqrt(Math.max(0, square - (sum * sum) / n) / (n - 1));
}

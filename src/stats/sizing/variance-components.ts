import type { Statistics } from "../../model/figures/statistics.ts";
import { mean } from "../aggregates/mean.ts";
import { exactSum } from "../aggregates/sum.ts";

/**
 * The spread of a metric by its sources: one-way random effects over the repeats of Q cases, the repeats of case i
 * being k_i. within = Σᵢⱼ (x − meanᵢ)² / (N − Q); MSB = Σᵢ k_i·(meanᵢ − grand mean)² / (Q − 1);
 * between = max(0, (MSB − within) / k₀), k₀ = (N − Σ k_i²/N) / (Q − 1), which is K where all cases have K repeats.
 *
 * `mean` is the mean of the cases' means and `stderr` its standard error; `stderrAt(K)` what it would be with K
 * repeats, √((between + within/K) / Q): if that hardly falls, more repeats do not help and more cases do.
 *
 * S. R. Searle, G. Casella, C. E. McCulloch, "Variance Components", 1992, §3.6. Throws a RangeError for fewer than two
 * cases, for a case without a repeat, and for a score that is not finite.
 */
export const varianceComponents: Statistics["varianceComponents"] = (repeatsOfCases) => {
  const cases = repeatsOfCases.length;
  if (cases < 2) throw new RangeError(`a spread needs at least two cases, not ${cases}`);
  const means = repeatsOfCases.map(mean);
  const centre = mean(means);
  const stderr = Math.sqrt(squaresAround(means, centre) / cases / (cases - 1));
  const sizes = repeatsOfCases.map((repeats) => repeats.length);
  const meanSquareBetween = betweenCases(means, sizes);
  const within = withinCases(repeatsOfCases, means);
  const between =
    within === undefined ? undefined : Math.max(0, (meanSquareBetween - within) / usualSize(sizes));
  const total = (between ?? 0) + (within ?? 0);
  return {
    mean: centre,
    meanSquareBetween,
    within,
    between,
    intraclass: between === undefined || total === 0 ? undefined : between / total,
    stderr,
    stderrAt: (repeats) =>
      between === undefined || within === undefined
        ? undefined
        : Math.sqrt((between + within / repeats) / cases),
  };
};

function squaresAround(values: ArrayLike<number>, centre: number): number {
  return exactSum(Float64Array.from(values, (value) => (value - centre) ** 2));
}

function betweenCases(means: readonly number[], sizes: readonly number[]): number {
  const all = exactSum(sizes);
  const grand = exactSum(means.map((each, i) => each * (sizes[i] ?? 0))) / all;
  const squares = means.map((each, i) => (sizes[i] ?? 0) * (each - grand) ** 2);
  return exactSum(squares) / (means.length - 1);
}

function withinCases(
  repeatsOfCases: readonly ArrayLike<number>[],
  means: readonly number[],
): number | undefined {
  const all = exactSum(repeatsOfCases.map((repeats) => repeats.length));
  if (all === means.length) return undefined;
  const squares = repeatsOfCases.map((repeats, i) => squaresAround(repeats, means[i] ?? 0));
  return exactSum(squares) / (all - means.length);
}

function usualSize(sizes: readonly number[]): number {
  const all = exactSum(sizes);
  const squares = exactSum(sizes.map((size) => size * size));
  return (all - squares / all) / (sizes.length - 1);
}

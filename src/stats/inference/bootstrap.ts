import type { Interval } from "../../model/figures/statistics.ts";
import { tailOf } from "../level.ts";
import { meanOf } from "../aggregates/mean.ts";
import { quantile } from "../aggregates/quantile.ts";
import { type Seed, sfc32Block } from "../distributions/sfc32.ts";

/** Settings of the draws. */
interface Drawing {
  /** Number of units (cases or clusters), at most 2²¹. A sample draws the same number, with replacement. */
  readonly units: number;
  readonly draws: number;
  readonly seed: Seed;
}

/**
 * A statistic of seeded bootstrap samples. `statistic` gets the number of times that each unit was drawn, and must not
 * keep the list. A draw takes `units` times the unit `floor(u·units / 2³²)` for a number u of `sfc32`: the same on
 * every machine, and in every language that has whole numbers.
 *
 * B. Efron, R. J. Tibshirani, "An Introduction to the Bootstrap", 1993, §6. The units must be independent: cases rather
 * than their repeats, clusters rather than their cases. Throws a RangeError for no units and for too many.
 */
export function bootstrap(
  { units, draws, seed }: Drawing,
  statistic: (counts: Int32Array) => number,
): Float64Array {
  if (units < 1 || units > 2 ** 21)
    throw new RangeError(`a bootstrap draws from 1 to ${2 ** 21} units, not ${units}`);
  const fill = sfc32Block(seed);
  const numbers = new Uint32Array(units);
  // A division by a power of two keeps the product the same; below 2²¹ `| 0` takes the whole part.
  const scale = units / 2 ** 32;
  const counts = new Int32Array(units);
  const statistics = new Float64Array(draws);
  for (let draw = 0; draw < draws; draw += 1) {
    counts.fill(0);
    fill(numbers);
    for (let i = 0; i < units; i += 1) {
      const unit = ((numbers[i] ?? 0) * scale) | 0;
      counts[unit] = (counts[unit] ?? 0) + 1;
    }
    statistics[draw] = statistic(counts);
  }
  return statistics;
}

/** Summary of a statistic over bootstrap samples, in its unit. */
interface Bootstrapped {
  /** Their standard deviation. */
  readonly stderr: number;
  /** Their percentiles: (1 − level) / 2 of them are on each side. */
  readonly interval: Interval;
}

/** Standard error and percentile interval of at least two statistics, which are sorted in place. */
export function describe(statistics: Float64Array, level: number): Bootstrapped {
  const tail = tailOf(level);
  const stderr = (meanOf(statistics).stderr ?? 0) * Math.sqrt(statistics.length);
  statistics.sort();
  return {
    stderr,
    interval: { lower: quantile(statistics, tail), upper: quantile(statistics, 1 - tail) },
  };
}

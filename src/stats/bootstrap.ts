import type { Interval } from "../model/statistics.ts";
import { tailOf } from "./level.ts";
import { meanOf } from "./mean.ts";
import { quantile } from "./quantile.ts";
import { type Seed, sfc32Block } from "./sfc32.ts";

/** Settings of the draws. */
interface Drawing {
  /** Number of units (cases, or clusters): as many are drawn, with replacement. At most 2²¹. */
  readonly units: number;
  readonly draws: number;
  readonly seed: Seed;
}

/**
 * A statistic of seeded bootstrap samples: `statistic` gets how often each unit was drawn, and must not keep the list.
 * Unit `floor(u·units / 2³²)` for each number u of `sfc32`, `units` of them a draw: the same on every machine, and the
 * same in every language that has whole numbers.
 *
 * B. Efron, R. J. Tibshirani, "An Introduction to the Bootstrap", 1993, §6. The units must be independent: cases and not
 * their repeats, clusters and not their cases. Throws a RangeError for no units and for too many.
 */
export function bootstrap(
  { units, draws, seed }: Drawing,
  statistic: (counts: Int32Array) => number,
): Float64Array {
  if (units < 1 || units > 2 ** 21)
    throw new RangeError(`a bootstrap draws from 1 to ${2 ** 21} units, not ${units}`);
  const fill = sfc32Block(seed);
  const numbers = new Uint32Array(units);
  // A power of two below, so that the product is the same; below 2²¹, so that `| 0` is the whole part.
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

/** Standard error and percentile interval; the statistics are sorted in place. Two at least. */
export function describe(statistics: Float64Array, level: number): Bootstrapped {
  const tail = tailOf(level);
  const stderr = (meanOf(statistics).stderr ?? 0) * Math.sqrt(statistics.length);
  statistics.sort();
  return {
    stderr,
    interval: { lower: quantile(statistics, tail), upper: quantile(statistics, 1 - tail) },
  };
}

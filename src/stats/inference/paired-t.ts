import type { Statistics } from "../../model/figures/statistics.ts";
import { extent, meanOf, tInterval } from "../aggregates/mean.ts";
import { negligible } from "../rounding.ts";
import { studentUpperTail } from "../distributions/student.ts";

/**
 * The paired t test on differences head − base, one a case, in the metric's unit:
 * t = mean / stderr with n − 1 degrees of freedom, `pLess` = P(T ≤ t), and Student's interval.
 *
 * Differences that are all equal have no t: they are a result nevertheless. Then `pLess` is that of the
 * exact sign-flip test, 2⁻ⁿ for a drop in every case and 1 where nothing got worse, and the interval has
 * the width 0. One difference has no standard error and no interval. None at all is a RangeError.
 *
 * Student, Biometrika 6 (1908), 1–25; for evals: E. Miller, "Adding Error Bars to Evals", 2024,
 * arXiv:2411.00640, §4.2.
 */
export const pairedT: Statistics["pairedT"] = (differences, level) => {
  const summary = meanOf(differences);
  const { mean, stderr, n } = summary;
  const { lowest, highest } = extent(differences);
  const nothing = negligible(Math.max(-lowest, highest));
  const interval = tInterval(summary, level);
  if (stderr === undefined || highest - lowest <= nothing)
    return { mean, stderr, pLess: mean < -nothing ? 2 ** -n : 1, interval };
  return { mean, stderr, pLess: studentUpperTail(-mean / stderr, n - 1), interval };
};

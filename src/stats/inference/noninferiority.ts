import type {
  Clustered,
  Noninferiority,
  Statistics,
  NoninferiorityQuestion,
} from "../../model/figures/statistics.ts";
import { clusterSums, clusterT } from "./cluster-t.ts";
import { effective } from "./effective.ts";
import { negligible } from "../rounding.ts";
import { normalCdf } from "../distributions/normal.ts";
import { pairedT } from "./paired-t.ts";
import { studentUpperTail } from "../distributions/student.ts";
import { tangoInterval, tangoScore } from "./tango.ts";

/**
 * Is the mean difference head − base above −margin? t = (mean + margin) / SE, p its upper tail, with the standard
 * error and the degrees of freedom of the paired or, with clusters, of the cluster-robust t test; the same as: the
 * lower end of the 1 − 2·alpha interval is above −margin. In the metric's unit.
 *
 * Differences that are all equal (0, mostly) show no spread, which is not the same as having none. Where `width` says
 * how far a case can fall, `lower` is the mean if as many cases as an exact 1 − alpha limit allows,
 * 1 − alpha^(1/n), had fallen that far unseen: (1 − u)·mean − u·width; close to Tango's limit without a discordant
 * pair. Without `width`, p is 2⁻ⁿ and `lower` the mean itself, once that p is below alpha. A cluster counts as one.
 * The spread of so few changes that they are in effect fewer than 5 is hardly better known than none: there `shown` asks for both
 * limits, so that a case that got better takes no proof's place.
 *
 * S. Wellek, "Testing Statistical Hypotheses of Equivalence and Noninferiority", 2010, §3; J. A. Hanley,
 * A. Lippman-Hand, "If Nothing Goes Wrong, Is Everything All Right?", JAMA 249 (1983), 1743–1745.
 * Throws a RangeError unless margin > 0 and 0 < alpha ≤ ½, and for no differences.
 */
export const noninferiorityT: Statistics["noninferiorityT"] = (differences, question) => {
  checkQuestion(question);
  const { margin, alpha } = question;
  const { mean, stderr, interval, units, largest } = summarise(differences, 1 - 2 * alpha);
  const nothing = negligible(largest) / Math.sqrt(units);
  if (stderr === undefined || interval === undefined || stderr <= nothing)
    return withoutSpread({ mean, units }, question);
  const p = studentUpperTail((mean + margin) / stderr, units - 1);
  const isBelow = interval.lower > -margin;
  const shown = isBelow && (areMany(differences) || withoutSpread({ mean, units }, question).shown);
  return { p, lower: interval.lower, shown };
};

/** Below this effective number of changes the spread counts as unknown. */
const leastChanges = 5;

function areMany(differences: ArrayLike<number> | Clustered): boolean {
  const changes = isClustered(differences) ? clusterSums(differences).sums : differences;
  return effective(changes) >= leastChanges;
}

/**
 * The same question for 0/1 metrics: is (fixed − broke) / n above −margin? Answered by Tango's score at −margin and its
 * interval. If no pair is discordant, `shown` also requires the exact limit: in 7 of 100 runs, 52 cases show no trace
 * of a drop of 5 %, and Tango's limit would accept them.
 *
 * T. Tango, Statistics in Medicine 17 (1998), 891–908. Throws as `noninferiorityT` does; no pair shows nothing.
 */
export const noninferiorityTango: Statistics["noninferiorityTango"] = (pairs, question) => {
  checkQuestion(question);
  const { margin, alpha } = question;
  if (pairs.n === 0) return { p: 1, lower: undefined, shown: false };
  const { lower } = tangoInterval(pairs, 1 - 2 * alpha);
  // A proportion can't fall by more than 1.
  const p = margin > 1 ? 0 : normalCdf(-tangoScore(pairs, -margin));
  const unseen = pairs.broke + pairs.fixed === 0 ? Math.max(0, 1 - margin) ** pairs.n : 0;
  return { p, lower, shown: lower > -margin && unseen < alpha };
};

function checkQuestion({ margin, alpha, width }: NoninferiorityQuestion): void {
  if (margin > 0 && alpha > 0 && alpha <= 0.5 && (width ?? 1) > 0) return;
  throw new RangeError(
    `non-inferiority needs a margin and a width above 0 and an alpha up to ½, not ${margin}, ${width} and ${alpha}`,
  );
}

function summarise(
  differences: ArrayLike<number> | Clustered,
  level: number,
): Omit<ReturnType<typeof clusterT>, "pLess" | "clusters"> & { units: number; largest: number } {
  if (isClustered(differences)) {
    const summary = clusterT(differences, level);
    return { ...summary, units: summary.clusters, largest: largestOf(differences.values) };
  }
  const units = differences.length;
  return { ...pairedT(differences, level), units, largest: largestOf(differences) };
}

function isClustered(differences: ArrayLike<number> | Clustered): differences is Clustered {
  return "clusters" in differences;
}

function largestOf(values: ArrayLike<number>): number {
  let largest = 0;
  for (let i = 0; i < values.length; i += 1) largest = Math.max(largest, Math.abs(values[i] ?? 0));
  return largest;
}

function withoutSpread(
  { mean, units }: { readonly mean: number; readonly units: number },
  { margin, alpha, width }: NoninferiorityQuestion,
): Noninferiority {
  if (width === undefined) {
    const p = mean > -margin ? 2 ** -units : 1;
    return { p, lower: p < alpha ? mean : undefined, shown: p < alpha };
  }
  // 0 if the cases have already fallen as far as they can.
  const room = Math.max(0, mean + width);
  const unseen = 1 - alpha ** (1 / units);
  const lower = mean - unseen * room;
  const needed = room === 0 ? 1 : Math.min(1, (mean + margin) / room);
  return { p: mean > -margin ? (1 - needed) ** units : 1, lower, shown: lower > -margin };
}

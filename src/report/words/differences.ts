import { fewestCases, fewestClusters, manyRepeats } from "../../model/figures/detectable.ts";
import type {
  Comparison,
  JudgedRule,
  RuleGrounds,
  GivenFinding,
} from "../../model/outcomes/finding.ts";
import type { Noise } from "../../model/figures/statistics.ts";
import type { MetricSpec } from "../../model/definition/suite.ts";
import {
  count,
  counted,
  forCount,
  countedOf,
  difference,
  distance,
  figure,
  percentName,
  pValue,
  metricUnit,
} from "./figures.ts";
import { changeNoun, threshold } from "./rules.ts";
import type { MetricUnit } from "../../model/definition/metric.ts";

/** A difference from the baseline, with its test. */
interface Told<F> {
  readonly rule: JudgedRule;
  readonly why: Extract<RuleGrounds, { readonly kind: "measured" }>;
  readonly found: F;
  readonly unit: MetricUnit;
  /** `−5.0 points`. */
  readonly seen: string;
  /** `−5.0 points (88.8% → 83.8%)`. */
  readonly moved: string;
  /** `the rule blocks from 2.0 points`. */
  readonly blocks: string;
}

type Tellers<F> = Readonly<Partial<Record<JudgedRule["code"], (told: Told<F>) => string>>>;

function toldOf<F extends { readonly value: number; readonly baseline: number }>(
  rule: JudgedRule,
  why: Told<F>["why"],
  found: F,
): Told<F> {
  const unit = metricUnit(rule.metric, why.range);
  const seen = difference(rule.delta ?? 0, unit);
  const moved = `${seen} (${figure(found.baseline, unit)} → ${figure(found.value, unit)})`;
  return { rule, why, found, unit, seen, moved, blocks: `the rule ${threshold(rule, unit)}` };
}

/** The reason for the outcome of a rule that compares cases one by one. */
export function comparisonReason(
  rule: JudgedRule,
  why: Told<Comparison>["why"],
  comparison: Comparison,
): string {
  const told = toldOf(rule, why, comparison);
  const tell = tellers[why.code] ?? undetected;
  const { fractional, test } = comparison;
  // A metric counts as 0/1 because of the baseline, but some scores of this run are neither.
  const isBetween = test !== null && fractional > 0;
  return `${tell(told)}${isBetween ? `; ${counted(fractional, "case")} of this 0/1 metric scored something else` : ""}`;
}

const tellers: Tellers<Comparison> = {
  drop_proven: (told) => `${proven(told)}; ${told.blocks}`,
  drop_hidden: (told) => `${proven(told)}; the total hides it`,
  drop_not_proven: (told) => `${told.seen} seen, not proven; ${power(told)}${advice(told.found)}`,
  drop_left_open: (told) =>
    `${told.moved}, too large a ${changeNoun(told.rule)} to pass, and not proven by ${counted(told.found.n, "case")}; add cases, set \`repeats: 5\`, or use a rule that needs no proof (\`prove: nothing\`, \`min\`, \`must_pass\`)`,
  drop_within_limit: (told) =>
    (told.rule.p_adjusted ?? 1) < told.why.alpha
      ? `${told.moved}, a proven ${changeNoun(told.rule)}; ${proof(told)}; ${told.blocks}`
      : `${told.seen}; ${told.blocks}; ${undetected(told)}`,
  beyond_limit: ({ found, moved, blocks }) => `${moved}; ${blocks}; ${brokeAndFixed(found)}`,
  within_limit: ({ moved, blocks }) => `${moved}; ${blocks}`,
  too_few_to_prove: (told) => `${told.moved}; ${tooFew(told)}`,
  no_drop_shown: (told) => `${told.moved}; ${sizeOfLimit(told)} is ruled out${bound(told)}`,
  no_drop_not_shown: (told) =>
    `${told.moved}; ${sizeOfLimit(told)} is not ruled out${notShown(told)}`,
};

/** The reason for the outcome of a rule on a batch grader's number for all cases together. */
export function givenReason(
  rule: JudgedRule,
  why: Told<GivenFinding>["why"],
  given: GivenFinding,
): string {
  const told = toldOf(rule, why, given);
  if (given.prove === "nothing") return `${told.moved}; ${told.blocks}`;
  const tell = givenTellers[why.code];
  return tell === undefined
    ? `no ${changeNoun(rule)} of that size seen: ${told.moved}; ${threshold(rule, told.unit)} what can be proven`
    : tell(told);
}

const givenTellers: Tellers<GivenFinding> = {
  no_drop_not_shown: (told) =>
    `${told.moved}; ${sizeOfLimit(told)} is not ruled out: ${told.found.swap === undefined ? noCaseScores : swapped(told.found)}`,
  drop_proven: (told) =>
    `${told.moved}, a proven ${changeNoun(told.rule)}: ${swapped(told.found)}; ${proof(told)}; ${told.blocks}`,
  drop_not_proven: (told) =>
    `${told.moved} seen, not proven: ${swapped(told.found)}; ${proof(told)}${givenPower(told)}`,
  too_few_to_prove: (told) => `${told.moved}; ${tooFew(told)}`,
  not_provable: ({ rule, moved }) =>
    `${moved}, a ${changeNoun(rule)} that can't be proven: ${noCaseScores}`,
};

function givenPower({ rule, why, found, unit }: Told<GivenFinding>): string {
  const mde = usableMde(rule, why.range);
  return mde === undefined ? "" : `; ${counted(found.n, "case")} detect ≥ ${distance(mde, unit)}`;
}

/** How a batch grader's number was tested. */
function swapped({ n, swap }: GivenFinding): string {
  const gradings = swap?.exact === true ? "in all ways" : `${count(swap?.swaps ?? 0)} times`;
  return `base and head of ${counted(n, "case")} swapped ${gradings} and graded again`;
}

const noCaseScores =
  "grade_batch returned it without scores by case; use `prove: nothing` or `min`, or have grade_batch score each sample instead";

/**
 * Number of cases or clusters needed, if there are too few to prove anything: flipping all of them has to be rare enough.
 */
function tooFew({
  rule,
  why: { alpha, family },
  found,
}: Told<{ n: number; noise: Noise | null }>): string {
  const clusters = found.noise?.clusters;
  const among = family > 1 ? ` among ${count(family)} comparisons` : "";
  const isClustered = clusters !== undefined && clusters !== null;
  const who = `${counted(found.n, "case")}${isClustered ? ` in ${counted(clusters.count, "cluster")}` : ""}`;
  const least = isClustered
    ? counted(fewestClusters(alpha, family), "cluster")
    : counted(fewestCases(alpha, family), "case");
  return `not judged: ${who} can't prove a ${changeNoun(rule)}${among}, however large; it takes ${least}, or a rule that needs no proof (\`prove: nothing\`, \`min\`, \`must_pass\`)`;
}

function proven({ rule, moved, found, why }: Told<Comparison>): string {
  return `${moved}, a proven ${changeNoun(rule)}: ${brokeAndFixed(found)}; ${proof({ rule, why })}`;
}

/** `a drop of 2.0 points`; `a drop` if the limit is 0. */
function sizeOfLimit({ rule, unit }: Told<unknown>): string {
  const noun = changeNoun(rule);
  return rule.limit === 0 ? `a ${noun}` : `a ${noun} of ${distance(rule.limit, unit)}`;
}

function notShown(told: Told<Comparison>): string {
  const { broke, steady } = told.found;
  // If a candidate gives the same answer each time, more repeats show nothing new.
  const more = steady ? "more cases" : "more cases or repeats";
  if (!isWithinLimit(told)) return `${bound(told)}; ${more} would show more${enough(told)}`;
  // If hardly anything varied, the interval is too narrow, and the number of cases tells more.
  const changed =
    broke === 0
      ? "no case got worse, but so few would not show it"
      : `only ${counted(broke, "case")} got worse, but so few would not show more`;
  return `: ${changed}; ${more} would${enough(told)}`;
}

/**
 * `: about 1,900 cases show it 4 times in 5 where nothing changed`, computed with the observed spread. Ruling out a
 * drop of the limit takes as many cases as proving one.
 */
function enough({ why: { needed }, found: { n } }: Told<Comparison>): string {
  return needed !== undefined && needed > n
    ? `: about ${counted(roundedUp(needed), "case")} show it 4 times in 5 where nothing changed`
    : "";
}

/** Rounds to two digits. */
function roundedUp(cases: number): number {
  const step = 10 ** Math.max(0, Math.floor(Math.log10(cases)) - 1);
  return step * Math.ceil(cases / step);
}

function isWithinLimit({ rule, found: { interval } }: Told<Comparison>): boolean {
  if (interval === null) return false;
  return (rule.kind === "max_rise" ? -interval.upper : interval.lower) > -rule.limit;
}

/** The end of the interval that the proof depends on: `: at worst −1.4 points (95% sure)`. */
function bound({ rule, why: { alpha }, found: { interval }, unit }: Told<Comparison>): string {
  if (interval === null) return "";
  const worst = rule.kind === "max_rise" ? interval.upper : interval.lower;
  return `: at worst ${difference(worst, unit)} (${percentName(1 - alpha)} sure)`;
}

function brokeAndFixed({ broke, fixed, n }: Comparison): string {
  return `${countedOf(broke, n, "case")} broke, ${count(fixed)} ${forCount(fixed, "was", "were")} fixed`;
}

function proof({ rule, why: { family, code } }: Pick<Told<unknown>, "rule" | "why">): string {
  const p = pValue(rule.p_adjusted ?? 1);
  const method = code === "drop_hidden" ? "Benjamini–Hochberg" : "Holm";
  return family > 1 ? `${p} (${method}, ${count(family)} comparisons)` : p;
}

/** Detectable drop with this number of cases: `240 cases detect ≥ 5.1 points`. */
function power({ rule, why: { range }, found, unit }: Told<Comparison>): string {
  const { n, noise } = found;
  const clusters = noise?.clusters ?? null;
  const cases = `${counted(n, "case")}${clusters === null ? "" : ` in ${counted(clusters.count, "cluster")}`}`;
  if (isSpreadUnknown(found)) return `which loss ${cases} detect is not known`;
  const mde = usableMde(rule, range);
  if (mde === undefined) return `${cases} ${forCount(n, "is", "are")} too few to detect a loss`;
  return `${cases} ${forCount(n, "detects", "detect")} ≥ ${distance(mde, unit)}`;
}

function undetected({ rule, why: { range }, found, unit }: Told<Comparison>): string {
  const mde = usableMde(rule, range);
  const cases = counted(found.n, "case");
  const isSame = found.broke + found.fixed === 0;
  const seen = `no regression detected${isSame ? `: not one of ${cases} changed` : ""}`;
  if (mde !== undefined) return `${seen}; could detect ≥ ${distance(mde, unit)}`;
  if (isSame) return seen;
  if (isSpreadUnknown(found))
    return `${seen} in ${cases}; which loss they could detect is not known`;
  return found.noise?.variance === 0 && found.n > 1
    ? `no regression detected in ${cases}, which changed alike`
    : `no regression detected, but ${cases} ${forCount(found.n, "is", "are")} too few to detect one`;
}

/** True for medians, percentiles and spreads of so few cases or clusters that no interval is drawn for them. */
function isSpreadUnknown({ interval, n }: Comparison): boolean {
  return interval === null && n > 1;
}

/** The detectable drop; undefined if it exceeds the whole range, because so few cases detect nothing. */
export function usableMde({ mde }: JudgedRule, range: MetricSpec["range"]): number | undefined {
  if (mde === null) return undefined;
  return range !== null && mde > range[1] - range[0] ? undefined : mde;
}

/** Below this number of cases, little can be proven. */
export const fewCases = 50;

function advice({ n, repeats, steady }: Comparison): string {
  if (n >= fewCases) return "";
  return repeats >= manyRepeats || steady
    ? "; more cases would tell more"
    : `; \`repeats: ${manyRepeats}\` or more cases would tell more`;
}

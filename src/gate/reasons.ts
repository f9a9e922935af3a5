import { fewestCases, fewestClusters } from "../model/detectable.ts";
import type { Comparison } from "./compare.ts";
import { amount, change, counted, figure, listed, pValue, type Range } from "./figures.ts";
import type { Finding, IncomparablePart, MeasuredRule, Standing } from "./measure.ts";
import { namedReason } from "./must-pass-words.ts";
import type { PlannedRule } from "./plan.ts";

/** Why rules stand as they do, for people; the words "no regression" never stand alone. */

type Found<Kind extends Finding["kind"]> = Extract<Finding, { kind: Kind }>;

/** Why a rule stands as it does, without its name. */
export function ruleReason(measured: MeasuredRule, standing: Standing): string {
  const { rule, target, range, finding } = measured;
  if (isPlain(finding)) return plainReasons[finding.kind];
  switch (finding.kind) {
    case "value":
      return limitReason(rule, { value: finding.value, range, met: standing.outcome === "met" });
    case "comparison":
      return `${comparisonReason(rule, { ...finding.comparison, range, mde: standing.mde }, standing)}${inBetween(finding.comparison)}`;
    case "metric_missing":
      return `no sample of this run has a score in \`${target.metric}\`${givenInstead(finding.undeclared)}`;
    case "named_cases":
      return namedReason(finding.named, range);
    case "no_baseline":
      return absentReasons[finding.why];
    case "not_comparable":
      return notComparable(finding.parts);
    case "given":
      return givenReason(rule, { ...finding, range, mde: standing.mde }, standing);
    case "given_unlike":
      return unlikeReasons[finding.why];
    case "given_outside":
      return `grade_batch returned ${finding.value} for \`${target.metric}\`, which its range [${(range ?? []).join(", ")}] does not hold; correct the grader, or declare the \`range\` that it has`;
    case "given_whole":
      return `\`${target.metric}\` has no scores by case, as grade_batch returned it for all cases together; have grade_batch give each sample its score instead`;
  }
}

const plainReasons = {
  nothing_matches:
    "the rule names a metric, a task or a candidate that this run does not have; correct the rule, or remove it",
  slice_missing: "no case of this run is in this slice; correct the rule, or remove it",
  no_limit:
    "`must_pass` needs a `min` or a `max` here: the metric has no range whose end would be a pass",
  too_few: "not measured: too few cases have a score in this metric",
  metric_new: "not compared: the baseline does not have this metric",
  no_pairs: "not compared: not one case could be paired with the baseline",
  not_finite: "not compared: the scores are too large to compute with",
} as const;

function isPlain(finding: Finding): finding is Found<keyof typeof plainReasons> {
  return Object.hasOwn(plainReasons, finding.kind);
}

type FoundGiven = Found<"given"> & { readonly range: Range; readonly mde: number | null };

/** Of a number that a batch grader returned for all cases together. */
function givenReason(rule: PlannedRule, found: FoundGiven, standing: Standing): string {
  const { value, baseline, range } = found;
  const between = `(${figure(baseline, range)} → ${figure(value, range)})`;
  const moved = `${change(value - baseline + 0, range)} ${between}`;
  if (found.prove === "nothing") return `${moved}; the rule ${threshold(rule, range)}`;
  const tell = givenTellers[standing.code];
  if (tell !== undefined) return tell({ rule, found, standing, moved });
  return `no ${lossWord(rule)} of that size seen: ${moved}; ${threshold(rule, range)} what can be proven`;
}

interface GivenTold {
  readonly rule: PlannedRule;
  readonly found: FoundGiven;
  readonly standing: Standing;
  readonly moved: string;
}

const givenTellers: Readonly<Partial<Record<Standing["code"], (told: GivenTold) => string>>> = {
  no_drop_not_shown: ({ rule, found, moved }) =>
    `${moved}: not shown not to ${lossWord(rule)} by ${amount(rule.limit, found.range)}: ${found.swap === undefined ? noCaseScores : swapped(found)}`,
  drop_proven: ({ rule, found, standing, moved }) =>
    `${moved}, a proven ${lossWord(rule)}: ${swapped(found)}; ${proof(standing)}; the rule ${threshold(rule, found.range)}`,
  drop_not_proven: ({ found, standing, moved }) =>
    `${moved} seen, not proven: ${swapped(found)}; ${proof(standing)}${givenPower(found)}`,
  too_few_to_prove: ({ rule, found, standing, moved }) =>
    `${moved}; ${tooFew({ rule, n: found.n, noise: found.noise, standing })}`,
  not_provable: ({ rule, moved }) =>
    `${moved}, a ${lossWord(rule)} that can't be proven: ${noCaseScores}`,
};

function givenPower({ n, mde, range }: GivenTold["found"]): string {
  const usable = usableMde({ mde, range });
  return usable === undefined ? "" : `; ${counted(n, "case")} detect ≥ ${amount(usable, range)}`;
}

/** How a batch grader's number was tested. */
function swapped({ n, swap }: Found<"given">): string {
  const gradings = swap?.exact === true ? "in all ways" : `${swap?.swaps ?? 0} times`;
  return `base and head of ${counted(n, "case")} swapped ${gradings} and graded again`;
}

const noCaseScores =
  "grade_batch returned it without scores by case; use `prove: nothing` or `min`, or have grade_batch score each sample instead";

const unlikeReasons: Readonly<Record<Found<"given_unlike">["why"], string>> = {
  not_given: "not compared: the baseline's grade_batch gave no valid number for it",
  other_cases:
    "not compared: grade_batch returned it for other cases than in the baseline, and it has no scores by case to pick the common ones from",
};

function notComparable(parts: readonly IncomparablePart[]): string {
  if (parts.includes("repeats"))
    return "not comparable: the metric's reducer needs more repeats than both sides have";
  return `not comparable: ${partNames(parts)} changed since the baseline; it takes a new baseline, made by a run of the base branch as it is now`;
}

const absentReasons: Readonly<Record<Found<"no_baseline">["why"], string>> = {
  no_baseline: "not measured: there is no baseline",
  new_task: "not measured: the baseline does not have this task",
  new_candidate: "not measured: the baseline does not have this candidate",
};

/** What the grader gave under names that nobody declared: most often a misspelling. */
export function givenInstead(undeclared: readonly string[]): string {
  return undeclared.length === 0
    ? ""
    : `; the grader gave ${listed(undeclared.map((id) => `\`${id}\``))}`;
}

function limitReason(
  rule: PlannedRule,
  found: { readonly value: number; readonly range: Range; readonly met: boolean },
): string {
  const value = figure(found.value, found.range);
  const limit = figure(rule.limit, found.range);
  if (rule.kind === "min")
    return found.met ? `${value}, at least ${limit}` : `${value} is below the minimum of ${limit}`;
  return found.met ? `${value}, at most ${limit}` : `${value} is above the maximum of ${limit}`;
}

type Compared = Comparison & { readonly range: Range; readonly mde: number | null };

interface Told {
  readonly rule: PlannedRule;
  readonly compared: Compared;
  readonly standing: Standing;
  /** `−5.0 pp`. */
  readonly seen: string;
  /** `−5.0 pp (88.8% → 83.8%)`. */
  readonly moved: string;
  /** `the rule blocks from 2.0 pp`. */
  readonly blocks: string;
}

function comparisonReason(rule: PlannedRule, compared: Compared, standing: Standing): string {
  const { delta, range } = compared;
  const seen = change(delta, range);
  const moved = `${seen} (${figure(compared.baseline, range)} → ${figure(compared.value, range)})`;
  const blocks = `the rule ${threshold(rule, range)}`;
  const tell = tellers[standing.code] ?? tellUndetected;
  return tell({ rule, compared, standing, seen, moved, blocks });
}

const tellers: Readonly<Partial<Record<Standing["code"], (told: Told) => string>>> = {
  drop_proven: tellProven,
  drop_hidden: tellProven,
  drop_not_proven: ({ seen, compared }) =>
    `${seen} seen, not proven; ${power(compared)}${advice(compared)}`,
  drop_within_limit: ({ rule, compared, standing, seen, moved, blocks }) =>
    (standing.pAdjusted ?? 1) < rule.alpha
      ? `${moved}, a proven ${lossWord(rule)}; ${proof(standing)}; ${blocks}`
      : `${seen}; ${blocks}; ${undetected(compared)}`,
  beyond_limit: ({ compared, moved, blocks }) => `${moved}; ${blocks}; ${casualties(compared)}`,
  within_limit: ({ moved, blocks }) => `${moved}; ${blocks}`,
  too_few_to_prove: ({ rule, compared, standing, moved }) =>
    `${moved}; ${tooFew({ rule, n: compared.n, noise: compared.noise, standing })}`,
  no_drop_shown: tellNoDrop,
  no_drop_not_shown: tellNoDrop,
};

function tellProven({ rule, compared, standing, moved, blocks }: Told): string {
  const proven = `${moved}, a proven ${lossWord(rule)}: ${casualties(compared)}; ${proof(standing)}`;
  return standing.code === "drop_hidden" ? `${proven}; the total hides it` : `${proven}; ${blocks}`;
}

function tellNoDrop({ rule, compared, standing, moved }: Told): string {
  return `${moved}: ${noDropReason(rule, compared, standing)}`;
}

function tellUndetected({ compared }: Told): string {
  return undetected(compared);
}

interface TooFew {
  readonly rule: PlannedRule;
  readonly n: number;
  readonly noise: Comparison["noise"];
  readonly standing: Standing;
}

/** How many cases or clusters it takes, where so few prove nothing: flipping all of them has to be rare enough. */
function tooFew({ rule, n, noise, standing: { family } }: TooFew): string {
  const clusters = noise?.clusters;
  const among = family > 1 ? ` among ${family} comparisons` : "";
  const other = `or a rule that needs no proof (\`prove: nothing\`, \`min\`, \`must_pass\`)`;
  const cases = counted(n, "case");
  if (clusters === undefined || clusters === null)
    return `not judged: ${cases} can't prove a ${lossWord(rule)}${among}, however large; it takes ${fewestCases(rule.alpha, family)} cases, ${other}`;
  return `not judged: ${cases} in ${counted(clusters.count, "cluster")} can't prove a ${lossWord(rule)}${among}, however large; it takes ${fewestClusters(rule.alpha, family)} clusters, ${other}`;
}

/** A metric that is 0/1 by the baseline, and whose scores are not. */
function inBetween({ fractional, test }: Comparison): string {
  if (test === null || fractional === 0) return "";
  return `; ${counted(fractional, "case")} of this 0/1 metric scored something else`;
}

/** A loss of exactly the limit blocks; with a limit of 0 any loss does, and none does not. */
function threshold(rule: PlannedRule, range: Range): string {
  const does = { block: "blocks", warn: "warns", info: "notes" }[rule.level];
  return rule.limit === 0
    ? `${does} on any ${lossWord(rule)}`
    : `${does} from ${amount(rule.limit, range)}`;
}

function lossWord(rule: PlannedRule): string {
  return rule.kind === "max_rise" ? "rise" : "drop";
}

/** `shown not to drop by 2.0 pp; at worst −1.4 pp (95% sure)`. */
function noDropReason(rule: PlannedRule, compared: Compared, standing: Standing): string {
  const { code } = standing;
  const claim = `not to ${lossWord(rule)} by ${amount(rule.limit, compared.range)}`;
  if (code === "no_drop_shown") return `shown ${claim}${bound(rule, compared)}`;
  // Where hardly anything varied the interval is too narrow, and says less than the number of cases does.
  if (isWithinLimit(rule, compared))
    return `not shown ${claim}: ${fewChanged(compared)}; ${moreOf(compared)} would${enough(standing, compared)}`;
  return `not shown ${claim}${bound(rule, compared)}; ${moreOf(compared)} would show more${enough(standing, compared)}`;
}

function fewChanged({ broke }: Compared): string {
  return broke === 0
    ? "no case got worse, but so few would not show it"
    : `only ${counted(broke, "case")} got worse, but so few would not show more`;
}

/**
 * `: about 1,900 cases show it 4 times in 5 where nothing changed`, with the spread that was seen. A drop as large as the
 * limit is ruled out by as many cases as would prove one.
 */
function enough({ needed }: Standing, { n }: Compared): string {
  return needed !== undefined && needed > n
    ? `: about ${counted(roundedUp(needed), "case")} show it 4 times in 5 where nothing changed`
    : "";
}

/** A candidate that answers the same each time shows nothing more in repeats. */
function moreOf({ steady }: Compared): string {
  return steady ? "more cases" : "more cases or repeats";
}

/** To two digits. */
function roundedUp(count: number): number {
  const step = 10 ** Math.max(0, Math.floor(Math.log10(count)) - 1);
  return step * Math.ceil(count / step);
}

function isWithinLimit(rule: PlannedRule, { interval }: Compared): boolean {
  if (interval === null) return false;
  return (rule.kind === "max_rise" ? -interval.upper : interval.lower) > -rule.limit;
}

/** The end of the interval that the proof is about: `; at worst −1.4 pp (95%)`. */
function bound(rule: PlannedRule, { interval, range }: Compared): string {
  if (interval === null) return "";
  const worst = rule.kind === "max_rise" ? interval.upper : interval.lower;
  return `; at worst ${change(worst, range)} (${Number((100 * (1 - rule.alpha)).toFixed(1))}% sure)`;
}

function casualties({ broke, fixed, n }: Compared): string {
  return `${broke} of ${counted(n, "case")} broke, ${fixed} ${fixed === 1 ? "was" : "were"} fixed`;
}

function proof({ pAdjusted, family, code }: Standing): string {
  const p = pValue(pAdjusted ?? 1);
  const method = code === "drop_hidden" ? "Benjamini–Hochberg" : "Holm";
  return family > 1 ? `${p} (${method}, ${family} comparisons)` : p;
}

/** What so many cases can show: `240 cases detect ≥ 5.1 pp`. */
function power(compared: Compared): string {
  const clusters = compared.noise?.clusters ?? null;
  const cases = `${counted(compared.n, "case")}${clusters === null ? "" : ` in ${counted(clusters.count, "cluster")}`}`;
  const mde = usableMde(compared);
  if (mde === undefined)
    return `${cases} ${compared.n === 1 ? "is" : "are"} too few to detect a loss`;
  return `${cases} ${compared.n === 1 ? "detects" : "detect"} ≥ ${amount(mde, compared.range)}`;
}

function undetected(compared: Compared): string {
  const mde = usableMde(compared);
  const cases = counted(compared.n, "case");
  const isSame = compared.broke + compared.fixed === 0;
  const seen = `no regression detected${isSame ? `: not one of ${cases} changed` : ""}`;
  if (mde !== undefined) return `${seen}; could detect ≥ ${amount(mde, compared.range)}`;
  if (isSame) return seen;
  return compared.noise?.variance === 0 && compared.n > 1
    ? `no regression detected in ${cases}, which changed alike`
    : `no regression detected, but ${cases} ${compared.n === 1 ? "is" : "are"} too few to detect one`;
}

/** A loss larger than the whole range cannot happen: so few cases detect nothing. */
function usableMde({ mde, range }: Pick<Compared, "mde" | "range">): number | undefined {
  if (mde === null) return undefined;
  return range !== null && mde > range[1] - range[0] ? undefined : mde;
}

const fewCases = 50;
const manyRepeats = 5;

function advice({ n, repeats, steady }: Compared): string {
  if (n >= fewCases) return "";
  return repeats >= manyRepeats || steady
    ? "; more cases would tell more"
    : `; \`repeats: ${manyRepeats}\` or more cases would tell more`;
}

/** `the grader and the extraction`. */
export function partNames(parts: readonly IncomparablePart[]): string {
  const names = parts.map((part) =>
    part === "direction" ? "the metric's direction" : `the ${part}`,
  );
  return names.join(" and ");
}

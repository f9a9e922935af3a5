import type { Noise, Statistics, PairedTest } from "../../model/figures/statistics.ts";
import type {
  Comparison,
  Finding,
  JudgedRule,
  NamedCases,
  GivenFinding,
} from "../../model/outcomes/finding.ts";
import type { RuleFigures } from "../../model/outcomes/rule-result.ts";
import { isWithin } from "./beyond.ts";
import { adjustFamilies, detectableOf, findingNoise } from "./families.ts";
import type { MeasuredRule } from "./measure.ts";
import type { PlannedRule } from "./plan.ts";
import { ruleResult, type RuleDecision } from "./rule-result.ts";

/** Tolerance for limits, because 0.3 − 0.1 is not 0.2 in floating point. */
const tolerance = 1e-9;

/** Decides each rule. P-values are adjusted among the rules that share alpha. */
export function decideRules(
  measured: readonly MeasuredRule[],
  statistics: Statistics,
): readonly JudgedRule[] {
  const adjusted = adjustFamilies(measured, statistics);
  return measured.map((one, i) => {
    const { pAdjusted, family } = adjusted[i] ?? { pAdjusted: null, family: 1 };
    const noise = findingNoise(one.finding);
    const canProve = noise === null || statistics.canProve(noise, one.rule.alpha / family);
    const decided = decide(one, { pAdjusted, canProve });
    const isProven = decided.code === "drop_proven";
    const detectable = detectableOf(one, { family, isProven }, statistics);
    const needed = noise === null ? undefined : neededToShow(one, noise, statistics);
    const people = peoplesFigures(one, statistics);
    const result = ruleResult(one, { ...decided, pAdjusted, family, ...detectable, needed });
    return people === undefined ? result : { ...result, people };
  });
}

/** The difference in people's scores, for a metric whose judge was calibrated. */
function peoplesFigures(
  { rule, finding, slope, shows }: MeasuredRule,
  statistics: Statistics,
): RuleFigures["people"] {
  if (slope === undefined || finding.kind !== "comparison") return undefined;
  const { delta, interval } = finding.comparison;
  const level = Math.max(0, 1 - 2 * rule.alpha);
  const found = statistics.peoplesDifference({ delta, interval, level }, slope);
  if (found === undefined && shows === undefined) return undefined;
  return {
    slope,
    delta: found?.value ?? null,
    delta_ci: found?.ci ?? null,
    margin: shows?.margin ?? null,
  };
}

function neededToShow(
  { rule, range, finding, shows }: MeasuredRule,
  { variance, clusters }: Noise,
  statistics: Statistics,
): number | undefined {
  const { prove } = rule;
  const { margin: limit, alpha } = shows ?? { margin: rule.limit, alpha: rule.alpha };
  if (prove !== "no_drop" || clusters !== null || limit <= 0) return undefined;
  const isMean = finding.kind === "comparison" && !isSwapped(finding.comparison.test);
  const width = range !== null && isMean ? range[1] - range[0] : undefined;
  if (width === undefined && variance === 0) return undefined;
  return statistics.casesToShow({ perCaseVariance: variance, limit, alpha, width });
}

/** True for a median or a percentile, which is shown by its interval alone. */
function isSwapped(test: PairedTest | null): boolean {
  return test === null || test.startsWith("side_swap") || test === "large_sample";
}

/** Result of a comparison's test. */
interface Proof {
  readonly pAdjusted: number | null;
  /** True if some drop, if large enough, could have been proven. */
  readonly canProve: boolean;
}

function decide({ rule, range, finding }: MeasuredRule, proof: Proof): Decided {
  if (!hasFigures(finding)) return withoutFigures[finding.kind];
  switch (finding.kind) {
    case "value":
      return isWithin(rule, finding.value)
        ? { outcome: "met", code: "within_limit" }
        : { outcome: "missed", code: "beyond_limit" };
    case "comparison":
      return decideComparison({ rule, range }, finding, proof);
    case "named_cases":
      return decideNamed(finding.named);
    case "given":
      return decideGiven(rule, finding, proof);
  }
}

type Decided = Pick<RuleDecision, "outcome" | "code">;

type WithFigures = Extract<Finding, { kind: "value" | "comparison" | "named_cases" | "given" }>;

function hasFigures(finding: Finding): finding is WithFigures {
  return ["value", "comparison", "named_cases", "given"].includes(finding.kind);
}

const withoutFigures: Readonly<Record<Exclude<Finding, WithFigures>["kind"], Decided>> = {
  metric_missing: { outcome: "missed", code: "metric_missing" },
  nothing_matches: { outcome: "missed", code: "metric_missing" },
  slice_missing: { outcome: "missed", code: "slice_missing" },
  no_limit: { outcome: "missed", code: "cases_short" },
  no_baseline: { outcome: "unmeasured", code: "no_baseline" },
  metric_new: { outcome: "unmeasured", code: "metric_new" },
  not_comparable: { outcome: "inconclusive", code: "not_comparable" },
  not_finite: { outcome: "inconclusive", code: "not_comparable" },
  no_pairs: { outcome: "inconclusive", code: "no_pairs" },
  given_unlike: { outcome: "inconclusive", code: "not_comparable" },
  given_outside: { outcome: "missed", code: "metric_missing" },
  given_whole: { outcome: "missed", code: "metric_missing" },
  too_few: { outcome: "inconclusive", code: "no_pairs" },
};

function decideComparison(
  { rule, range }: Ranged,
  { prove, comparison }: Extract<Finding, { kind: "comparison" }>,
  { pAdjusted, canProve }: Proof,
): Decided {
  if (prove === "nothing") return decideBare(rule, comparison.loss);
  if (!canProve) {
    const few = decideFew(rule, { prove, loss: comparison.loss, noise: comparison.noise });
    if (few !== undefined) return few;
  }
  return prove === "drop"
    ? decideProof({ rule, range }, comparison, pAdjusted ?? 1)
    : decideNoDrop(rule, comparison, pAdjusted ?? 1);
}

/**
 * The outcome if no drop could be proven, however large. A few clusters don't represent others, and a drop that was
 * seen in a few cases is left open: inconclusive. If no drop was seen, nothing speaks for or against the change:
 * unmeasured, so that it is no pass either.
 */
function decideFew(
  rule: PlannedRule,
  {
    prove,
    loss,
    noise,
  }: { readonly prove: "drop" | "no_drop"; readonly loss: number; readonly noise: Noise | null },
): Decided | undefined {
  const code = "too_few_to_prove";
  if (noise?.clusters !== null || isSeen(rule, loss)) return { outcome: "inconclusive", code };
  return prove === "drop" ? { outcome: "unmeasured", code } : undefined;
}

/**
 * Decides about named cases. A name that matches no case is worse than a case that could not be graded, because running
 * again does not help.
 */
function decideNamed({ short, absent, ungraded, already }: NamedCases): Decided {
  if (short.length > 0) return { outcome: "missed", code: "cases_short" };
  if (absent.length > 0) return { outcome: "missed", code: "cases_absent" };
  if (ungraded.length > 0) return { outcome: "inconclusive", code: "cases_ungraded" };
  if (already.length > 0) return { outcome: "met", code: "cases_short_before" };
  return { outcome: "met", code: "within_limit" };
}

/** True for a loss of at least the limit. No loss is never one, even if the limit is 0. */
export function isSeen(rule: PlannedRule, loss: number): boolean {
  return loss > tolerance && loss >= rule.limit - tolerance;
}

/**
 * Decides about a batch grader's number for all cases together. Its drop can be proven only by swapping the sides.
 * Without swaps it can be neither proven nor ruled out, so the rule neither passes nor blocks.
 */
function decideGiven(
  rule: PlannedRule,
  finding: GivenFinding,
  { pAdjusted, canProve }: Proof,
): Decided {
  const loss = lossOf(rule, finding);
  if (finding.prove === "nothing") return decideBare(rule, loss);
  const few = canProve ? undefined : decideFew(rule, { ...finding, prove: finding.prove, loss });
  if (few !== undefined) return few;
  if (isSeen(rule, loss)) return decideSeen(rule, finding, pAdjusted);
  if (finding.prove === "no_drop") return { outcome: "inconclusive", code: "no_drop_not_shown" };
  const code = loss > tolerance ? "drop_within_limit" : "no_drop_detected";
  return { outcome: "met", code };
}

function decideSeen(rule: PlannedRule, { prove }: GivenFinding, pAdjusted: number | null): Decided {
  if (pAdjusted === null) return { outcome: "inconclusive", code: "not_provable" };
  if (pAdjusted < rule.alpha) return { outcome: "missed", code: "drop_proven" };
  return prove === "no_drop"
    ? { outcome: "inconclusive", code: "no_drop_not_shown" }
    : { outcome: "met", code: "drop_not_proven" };
}

/** The loss against the baseline; positive means worse. */
function lossOf(
  { kind }: PlannedRule,
  { value, baseline }: { readonly value: number; readonly baseline: number },
): number {
  return kind === "max_rise" ? value - baseline : baseline - value;
}

function decideBare(rule: PlannedRule, loss: number): Decided {
  return isSeen(rule, loss)
    ? { outcome: "missed", code: "beyond_limit" }
    : { outcome: "met", code: "within_limit" };
}

type Ranged = Pick<MeasuredRule, "rule" | "range">;

/** Share of the range from which on a loss is large: if it was seen but not proven, there are too few cases to pass. */
const largeLoss = 1 / 3;

function decideProof({ rule, range }: Ranged, comparison: Comparison, pAdjusted: number): Decided {
  if (!isSeen(rule, comparison.loss))
    return {
      outcome: "met",
      code: comparison.loss > tolerance ? "drop_within_limit" : "no_drop_detected",
    };
  if (pAdjusted < rule.alpha) return { outcome: "missed", code: "drop_proven" };
  const width = range === null ? Infinity : range[1] - range[0];
  return comparison.loss >= largeLoss * width - tolerance
    ? { outcome: "inconclusive", code: "drop_left_open" }
    : { outcome: "met", code: "drop_not_proven" };
}

/** Decides `prove: no_drop`. It passes only if the loss is shown to be smaller than the limit; a proven drop fails. */
function decideNoDrop(rule: PlannedRule, comparison: Comparison, pAdjusted: number): Decided {
  if (comparison.shown === true) return { outcome: "met", code: "no_drop_shown" };
  return comparison.loss > tolerance && pAdjusted < rule.alpha
    ? { outcome: "missed", code: "drop_proven" }
    : { outcome: "inconclusive", code: "no_drop_not_shown" };
}

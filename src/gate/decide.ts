import type { Noise, Statistics, PairedTest } from "../model/statistics.ts";
import type {
  Comparison,
  Finding,
  JudgedRule,
  NamedCases,
  GivenFinding,
} from "../model/finding.ts";
import type { RuleCode } from "../model/rule-code.ts";
import { changedCasesKept, type RuleFigures, type RuleOutcome } from "../model/rule-result.ts";
import { adjustFamilies, detectableOf, findingNoise, pOf } from "./families.ts";
import type { MeasuredRule } from "./measure.ts";
import type { PlannedRule } from "./plan.ts";

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

/** Result of a rule. */
interface Standing {
  readonly outcome: RuleOutcome;
  readonly code: RuleCode;
  readonly pAdjusted: number | null;
  /** Number of comparisons that the p-value was adjusted for; 1 if it was not adjusted. */
  readonly family: number;
  /** The smallest drop that would be proven in 4 of 5 runs. */
  readonly mde: number | null;
  /** Noise that a drop had to exceed; null if nothing had to be proven. */
  readonly noise: Noise | null;
  /** For `prove: no_drop`: number of cases with which an unchanged run shows "no drop" 4 times in 5. */
  readonly needed?: number | undefined;
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

type Decided = Pick<Standing, "outcome" | "code">;

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

function isWithin(rule: PlannedRule, value: number): boolean {
  return rule.kind === "min" ? value >= rule.limit - tolerance : value <= rule.limit + tolerance;
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

/** A rule's result in its stored form. */
export function ruleResult(measured: MeasuredRule, standing: Standing): JudgedRule {
  const { rule, target, slice, range, finding } = measured;
  const { task, candidate, metric } = target;
  const { noise, code, family, needed } = standing;
  return {
    kind: rule.kind,
    prove: rule.prove,
    level: rule.level,
    task,
    candidate,
    metric,
    slice,
    ...(rule.against !== undefined && { against: rule.against }),
    ...figures(rule, finding),
    p_adjusted: standing.pAdjusted,
    mde: standing.mde,
    ...(noise && { noise }),
    limit: finding.kind === "named_cases" ? finding.named.limit : rule.limit,
    outcome: standing.outcome,
    code,
    why: { kind: "measured", finding, range, alpha: rule.alpha, code, family, needed },
  };
}

type Figures = Pick<
  RuleFigures,
  | "value"
  | "baseline"
  | "delta"
  | "delta_ci"
  | "ci_level"
  | "test"
  | "p"
  | "broke"
  | "fixed"
  | "n"
  | "changed"
  | "short"
  | "steady"
>;

function figures(rule: PlannedRule, finding: Finding): Figures {
  if (finding.kind === "named_cases") return namedFigures(finding.named);
  if (finding.kind === "given") {
    const { value, baseline, n, swap } = finding;
    const p = pOf({ rule, finding });
    const test = swap?.exact === true ? "arm_swap_exact" : "arm_swap_seeded";
    const tested = p === null ? {} : ({ test, p } as const);
    return { ...noFigures, value, baseline, delta: value - baseline + 0, n, ...tested };
  }
  if (finding.kind !== "comparison")
    return { ...noFigures, value: "value" in finding ? finding.value : null };
  const { interval, ...comparison } = finding.comparison;
  return {
    value: comparison.value,
    baseline: comparison.baseline,
    delta: comparison.delta,
    delta_ci: interval && [interval.lower, interval.upper],
    ci_level: interval && Math.max(0, 1 - 2 * rule.alpha),
    test: comparison.test,
    p: comparison.p,
    broke: comparison.broke,
    fixed: comparison.fixed,
    n: comparison.n,
    changed: rule.against === undefined ? comparison.changed : withoutFailing(comparison.changed),
    ...(comparison.steady && { steady: true }),
  };
}

/** Drops the list of cases that failed before: a case that both candidates of one run fail did not fail "before". */
function withoutFailing({ broke, fixed }: Comparison["changed"]): Comparison["changed"] {
  return { broke, fixed };
}

function namedFigures({ n, worst, short, ungraded, already }: NamedCases): Figures {
  const kept = [
    ...short.map(({ case_id, value }) => ({ case_id, value })),
    ...ungraded.map((case_id) => ({ case_id, value: null })),
  ].slice(0, changedCasesKept);
  const seen = { ...noFigures, value: worst, n, short: kept };
  if (already.length === 0) return seen;
  const cases = already.slice(0, changedCasesKept).map(({ case_id }) => case_id);
  return {
    ...seen,
    changed: { ...noFigures.changed, failing: { count: already.length, cases } },
  };
}

const noFigures: Figures = {
  value: null,
  baseline: null,
  delta: null,
  delta_ci: null,
  ci_level: null,
  test: null,
  p: null,
  broke: null,
  fixed: null,
  n: null,
  changed: { broke: [], fixed: [] },
};

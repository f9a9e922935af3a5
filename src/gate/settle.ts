import type { Statistics } from "../domain/ports.ts";
import type { RuleCode, RuleOutcome, RuleResult } from "../domain/run.ts";
import type { Comparison } from "./compare.ts";
import type { Finding, Measured, Standing } from "./measure.ts";
import { isInFamily, type PlannedRule } from "./plan.ts";
import { ruleReason } from "./reasons.ts";

/** Limits are met or missed up to this, as 0.3 − 0.1 is not 0.2 in floating point. */
const tolerance = 1e-9;

/**
 * Adjusts the p-values by Holm over the blocking `prove: drop` comparisons and decides each rule.
 * `family` counts those that could not be made too; `warn` and `info` rules stand outside it.
 */
export function settle(
  measured: readonly Measured[],
  family: number,
  statistics: Statistics,
): readonly RuleResult[] {
  const own = measured.map(({ rule, finding }) => (isInFamily(rule) ? pOf(finding) : null));
  const adjusted = statistics.holm(
    own.filter((p) => p !== null),
    family,
  );
  let next = 0;
  return measured.map((one, i) => {
    const inFamily = own[i] !== null;
    const pAdjusted = inFamily ? (adjusted[next++] ?? 1) : pOf(one.finding);
    const decided = decide(one, pAdjusted);
    return ruleResult(one, { ...decided, pAdjusted, family: inFamily ? family : 1 });
  });
}

function pOf(finding: Finding): number | null {
  return finding.kind === "comparison" ? finding.comparison.p : null;
}

function decide(
  { rule, finding }: Measured,
  pAdjusted: number | null,
): { readonly outcome: RuleOutcome; readonly code: RuleCode } {
  switch (finding.kind) {
    case "value":
      return isWithin(rule, finding.value)
        ? { outcome: "met", code: "within_limit" }
        : { outcome: "missed", code: "beyond_limit" };
    case "comparison":
      return finding.prove === "nothing"
        ? decideBare(rule, finding.comparison)
        : decideProof(rule, finding.comparison, pAdjusted ?? 1);
    case "metric_missing":
    case "nothing_matches":
      return { outcome: "missed", code: "metric_missing" };
    case "no_baseline":
      return { outcome: "unmeasured", code: "no_baseline" };
    case "metric_new":
      return { outcome: "unmeasured", code: "metric_new" };
    case "not_comparable":
    case "not_finite":
      return { outcome: "inconclusive", code: "not_comparable" };
    case "no_pairs":
      return { outcome: "inconclusive", code: "no_pairs" };
  }
}

function isWithin(rule: PlannedRule, value: number): boolean {
  return rule.kind === "min" ? value >= rule.limit - tolerance : value <= rule.limit + tolerance;
}

/** A loss of at least the limit; none at all is no loss, even where the limit is 0. */
function isSeen(rule: PlannedRule, comparison: Comparison): boolean {
  return comparison.loss > tolerance && comparison.loss >= rule.limit - tolerance;
}

function decideBare(
  rule: PlannedRule,
  comparison: Comparison,
): { readonly outcome: RuleOutcome; readonly code: RuleCode } {
  return isSeen(rule, comparison)
    ? { outcome: "missed", code: "beyond_limit" }
    : { outcome: "met", code: "within_limit" };
}

function decideProof(
  rule: PlannedRule,
  comparison: Comparison,
  pAdjusted: number,
): { readonly outcome: RuleOutcome; readonly code: RuleCode } {
  if (!isSeen(rule, comparison))
    return {
      outcome: "met",
      code: comparison.loss > tolerance ? "drop_within_limit" : "no_drop_detected",
    };
  return pAdjusted < rule.alpha
    ? { outcome: "missed", code: "drop_proven" }
    : { outcome: "met", code: "drop_not_proven" };
}

function ruleResult(measured: Measured, standing: Standing): RuleResult {
  const { rule, target, finding } = measured;
  const { task, candidate, metric } = target;
  return {
    kind: rule.kind,
    prove: rule.prove,
    level: rule.level,
    task,
    candidate,
    metric,
    slice: null,
    ...figures(rule, finding),
    p_adjusted: standing.pAdjusted,
    limit: rule.limit,
    outcome: standing.outcome,
    code: standing.code,
    reason: ruleReason(measured, standing),
  };
}

type Figures = Pick<
  RuleResult,
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
  | "mde"
  | "changed"
>;

function figures(rule: PlannedRule, finding: Finding): Figures {
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
    mde: comparison.mde,
    changed: comparison.changed,
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
  mde: null,
  changed: { broke: [], fixed: [] },
};

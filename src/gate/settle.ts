import type { Statistics } from "../domain/statistics.ts";
import { changedCasesKept, type RuleResult } from "../domain/run.ts";
import type { Comparison } from "./compare.ts";
import type { Finding, Measured, Standing } from "./measure.ts";
import type { NamedCases } from "./must-pass.ts";
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
  const own = measured.map((one) => (isInFamily(one.rule) ? pOf(one) : null));
  const adjusted = statistics.holm(
    own.filter((p) => p !== null),
    family,
  );
  let next = 0;
  return measured.map((one, i) => {
    const inFamily = own[i] !== null;
    const pAdjusted = inFamily ? (adjusted[next++] ?? 1) : pOf(one);
    const decided = decide(one, pAdjusted);
    return ruleResult(one, { ...decided, pAdjusted, family: inFamily ? family : 1 });
  });
}

function pOf({ rule, finding }: Pick<Measured, "rule" | "finding">): number | null {
  if (finding.kind === "given") return finding.prove === "nothing" ? null : pOfSwap(rule, finding);
  return finding.kind === "comparison" ? finding.comparison.p : null;
}

type Given = Extract<Finding, { readonly kind: "given" }>;

function pOfSwap({ kind }: PlannedRule, { swap }: Given): number | null {
  if (swap === undefined) return null;
  return kind === "max_rise" ? swap.p_greater : swap.p_less;
}

function decide({ rule, finding }: Measured, pAdjusted: number | null): Decided {
  if (!hasFigures(finding)) return withoutFigures[finding.kind];
  switch (finding.kind) {
    case "value":
      return isWithin(rule, finding.value)
        ? { outcome: "met", code: "within_limit" }
        : { outcome: "missed", code: "beyond_limit" };
    case "comparison":
      return decideComparison(rule, finding, pAdjusted ?? 1);
    case "named_cases":
      return decideNamed(finding.named);
    case "given":
      return decideGiven(rule, finding, pAdjusted);
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
  given_whole: { outcome: "missed", code: "metric_missing" },
  too_few: { outcome: "inconclusive", code: "no_pairs" },
};

function decideComparison(
  rule: PlannedRule,
  { prove, comparison }: Extract<Finding, { kind: "comparison" }>,
  pAdjusted: number,
): Decided {
  switch (prove) {
    case "nothing":
      return decideBare(rule, comparison);
    case "drop":
      return decideProof(rule, comparison, pAdjusted);
    case "no_drop":
      return decideNoDrop(rule, comparison, pAdjusted);
  }
}

/** A name that no case has is worse than one that could not be graded: it will not come by running again. */
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

/** True for a loss of at least the limit; none at all is no loss, even where the limit is 0. */
export function isSeen(rule: PlannedRule, comparison: Pick<Comparison, "loss">): boolean {
  return comparison.loss > tolerance && comparison.loss >= rule.limit - tolerance;
}

/**
 * Of a number that a batch grader returned for all cases together. A drop of it can be seen, and is proven by swapping the
 * sides; where they were not, it can neither be proven nor ruled out: then it neither passes nor blocks.
 */
function decideGiven(rule: PlannedRule, finding: Given, pAdjusted: number | null): Decided {
  const comparison = { loss: lossOf(rule, finding) };
  if (finding.prove === "nothing") return decideBare(rule, comparison);
  if (isSeen(rule, comparison)) return decideSeen(rule, finding, pAdjusted);
  if (finding.prove === "no_drop") return { outcome: "inconclusive", code: "no_drop_not_shown" };
  const code = comparison.loss > tolerance ? "drop_within_limit" : "no_drop_detected";
  return { outcome: "met", code };
}

function decideSeen(rule: PlannedRule, { prove }: Given, pAdjusted: number | null): Decided {
  if (pAdjusted === null) return { outcome: "inconclusive", code: "not_provable" };
  if (pAdjusted < rule.alpha) return { outcome: "missed", code: "drop_proven" };
  return prove === "no_drop"
    ? { outcome: "inconclusive", code: "no_drop_not_shown" }
    : { outcome: "met", code: "drop_not_proven" };
}

/** How much worse than the baseline; positive is a loss. */
function lossOf(
  { kind }: Pick<PlannedRule, "kind">,
  { value, baseline }: { readonly value: number; readonly baseline: number },
): number {
  return kind === "max_rise" ? value - baseline : baseline - value;
}

function decideBare(rule: PlannedRule, comparison: Pick<Comparison, "loss">): Decided {
  return isSeen(rule, comparison)
    ? { outcome: "missed", code: "beyond_limit" }
    : { outcome: "met", code: "within_limit" };
}

function decideProof(rule: PlannedRule, comparison: Comparison, pAdjusted: number): Decided {
  if (!isSeen(rule, comparison))
    return {
      outcome: "met",
      code: comparison.loss > tolerance ? "drop_within_limit" : "no_drop_detected",
    };
  return pAdjusted < rule.alpha
    ? { outcome: "missed", code: "drop_proven" }
    : { outcome: "met", code: "drop_not_proven" };
}

/** Passes only where the loss is shown to be smaller than the limit; a drop that is proven instead fails. */
function decideNoDrop(rule: PlannedRule, comparison: Comparison, pAdjusted: number): Decided {
  if (comparison.shown === true) return { outcome: "met", code: "no_drop_shown" };
  return comparison.loss > tolerance && pAdjusted < rule.alpha
    ? { outcome: "missed", code: "drop_proven" }
    : { outcome: "inconclusive", code: "no_drop_not_shown" };
}

/** A rule's result as it is kept and shown. */
export function ruleResult(measured: Measured, standing: Standing): RuleResult {
  const { rule, target, slice, finding } = measured;
  const { task, candidate, metric } = target;
  return {
    kind: rule.kind,
    prove: rule.prove,
    level: rule.level,
    task,
    candidate,
    metric,
    slice,
    ...figures(rule, finding),
    p_adjusted: standing.pAdjusted,
    limit: finding.kind === "named_cases" ? finding.named.limit : rule.limit,
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
  | "short"
>;

function figures(rule: PlannedRule, finding: Finding): Figures {
  if (finding.kind === "named_cases") return namedFigures(finding.named);
  if (finding.kind === "given") {
    const { value, baseline, n, swap, mde } = finding;
    const p = pOf({ rule, finding });
    const test = swap?.exact === true ? "arm_swap_exact" : "arm_swap_seeded";
    const tested = p === null ? {} : ({ test, p } as const);
    return { ...noFigures, value, baseline, delta: value - baseline + 0, n, mde, ...tested };
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
    mde: comparison.mde,
    changed: comparison.changed,
  };
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
  mde: null,
  changed: { broke: [], fixed: [] },
};

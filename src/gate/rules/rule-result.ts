import type { Comparison, Finding, JudgedRule, NamedCases } from "../../model/outcomes/finding.ts";
import type { RuleCode } from "../../model/outcomes/rule-code.ts";
import {
  changedCasesKept,
  type RuleFigures,
  type RuleOutcome,
} from "../../model/outcomes/rule-result.ts";
import type { Noise } from "../../model/figures/statistics.ts";
import { pOf } from "./families.ts";
import type { MeasuredRule } from "./measure.ts";
import type { PlannedRule } from "./plan.ts";

/** Result of a rule. */
export interface RuleDecision {
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

/** A rule's result in its stored form. */
export function ruleResult(measured: MeasuredRule, decision: RuleDecision): JudgedRule {
  const { rule, target, slice, range, finding } = measured;
  const { task, candidate, metric } = target;
  const { noise, code, family, needed } = decision;
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
    p_adjusted: decision.pAdjusted,
    mde: decision.mde,
    ...(noise && { noise }),
    limit: finding.kind === "named_cases" ? finding.named.limit : rule.limit,
    outcome: decision.outcome,
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
  | "beyond"
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
  if (finding.kind === "value") return { ...noFigures, ...limitFigures(finding) };
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

function limitFigures({
  value,
  beyond,
}: Extract<Finding, { kind: "value" }>): Pick<Figures, "value" | "beyond"> {
  return { value, ...(beyond && { beyond }) };
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

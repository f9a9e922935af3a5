import { isSampleMetric, isShare } from "../../model/definition/metric.ts";
import type { RuleKind } from "../../model/outcomes/rule-result.ts";
import type { MetricSpec } from "../../model/definition/suite.ts";
import {
  defaultAlpha,
  type Gate,
  type GateSpec,
  type Prove,
  type RuleLevel,
  type RuleSpec,
} from "../../model/definition/gate.ts";
import { matchesName } from "../../base/glob.ts";

/** The default allowed drop. It applies to each task's first metric if its range is [0, 1]. */
export const defaultMaxDrop = 0.02;

/** A rule with every default filled in. */
export interface PlannedRule {
  readonly kind: RuleKind;
  /** The limit; for `must_pass` it is in `named`. */
  readonly limit: number;
  /** The requirement of `must_pass`. */
  readonly named?: NamedRule;
  /** A glob over `field=value`; undefined: all cases together. */
  readonly slice: string | undefined;
  /** null for `min`, `max` and `must_pass`. */
  readonly prove: Prove | null;
  readonly alpha: number;
  readonly level: RuleLevel;
  /** Globs. `task` is `*` if the rule names only a metric. */
  readonly task: string;
  readonly metric: string;
  readonly candidate: string;
  /** The candidate of the same run to compare with; undefined: the baseline. */
  readonly against: string | undefined;
  /**
   * False for the default rule, which covers suitable metrics. A declared rule without a match means that a metric is
   * missing.
   */
  readonly declared: boolean;
}

/** Cases by id or glob, and the value that each must reach. */
export interface NamedRule {
  readonly names: readonly string[];
  /** undefined: the good end of the metric's range. */
  readonly limit: number | undefined;
  /** True if the limit is a highest value, false if it is a lowest; undefined: by the metric's direction. */
  readonly upTo: boolean | undefined;
  /** True if a change is also responsible for cases that fell short before it. */
  readonly always: boolean;
}

export interface Target {
  readonly task: string;
  readonly candidate: string;
  readonly metric: string;
}

type MetricsByTask = ReadonlyMap<string, readonly MetricSpec[]>;

const limitKinds = ["min", "max", "max_drop", "max_rise"] as const;

/**
 * The rules of a gate, the default one first. Declared rules replace the default rule, unless `max_drop` is written,
 * too. An empty list declares nothing; only `gate: none` opts out. Rules against another candidate replace nothing,
 * because if both candidates fell, none of these rules would be missed.
 */
export function planRules(
  gate: Gate,
  metrics: MetricsByTask,
  baseline: "compared" | "none" = "compared",
): readonly PlannedRule[] {
  if (gate === "none") return [];
  const declared = (gate.rules ?? [])
    .filter((rule) => rule.without_baseline !== true || baseline === "none")
    .flatMap((rule) => planRule(rule, gate));
  if (hasDefaultRule(gate)) return [...planDefaults(gate, metrics), ...declared];
  return baseline === "none" ? declared : [...planBeside(declared, gate, metrics), ...declared];
}

function hasDefaultRule(gate: GateSpec): boolean {
  return gate.max_drop !== undefined || (gate.rules ?? []).length === 0;
}

/** Adds rules against the baseline for metrics that are judged only by rules against another candidate. */
function planBeside(
  declared: readonly PlannedRule[],
  gate: GateSpec,
  metrics: MetricsByTask,
): readonly PlannedRule[] {
  const isNamed = (rule: PlannedRule, task: string, metric: string): boolean =>
    covers({ ...rule, candidate: "*", against: undefined }, { task, metric, candidate: "any" });
  return [...metrics].flatMap(([task, specs]) =>
    specs.flatMap((metric): readonly PlannedRule[] => {
      const naming = declared.filter((rule) => isNamed(rule, task, metric.id));
      const first = naming.find(({ level }) => level === "block");
      if (first === undefined || naming.some(({ against }) => against === undefined)) return [];
      const isUsual = metric.aggregation === "mean" && isShare(metric.range);
      const limit = isUsual ? defaultMaxDrop : first.limit;
      return [defaultRule({ task, metric, limit }, gate)];
    }),
  );
}

/** A task's first metric, if it suits the default rule: a mean with the range [0, 1]. */
function defaultMetric(metrics: readonly MetricSpec[]): MetricSpec | undefined {
  const first = metrics[0];
  return first?.aggregation === "mean" && isShare(first.range) ? first : undefined;
}

function planDefaults(gate: GateSpec, metrics: MetricsByTask): readonly PlannedRule[] {
  return [...metrics].flatMap(([task, specs]): readonly PlannedRule[] => {
    const metric = defaultMetric(specs);
    if (metric === undefined) return [];
    return [defaultRule({ task, metric, limit: gate.max_drop ?? defaultMaxDrop }, gate)];
  });
}

function defaultRule(
  {
    task,
    metric,
    limit,
  }: { readonly task: string; readonly metric: MetricSpec; readonly limit: number },
  gate: GateSpec,
): PlannedRule {
  return {
    kind: metric.higher_is_better ? "max_drop" : "max_rise",
    limit,
    slice: undefined,
    prove: "drop",
    alpha: gate.alpha ?? defaultAlpha,
    level: "block",
    task,
    metric: metric.id,
    candidate: "*",
    against: undefined,
    declared: false,
  };
}

/** The declared rules that cover some metric of a task, whatever the candidate, with their positions in the gate. */
export function declaredFor(
  gate: Gate,
  task: string,
  metrics: readonly MetricSpec[],
): readonly { readonly rule: RuleSpec; readonly at: number }[] {
  const rules = gate === "none" ? [] : (gate.rules ?? []).map((rule, at) => ({ rule, at }));
  const candidate = "any";
  return rules.filter(({ rule }) => {
    const widest = { ...commonParts(rule, {}), candidate: "*", against: undefined };
    return metrics.some(({ id }) => covers(widest, { task, metric: id, candidate }));
  });
}

function planRule(rule: RuleSpec, gate: GateSpec): readonly PlannedRule[] {
  const common = commonParts(rule, gate);
  if (rule.must_pass !== undefined) {
    const { must_pass: names, min, max, always = false } = rule;
    const limit = min ?? max;
    const upTo = limit === undefined ? undefined : min === undefined;
    const named = { names, limit, upTo, always };
    return [{ ...common, kind: "must_pass", limit: limit ?? 0, named, prove: null }];
  }
  return limitKinds.flatMap((kind): readonly PlannedRule[] => {
    const limit = rule[kind];
    if (limit === undefined) return [];
    const prove = kind === "min" || kind === "max" ? null : (rule.prove ?? "drop");
    return [{ ...common, kind, limit, prove }];
  });
}

function commonParts(
  rule: RuleSpec,
  gate: GateSpec,
): Omit<PlannedRule, "kind" | "limit" | "named" | "prove"> {
  const slash = rule.metric.indexOf("/");
  return {
    slice: rule.slice,
    alpha: rule.alpha ?? gate.alpha ?? defaultAlpha,
    level: rule.level ?? "block",
    task: slash < 0 ? "*" : rule.metric.slice(0, slash),
    metric: rule.metric.slice(slash + 1),
    candidate: rule.candidate ?? "*",
    against: rule.against,
    declared: true,
  };
}

/**
 * True if a rule's globs match. A bare `*` means a task's own metrics, not Regrade's measurements. No candidate is
 * compared with itself.
 */
export function covers(
  rule: Pick<PlannedRule, "task" | "metric" | "candidate" | "against">,
  target: Target,
): boolean {
  return (
    matchesName(target.task, rule.task) &&
    matchesName(target.metric, rule.metric) &&
    !(isSampleMetric(target.metric) && /^\*+$/.test(rule.metric)) &&
    matchesName(target.candidate, rule.candidate) &&
    target.candidate !== rule.against
  );
}

/** True if a rule's p-value is adjusted together with others: blocking rules that prove the same. */
export function sharesAlpha(rule: PlannedRule, prove: Prove | null = rule.prove): boolean {
  return rule.level === "block" && rule.prove === prove && isProof(rule);
}

/** True for rules with a test. */
export function isProof({ prove }: PlannedRule): boolean {
  return prove === "drop" || prove === "no_drop";
}

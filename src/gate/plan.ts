import { posix } from "node:path";
import type { RuleKind } from "../domain/run.ts";
import {
  defaultAlpha,
  defaultMaxDrop,
  type Gate,
  type GateSpec,
  type MetricSpec,
  type Prove,
  type RuleLevel,
  type RuleSpec,
} from "../domain/suite.ts";

/** A rule with every default filled in. */
export interface PlannedRule {
  readonly kind: RuleKind;
  readonly limit: number;
  /** null for `min` and `max`. */
  readonly prove: Prove | null;
  readonly alpha: number;
  readonly level: RuleLevel;
  /** Globs. `task` is `*` where the rule names a bare metric. */
  readonly task: string;
  readonly metric: string;
  readonly candidate: string;
  /** The default rule covers what suits it; a declared rule that covers nothing is a missing metric. */
  readonly declared: boolean;
}

export interface Target {
  readonly task: string;
  readonly candidate: string;
  readonly metric: string;
}

export type MetricsByTask = ReadonlyMap<string, readonly MetricSpec[]>;

const kinds = ["min", "max", "max_drop", "max_rise"] as const;

/**
 * The rules of a gate, the default one first. Declared rules replace the default rule, unless
 * `max_drop` is written too; an empty list declares nothing, as only `gate: none` opts out.
 */
export function planRules(gate: Gate, metrics: MetricsByTask): readonly PlannedRule[] {
  if (gate === "none") return [];
  const declared = (gate.rules ?? []).flatMap((rule) => planRule(rule, gate));
  return [...(hasDefaultRule(gate) ? planDefaults(gate, metrics) : []), ...declared];
}

function hasDefaultRule(gate: GateSpec): boolean {
  return gate.max_drop !== undefined || (gate.rules ?? []).length === 0;
}

/** A task's first metric, if it suits the default rule: a mean with the range [0, 1]. */
function defaultMetric(metrics: readonly MetricSpec[]): MetricSpec | undefined {
  const first = metrics[0];
  return first?.aggregation === "mean" && isShare(first.range) ? first : undefined;
}

/** True for the range [0, 1]: such figures are shown as percentages. */
export function isShare(range: readonly [number, number] | null): boolean {
  return range?.[0] === 0 && range[1] === 1;
}

function planDefaults(gate: GateSpec, metrics: MetricsByTask): readonly PlannedRule[] {
  return [...metrics].flatMap(([task, specs]): readonly PlannedRule[] => {
    const metric = defaultMetric(specs);
    if (metric === undefined) return [];
    return [
      {
        kind: metric.higher_is_better ? "max_drop" : "max_rise",
        limit: gate.max_drop ?? defaultMaxDrop,
        prove: "drop",
        alpha: gate.alpha ?? defaultAlpha,
        level: "block",
        task,
        metric: metric.id,
        candidate: "*",
        declared: false,
      },
    ];
  });
}

function planRule(rule: RuleSpec, gate: GateSpec): readonly PlannedRule[] {
  const slash = rule.metric.indexOf("/");
  return kinds.flatMap((kind): readonly PlannedRule[] => {
    const limit = rule[kind];
    if (limit === undefined) return [];
    return [
      {
        kind,
        limit,
        prove: kind === "min" || kind === "max" ? null : (rule.prove ?? "drop"),
        alpha: rule.alpha ?? gate.alpha ?? defaultAlpha,
        level: rule.level ?? "block",
        task: slash < 0 ? "*" : rule.metric.slice(0, slash),
        metric: rule.metric.slice(slash + 1),
        candidate: rule.candidate ?? "*",
        declared: true,
      },
    ];
  });
}

/** Whether a rule's globs match. */
export function covers(rule: PlannedRule, target: Target): boolean {
  return (
    matchesName(target.task, rule.task) &&
    matchesName(target.metric, rule.metric) &&
    matchesName(target.candidate, rule.candidate)
  );
}

/** `pattern` as a glob over a whole name. Names are no paths: `*` matches `meta-llama/llama-3` too. */
export function matchesName(name: string, pattern: string): boolean {
  return pattern === "*" || name === pattern || posix.matchesGlob(flat(name), flat(pattern));
}

function flat(text: string): string {
  return text.replaceAll("/", "\u{2215}");
}

/** Holm's family: blocking rules that must prove a drop. */
export function isInFamily(rule: PlannedRule): boolean {
  return rule.level === "block" && rule.prove === "drop";
}

import type { MetricNoise, RuleCalibration, Share } from "../../domain/calibration.ts";
import type { StoredRun } from "../../domain/store.ts";
import type { GateResult, RuleResult, Run } from "../../domain/run.ts";
import { defaultAlpha } from "../../domain/suite.ts";
import { statistics } from "../../metrics/statistics.ts";
import { unitOf } from "../../report/figures.ts";
import { smallestDrop, type Reach } from "../reach.ts";
import { adviseRule } from "./advice.ts";
import type { Pairing } from "./pairings.ts";

/** Limits are met or missed up to this, as in the gate. */
const tolerance = 1e-9;
const level = 0.95;

/** How often of how many, with the interval that covers the truth at least 95 times in 100. */
export function shareOf(count: number, of: number): Share {
  const { lower, upper } = statistics.clopperPearson(count, of, level);
  return { count, of, rate: count / of, ci: [lower, upper] };
}

export interface Judged {
  readonly runs: readonly StoredRun[];
  readonly pairings: readonly Pairing[];
  readonly dealt: readonly GateResult[];
  readonly noise: readonly MetricNoise[];
}

/** Each rule of the gate over all pairs. */
export function calibrateRules(judged: Judged): readonly RuleCalibration[] {
  const found = new Map<string, Seen[]>();
  for (const pairing of judged.pairings) {
    for (const [key, rule] of keyed(pairing.gate)) {
      const seen = found.get(key) ?? [];
      found.set(key, seen);
      seen.push({ ...pairing, rule });
    }
  }
  const dealt = judged.dealt.map((gate) => new Map(keyed(gate)));
  return [...found].map(([key, seen]) => {
    const again = dealt.flatMap((rules) => rules.get(key) ?? []);
    return calibrateRule(judged, { seen, again });
  });
}

interface Seen extends Pairing {
  readonly rule: RuleResult;
}

/** The rules of a result by what they ask for; equal ones in their order. Slices that only inform are not rules. */
export function keyed({ rules }: GateResult): readonly [string, RuleResult][] {
  const times = new Map<string, number>();
  return rules
    .filter(({ code }) => code !== "drop_hidden")
    .map((rule) => {
      const { kind, prove, level: at, task, candidate, metric, slice, limit } = rule;
      const key = JSON.stringify([kind, prove, at, task, candidate, metric, slice, limit]);
      const time = times.get(key) ?? 0;
      times.set(key, time + 1);
      return [`${key}${time}`, rule];
    });
}

function calibrateRule(
  judged: Judged,
  { seen, again }: { readonly seen: readonly Seen[]; readonly again: readonly RuleResult[] },
): RuleCalibration {
  const [one] = seen;
  const [first] = judged.runs;
  if (one === undefined || first === undefined) throw new RangeError("a rule that nobody saw");
  const { kind, prove, level: at, task, candidate, metric, slice, limit, test } = one.rule;
  // What looks at one run says the same of it against every other.
  const counted = prove === null ? firstOfEachHead(seen) : seen;
  const results = counted.map(({ rule }) => rule);
  const reach = reachOf(results, { run: first.run, gate: one.gate });
  const figures = {
    kind,
    prove,
    level: at,
    task,
    candidate,
    metric,
    slice,
    limit,
    test,
    unit: unitOf(first.run, one.rule),
    alarms: shareOf(results.filter(isMissed).length, results.length),
    dealt: again.length === 0 ? null : shareOf(again.filter(isMissed).length, again.length),
    undecided: results.filter(isUndecided).length,
    naive: prove === null ? null : naiveShares(results),
    cases: reach?.n ?? null,
    disagree: meanOf(results, ({ broke, fixed, n }) => ratio(broke, fixed, n)),
    alpha: reach?.alpha ?? null,
    detects: (reach && smallestDrop(reach)) ?? null,
  };
  const noise = judged.noise.find(
    (other) => other.task === task && other.candidate === candidate && other.metric === metric,
  );
  return { ...figures, advice: adviseRule(figures, { reach, noise }) };
}

function firstOfEachHead(seen: readonly Seen[]): readonly Seen[] {
  return seen.filter((one, i) => seen.findIndex(({ head }) => head === one.head) === i);
}

function isMissed({ outcome }: RuleResult): boolean {
  return outcome === "missed";
}

function isUndecided({ outcome }: RuleResult): boolean {
  return outcome === "inconclusive" || outcome === "unmeasured";
}

function naiveShares(results: readonly RuleResult[]): RuleCalibration["naive"] {
  const compared = results.filter(({ delta }) => delta !== null);
  if (compared.length === 0) return null;
  const count = (least: number): number =>
    compared.filter((rule) => lossOf(rule) > tolerance && lossOf(rule) >= least - tolerance).length;
  const limit = compared[0]?.limit ?? 0;
  return {
    any_drop: shareOf(count(0), compared.length),
    bare_limit: shareOf(count(limit), compared.length),
  };
}

function lossOf({ kind, delta }: RuleResult): number {
  return kind === "max_rise" ? (delta ?? 0) : -(delta ?? 0);
}

/** What the pairs say of the rule's reach; undefined where nothing was compared. */
function reachOf(results: readonly RuleResult[], { run, gate }: Context): Reach | undefined {
  // Without casualties it was compared without scores by case.
  const compared = results.filter(
    ({ delta, broke, n }) => delta !== null && broke !== null && n !== null && n > 0,
  );
  const [first] = compared;
  if (first === undefined || first.prove === null) return undefined;
  const scores = scoresOf(first, run);
  if (first.prove === "nothing" && scores === "graded") return undefined;
  return {
    n: Math.min(...compared.map((rule) => rule.n ?? 0)),
    variance: meanOf(compared, (rule) => varianceOf(rule, run)) ?? 0,
    alpha: alphaOf(first, run) / comparisonsWith(first, gate),
    // What is to be shown not to drop fails for a proven drop of whatever size.
    limit: first.prove === "no_drop" ? 0 : first.limit,
    scores,
  };
}

interface Context {
  readonly run: Run;
  readonly gate: GateResult;
}

/** How many comparisons share a rule's alpha, as Holm's adjustment of the smallest p-value has it. */
export function comparisonsWith(rule: RuleResult, gate: GateResult): number {
  return inFamily(rule) ? keyed(gate).filter(([, other]) => inFamily(other)).length : 1;
}

/** A rule's alpha by the level of its interval, 1 − 2·alpha. The bare difference has nothing to prove. */
export function alphaOf({ prove, ci_level }: RuleResult, { suite }: Run): number {
  if (prove === "nothing") return 1;
  if (ci_level !== null) return Number(((1 - ci_level) / 2).toPrecision(12));
  return (suite.gate === "none" ? undefined : suite.gate.alpha) ?? defaultAlpha;
}

/**
 * Of one case's difference. The gate's MDE is (z₁₋α + z₀.₈)·√(variance / n); where it has none, nothing differed.
 * Of a bare difference, which has no MDE, the share of cases that changed is the variance of 0/1 scores.
 */
export function varianceOf(rule: RuleResult, run: Run): number {
  const { test, broke, fixed, n, mde, prove } = rule;
  if (test === "mcnemar_midp" || prove === "nothing") return ratio(broke, fixed, n) ?? 0;
  if (mde === null) return 0;
  const alpha = alphaOf(rule, run);
  return (mde / statistics.detectableDrop({ perCaseVariance: 1, n: 1, alpha })) ** 2 * (n ?? 0);
}

/** By the test, and, where that is one of means, by what the means are of. */
export function scoresOf(rule: RuleResult, run: Run): Reach["scores"] {
  if (rule.test === "mcnemar_midp") return "bits";
  const task = run.suite.tasks[rule.task];
  const spec = task?.metrics.find(({ id }) => id === rule.metric);
  if (spec?.scale !== "binary" || spec.aggregation !== "mean") return "graded";
  return rule.prove === "nothing" && task?.repeats === 1 ? "bits" : "shares";
}

function inFamily({ level: at, prove }: RuleResult): boolean {
  return at === "block" && prove === "drop";
}

function ratio(broke: number | null, fixed: number | null, n: number | null): number | null {
  return broke === null || fixed === null || n === null || n === 0 ? null : (broke + fixed) / n;
}

function meanOf(
  results: readonly RuleResult[],
  value: (rule: RuleResult) => number | null,
): number | null {
  const values = results.map(value).filter((one) => one !== null);
  return values.length === 0 ? null : statistics.mean(values);
}

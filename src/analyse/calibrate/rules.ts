import { ownValue } from "../../model/own-value.ts";
import { sharedAlpha } from "../../model/figures/alpha.ts";
import type { MetricNoise, RuleCalibration, Proportion } from "../../model/figures/calibration.ts";
import type { StoredRun } from "../../model/ports/store.ts";
import type { Run } from "../../model/outcomes/run.ts";
import type { GateResult, RuleResult } from "../../model/outcomes/rule-result.ts";
import type { Noise } from "../../model/figures/statistics.ts";
import type { Reach } from "../../stats/sizing/reach.ts";
import { statistics } from "../../stats/statistics.ts";
import { unitOf } from "../../report/words/figures.ts";
import { smallestSeen } from "../../plan/detectable.ts";
import { adviseRule } from "./advice.ts";
import type { Pairing } from "./pairings.ts";

/** Tolerance within which a limit counts as met, as in the gate. */
const tolerance = 1e-9;
const level = 0.95;

/** A proportion with its exact (Clopper–Pearson) 95% interval. */
export function proportionOf(count: number, of: number): Proportion {
  const { lower, upper } = statistics.clopperPearson(count, of, level);
  return { count, of, rate: count / of, ci: [lower, upper] };
}

interface JudgedPairs {
  readonly runs: readonly StoredRun[];
  readonly pairings: readonly Pairing[];
  readonly dealt: readonly GateResult[];
  readonly noise: readonly MetricNoise[];
}

/** The calibration of each rule of the gate, over all pairs. */
export function calibrateRules(judged: JudgedPairs): readonly RuleCalibration[] {
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

/**
 * The rules of a result, each with a key made of its requirement; equal requirements are numbered in their order.
 * Slices that only inform are not rules.
 */
export function keyed({ rules }: GateResult): readonly [string, RuleResult][] {
  const times = new Map<string, number>();
  return rules
    .filter(({ code }) => code !== "drop_hidden")
    .map((rule) => {
      const { kind, prove, level: at, task, candidate, metric, slice, limit, against } = rule;
      const what = [kind, prove, at, task, candidate, metric, slice, limit, against];
      const key = JSON.stringify(what);
      const time = times.get(key) ?? 0;
      times.set(key, time + 1);
      return [`${key}${time}`, rule];
    });
}

function calibrateRule(
  judged: JudgedPairs,
  { seen, again }: { readonly seen: readonly Seen[]; readonly again: readonly RuleResult[] },
): RuleCalibration {
  const [one] = seen;
  const [first] = judged.runs;
  if (one === undefined || first === undefined) throw new RangeError("a rule without results");
  const { kind, prove, level: at, task, candidate, metric, slice, limit, test } = one.rule;
  const { against } = one.rule;
  // A rule about one run gives the same result against every other run.
  const isOfOneRun = prove === null || against !== undefined;
  const counted = isOfOneRun ? firstOfEachHead(seen) : seen;
  const results = counted.map(({ rule }) => rule);
  const reach = reachOf(results, { ...first.run, gate: one.gate });
  const figures = {
    kind,
    prove,
    level: at,
    task,
    candidate,
    metric,
    slice,
    ...(against !== undefined && { against }),
    limit,
    test,
    unit: unitOf(first.run, one.rule),
    alarms: proportionOf(results.filter(isMissed).length, results.length),
    dealt: again.length === 0 ? null : proportionOf(again.filter(isMissed).length, again.length),
    undecided: results.filter(isUndecided).length,
    naive: isOfOneRun ? null : naiveShares(results),
    cases: reach?.noise.n ?? null,
    disagree: meanOf(results, ({ broke, fixed, n }) => ratio(broke, fixed, n)),
    alpha: reach?.alpha ?? null,
    detects: (reach && smallestBlocked(reach, one.rule)) ?? null,
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
    any_drop: proportionOf(count(0), compared.length),
    bare_limit: proportionOf(count(limit), compared.length),
  };
}

function lossOf({ kind, delta }: RuleResult): number {
  return kind === "max_rise" ? (delta ?? 0) : -(delta ?? 0);
}

/** The noise and alpha of a rule, from the pairs; undefined if no pair was compared. */
function reachOf(results: readonly RuleResult[], run: Run): Reach | undefined {
  const noises = results.flatMap((rule) => ruleNoise(rule, run) ?? []);
  const [first] = results;
  const [noise] = noises;
  if (first === undefined || noise === undefined) return undefined;
  const mean = (of: (each: Noise) => number): number => statistics.mean(noises.map(of));
  return {
    noise: {
      ...noise,
      n: Math.min(...noises.map(({ n }) => n)),
      variance: mean(({ variance }) => variance),
      bits: noises.every(({ bits }) => bits),
      lost: mean(({ lost }) => lost),
      design: mean(({ design }) => design),
    },
    alpha: sharedAlpha(first, run).alpha,
  };
}

/** The true drop that is proven in 4 of 5 runs; for a rule without a test, the drop that is observed that often. */
function smallestBlocked(
  { noise, alpha }: Reach,
  { prove, limit }: RuleResult,
): number | undefined {
  return prove === "nothing" ? smallestSeen(noise, limit) : statistics.smallestDrop(noise, alpha);
}

/**
 * The noise that a drop has to exceed, as the gate found it. A rule without a test on 0/1 scores uses the share of
 * changed cases.
 */
export function ruleNoise(rule: RuleResult, run: Run): Noise | undefined {
  if (rule.noise !== undefined) return rule.noise;
  const { broke, fixed, n, prove, code } = rule;
  const least = code === "drop_proven" ? Math.min(broke ?? 0, fixed ?? 0) : undefined;
  const changed = ratio(least ?? broke, least ?? fixed, n);
  if (changed === null || n === null || prove === null) return undefined;
  const task = ownValue(run.suite.tasks, rule.task);
  const spec = task?.metrics.find(({ id }) => id === rule.metric);
  if (spec?.scale !== "binary" || spec.aggregation !== "mean") return undefined;
  const bits = task?.repeats === 1;
  return { n, variance: changed, bits, lost: 1, clusters: null, design: 1 };
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

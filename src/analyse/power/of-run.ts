import { ownValue } from "../../model/own-value.ts";
import { type ValuePlace, valueAt } from "../../model/place.ts";
import { sharedAlpha } from "../../model/figures/alpha.ts";
import { isAggregated, type MetricUnit } from "../../model/definition/metric.ts";
import type { Noise } from "../../model/figures/statistics.ts";
import type { StoredRun } from "../../model/ports/store.ts";
import type { MetricValue, Run } from "../../model/outcomes/run.ts";
import type { RuleResult } from "../../model/outcomes/rule-result.ts";
import type { MetricSpec } from "../../model/definition/suite.ts";
import { defaultAlpha } from "../../model/definition/gate.ts";
import { count, counted, distance, figure, unitOf } from "../../report/words/figures.ts";
import { measureNoise } from "../calibrate/noise.ts";
import { keyed, ruleNoise } from "../calibrate/rules.ts";
import { countClusters, guessedDesign } from "../../gate/rules/tests.ts";
import { casesOf, clustersOfCases, slicesOf } from "../../stats/aggregates/cases.ts";
import { assumedNoise, type PlannedCell, placeParts } from "../../plan/place.ts";

/** The metrics of a run's relative rules; without such rules, the first metric of each task. */
export function placesOfRun(stored: StoredRun): readonly PlannedCell[] {
  const rules = keyed(stored.run.gate)
    .map(([, rule]) => rule)
    .filter(isProof);
  if (rules.length > 0) return rules.flatMap((rule) => placeOfRule(stored, rule) ?? []);
  const { run } = stored;
  return Object.entries(run.suite.tasks).flatMap(([task, { metrics }]) =>
    run.metrics
      .filter((value) => value.task === task && value.metric === metrics[0]?.id)
      .filter(({ slice }) => slice === null)
      .flatMap((value) => placeOfValue(stored, value) ?? []),
  );
}

/** True for rules with a test: `prove: drop` and `no_drop`. */
function isProof({ prove }: RuleResult): boolean {
  return prove === "drop" || prove === "no_drop";
}

function placeOfRule(stored: StoredRun, rule: RuleResult): PlannedCell | undefined {
  const { run } = stored;
  const value = valueAt(run.metrics, rule);
  const known = { stored, value, target: rule, cases: rule.n ?? value?.n ?? 0 };
  return placeAt(known, { ...sharedAlpha(rule, run), rule });
}

function placeOfValue(stored: StoredRun, value: MetricValue): PlannedCell | undefined {
  const known = { stored, value, target: value, cases: value.n };
  return placeAt(known, { alpha: defaultAlpha, comparisons: 1, rule: undefined });
}

interface Known {
  readonly stored: StoredRun;
  readonly value: MetricValue | undefined;
  readonly target: ValuePlace;
  readonly cases: number;
}

function placeAt(known: Known, asked: Asked): PlannedCell | undefined {
  const { stored, value, target, cases } = known;
  const { run } = stored;
  const { task, candidate, metric, slice } = target;
  // A number for all cases together has no scores by case, so more cases prove nothing.
  if (value?.aggregation === "returned") return undefined;
  const declared = ownValue(run.suite.tasks, task);
  const spec = declared?.metrics.find(({ id }) => id === metric);
  if (cases === 0 || (spec !== undefined && !isAggregated(spec))) return undefined;
  const repeats = declared?.repeats ?? 1;
  const unit = unitOf(run, target);
  const noise = findNoise({ ...known, spec, repeats, unit }, asked);
  if (noise === undefined) return undefined;
  const { alpha, comparisons, rule } = asked;
  const place = { task, candidate, metric, slice, unit, cases, repeats, noise, alpha, comparisons };
  const shape = (rule && ruleNoise(rule, run)) ?? shapeOf(known, spec ?? value, repeats);
  const comparison = { ...shape, n: cases, variance: noise.variance };
  const earlier = runsInBaseline(run);
  return {
    ...place,
    ...placeParts(spec),
    earlier,
    comparison,
    width: widthOf(spec ?? value, noise),
  };
}

function runsInBaseline({ baseline }: Run): number {
  return baseline?.pool?.length ?? 1;
}

interface Asked {
  readonly alpha: number;
  readonly comparisons: number;
  readonly rule: RuleResult | undefined;
}

/**
 * The noise of the comparison with the baseline, as in the verdict. If the drop is proven (then the difference is not
 * noise) or there is no baseline, the noise between repeats; else an assumption.
 */
function findNoise(
  known: Known & {
    readonly spec: MetricSpec | undefined;
    readonly repeats: number;
    readonly unit: MetricUnit;
  },
  { rule }: Asked,
): PlannedCell["noise"] | undefined {
  const { stored, target, value, spec, repeats, unit } = known;
  const compared = rule && ofPairs(stored.run, rule, unit);
  const isClean = compared !== undefined && rule?.code !== "drop_proven";
  const found = isClean ? compared : (ofRepeats(stored, { target, repeats, unit }) ?? compared);
  if (found !== undefined) return found;
  const described = spec ?? value;
  return described && assumedNoise(described, repeats);
}

/** Width of a metric's range; without a range, ten standard deviations of a difference. */
function widthOf(spec: Pick<MetricSpec, "range"> | undefined, noise: PlannedCell["noise"]): number {
  const range = spec?.range ?? null;
  return range === null ? 10 * Math.sqrt(noise.variance) : range[1] - range[0];
}

/** Shape of a comparison that was not made: as many pairs and clusters as are to be expected. */
function shapeOf(
  { stored, target, cases: n }: Known,
  described: MetricSpec | MetricValue | undefined,
  repeats: number,
): Noise {
  const isShare = described?.scale === "binary" && (described.aggregation ?? "mean") === "mean";
  const clusters = clustersOf(stored, target);
  const bits = isShare && repeats === 1 && clusters === null;
  const design = guessedDesign(n, clusters);
  return { n, variance: 0, bits, lost: isShare ? 1 : 0, clusters, design };
}

/** Clusters of all cases, or of those of a slice. */
function clustersOf({ ledger }: StoredRun, target: Known["target"]): Noise["clusters"] {
  const { task, candidate, slice } = target;
  const group = ledger.group(task, candidate);
  if (group?.hasClusters() !== true) return null;
  const cases = casesOf(group);
  const clusters = clustersOfCases(group, cases);
  const fields = slice === null ? [] : [slice.slice(0, slice.indexOf("="))];
  const members = slicesOf(group, cases, fields).find((one) => one.slice === slice)?.members ?? [];
  const among = Array.from(members, (c) => clusters?.[c] ?? null);
  const found = countClusters(among);
  return found.count < among.length ? found : null;
}

/**
 * Variance of a difference of two runs' means over K repeats, from the noise between a case's repeats: twice the
 * variance over K.
 */
function ofRepeats(
  stored: StoredRun,
  { target, repeats, unit }: { target: Known["target"]; repeats: number; unit: MetricUnit },
): PlannedCell["noise"] | undefined {
  if (repeats < 2 || target.slice !== null) return undefined;
  const noise = measureNoise([stored], target);
  if (noise === undefined || noise.within === null) return undefined;
  const words = `noise between the ${repeats} repeats of a case: standard deviation ${distance(Math.sqrt(noise.within), unit)}`;
  return { from: "repeats", variance: (2 * noise.within) / repeats, words };
}

/** A median of few cases or clusters has no interval: its noise is unknown, and not 0. */
function isSpreadUnknown({ test, delta_ci }: RuleResult): boolean {
  return test === "side_swap_seeded" && delta_ci === null;
}

/**
 * Noise from the comparison with the baseline. For a proven drop, only the smaller of the two sides (broke, fixed)
 * counts as noise.
 */
function ofPairs(run: Run, rule: RuleResult, unit: MetricUnit): PlannedCell["noise"] | undefined {
  const { broke, fixed, n, test } = rule;
  if (broke === null || fixed === null || n === null || n < 2 || test === null) return undefined;
  if (isSpreadUnknown(rule)) return undefined;
  if (test !== "mcnemar_midp") {
    const variance = ruleNoise(rule, run)?.variance;
    if (variance === undefined) return undefined;
    const mixed =
      rule.code === "drop_proven"
        ? "; a proven drop that hit some cases and not others is part of it: without it fewer cases do"
        : "";
    const words = `standard deviation of the differences to the baseline: ${distance(Math.sqrt(variance), unit)}${mixed}`;
    return { from: "pairs", variance, words };
  }
  const proven = rule.code === "drop_proven";
  const changed = proven ? 2 * Math.min(broke, fixed) : broke + fixed;
  const words = `${count(broke + fixed)} of ${counted(n, "case")} changed since the baseline${proven ? `; ${count(changed)} of them are taken for noise, the others for the drop that is proven` : ""}: ${figure(changed / n, "share")}`;
  const variance = ruleNoise(rule, run)?.variance ?? changed / n;
  return { from: "pairs", variance, words };
}

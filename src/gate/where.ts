import { type LossPlace, lossPlacesKept } from "../model/outcomes/compared.ts";
import type { JudgedRule } from "../model/outcomes/finding.ts";
import type { RuleCode } from "../model/outcomes/rule-code.ts";
import type { Statistics } from "../model/figures/statistics.ts";
import { lossIn } from "./rules/compare.ts";
import type { Sliced } from "./hidden.ts";
import { pairedQuestion } from "./rules/measure.ts";
import type { Pairs } from "./pairing/pairs.ts";
import { sliceCells } from "./pairing/slices.ts";

/**
 * Locates the broken cases of a rule over all cases: slices and clusters with more of them than chance explains, by a
 * one-sided Fisher's exact test, with Benjamini and Hochberg's adjustment over the slices, and over the clusters. For a
 * passing rule only slices are reported that broke completely, or whose drop is proven (`hidden`). This is for
 * information only: no outcome depends on it. `results` starts with those of `sliced`, in the same order.
 */
export function locateLosses(
  sliced: readonly Sliced[],
  seen: { readonly results: readonly JudgedRule[]; readonly hidden: readonly JudgedRule[] },
  statistics: Statistics,
): readonly JudgedRule[] {
  return seen.results.map((result, i) => {
    const one = sliced[i];
    if (one === undefined || !isLocated(result)) return result;
    const fallen = seen.hidden.filter((each) => isSameMetric(each, result));
    const isTold = (place: LossPlace): boolean =>
      result.outcome !== "met" ||
      // Clusters tend to break as a whole, so that alone is no news.
      (place.kind === "slice" &&
        (place.broke === place.cases || fallen.some(({ slice }) => slice === place.name)));
    const places = findPlaces(one, statistics).filter(isTold).slice(0, lossPlacesKept);
    return places.length === 0 ? result : { ...result, places };
  });
}

/** Codes whose broken cases can be inspected and were not found to be chance. */
const located: readonly RuleCode[] = [
  "drop_proven",
  "confirm_undecided",
  "beyond_limit",
  "drop_not_proven",
  "drop_left_open",
  "drop_within_limit",
  "no_drop_detected",
  "no_drop_shown",
  "no_drop_not_shown",
  "within_limit",
];

function isLocated({ slice, broke, code, decided_in: decided }: JudgedRule): boolean {
  return slice === null && (broke ?? 0) > 1 && decided === undefined && located.includes(code);
}

function isSameMetric(one: JudgedRule, other: JudgedRule): boolean {
  return (
    one.task === other.task &&
    one.metric === other.metric &&
    one.candidate === other.candidate &&
    one.against === other.against
  );
}

/** Some of a rule's pairs: those of a slice or of a cluster. */
interface Part {
  readonly name: string;
  /** Indexes of the pairs. */
  readonly members: readonly number[];
}

/** The places of a rule's loss, the strongest first. */
function findPlaces(one: Sliced, statistics: Statistics): readonly LossPlace[] {
  const { place, measured } = one;
  const pairs = place.pairs();
  if ("kind" in pairs || measured.finding.kind !== "comparison") return [];
  const loss = lossIn(pairedQuestion(place.metric, measured.rule, "drop").worse);
  const losses = pairs.before.map((before, i) => loss(before, pairs.after[i] ?? 0));
  const slices = { kind: "slice", losses, units: pairs.clusters } as const;
  const clusters = { kind: "cluster", losses, units: undefined } as const;
  const { alpha } = measured.rule;
  return [
    ...testParts(sliceParts(one, pairs), slices, statistics),
    ...testParts(clusterParts(pairs), clusters, statistics),
  ]
    .filter(({ p_adjusted: p, broke }) => p < alpha && broke > 1)
    .toSorted(byStrength);
}

function byStrength(one: LossPlace, other: LossPlace): number {
  if (one.p_adjusted !== other.p_adjusted) return one.p_adjusted - other.p_adjusted;
  if (one.broke !== other.broke) return other.broke - one.broke;
  return one.name < other.name ? -1 : 1;
}

function sliceParts({ place }: Sliced, { pairAt }: Pairs): readonly Part[] {
  return sliceCells(place.cell, "*").map(({ name, members }) => ({
    name,
    members: members.map((at) => pairAt[at] ?? -1).filter((i) => i >= 0),
  }));
}

function clusterParts({ clusters = [] }: Pairs): readonly Part[] {
  const members = new Map<string, number[]>();
  for (const [i, cluster] of clusters.entries()) {
    if (cluster === null) continue;
    const known = members.get(cluster);
    if (known === undefined) members.set(cluster, [i]);
    else known.push(i);
  }
  return [...members].map(([name, found]) => ({ name, members: found }));
}

interface Tested {
  readonly kind: LossPlace["kind"];
  /** Loss of each pair; above 0 means that the case broke. */
  readonly losses: readonly number[];
  /** The cluster of each pair, within which cases change together; undefined: cases are independent. */
  readonly units: Pairs["clusters"];
}

/**
 * The parts that lost more than they gained, with their p-values. A part with all cases, or none, can't be tested. If
 * cases are in clusters, a slice is tested by the clusters that it touches, because ten questions about one document
 * are not ten independent observations.
 */
function testParts(
  parts: readonly Part[],
  tested: Tested,
  statistics: Statistics,
): readonly LossPlace[] {
  const { kind, losses } = tested;
  const all = countUnits(losses.keys(), tested);
  const found = parts
    .map((part) => ({ part, counts: countUnits(part.members, tested) }))
    .filter(({ counts }) => counts.units > 0 && counts.units < all.units);
  const adjusted = statistics.benjaminiHochberg(
    found.map(({ counts }) =>
      statistics.hypergeometricAtLeast(counts.brokenUnits, {
        population: all.units,
        marked: all.brokenUnits,
        drawn: counts.units,
      }),
    ),
  );
  return found.flatMap(({ part: { name, members }, counts: { broke, gain } }, i) => {
    if (gain >= 0) return [];
    const p = { p_adjusted: adjusted[i] ?? 1, family: found.length };
    return [{ kind, name, broke, cases: members.length, ...p }];
  });
}

interface Counts {
  /** Number of cases that broke. */
  readonly broke: number;
  /** Sum of the gains; negative if more was lost. */
  readonly gain: number;
  readonly units: number;
  readonly brokenUnits: number;
}

function countUnits(members: Iterable<number>, { losses, units: unitOf }: Tested): Counts {
  const units = new Set<string | number>();
  const broken = new Set<string | number>();
  let [cases, broke, gain] = [0, 0, 0];
  for (const i of members) {
    const loss = losses[i] ?? 0;
    cases += 1;
    gain -= loss;
    if (loss > 0) broke += 1;
    if (unitOf === undefined) continue;
    const unit = unitOf[i] ?? i;
    units.add(unit);
    if (loss > 0) broken.add(unit);
  }
  return unitOf === undefined
    ? { broke, gain, units: cases, brokenUnits: broke }
    : { broke, gain, units: units.size, brokenUnits: broken.size };
}

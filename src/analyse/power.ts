import type { StoredRun } from "../model/ports/store.ts";
import type { PowerPlace, PowerReport, PowerRow } from "../model/figures/power.ts";
import { problem, Refusal } from "../model/refusal.ts";
import { statistics } from "../stats/statistics.ts";
import { casesFor, repeated, type Reach } from "../stats/sizing/reach.ts";
import { spend } from "../stats/sizing/spend.ts";
import { placesOfRun } from "./power/of-run.ts";
import { placesOfSuite } from "../plan/of-suite.ts";
import type { PlannedCell } from "../plan/place.ts";
import type { Prepared } from "../suite/prepare.ts";

interface PowerRequest {
  /** The drops to detect, in the metric's unit; empty: some that suit its range. */
  readonly drops: readonly number[];
  /** Required chance of proving a drop, from 0 to 1. */
  readonly power: number;
  /** Number of additional calls to be spent where they help most; undefined: not requested. */
  readonly spend?: number | undefined;
}

/** Cases and repeats needed to detect a drop, from a run's observed noise. Throws a Refusal if the run shows none. */
export function powerOfRun(stored: StoredRun, request: PowerRequest): PowerReport {
  const { run, directory } = stored;
  const places = placesOfRun(stored);
  if (places.length === 0) throw new Refusal(problem("power_nothing", { path: directory }));
  return report({ suite: run.suite.name, source: "run", places }, request);
}

/** The same for a suite that has not run yet, from assumptions. */
export async function powerOfSuite(
  prepared: Prepared,
  request: PowerRequest,
): Promise<PowerReport> {
  const { suite } = prepared;
  const places = await placesOfSuite(prepared);
  if (places.length === 0) throw new Refusal(problem("power_nothing", { path: suite.path }));
  return report({ suite: suite.name, source: "manifest", places }, request);
}

function report(
  found: Pick<PowerReport, "suite" | "source"> & { readonly places: readonly PlannedCell[] },
  request: PowerRequest,
): PowerReport {
  refuseWide(found.places, request.drops);
  return {
    format: "regrade.power/1",
    suite: found.suite,
    source: found.source,
    power: request.power,
    places: found.places.flatMap((place) => describe(place, request) ?? []),
    notes: [
      ...notesOn(found.places),
      ...(request.spend === undefined
        ? []
        : [
            "More cases and more repeats cost the same in every run; earlier runs cost their calls once for each state of the base branch, and must be kept.",
            ...(found.places.some(isSteadinessUnknown)
              ? [
                  "For 0/1 scores the figures of repeats and earlier runs are upper bounds, because only these show how consistent each case is.",
                ]
              : []),
          ]),
    ],
  };
}

/** True if a case's weight in a later comparison is unknown, because no case has several answers. */
function isSteadinessUnknown({ comparison }: PlannedCell): boolean {
  const { lost, clusters, weights } = comparison;
  return lost > 0 && clusters === null && weights === undefined;
}

/** Refuses drops larger than any metric's range: they are mistakes, such as 5 where 5 points are meant. */
function refuseWide(places: readonly PlannedCell[], drops: readonly number[]): void {
  const wide = drops.filter((drop) => !places.some((place) => isPossible(place, drop)));
  if (wide.length === 0) return;
  const widest = Math.max(...places.map((place) => place.widest ?? 0));
  const isShare = places.every(({ unit }) => unit === "share");
  throw new Refusal(wide.map((drop) => problem("power_drop_wide", { drop, widest, isShare })));
}

function isPossible({ widest }: PlannedCell, drop: number): boolean {
  // Floating-point tolerance: the width of the range [0.1, 0.3] is a little less than 0.2.
  return widest === null || drop <= widest * (1 + 1e-9);
}

/** The power of each drop that fits into the metric's range; undefined if none does. */
function describe(
  found: PlannedCell,
  { drops, power, spend: calls }: PowerRequest,
): PowerPlace | undefined {
  const { comparison, width, widest: _, earlier, ...place } = found;
  const { alpha, repeats } = place;
  const reach = { noise: comparison, alpha };
  const detects = statistics.smallestDrop(comparison, alpha, power) ?? null;
  // Without a range and without noise there is no scale for drops.
  const usual = usualShares.map((share) => share * width).filter((drop) => drop > 0);
  const asked = drops.length > 0 ? drops.filter((drop) => isPossible(found, drop)) : usual;
  if (asked.length === 0 && drops.length > 0) return undefined;
  const context = { reach, repeats, power };
  const rows = asked.map((drop) => rowOf(drop, context));
  if (calls === undefined) return { ...place, detects, rows };
  const repeatable = !place.reduced;
  return {
    ...place,
    detects,
    rows,
    spend: spend(reach, { calls, repeats, earlier, repeatable, power }),
  };
}

/** Drops to show where none are given, as shares of the range: 1, 2, 5 and 10 points. */
const usualShares = [0.01, 0.02, 0.05, 0.1] as const;
const shownRepeats = [1, 3, 5, 10] as const;
const mostRepeats = 100;

function rowOf(
  drop: number,
  {
    reach,
    repeats,
    power,
  }: { readonly reach: Reach; readonly repeats: number; readonly power: number },
): PowerRow {
  const at = (to: number): Reach => (to === repeats ? reach : repeated(reach, repeats, to));
  const chance = ({ noise, alpha }: Reach): number => statistics.provingChance(drop, noise, alpha);
  const all = [...new Set([...shownRepeats, repeats])].toSorted((a, b) => a - b);
  const enough = Array.from({ length: mostRepeats }, (_, i) => i + 1).find(
    (to) => to >= repeats && chance(at(to)) >= power,
  );
  return {
    drop,
    now: chance(reach),
    cases: all.map((to) => ({ repeats: to, cases: casesFor(drop, at(to), power) })),
    repeats: enough ?? null,
  };
}

function notesOn(places: readonly PlannedCell[]): readonly string[] {
  const noises = new Set(places.map(({ noise }) => noise.from));
  const shared = places.some(({ comparisons }) => comparisons > 1);
  return [
    "A drop is assumed to break whole cases of a 0/1 metric, and to lower all cases of a graded metric by the same amount.",
    ...(noises.has("pairs")
      ? [
          "Repeats help only against noise; all differences between the two runs are assumed to be noise.",
        ]
      : []),
    ...(places.some(({ comparison, alpha }) => !statistics.canProve(comparison, alpha))
      ? ["So few cases, or clusters, prove no drop, however large: a rule on them is inconclusive."]
      : []),
    ...(shared
      ? [
          "Rules that share alpha are computed for the first of Holm's steps: alpha divided by their number.",
        ]
      : []),
    "A rule blocks a proven drop only if the observed drop is at least its limit; if the true drop equals the limit, half of all runs observe a smaller one by chance.",
  ];
}

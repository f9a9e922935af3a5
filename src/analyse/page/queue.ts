import type { BrokenGroup, WorseCase, WorseCases } from "../../model/outcomes/broken.ts";
import { caseFlags } from "../../model/page.ts";
import { caseKey } from "../../model/outcomes/sample.ts";
import { caseOutcome } from "../../gate/pairing/cases.ts";
import { unmatched } from "../../gate/pairing/matching.ts";
import { rankOf } from "../../stats/inference/rank.ts";
import type { MetricTable, PlaceTable } from "./tables.ts";

/** Maximum number of cases on a page: those that changed or failed, then a random choice of the others. */
const casesListed = 20_000;
/** Places reserved for the other cases, however many changed or failed: readers compare these with them. */
const othersListed = 2_000;

/** A case of the page. */
export interface QueuedCase {
  readonly table: PlaceTable;
  readonly place: number;
  readonly position: number;
  readonly caseId: string;
  readonly flags: number;
  /** Index of the case's group; -1: none. */
  readonly group: number;
  /** The metric that the case is listed by; for a broken case, the one in which it broke. */
  readonly metric: MetricTable | undefined;
}

export interface Queue {
  readonly cases: readonly QueuedCase[];
  /** All cases of the run. */
  readonly total: number;
  /** Those that changed or failed, listed or not. */
  readonly noted: number;
}

/** The worse cases and their groups, as the gate found them. */
interface QueueSources {
  readonly worse: WorseCases;
  /** Cases beyond a limit that the run misses. */
  readonly beyond: readonly WorseCase[];
  readonly groups: readonly BrokenGroup[];
}

/**
 * The cases of a page in the order of a review: those that broke or are beyond a limit in the order of their groups, then
 * other failures, cases that failed before, new ones, fixed ones; the rest in the run's order.
 */
export function queueCases(tables: readonly PlaceTable[], found: QueueSources): Queue {
  const known = knownCases(found);
  const total = tables.reduce((sum, { cell }) => sum + cell.cases.ids.length, 0);
  const noted: QueuedCase[] = [];
  const rest: Drawn[] = [];
  // Cases whose random number is below this share are listed. The number is a hash of the case, so every run makes the
  // same choice.
  const share = (casesListed / Math.max(1, total)) * 1.02;
  for (const [place, table] of tables.entries()) {
    for (const [position, caseId] of table.cell.cases.ids.entries()) {
      const one = queuedCase({ table, place, position, caseId }, known);
      const rank = one.flags === 0 ? rankOf(caseId, 0) : 1;
      if (one.flags !== 0) noted.push(one);
      else if (rank < share) rest.push({ one, rank });
    }
  }
  const ranked = noted
    .map((one) => ({ one, rank: rankIn(one, known) }))
    .toSorted((a, b) => a.rank - b.rank)
    .map(({ one }) => one);
  const others = draw(rest, Math.max(othersListed, casesListed - ranked.length));
  const listed = ranked.slice(0, casesListed - others.length);
  return { cases: [...listed, ...others], total, noted: ranked.length };
}

interface Drawn {
  readonly one: QueuedCase;
  readonly rank: number;
}

/** The cases with the lowest random numbers, in their order. */
function draw(all: readonly Drawn[], places: number): readonly QueuedCase[] {
  if (all.length <= places) return all.map(({ one }) => one);
  const limit = all.map(({ rank }) => rank).toSorted((a, b) => a - b)[places] ?? 1;
  return all.flatMap(({ one, rank }) => (rank < limit ? [one] : []));
}

interface Known {
  /** The cases that are in a group, with their positions in the queue. */
  readonly grouped: ReadonlyMap<string, GroupedCase>;
  readonly broken: ReadonlySet<string>;
  readonly beyond: ReadonlySet<string>;
  /** True if more cases broke than the run keeps ids of. */
  readonly isCut: boolean;
}

interface GroupedCase {
  readonly at: number;
  readonly group: number;
  readonly metric: string;
  readonly mustPass: boolean;
}

function knownCases({ worse, beyond, groups }: QueueSources): Known {
  const grouped = new Map<string, GroupedCase>();
  for (const [group, { cases, metric }] of groups.entries())
    for (const one of cases) {
      const [key, at] = [caseKey(one), grouped.size];
      if (!grouped.has(key)) grouped.set(key, { at, group, metric, mustPass: one.mustPass });
    }
  return {
    grouped,
    broken: new Set(worse.cases.map(caseKey)),
    beyond: new Set(beyond.map(caseKey)),
    isCut: worse.total > worse.cases.length,
  };
}

type Placed = Pick<QueuedCase, "table" | "place" | "position" | "caseId">;

function queuedCase(placed: Placed, known: Known): QueuedCase {
  const { table, position, caseId } = placed;
  const { task, candidate, cases, counterpart } = table.cell;
  const key = caseKey({ task, candidate, caseId });
  const grouped = known.grouped.get(key);
  const [main] = table.metrics;
  const metric = table.metrics.find((each) => each.metric.id === grouped?.metric) ?? main;
  const outcome = caseOutcome(cases, position);
  const gain = main === undefined ? 0 : gainIn(main, position);
  const isFresh =
    counterpart.kind === "run" && (counterpart.matching.partner[position] ?? -1) === unmatched;
  const isBroken = known.broken.has(key) || (known.isCut && gain < 0);
  const isWorse = !isBroken && table.metrics.some((each) => gainIn(each, position) < 0);
  const flags =
    bit("broke", isBroken) |
    bit("mustPass", grouped?.mustPass === true) |
    bit("beyond", known.beyond.has(key)) |
    bit("worse", isWorse) |
    bit("fixed", !isBroken && gain > 0) |
    bit("failing", !isBroken && main !== undefined && isFailing(main, position)) |
    bit("fresh", isFresh) |
    bit("ungraded", outcome === "ungraded") |
    bit("error", outcome === "failed" || outcome === "invalid");
  return { ...placed, flags, group: grouped?.group ?? -1, metric };
}

function bit(flag: keyof typeof caseFlags, isSet: boolean): number {
  return isSet ? caseFlags[flag] : 0;
}

/** Change of a case's score, counted so that below 0 is worse; 0 if there is nothing to compare. */
export function gainIn({ metric, before, now }: MetricTable, position: number): number {
  const change = (now[position] ?? Number.NaN) - (before[position] ?? Number.NaN);
  if (Number.isNaN(change)) return 0;
  return metric.higher_is_better ? change : -change;
}

/** True if a 0/1 score is the worst of its range; if the case is compared, its earlier score must be the worst, too. */
function isFailing({ metric, before, now }: MetricTable, position: number): boolean {
  const { range, higher_is_better: isUp } = metric;
  if (range === null || metric.scale !== "binary") return false;
  const worst = isUp ? range[0] : range[1];
  const old = before[position] ?? Number.NaN;
  return now[position] === worst && (Number.isNaN(old) || old === worst);
}

function rankIn({ flags, table, caseId }: QueuedCase, { grouped }: Known): number {
  const { task, candidate } = table.cell;
  const at = grouped.get(caseKey({ task, candidate, caseId }))?.at;
  if (at !== undefined) return at / 1e6 - 1;
  const order = [
    "broke",
    "beyond",
    "error",
    "ungraded",
    "worse",
    "failing",
    "fresh",
    "fixed",
  ] as const;
  return order.findIndex((flag) => (flags & caseFlags[flag]) !== 0);
}

import type { Confirmation, RuleConfirmation } from "../model/outcomes/confirmation.ts";
import type { Comparison, JudgedRule } from "../model/outcomes/finding.ts";
import type { Statistics } from "../model/figures/statistics.ts";
import { tabulateCases } from "./pairing/cases.ts";
import { compare, lossIn } from "./rules/compare.ts";
import type { Sliced } from "./hidden.ts";
import { matchCases } from "./pairing/matching.ts";
import { pairedQuestion } from "./rules/measure.ts";
import { type PairedCell, pairCases, type Pairs, pairsAmong } from "./pairing/pairs.ts";

/** A proven drop that would block. Its changed cases are to be run again on both sides. */
export interface ProvenDrop {
  readonly task: string;
  readonly candidate: string;
  readonly baseCandidate: string;
  /** Number of repeats of each case, on each side. */
  readonly repeats: number;
  /** The level of the proof. */
  readonly alpha: number;
  /** The broken and the fixed cases, in this run's order. */
  readonly cases: readonly ChangedPair[];
}

export interface ChangedPair {
  readonly caseId: string;
  /** The case's id in the baseline, which may differ. */
  readonly baseCaseId: string;
}

/** The proven drops of a run, one for each rule that would block. `results` belong to `sliced`, in the same order. */
export function findProven(
  sliced: readonly Sliced[],
  results: readonly JudgedRule[],
): readonly ProvenDrop[] {
  return sliced.flatMap((one, i) => {
    const result = results[i];
    const { cell } = one.place;
    if (result === undefined || !blocksByProof(result)) return [];
    if (cell.counterpart.kind === "absent") return [];
    // A batch grader's number for all cases together has no changed cases.
    const changed = changedPairs(one) ?? noPairs;
    const { cases, matching, candidate } = cell.counterpart;
    return {
      task: cell.task,
      candidate: cell.candidate,
      baseCandidate: candidate,
      repeats: changed.repeats,
      alpha: one.measured.rule.alpha,
      cases: changed.positions.map((at, k) => ({
        caseId: changed.caseIds[k] ?? "",
        baseCaseId: cases.ids[matching.partner[at] ?? -1] ?? "",
      })),
    };
  });
}

const noPairs = { repeats: 1, positions: [], caseIds: [] };

/**
 * True for a rule that has to be confirmed: a drop from a baseline that may have been lucky. A comparison of two
 * candidates is not confirmed, because both are fresh.
 */
export function blocksByProof({ level, outcome, code, decided_in, against }: JudgedRule): boolean {
  const isProven = level === "block" && outcome === "missed" && code === "drop_proven";
  return isProven && decided_in === undefined && against === undefined;
}

/**
 * Decides about proven drops by the fresh samples of their changed cases alone. The first samples selected the cases,
 * so they would show the drop again. The p-values are adjusted by Holm over the rules that were run again, so that the
 * chance of blocking an unchanged run is at most the product of the two levels. Pure.
 */
export function confirmResults(
  {
    sliced,
    results,
  }: { readonly sliced: readonly Sliced[]; readonly results: readonly JudgedRule[] },
  confirmation: Confirmation | undefined,
  statistics: Statistics,
): readonly JudgedRule[] {
  if (confirmation === undefined) return results;
  const looks = results.map((result, i) => {
    const one = sliced[i];
    return one !== undefined && blocksByProof(result)
      ? lookAgain(one, confirmation, statistics)
      : undefined;
  });
  const adjusted = adjust(looks, ({ fresh }) => fresh?.p ?? null, statistics);
  const worst = adjust(looks, ({ worstP }) => worstP, statistics);
  return results.map((result, i) => {
    const look = looks[i];
    if (look === undefined) return result;
    const [pAdjusted, worstAdjusted] = [adjusted[i] ?? null, worst[i] ?? null];
    return settleAgain(result, { ...look, pAdjusted, worstAdjusted }, confirmation);
  });
}

/** Applies Holm's adjustment over the rules that have a p-value; null for the others. */
function adjust(
  looks: readonly (Look | undefined)[],
  pOf: (look: Look) => number | null,
  statistics: Statistics,
): readonly (number | null)[] {
  const own = looks.map((look) => (look === undefined ? null : pOf(look)));
  const known = own.filter((p) => p !== null);
  const adjusted = statistics.holm(known, known.length);
  let next = 0;
  return own.map((p) => (p === null ? null : (adjusted[next++] ?? 1)));
}

/** Result of running a rule's cases again. */
interface Look {
  /** Number of cases that changed. */
  readonly cases: number;
  /** Number of cases with a fresh grade on both sides. */
  readonly n: number;
  readonly wasRun: boolean;
  readonly fresh: Comparison | undefined;
  /** The p-value if each case without a fresh grade had broken again as it broke at first. */
  readonly worstP: number | null;
  /** True if the base, when run here, loses most of the cases that broke and that it had passed. */
  readonly baseMoved: boolean;
}

function lookAgain(one: Sliced, confirmation: Confirmation, statistics: Statistics): Look {
  const first = changedPairs(one);
  const cases = first?.caseIds.length ?? 0;
  const none = { cases, n: 0, wasRun: false, fresh: undefined, worstP: null, baseMoved: false };
  const fresh = first && freshPairs(one, confirmation, statistics);
  if (first === undefined || fresh === undefined) return none;
  const wanted = new Set(first.caseIds);
  const found = pairsAmong(
    fresh,
    fresh.positions.filter((_, i) => wanted.has(fresh.caseIds[i] ?? "")),
  );
  const question = { ...pairedQuestion(one.place.metric, one.measured.rule, "drop") };
  const ask = (pairs: Pairs): Comparison | undefined =>
    pairs.caseIds.length === 0 ? undefined : compare(pairs, question, statistics);
  return {
    cases,
    n: found.caseIds.length,
    wasRun: true,
    fresh: ask(found),
    worstP: ask(withUngraded(found, first, lossIn(question.worse)))?.p ?? null,
    baseMoved: hasMoved({ first, fresh: found }, lossIn(question.worse), statistics),
  };
}

/**
 * Level of the test: the chance that a base that did not move, and passes such a case in one of two runs, would lose so
 * many.
 */
const movedAlpha = 0.05;

/**
 * True if the base now loses most of the cases that broke, although it had passed them in the baseline. Then something
 * that both sides share differs from where the baseline was run, for example installed packages, which a change may
 * bring. That both sides fail is then no sign that the change is innocent. It is a sign test: cases that the base lost
 * against those that it kept.
 */
function hasMoved(
  { first, fresh }: { readonly first: Pairs; readonly fresh: Pairs },
  loss: (before: number, after: number) => number,
  statistics: Statistics,
): boolean {
  const again = new Map(fresh.caseIds.map((id, i) => [id, fresh.before[i] ?? 0]));
  let [lost, kept] = [0, 0];
  for (const [i, id] of first.caseIds.entries()) {
    const [before = 0, after = 0, base] = [first.before[i], first.after[i], again.get(id)];
    const fell = loss(before, after);
    if (base === undefined || fell <= 0) continue;
    if (loss(before, base) * 2 > fell) lost += 1;
    else kept += 1;
  }
  return lost > kept && statistics.mcnemarMidP(lost, kept) < movedAlpha;
}

interface Settled extends Look {
  readonly pAdjusted: number | null;
  readonly worstAdjusted: number | null;
}

function settleAgain(result: JudgedRule, look: Settled, { record }: Confirmation): JudgedRule {
  const round = record.rounds.find(
    ({ task, candidate }) => task === result.task && candidate === result.candidate,
  );
  // A program of the base was run in the job of the change; a model runs elsewhere.
  const isHere = (round?.base_sha ?? null) !== null;
  const found = outcomeOf(look, record.alpha);
  const outcome = found === "not_confirmed" && isHere && look.baseMoved ? "base_moved" : found;
  const confirmation = recordOf(look, outcome);
  switch (outcome) {
    case "not_run":
    case "confirmed":
      return { ...result, confirmation };
    case "undecided":
    case "base_moved":
      return { ...result, confirmation, outcome: "inconclusive", code: "confirm_undecided" };
    case "not_confirmed": {
      // "Not proven" is not "shown": a rule that requires `no_drop` has neither.
      const rest = result.prove === "no_drop" ? "inconclusive" : "met";
      return { ...result, confirmation, outcome: rest, code: "drop_not_confirmed" };
    }
  }
}

function outcomeOf(
  { wasRun, cases, n, pAdjusted, worstAdjusted }: Settled,
  alpha: number,
): RuleConfirmation["outcome"] {
  if (!wasRun) return "not_run";
  if (pAdjusted !== null && pAdjusted < alpha) return "confirmed";
  const mayBreak = n < cases && worstAdjusted !== null && worstAdjusted < alpha;
  return mayBreak ? "undecided" : "not_confirmed";
}

function recordOf(
  { cases, n, fresh, pAdjusted }: Settled,
  outcome: RuleConfirmation["outcome"],
): RuleConfirmation {
  const { broke = null, fixed = null, p = null } = fresh ?? {};
  return { outcome, cases, n, broke, fixed, p, p_adjusted: pAdjusted };
}

/** The pairs of a rule whose scores differ; undefined if the rule compared nothing. */
function changedPairs({ place, members, measured }: Sliced): Pairs | undefined {
  const pairs = place.pairs();
  if ("kind" in pairs || measured.finding.kind !== "comparison") return undefined;
  const among = members === undefined ? pairs : pairsAmong(pairs, members);
  const loss = lossIn(pairedQuestion(place.metric, measured.rule, "drop").worse);
  const changed = among.positions.filter(
    (_, i) => loss(among.before[i] ?? 0, among.after[i] ?? 0) !== 0,
  );
  return pairsAmong(among, changed);
}

/** All fresh pairs of a rule's task and candidate; undefined if they were not run again. */
function freshPairs(
  { place }: Sliced,
  { record, fresh }: Confirmation,
  statistics: Statistics,
): Pairs | undefined {
  const { cell, metric } = place;
  const { task, candidate, counterpart } = cell;
  const at = record.rounds.findIndex(
    (round) => round.task === task && round.candidate === candidate,
  );
  const [round, scores] = [record.rounds[at], fresh[at]];
  if (round === undefined || scores === undefined || counterpart.kind === "absent")
    return undefined;
  const head = tabulateCases(scores.head.group(task, candidate), round.repeats);
  const base = tabulateCases(scores.base.group(task, round.base_candidate), round.repeats);
  const again: PairedCell = {
    ...cell,
    cases: head,
    counterpart: { ...counterpart, cases: base, matching: matchCases(head, base) },
  };
  return pairCases(again, metric, { ungradedAs: "nothing", statistics });
}

/** The fresh pairs, and the first pairs of those broken cases that have no fresh grade. */
function withUngraded(
  fresh: Pairs,
  first: Pairs,
  loss: (before: number, after: number) => number,
): Pairs {
  const graded = new Set(fresh.caseIds);
  const lost = [...first.caseIds.keys()].filter(
    (i) =>
      !graded.has(first.caseIds[i] ?? "") && loss(first.before[i] ?? 0, first.after[i] ?? 0) > 0,
  );
  const rest = pairsAmong(
    first,
    lost.map((i) => first.positions[i] ?? 0),
  );
  const isClustered = fresh.clusters !== undefined || rest.clusters !== undefined;
  const clusters = isClustered ? [...clustersIn(fresh), ...clustersIn(rest)] : undefined;
  return {
    ...fresh,
    positions: [...fresh.positions, ...rest.positions],
    caseIds: [...fresh.caseIds, ...rest.caseIds],
    before: [...fresh.before, ...rest.before],
    after: [...fresh.after, ...rest.after],
    answers: undefined,
    within: fresh.within &&
      rest.within && {
        before: [...fresh.within.before, ...rest.within.before],
        after: [...fresh.within.after, ...rest.within.after],
      },
    clusters,
  };
}

function clustersIn({ clusters, caseIds }: Pairs): readonly (string | null)[] {
  return clusters ?? caseIds.map(() => null);
}

import { below, sfc32, type Random } from "../../stats/distributions/sfc32.ts";
import { statistics } from "../../stats/statistics.ts";
import { createLedger } from "../../ledger/ledger.ts";
import type { Ledger } from "../../model/figures/ledger.ts";
import type { Statistics } from "../../model/figures/statistics.ts";
import type { StoredRun } from "../../model/ports/store.ts";
import type { GateResult } from "../../model/outcomes/rule-result.ts";
import type { ScoreRow } from "../../model/outcomes/sample.ts";
import { judge } from "../../gate/judge.ts";
import { gateResult } from "../../report/words/remarks.ts";
import { conclude } from "../../verdict/conclude.ts";
import { judgedOf } from "../../verdict/describe.ts";

/** Gate result of one run against another; positions in the list of runs. */
export interface Pairing {
  readonly base: number;
  readonly head: number;
  readonly gate: GateResult;
}

/** Judges every run against every other, in both directions, as `regrade compare` would. */
export function pairUp(runs: readonly StoredRun[]): readonly Pairing[] {
  return runs.flatMap((head, j) =>
    runs.flatMap((stored, i): readonly Pairing[] => {
      if (i === j) return [];
      const baseline = { kind: "run", source: stored.directory, stored } as const;
      // A baseline's age does not affect the verdict. Each run's own cases are counted, whatever the other run has.
      const judged = { ...judgedOf(head.run, head.ledger), ofChange: false };
      const { gate } = conclude(judged, baseline, 0);
      return [{ base: i, head: j, gate }];
    }),
  );
}

const mostDeals = 1000;
const fewestDeals = 20;
/** Limit of samples in all redeals together, which takes some seconds. */
const samplesDealt = 1_000_000;
/** Limit of redeals for tests that permute or draw thousands of times themselves. */
const mostSlowDeals = 50;

/**
 * Number of redeals; 0 if redeals would be too slow to be informative, or if a rule applies to a number that a batch
 * grader gave for all cases together.
 */
export function dealsFor(runs: readonly StoredRun[], pairings: readonly Pairing[]): number {
  if (givenMetrics(runs, pairings).length > 0) return 0;
  const samples = runs[0]?.run.request_counts.total ?? 0;
  const isSlow = pairings[0]?.gate.rules.some(
    ({ test }) => test === "side_swap_seeded" || test === "large_sample",
  );
  const most = isSlow === true ? mostSlowDeals : mostDeals;
  const deals = Math.min(most, Math.floor(samplesDealt / Math.max(1, 2 * samples)));
  return deals < fewestDeals ? 0 : deals;
}

/** The metrics of rules that a batch grader gave for all cases together, as `task/metric`. */
export function givenMetrics(
  runs: readonly StoredRun[],
  pairings: readonly Pairing[],
): readonly string[] {
  const found = (pairings[0]?.gate.rules ?? []).filter(({ task, candidate, metric }) =>
    runs.some(({ ledger }) => ledger.group(task, candidate)?.given(metric) !== undefined),
  );
  return [...new Set(found.map(({ task, metric }) => `${task}/${metric}`))];
}

/** Statistics that skip the smallest detectable drop: it decides nothing, and takes most of the time of a judgement. */
const deciding: Statistics = { ...statistics, smallestDrop: () => undefined };

/**
 * Builds two runs from the answers of all runs, `deals` times, and judges each pair. Each case (or cluster) takes its
 * two sides from two different runs, drawn with a fixed seed. If nothing changed and cases answer independently, chance
 * alone decides which run an answer comes from, so a few runs give many comparisons. Differences between whole runs are
 * lost.
 */
export function dealAnew(runs: readonly StoredRun[], deals: number): readonly GateResult[] {
  const [first] = runs;
  if (first === undefined) return [];
  const hands = samplesByCase(runs);
  const random = sfc32([20, 20, 5]);
  return Array.from({ length: deals }, () => {
    const { base, head } = deal(hands, random);
    const side = judgedOf(first.run, head);
    const { gate, tasks, candidates, leftOut } = side;
    const baseline = { kind: "run", ledger: base, tasks, candidates } as const;
    const input = { gate, head: { ledger: head, tasks, candidates }, baseline, leftOut };
    return gateResult(judge(input, deciding).result, true);
  });
}

/** The samples of each run, grouped by case or cluster. */
function samplesByCase(runs: readonly StoredRun[]): readonly (readonly ScoreRow[])[][] {
  const hands = new Map<string, ScoreRow[][]>();
  for (const [at, { ledger }] of runs.entries()) {
    for (const group of ledger.groups()) {
      for (let i = 0; i < group.size; i += 1) {
        const row = group.row(i);
        const key = JSON.stringify([
          row.task,
          row.candidate,
          row.cluster,
          row.cluster ?? row.case_id,
        ]);
        const hand = hands.get(key) ?? runs.map((): ScoreRow[] => []);
        hands.set(key, hand);
        hand[at]?.push(row);
      }
    }
  }
  return [...hands.values()];
}

function deal(
  hands: readonly (readonly (readonly ScoreRow[])[])[],
  random: Random,
): { readonly base: Ledger; readonly head: Ledger } {
  const [base, head] = [createLedger(), createLedger()];
  for (const hand of hands) {
    const one = below(random, hand.length);
    const next = below(random, hand.length - 1);
    const other = next >= one ? next + 1 : next;
    for (const row of hand[one] ?? []) base.add(row);
    for (const row of hand[other] ?? []) head.add(row);
  }
  return { base, head };
}

import { ownValue } from "../../model/own-value.ts";
import { hasEarlier } from "../../model/outcomes/attempts.ts";
import { createLedger } from "../../ledger/ledger.ts";
import type { Ledger, LedgerGroup } from "../../model/figures/ledger.ts";
import { problem, Refusal } from "../../model/refusal.ts";
import type { Run } from "../../model/outcomes/run.ts";
import type { ScoreRow } from "../../model/outcomes/sample.ts";
import type { StoredRun } from "../../model/ports/store.ts";

/** Several runs of the same input, pooled into one baseline. */
interface Pool {
  /** Newest first; at least two. */
  readonly runs: readonly StoredRun[];
  /** The samples of all, as if one run had more repeats: see `stack`. */
  readonly ledger: Ledger;
}

/** One of the runs, with the user's name for it. */
interface Named {
  readonly source: string;
  readonly stored: StoredRun;
}

/**
 * Pools runs: a case's baseline score is the mean over the runs, so that one lucky or unlucky run weighs no more than
 * its share. The runs must be repetitions of one another: with the same input, and not the same run twice; otherwise
 * throws a Refusal. The order of the names does not matter.
 */
export function poolRuns(named: readonly Named[]): Pool {
  refuseUnlike(named);
  const runs = named.map(({ stored }) => stored).toSorted(newestFirst);
  return { runs, ledger: stack(runs) };
}

function refuseUnlike(named: readonly Named[]): void {
  const [first] = named;
  for (const [i, each] of named.entries()) {
    const { run } = each.stored;
    const twice = named.slice(0, i).find(({ stored }) => stored.run.id === run.id);
    if (twice !== undefined) {
      const found = { one: twice.source, other: each.source, id: run.id };
      throw new Refusal(problem("pool_same_run", found));
    }
    if (first === undefined || run.input_hash === first.stored.run.input_hash) continue;
    throw new Refusal(problem("pool_other_input", { one: first.source, other: each.source }));
  }
}

function newestFirst(one: StoredRun, other: StoredRun): number {
  const [a, b] = [one.run, other.run];
  if (a.completed_at !== b.completed_at) return a.completed_at < b.completed_at ? 1 : -1;
  return a.id < b.id ? -1 : 1;
}

/**
 * One ledger of all samples: the repeats of the first run, then those of the second, and so on, each with as many places
 * as the largest run has; attempts of a run count separately. Batch graders' numbers are averaged over the runs.
 */
function stack(runs: readonly StoredRun[]): Ledger {
  const ledger = createLedger();
  const width = repeatsIn(runs);
  let before = 0;
  for (const stored of runs) {
    let attempts = 1;
    for (const group of stored.ledger.groups()) {
      const repeats = width.get(group.task) ?? 1;
      for (let i = 0; i < group.size; i += 1) {
        const row = group.row(i);
        const { attempt, repeat } = placeOf(row, stored.run);
        attempts = Math.max(attempts, attempt + 1);
        ledger.add({ ...row, repeat: (before + attempt) * repeats + repeat });
      }
    }
    before += attempts;
  }
  for (const group of ledger.groups()) ledger.give(meanGiven(group, runs));
  return ledger;
}

/** Attempt of a sample within its run, from 0, and its repeat in it. */
function placeOf(
  { task, repeat }: ScoreRow,
  { attempts, suite }: Run,
): { readonly attempt: number; readonly repeat: number } {
  const declared = ownValue(suite.tasks, task)?.repeats;
  if (!hasEarlier(attempts) || declared === undefined) return { attempt: 0, repeat };
  return { attempt: Math.floor(repeat / declared), repeat: repeat % declared };
}

/** For each task the largest number of repeats of a run, or of an attempt, declared or not. */
export function repeatsIn(runs: readonly StoredRun[]): ReadonlyMap<string, number> {
  const widths = new Map<string, number>();
  for (const { run, ledger } of runs) {
    for (const [task, { repeats }] of Object.entries(run.suite.tasks))
      widths.set(task, Math.max(repeats, widths.get(task) ?? 1));
    if (hasEarlier(run.attempts)) continue;
    for (const group of ledger.groups()) {
      let width = widths.get(group.task) ?? 1;
      for (let i = 0; i < group.size; i += 1) width = Math.max(width, group.repeat(i) + 1);
      widths.set(group.task, width);
    }
  }
  return widths;
}

/** The mean of a batch grader's number; undefined if one of the runs lacks it. */
function meanGiven(
  { task, candidate }: LedgerGroup,
  runs: readonly StoredRun[],
): Parameters<Ledger["give"]>[0] {
  const groups = runs.flatMap(({ ledger }) => ledger.group(task, candidate) ?? []);
  const ids = new Set(groups.flatMap((group) => group.givenIds()));
  const metrics: Record<string, number> = {};
  const dropped: string[] = [];
  for (const id of ids) {
    const values = groups.flatMap((group) => group.given(id) ?? []);
    if (values.length === runs.length)
      metrics[id] = values.reduce((sum, value) => sum + value / values.length, 0);
    else dropped.push(id);
  }
  return { task, candidate, metrics, dropped };
}

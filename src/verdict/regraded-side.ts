import { ownValue } from "../model/own-value.ts";
import type { LedgerGroup } from "../model/figures/ledger.ts";
import type { RegradedTask } from "../model/outcomes/compared.ts";
import type { RunTask } from "../model/outcomes/run.ts";
import type { BaselineSide } from "../gate/pairing/sides.ts";
import { findMoves } from "./moves.ts";

/** The baseline's scores by another grader. */
export interface Regraded {
  readonly tasks: readonly RegradedTask[];
  /** Regraded groups, one per task and candidate. */
  readonly groups: readonly LedgerGroup[];
}

type Side = Extract<BaselineSide, { readonly kind: "run" }>;
type Tasks = Side["tasks"];

/**
 * The baseline with this run's grader's scores for its outputs: its fingerprint then allows a comparison. Metrics that
 * only this grader gives are the baseline's too. Pure.
 */
export function withRegraded(side: Side, { tasks, groups }: Regraded, head: Tasks): Side {
  const found = new Map(groups.map((group) => [keyOf(group), group]));
  const isRegraded = (task: string): boolean => tasks.some((each) => each.task === task);
  const again = (group: LedgerGroup): LedgerGroup => found.get(keyOf(group)) ?? group;
  return {
    ...side,
    ledger: {
      groups: () => side.ledger.groups().map(again),
      group: (task, candidate) => {
        const stored = side.ledger.group(task, candidate);
        return stored && again(stored);
      },
    },
    tasks: Object.fromEntries(
      Object.entries(side.tasks).map(([id, task]) => [
        id,
        isRegraded(id) ? gradedAs(task, head[id]) : task,
      ]),
    ),
    regraded: tasks.map((task) => withMoves(task, { side, groups, head })),
  };
}

/** Moves are computed from both scores and never read back, so that `regrade compare` finds the same as the run did. */
function withMoves(
  { task, parts, samples, differ, given }: RegradedTask,
  from: { readonly side: Side; readonly groups: Regraded["groups"]; readonly head: Tasks },
): RegradedTask {
  const regraded = { task, parts, samples, differ, given };
  const base = ownValue(from.side.tasks, task);
  if (base === undefined) return regraded;
  const metrics = from.head[task]?.metrics ?? [];
  const moved = from.groups
    .filter((group) => group.task === task)
    .flatMap((group) => {
      const stored = from.side.ledger.group(task, group.candidate);
      if (stored === undefined) return [];
      const { hasAttempts } = from.side;
      return findMoves({ stored, regraded: group, base, metrics, hasAttempts });
    });
  return moved.length === 0 ? regraded : { ...regraded, moved };
}

function keyOf({ task, candidate }: LedgerGroup): string {
  return JSON.stringify([task, candidate]);
}

function gradedAs(base: RunTask, head: RunTask | undefined): RunTask {
  if (head === undefined) return base;
  const { extraction, grader, judge } = head.fingerprint;
  const fresh = head.metrics.filter(({ id }) => !base.metrics.some((metric) => metric.id === id));
  return {
    ...base,
    fingerprint: { ...base.fingerprint, extraction, grader, judge },
    metrics: [...base.metrics, ...fresh],
  };
}

import type { LedgerGroup } from "../../domain/ledger.ts";
import type { RunTask } from "../../domain/run.ts";
import type { BaselineSide } from "../../gate/sides.ts";
import type { Regraded } from "./regrade.ts";

type Side = Extract<BaselineSide, { readonly kind: "run" }>;
type Tasks = Side["tasks"];

/**
 * The baseline with the scores that this run's grader gave its outputs: by its fingerprint it is comparable then. Metrics
 * that only this grader gives are the baseline's too. Pure.
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
    regraded: tasks,
  };
}

function keyOf({ task, candidate }: Pick<LedgerGroup, "task" | "candidate">): string {
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

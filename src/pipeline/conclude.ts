import type { Ledger } from "../domain/ledger.ts";
import { withSampleMetrics } from "../domain/metric.ts";
import type { RunPolicy } from "../domain/policy.ts";
import type { StoredRun } from "../domain/store.ts";
import type { BatchRecord, GateResult, Run, RunBaseline, RunTask } from "../domain/run.ts";
import type { Gate } from "../domain/suite.ts";
import { judge } from "../gate/judge.ts";
import { aggregate } from "../metrics/aggregate.ts";
import { statistics } from "../metrics/statistics.ts";
import { batchLines } from "./batch-result.ts";
import { withMissingSlots } from "./policy/decide.ts";

/** A run as the verdict needs it: from memory at the end of a run, from its directory in a comparison. */
export interface Judged {
  readonly status: Run["status"];
  /** Why it is `failed`. */
  readonly stopped: string | undefined;
  readonly gate: Gate;
  readonly tasks: Readonly<Record<string, RunTask>>;
  readonly candidates: readonly string[];
  readonly leftOut: Run["suite"]["not_selected"];
  readonly ledger: Ledger;
  readonly batches: readonly BatchRecord[];
  /** Candidates that only one side of a policy lists: new ones are measured and not judged, missing ones fail. */
  readonly slots?: RunPolicy["slots"] | undefined;
}

/** An earlier run, and how it was come by. */
export type Baseline =
  | { readonly kind: "none"; readonly reason: string }
  | { readonly kind: "run"; readonly source: string; readonly stored: StoredRun };

export type Conclusion = Pick<Run, "cases" | "metrics" | "gate" | "baseline">;

/** Numbers and verdict of a run. Pure: the same two runs give the same bytes, here and in `regrade compare`. */
export function conclude(head: Judged, baseline: Baseline, now: number): Conclusion {
  const fresh = head.slots?.new ?? [];
  const candidates = head.candidates.filter((id) => !fresh.includes(id));
  const found = judge(
    {
      gate: head.gate,
      head: { ledger: head.ledger, tasks: head.tasks, candidates },
      baseline: baselineSide(baseline),
      leftOut: { ...head.leftOut, candidates: [...head.leftOut.candidates, ...fresh] },
    },
    statistics,
  );
  const { cases, comparable, notes } = found;
  const result = withMissingSlots(found.result, head.slots?.missing ?? []);
  return {
    cases,
    metrics: aggregate(head.ledger, measuredTasks(head)),
    gate:
      head.status === "completed"
        ? { ...result, reasons: [...result.reasons, ...batchLines(head.batches)] }
        : stoppedResult(result, head.stopped),
    baseline: describeBaseline(baseline, { comparable, notes, now }),
  };
}

function baselineSide(baseline: Baseline): Parameters<typeof judge>[0]["baseline"] {
  if (baseline.kind === "none") return baseline;
  const { run, ledger } = baseline.stored;
  return {
    kind: "run",
    ledger,
    tasks: run.suite.tasks,
    candidates: run.candidates.map((each) => each.id),
  };
}

function measuredTasks(head: Judged): Parameters<typeof aggregate>[1] {
  return Object.entries(head.tasks).map(([id, task]) => {
    const sliced = head.candidates.map((candidate) => head.ledger.group(id, candidate));
    const first = sliced.find((group) => group !== undefined && group.size > 0);
    const metrics = withSampleMetrics(task.metrics);
    return { id, metrics, slices: Object.keys(first?.slices(0) ?? {}) };
  });
}

/**
 * A run that did not get to its end has no verdict to trust, whatever its samples say so far. Where it is known why, that
 * is the one thing to say: what else the gate found follows from it.
 */
function stoppedResult(result: GateResult, stopped: string | undefined): GateResult {
  if (stopped !== undefined) return { ...result, verdict: "error", reasons: [stopped] };
  const reason = "The run was stopped before its end: what it has says nothing about the rest.";
  return { ...result, verdict: "error", reasons: [reason, ...result.reasons] };
}

const millisecondsPerDay = 86_400_000;

function describeBaseline(
  baseline: Baseline,
  found: Pick<RunBaseline, "comparable" | "notes"> & { readonly now: number },
): RunBaseline | null {
  if (baseline.kind === "none") return null;
  const { run } = baseline.stored;
  const age = (found.now - Date.parse(run.completed_at)) / millisecondsPerDay;
  return {
    source: baseline.source,
    run_id: run.id,
    sha: run.git.sha,
    age_days: Number.isFinite(age) ? Math.max(0, Math.floor(age)) : null,
    distance: null,
    comparable: found.comparable,
    notes: found.notes,
  };
}

import type { StopSignal, StopCause } from "../model/figures/spending.ts";
import type { Ledger } from "../model/figures/ledger.ts";
import { stopReason } from "../report/words/stop.ts";
import type { PreparedTask } from "../suite/opening/open-task.ts";
import type { RunContext } from "./context.ts";

/** A stop signal. `onStop` is called once, when the run is stopped. */
export function createStopSignal(onStop: () => void): StopSignal {
  let first: StopCause | undefined;
  return {
    cause: () => first,
    stop: (cause) => {
      if (first !== undefined) return;
      first = cause;
      onStop();
    },
  };
}

/**
 * Why a run stopped itself; undefined if it did not, or if only the last sample used up the budget. `pending`: a batch
 * grader still waits.
 */
export function stoppedBecause(
  tasks: readonly PreparedTask[],
  { stopSignal, meter, totals, ledger, candidates }: RunContext,
  pending: boolean,
): string | undefined {
  const cause = stopSignal.cause();
  if (cause === undefined) return undefined;
  const perCandidate = tasks.map(({ spec, dataset }) => dataset.size * spec.repeats);
  const samples = perCandidate.reduce((sum, each) => sum + each, 0) * candidates.length;
  if (cause.kind === "budget_spent" && totals.ended() >= samples && !pending) return undefined;
  return stopReason(cause, { finished: finishedIn(ledger), samples, spent: meter.spent() });
}

/** Number of finished samples. Ungraded ones don't count, because resuming the run retries them. */
function finishedIn(ledger: Ledger): number {
  let finished = 0;
  for (const group of ledger.groups()) {
    for (let i = 0; i < group.size; i += 1) finished += group.outcome(i) === "ungraded" ? 0 : 1;
  }
  return finished;
}

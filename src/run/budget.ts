import type { Clock } from "../model/ports/clock.ts";
import type { RunStore, Spent } from "../model/ports/store.ts";
import { usageOfCalls } from "../model/outcomes/sample.ts";
import type { Budget } from "../model/definition/suite.ts";
import type { StopSignal, BudgetSpent } from "../model/figures/spending.ts";
import { addUsage, nothingSpent } from "../model/figures/spent.ts";

/**
 * Spending of earlier attempts: a resumed run has the rest of its budget. The attempts' own count includes costs that
 * samples don't report; samples and answers include costs that a killed process did not count.
 */
export function spentBefore(store: SpentStore): Spent {
  const [told, counted] = [toldIn(store), store.spent?.counted ?? nothingSpent];
  return { usd: Math.max(told.usd, counted.usd), tokens: Math.max(told.tokens, counted.tokens) };
}

type SpentStore = Pick<RunStore, "finished" | "answers"> &
  Partial<Pick<RunStore, "batches" | "spent" | "earlier">>;

function toldIn({ finished, answers, batches, spent: before, earlier }: SpentStore): Spent {
  let spent = before?.again ?? nothingSpent;
  for (const [id, { usage, judgeUsage, cached }] of finished) {
    // Each attempt of a workflow run has its own budget.
    if (earlier?.has(id)) continue;
    // An answer from the cache was paid for by another run; its judge by this one.
    spent = addUsage(cached ? spent : addUsage(spent, usage), judgeUsage);
  }
  for (const { generated } of answers.values()) spent = addUsage(spent, generated.usage);
  for (const { graded } of batches?.values() ?? []) {
    spent = addUsage(spent, usageOfCalls(graded.modelCalls));
  }
  return spent;
}

/** The limit of the budget that is used up; undefined if none is. The timer checks the minutes. */
export function overspent(budget: Budget, spent: Spent): BudgetSpent | undefined {
  for (const unit of ["usd", "tokens"] as const) {
    const limit = budget[unit];
    if (limit !== undefined && spent[unit] >= limit) {
      return { kind: "budget_spent", unit, limit };
    }
  }
  return undefined;
}

/** Stops the run after the budget's minutes, counted from the start of this attempt; the signal ends the timer. */
export async function watchMinutes(
  { minutes }: Budget,
  {
    sleep,
    stopSignal,
    signal,
    minutesUsed = 0,
  }: {
    readonly sleep: Clock["sleep"];
    readonly stopSignal: StopSignal;
    readonly signal: AbortSignal;
    readonly minutesUsed?: number;
  },
): Promise<void> {
  if (minutes === undefined) return;
  const left = Math.max(0, minutes - minutesUsed) * 60_000;
  await sleep(Math.min(left, longestTimerMs), signal);
  if (signal.aborted) return;
  stopSignal.stop({ kind: "budget_spent", unit: "minutes", limit: minutes });
}

/** Timers take 31 bits: 24 days. */
const longestTimerMs = 2 ** 31 - 1;

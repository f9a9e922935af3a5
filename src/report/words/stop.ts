import type { BudgetSpent, StopCause } from "../../model/figures/spending.ts";
import type { Spent } from "../../model/ports/store.ts";
import { count, counted, usd } from "./figures.ts";

/** Number of samples that a run made, and their cost. */
interface Reached {
  /** Samples with a final result, failed ones included. */
  readonly finished: number;
  readonly samples: number;
  readonly spent: Spent;
}

/** One or two sentences for people: the cause, how far the run got, and what to do about it. */
export function stopReason(cause: StopCause, { finished, samples, spent }: Reached): string {
  const reached = `${count(finished)} of ${counted(samples, "sample")}`;
  switch (cause.kind) {
    case "halted":
      return `The run was stopped, as every further request would fail: ${sentence(`${cause.candidate}: ${cause.message}`)} Finished: ${reached}; --resume goes on from there.`;
    case "broken":
      return `The run broke off. Finished: ${reached}; --resume goes on from there.`;
    case "budget_spent":
      return `${spentWords(cause, spent)} Finished: ${reached}. Raise run.budget.${cause.unit} and go on with --resume: what is finished is kept.`;
  }
}

function spentWords({ unit, limit, next }: BudgetSpent, spent: Spent): string {
  if (next !== undefined && unit !== "minutes") {
    const words = (amount: number): string =>
      unit === "usd" ? usd(amount) : counted(Math.round(amount), "token");
    const left = words(Math.max(0, limit - spent[unit]));
    return `The budget of ${words(limit)} has ${left} left, and the next request may cost ${words(next)}.`;
  }
  switch (unit) {
    case "usd":
      return `The budget of ${usd(limit)} is spent: ${usd(spent.usd)} with the calls that were under way.`;
    case "tokens":
      return `The budget of ${counted(limit, "token")} is spent: ${count(Math.round(spent.tokens))} with the calls that were under way.`;
    case "minutes":
      return `The budget of ${counted(limit, "minute")} is spent.`;
  }
}

function sentence(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`;
}

import type { Executed, Execution } from "../execute.ts";
import { addSeconds, addRunUsage } from "../../verdict/usage.ts";
import type { Rerunned } from "./rerun.ts";
import { spentOnAll } from "./side-store.ts";

/** The part of the budget that running the base has used. */
export function usedBy(rerun: Rerunned | undefined): Partial<Execution> {
  if (rerun === undefined) return {};
  return { spent: spentOnAll(rerun.taken), minutesUsed: rerun.minutes };
}

/** Adds the cost of running the base, which this run had to pay. */
export function withRerun(executed: Executed, rerun: Rerunned | undefined): Executed {
  if (rerun === undefined) return executed;
  const draft = rerun.taken.reduce(addRunUsage, executed.draft);
  return { ...executed, draft: addSeconds(draft, 60 * rerun.minutes) };
}

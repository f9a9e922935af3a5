import type { Budget, CandidateSpec } from "../../model/suite.ts";
import type { Report } from "../../model/progress.ts";
import { counted } from "../../report/figures.ts";
import type { PlannedRound } from "./rounds.ts";

/** What is about to be run again, said before the first of it. */
export function tellConfirmation(
  rounds: readonly {
    readonly round: PlannedRound;
    readonly base: { readonly spec: CandidateSpec };
  }[],
  budget: Budget,
  report: Report,
): void {
  if (rounds.length === 0) return;
  const cases = rounds.reduce((sum, { round }) => sum + round.cases.length, 0);
  const samples = rounds.reduce(
    (sum, { round }) => sum + 2 * round.cases.length * round.repeats,
    0,
  );
  const limits = budget.usd ?? budget.tokens ?? budget.minutes;
  const within = limits === undefined ? "" : ", within what is left of the budget";
  const text = `A drop was proven. Before it blocks, ${counted(cases, "case")} that changed, broken and fixed, are run again on both sides: ${counted(samples, "sample")}${within}.`;
  report({ kind: "note", text });
}

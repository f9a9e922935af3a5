import type { RunPlan } from "../model/figures/plan.ts";
import { planSentence } from "../report/terminal/plan.ts";
import type { LocatedBaseline } from "../verdict/baseline.ts";
import type { SoughtBaseline } from "../verdict/seek-baseline.ts";
import { planConfirmation } from "./confirm/plan.ts";
import { planRun } from "../plan/estimate.ts";
import type { Prepared } from "../suite/prepare.ts";
import type { Tools } from "../tools.ts";

/** Plan of a run, and what confirming its proven drops may add. */
export async function planWith(
  prepared: Prepared,
  found: LocatedBaseline | SoughtBaseline,
  exact: boolean,
): Promise<RunPlan> {
  const plan = await planRun({ ...prepared, candidates: prepared.candidateSpecs, exact });
  return { ...plan, confirmation: planConfirmation(plan, prepared, found) };
}

/** Estimates a run's cost before the first request; exact if there is a budget. */
export async function tellPlan(
  prepared: Prepared,
  found: LocatedBaseline | SoughtBaseline,
  tools: Tools,
): Promise<void> {
  const { budget } = prepared.suite;
  const exact = budget.usd !== undefined || budget.tokens !== undefined;
  const plan = await planWith(prepared, found, exact);
  const text = planSentence(plan);
  if (text !== undefined) tools.report({ kind: "note", text });
}

import { modelOf } from "../model/definition/candidate-kinds.ts";
import { priceOf } from "../model/models/prices.ts";
import { problem, type Place, type Problem } from "../model/refusal.ts";
import type { Budget, ModelRef } from "../model/definition/suite.ts";
import type { CandidateSpec } from "../model/definition/candidate-spec.ts";

/** Problems of a budget in dollars with models that have no known price: the budget can't be kept. */
export function budgetProblems(
  budget: Budget,
  candidates: readonly CandidateSpec[],
  place: Place,
): readonly Problem[] {
  const models = candidates.map(modelOf).filter((each) => each !== undefined);
  return priceProblems(budget, models, place);
}

/** As `budgetProblems`, for models that graders ask. */
export function priceProblems(
  budget: Budget,
  models: readonly ModelRef[],
  place: Place,
): readonly Problem[] {
  if (budget.usd === undefined) return [];
  return models.flatMap(({ model, name, provider }) => {
    if (priceOf(provider, name) !== undefined) return [];
    return [problem("budget_price_unknown", { model, name, provider: provider.id }, place)];
  });
}

import { modelOf } from "../model/candidate-kinds.ts";
import { daysUntil, retirementOf, warnedDays } from "../model/retirements.ts";
import { problem } from "../model/refusal.ts";
import type { Place, Problem } from "../model/refusal.ts";
import type { CandidateSpec, ModelRef } from "../model/suite.ts";

interface NamedModels {
  readonly candidates: readonly CandidateSpec[];
  /** Models that graders ask, and where the manifest names them. */
  readonly asked: readonly { readonly ref: ModelRef; readonly place: Place }[];
  readonly placeOf: (candidate: string) => Place;
}

/** Models that their provider switches off soon, or has switched off; each once. */
export function endingModels(
  { candidates, asked, placeOf }: NamedModels,
  now: number,
): readonly Problem[] {
  const own = candidates.flatMap((each) => {
    const ref = modelOf(each);
    return ref === undefined ? [] : [{ ref, place: placeOf(each.id) }];
  });
  const seen = new Set<string>();
  return [...own, ...asked].flatMap(({ ref: { model, name, provider }, place }) => {
    const end = retirementOf(provider.id, name);
    if (end === undefined || seen.has(model)) return [];
    seen.add(model);
    const days = daysUntil(end.date, now);
    if (days > warnedDays) return [];
    return [problem("model_ends", { model, provider: provider.id, days, ...end }, place)];
  });
}

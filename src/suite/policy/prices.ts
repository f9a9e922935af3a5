import { isDeepStrictEqual } from "node:util";
import { builtinPrices, priceOf, type Price } from "../../model/models/prices.ts";
import type { PolicyChange } from "../../model/outcomes/policy.ts";
import type { ModelRef } from "../../model/definition/suite.ts";
import type { Provider } from "../../model/models/providers.ts";
import type { CandidateSpec } from "../../model/definition/candidate-spec.ts";

/**
 * A candidate with the base's price for its tokens, because a rule may judge costs. The base's provider is the one with
 * the same name or address. A model that only the change has keeps the price that the change declares.
 */
export function withBasePrice(head: CandidateSpec, base: readonly CandidateSpec[]): CandidateSpec {
  const model = modelOf(head);
  const price = model && basePriceOf(model, base);
  if (model === undefined || price === undefined) return head;
  const { provider, name } = model;
  const priced = { ...provider, prices: { ...provider.prices, [name]: price } };
  if (head.kind === "model") return { ...head, provider: priced };
  if (head.kind !== "agent" || head.program.kind !== "model") return head;
  return { ...head, program: { ...head.program, provider: priced } };
}

/** Models to which the change gives another price than the base. */
export function priceChanges(
  base: readonly CandidateSpec[],
  head: readonly CandidateSpec[],
): readonly PolicyChange[] {
  return head.flatMap((each): readonly PolicyChange[] => {
    const model = modelOf(each);
    const price = model && basePriceOf(model, base);
    if (model === undefined || price === undefined) return [];
    if (isDeepStrictEqual(priceOf(model.provider, model.name), price)) return [];
    const note = `the price of \`${model.model}\` differs`;
    return [{ part: "candidates", task: null, effect: "changed", note }];
  });
}

/** The model that Regrade itself asks for a candidate. */
function modelOf(candidate: CandidateSpec): ModelRef | undefined {
  if (candidate.kind === "model") return candidate;
  if (candidate.kind !== "agent" || candidate.program.kind !== "model") return undefined;
  return candidate.program;
}

function basePriceOf(
  { provider, name }: ModelRef,
  base: readonly CandidateSpec[],
): Price | undefined {
  const known = base.flatMap((each) => modelOf(each)?.provider ?? []);
  const same = known.find((each) => isSame(each, provider));
  const prices = same?.prices ?? builtinPrices(provider.id);
  return priceOf({ prices }, name);
}

function isSame(one: Provider, other: Provider): boolean {
  return one.id === other.id || one.base_url === other.base_url;
}

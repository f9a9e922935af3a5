import { isDeepStrictEqual } from "node:util";
import { builtinPrices, priceOf } from "../../model/prices.ts";
import type { PolicyChange } from "../../model/policy.ts";
import type { CandidateSpec, Price, Provider } from "../../model/suite.ts";

type Model = Extract<CandidateSpec, { kind: "model" }>;

/**
 * A candidate whose tokens cost what the base says, because a rule may judge by it. The base's provider is the one of the
 * same name or address. What only the change knows has the price that it declares.
 */
export function withBasePrice(head: CandidateSpec, base: readonly CandidateSpec[]): CandidateSpec {
  const price = head.kind === "model" ? basePriceOf(head, base) : undefined;
  if (head.kind !== "model" || price === undefined) return head;
  const { provider, name } = head;
  return { ...head, provider: { ...provider, prices: { ...provider.prices, [name]: price } } };
}

/** Models to which the change gives another price than the base. */
export function priceChanges(
  base: readonly CandidateSpec[],
  head: readonly CandidateSpec[],
): readonly PolicyChange[] {
  return head.flatMap((each): readonly PolicyChange[] => {
    const price = each.kind === "model" ? basePriceOf(each, base) : undefined;
    if (each.kind !== "model" || price === undefined) return [];
    if (isDeepStrictEqual(priceOf(each.provider, each.name), price)) return [];
    const note = `the price of \`${each.model}\` differs`;
    return [{ part: "candidates", task: null, effect: "changed", note }];
  });
}

function basePriceOf({ provider, name }: Model, base: readonly CandidateSpec[]): Price | undefined {
  const known = base.flatMap((each) => (each.kind === "model" ? [each.provider] : []));
  const same = known.find((each) => isSame(each, provider));
  const prices = same?.prices ?? builtinPrices(provider.id);
  return priceOf({ prices }, name);
}

function isSame(one: Provider, other: Provider): boolean {
  return one.id === other.id || one.base_url === other.base_url;
}

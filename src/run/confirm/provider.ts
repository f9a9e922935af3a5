import { modelOf } from "../../model/definition/candidate-kinds.ts";
import { builtinPrices } from "../../model/models/prices.ts";
import { builtinProvider, type Provider } from "../../model/models/providers.ts";
import type { Suite } from "../../model/definition/suite.ts";

/** The provider from the first suite that declares it, otherwise the built-in one of that name. */
export function findProvider(
  id: string,
  suites: readonly (Suite | undefined)[],
): Provider | undefined {
  const known = suites.flatMap((suite) => (suite === undefined ? [] : providersOf(suite)));
  return known.find((each) => each.id === id) ?? asBuiltIn(id);
}

function providersOf({ candidates, judge_model, embedding_model }: Suite): readonly Provider[] {
  const asked = [judge_model, embedding_model].flatMap((ref) => (ref ? [ref.provider] : []));
  return [...candidates.flatMap((each) => modelOf(each)?.provider ?? []), ...asked];
}

function asBuiltIn(id: string): Provider | undefined {
  const found = builtinProvider(id);
  if (found?.base_url === undefined) return undefined;
  const { base_url, api, api_key_env, passthrough } = found;
  return { id, base_url, api, api_key_env, builtin: true, passthrough, prices: builtinPrices(id) };
}

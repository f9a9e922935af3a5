import type { Budget } from "../../src/model/definition/suite.ts";
import type { Price } from "../../src/model/models/prices.ts";
import type { CandidateSpec, Generation } from "../../src/model/definition/candidate-spec.ts";

type ModelSpec = Extract<CandidateSpec, { readonly kind: "model" }>;

/** A model at a provider with given prices. */
export function modelSpec(
  id: string,
  {
    prices = {},
    generation = {},
  }: { prices?: Record<string, Price>; generation?: Partial<Generation> } = {},
): ModelSpec {
  return {
    id,
    kind: "model",
    model: `local:${id}`,
    name: id,
    provider: {
      id: "local",
      base_url: "http://127.0.0.1:1/v1",
      api: "chat",
      api_key_env: undefined,
      builtin: false,
      passthrough: true,
      prices,
    },
    generation: { timeout_seconds: 10, max_retries: 2, max_empty_retries: 0, ...generation },
  };
}

export const commandSpec: CandidateSpec = {
  id: "app",
  kind: "command",
  command: ["app"],
  inputs: [],
  env: [],
  pass: [],
  timeout_seconds: 10,
};

export const noBudget: Budget = { usd: undefined, tokens: undefined, minutes: undefined };

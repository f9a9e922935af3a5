import type { Provider } from "../../../src/model/models/providers.ts";
import type { Generation } from "../../../src/model/definition/candidate-spec.ts";
import type { ModelSpec } from "../../../src/model/definition/candidate-kinds.ts";

interface Told {
  readonly provider?: Partial<Provider>;
  readonly generation?: Partial<Generation>;
}

/** A model of a provider that is compatible with OpenAI's and is not OpenAI. */
export function modelSpec({ provider = {}, generation = {} }: Told = {}): ModelSpec {
  const whole: Provider = {
    id: "local",
    base_url: "http://127.0.0.1:1/v1",
    api: "chat",
    api_key_env: "LOCAL_KEY",
    builtin: false,
    passthrough: true,
    prices: {},
    ...provider,
  };
  return {
    id: "main",
    kind: "model",
    model: `${whole.id}:m-1`,
    provider: whole,
    name: "m-1",
    generation: { timeout_seconds: 10, max_retries: 0, max_empty_retries: 0, ...generation },
  };
}

export const openai = { id: "openai", passthrough: false, builtin: true } as const;

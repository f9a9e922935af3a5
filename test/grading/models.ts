import type { AskModel, ModelAsk, ModelReply } from "../../src/model/ports/bridge.ts";
import type { ModelRef } from "../../src/model/definition/suite.ts";
import type { GraderModels } from "../../src/model/definition/graders.ts";
import type { Provider } from "../../src/model/models/providers.ts";
import type { RunModels } from "../../src/grading/bridge-models.ts";

export function ref(model: string, provider: Partial<Provider> = {}): ModelRef {
  const id = model.slice(0, model.indexOf(":"));
  return {
    model,
    name: model.slice(id.length + 1),
    provider: {
      id,
      base_url: "http://127.0.0.1:1/v1",
      api: "responses",
      api_key_env: "LOCAL_KEY",
      builtin: false,
      passthrough: false,
      prices: {},
      ...provider,
    },
  };
}

export const judge = ref("openai:judge-1");
export const embedding = ref("openai:embed-1");

export const limits: GraderModels = {
  max_calls: 4,
  allow_models: [],
  allow_tools: false,
  allow_urls: false,
};

/** What a model says whose every answer is the same. */
export const said: ModelReply = {
  kind: "answered",
  response: { id: "resp_1", output_text: "yes", model: "judge-1" },
  usage: {
    input_tokens: 10,
    output_tokens: 1,
    cached_tokens: 0,
    reasoning_tokens: 0,
    usd: 0.5,
  },
};

const inTurn: RunModels["inTurn"] = (execute) => execute();
const hashText = (text: string): string => text;

/** Models of a run that answer as told, and what they were asked. */
export function models(
  reply: (ask: ModelAsk, index: number) => ModelReply | Promise<ModelReply> = () => said,
  more: Partial<RunModels> = {},
): { readonly run: RunModels; readonly asked: ModelAsk[] } {
  const asked: ModelAsk[] = [];
  const ask: AskModel = async (each) => {
    asked.push(each);
    return reply(each, asked.length - 1);
  };
  const run = { judge, embedding, candidates: [], ask, inTurn, now: () => 0, hashText, ...more };
  return { run, asked };
}

import type { JsonObject } from "../../model/json.ts";
import { responsesInput } from "./input-responses.ts";
import type { ModelPrompt } from "./request-chat.ts";
import {
  passthroughFields,
  settingsFor,
  stopsToSend,
  written,
  type ModelSpec,
} from "./settings.ts";

/**
 * The body of a request to the Responses API, by prompt (https://developers.openai.com/api/reference, "Create a model
 * response"). OpenAI's own has no `stop`: the text is cut afterwards. It would keep prompts and answers for 30 days:
 * `store: false` asks it not to.
 */
export function responsesRequest(spec: ModelSpec): (asked: ModelPrompt) => JsonObject {
  const settings = settingsFor(spec);
  const { provider, name } = spec;
  const { instructions, temperature, top_p, max_output_tokens } = settings;
  const { tools, tool_choice, parallel_tool_calls, max_tool_calls } = settings;
  const { reasoning, text, truncation, service_tier } = settings;
  const { presence_penalty, frequency_penalty } = settings;
  const stop = provider.passthrough ? stopsToSend(provider, settings.stop) : undefined;
  const fields = {
    ...written({ instructions, temperature, top_p, max_output_tokens, stop }),
    ...written({ tools, tool_choice, parallel_tool_calls, max_tool_calls }),
    ...written({ reasoning, text, truncation, service_tier, presence_penalty, frequency_penalty }),
    ...(provider.passthrough ? passthroughFields(settings) : { store: false }),
  };
  return ({ prompt, messages, instructions: own }) => ({
    model: name,
    input: messages ? responsesInput(messages) : prompt,
    ...fields,
    ...(own !== undefined && { instructions: own }),
  });
}

import { readChatAnswer } from "./answer-chat.ts";
import { readResponsesAnswer } from "./answer-responses.ts";
import type { ModelAnswer } from "./answer.ts";
import { createPost, type Access, type NoAnswer } from "./post.ts";
import { chatRequest, responsesRequest, type ModelPrompt } from "./request.ts";
import type { ModelSpec } from "../../model/definition/candidate-kinds.ts";

export interface PromptRequest extends ModelPrompt {
  readonly signal: AbortSignal;
}

/** Calls the model once; problems of the provider are retried within the call. */
export type SendPrompt = (asking: PromptRequest) => Promise<ModelEnd>;

type Answer = Exclude<ModelAnswer, { readonly kind: "malformed" }>;

export type ModelEnd = Answer | NoAnswer;

/** Makes a function that calls a candidate's model. */
export function createSendPrompt(spec: ModelSpec, access: Access): SendPrompt {
  const isChat = spec.provider.api === "chat";
  const bodyOf = isChat ? chatRequest(spec) : responsesRequest(spec);
  const settings = `'generation' or the settings of candidates.${spec.id}`;
  const post = createPost<Answer>(
    {
      model: spec,
      path: isChat ? "chat/completions" : "responses",
      read: isChat ? readChatAnswer : readResponsesAnswer,
      patience: spec.generation,
      places: { model: `the model of candidates.${spec.id}`, settings },
    },
    access,
  );
  return ({ signal, ...asked }) => post(bodyOf(asked), signal);
}

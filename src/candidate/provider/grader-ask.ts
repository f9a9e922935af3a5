import type { JsonObject } from "../../model/json.ts";
import type { AskModel, ModelAsk, ModelReply } from "../../model/ports/bridge.ts";
import type { Clock } from "../../model/ports/clock.ts";
import type { AdaptiveSlots } from "../../model/ports/slots.ts";
import type { Environment } from "../../model/ports/processes.ts";
import type { SendHttp } from "../../model/ports/http.ts";
import { priceOf } from "../../model/models/prices.ts";
import type { ModelRef } from "../../model/definition/suite.ts";
import type { Provider } from "../../model/models/providers.ts";
import type { Traffic, TrafficControl } from "../resilience/traffic.ts";
import type { SentRequest, NotAnswered } from "./classify.ts";
import { chatBody, type Body } from "./grader-chat.ts";
import { readChatReply, readEmbeddings, readResponse, type Reply } from "./grader-reply.ts";
import { findKey } from "./key.ts";
import { createPost, type Endpoint } from "./post.ts";
import { priced } from "./usage.ts";

interface GraderAskTools {
  /** The environment in which Regrade was started, with the keys. */
  readonly environment: Environment;
  readonly sendHttp: SendHttp;
  readonly clock: Clock;
  readonly trafficOf: TrafficControl["of"];
}

/** Time limit and retries of graders' requests: the manifest's defaults for candidates. */
const graderPatience = { timeout_seconds: 120, max_retries: 2 } as const;

/**
 * Sends graders' requests to models in the same way as candidates' requests: with the run's key, and the provider's
 * retries, pauses and limits. The Responses API receives them unchanged; for Chat Completions they are translated.
 */
export function createGraderAsk(tools: GraderAskTools): {
  readonly ask: AskModel;
  /** The slots that all requests to the model's provider share, with the run's key. */
  readonly slotsOf: (model: ModelRef) => AdaptiveSlots;
} {
  const posts = new Map<string, ReturnType<typeof openPost>>();
  const ask: AskModel = async ({ model, helper, request, signal }) => {
    const written = bodyOf({ model, helper, request });
    if ("refused" in written) return { kind: "refused", message: written.refused };
    const id = `${helper} ${model.model}`;
    const post = posts.get(id) ?? openPost({ model, helper }, tools);
    posts.set(id, post);
    if ("unavailable" in post) {
      return { kind: "halted", type: "key_missing", message: post.unavailable };
    }
    const end = await post.send(written.body, signal);
    if (end.kind === "not_answered") return notAnswered(end.generated, model);
    const { response, tokens } = end;
    const usage = tokens === null ? null : priced(tokens, priceOf(model.provider, model.name));
    return { kind: "answered", response, usage };
  };
  return { ask, slotsOf: ({ provider }) => trafficTo(provider, tools).slots };
}

type Helped = Pick<ModelAsk, "model" | "helper">;

function bodyOf({ model, helper, request }: Omit<ModelAsk, "signal">): Body {
  if (helper === "embeddings_create") return { body: { model: model.name, ...request } };
  if (model.provider.api === "chat") return chatBody(model, request);
  return { body: { model: model.name, ...request, ...forced } };
}

/** Fields that override the grader's: the answer is not streamed, and the provider stores it for audits. */
const forced = { stream: false, store: true, background: false } as const satisfies JsonObject;

function openPost(
  helped: Helped,
  tools: GraderAskTools,
): { readonly send: ReturnType<typeof createPost<Reply>> } | { readonly unavailable: string } {
  const { provider, model } = helped.model;
  const found = findKey(provider, tools.environment);
  if (found.kind === "missing" || found.kind === "malformed") {
    return {
      unavailable: `set ${found.variable} to a key of ${provider.id}, which ${model} needs`,
    };
  }
  const key = found.kind === "key" ? found.key : undefined;
  const { sendHttp, clock } = tools;
  const access = { key, sendHttp, clock, traffic: trafficTo(provider, tools) };
  return { send: createPost(endpointOf(helped), access) };
}

/** The traffic control shared with candidates of this provider and key. */
function trafficTo(provider: Provider, { environment, trafficOf }: GraderAskTools): Traffic {
  const found = findKey(provider, environment);
  return trafficOf(provider.id, found.kind === "key" ? found.key : "");
}

function endpointOf({ model, helper }: Helped): Endpoint<Reply> {
  const common = { model, patience: graderPatience, places: placesOf(model, helper) };
  if (helper === "embeddings_create") {
    return { ...common, path: "embeddings", read: readEmbeddings };
  }
  return model.provider.api === "chat"
    ? { ...common, path: "chat/completions", read: readChatReply }
    : { ...common, path: "responses", read: readResponse };
}

function placesOf({ model }: ModelRef, helper: ModelAsk["helper"]): SentRequest["places"] {
  const key = helper === "embeddings_create" ? "run.embedding_model" : "run.judge_model";
  return {
    model: `${model} where the manifest names it (${key}, allow_models) or in the grader`,
    settings: `what the grader gives to ctx.${helper}`,
  };
}

/**
 * The reply if there was no answer. Errors that the request caused are raised in the grader, which can fix them: a
 * setting that the model does not accept, a text that is too long, a form that the provider rejects. All others count
 * as unavailable.
 */
function notAnswered({ kind, type, message }: NotAnswered, { model }: ModelRef): ModelReply {
  if (["setting_refused", "context_overflow", "rejected"].includes(type)) {
    return { kind: "refused", message: `${model}: ${message}` };
  }
  return { kind: kind === "halted" ? "halted" : "unavailable", type, message };
}

import type { Clock, HttpEnd, HttpRequest, SendHttp } from "../../domain/ports.ts";
import { retrying, tooLongToWait } from "../resilience/retrying.ts";
import type { Traffic } from "../resilience/traffic.ts";
import type { ModelAnswer } from "./answer.ts";
import { classify, type Asked, type NotAnswered } from "./classify.ts";
import { chatRequest } from "./request-chat.ts";
import { responsesRequest } from "./request-responses.ts";
import type { ModelSpec } from "./settings.ts";
import { readEnd, type ReadEnd } from "./true-status.ts";

export interface Asking {
  readonly prompt: string;
  readonly signal: AbortSignal;
}

/** Asks once, retries of the provider's trouble included. */
export type Ask = (asking: Asking) => Promise<ModelEnd>;

export type ModelEnd =
  | Exclude<ModelAnswer, { readonly kind: "malformed" }>
  | { readonly kind: "not_answered"; readonly generated: NotAnswered };

interface Access {
  readonly key: string | undefined;
  readonly sendHttp: SendHttp;
  readonly clock: Clock;
  readonly traffic: Traffic;
}

/** A way to ask the model of a candidate. */
export function createAsk(spec: ModelSpec, { key, sendHttp, clock, traffic }: Access): Ask {
  const { provider, generation } = spec;
  const bodyOf = provider.api === "chat" ? chatRequest(spec) : responsesRequest(spec);
  const request = {
    method: "POST",
    url: addressOf(spec),
    headers: headersOf(spec, key),
    timeoutSeconds: generation.timeout_seconds,
  };
  const asked = {
    ...askedOf(spec),
    key,
    tooLong: (end: HttpEnd) => tooLongToWait(end, clock.now()),
  };
  const { send, answerOf } = createReadingSend(sendHttp, spec);
  const sendAgain = retrying(send, {
    ...clock,
    maxRetries: generation.max_retries,
    repeats: "harmless",
    traffic,
  });
  return async ({ prompt, signal }) => {
    const end = await sendAgain({ ...request, body: JSON.stringify(bodyOf(prompt)), signal });
    return answerOf(end) ?? { kind: "not_answered", generated: classify(end, asked) };
  };
}

function askedOf({ id, provider, name }: ModelSpec): Omit<Asked, "key" | "tooLong"> {
  return {
    candidate: id,
    provider: provider.id,
    baseUrl: provider.base_url,
    model: name,
    keyVariable: provider.api_key_env,
  };
}

/** A base address may end in a slash, and have a query (Azure's `api-version`). */
function addressOf({ provider }: ModelSpec): string {
  const url = new URL(provider.base_url);
  const path = provider.api === "chat" ? "chat/completions" : "responses";
  url.pathname = `${url.pathname.replace(/\/+$/, "")}/${path}`;
  return url.href;
}

function headersOf({ provider }: ModelSpec, key: string | undefined): HttpRequest["headers"] {
  const json = { "content-type": "application/json", accept: "application/json" };
  const common = { ...lowerCase(provider.headers ?? {}), ...json };
  if (key === undefined) return common;
  // Azure's own header, which it has always taken: learn.microsoft.com/azure/ai-foundry/openai/reference.
  const auth = provider.id === "azure" ? { "api-key": key } : { authorization: `Bearer ${key}` };
  return { ...common, ...auth };
}

/** So that no header is sent twice under two spellings. */
function lowerCase(headers: HttpRequest["headers"]): HttpRequest["headers"] {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]),
  );
}

/** Sends, and looks into what comes back, once: the retries see its true status, the sample its answer. */
function createReadingSend(
  sendHttp: SendHttp,
  { provider }: ModelSpec,
): { readonly send: SendHttp; readonly answerOf: (end: HttpEnd) => ReadEnd["answer"] } {
  const answers = new WeakMap<HttpEnd, ReadEnd["answer"]>();
  return {
    send: async (request) => {
      const { end, answer } = readEnd(await sendHttp(request), provider.api);
      answers.set(end, answer);
      return end;
    },
    answerOf: (end) => answers.get(end),
  };
}

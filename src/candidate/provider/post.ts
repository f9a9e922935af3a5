import type { Clock } from "../../model/ports/clock.ts";
import type { HttpEnd, HttpRequest, SendHttp } from "../../model/ports/http.ts";
import type { JsonObject } from "../../model/json.ts";
import type { ModelRef } from "../../model/definition/suite.ts";
import type { Provider } from "../../model/models/providers.ts";
import { retrying, tooLongToWait } from "../resilience/retrying.ts";
import type { Traffic } from "../resilience/traffic.ts";
import { classify, type SentRequest, type NotAnswered } from "./classify.ts";
import { readEnd, type ReadAnswer } from "./true-status.ts";

/** An endpoint of a provider's API, and the reader of its answers. */
export interface Endpoint<Answer> {
  readonly model: ModelRef;
  /** Path after the base address. */
  readonly path: "responses" | "chat/completions" | "embeddings";
  readonly read: ReadAnswer<Answer>;
  readonly patience: { readonly timeout_seconds: number; readonly max_retries: number };
  readonly places: SentRequest["places"];
}

export interface Access {
  readonly key: string | undefined;
  readonly sendHttp: SendHttp;
  readonly clock: Clock;
  readonly traffic: Traffic;
}

export interface NoAnswer {
  readonly kind: "not_answered";
  readonly generated: NotAnswered;
}

/** Makes a function that posts a body and retries problems of the provider. */
export function createPost<Answer extends { readonly kind: string }>(
  endpoint: Endpoint<Answer>,
  access: Access,
): (body: JsonObject, signal: AbortSignal) => Promise<Answer | NoAnswer> {
  const { model, patience } = endpoint;
  const { key, clock, traffic } = access;
  const request = {
    method: "POST",
    url: addressOf(model.provider, endpoint.path),
    headers: headersOf(model.provider, key),
    timeoutSeconds: patience.timeout_seconds,
  };
  // The body is parsed once: the retries use the true status, the sample the answer.
  const send = (sent: HttpRequest): Promise<HttpEnd | Answered<Answer>> =>
    access.sendHttp(sent).then((end) => lookInto(end, endpoint.read));
  const options = { ...clock, maxRetries: patience.max_retries, traffic };
  const sendAgain = retrying(send, { ...options, repeats: "harmless" });
  const asked = askedOf(endpoint, access);
  return async (body, signal) => {
    const end = await sendAgain({ ...request, body: JSON.stringify(body), signal });
    if ("answer" in end) return end.answer;
    return { kind: "not_answered", generated: classify(end, asked) };
  };
}

function askedOf<Answer>({ model, places }: Endpoint<Answer>, { key, clock }: Access): SentRequest {
  const { provider, name } = model;
  return {
    places,
    provider: provider.id,
    baseUrl: provider.base_url,
    model: name,
    keyVariable: provider.api_key_env,
    key,
    tooLong: (end) => tooLongToWait(end, clock.now()),
  };
}

/** The full address. A base address may end in a slash, and have a query (Azure's `api-version`). */
function addressOf({ base_url }: Provider, path: string): string {
  const url = new URL(base_url);
  url.pathname = `${url.pathname.replace(/\/+$/, "")}/${path}`;
  return url.href;
}

function headersOf(provider: Provider, key: string | undefined): HttpRequest["headers"] {
  const json = { "content-type": "application/json", accept: "application/json" };
  const common = { ...lowerCase(provider.headers ?? {}), ...json };
  if (key === undefined) return common;
  // Azure's own header, which it has always accepted: learn.microsoft.com/azure/ai-foundry/openai/reference.
  const auth = provider.id === "azure" ? { "api-key": key } : { authorization: `Bearer ${key}` };
  return { ...common, ...auth };
}

/** Headers with lower-case names, so that no header is sent twice in two spellings. */
function lowerCase(headers: HttpRequest["headers"]): HttpRequest["headers"] {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]),
  );
}

type Answered<Answer> = HttpEnd & { readonly answer: Answer };

function lookInto<Answer extends { readonly kind: string }>(
  end: HttpEnd,
  read: ReadAnswer<Answer>,
): HttpEnd | Answered<Answer> {
  const { end: found, answer } = readEnd(end, read);
  return answer === undefined ? found : { ...found, answer };
}

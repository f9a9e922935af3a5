import type { Json, JsonObject } from "../model/json.ts";
import type { Generated, GenerateRequest, Pay } from "../model/models/candidate.ts";
import { priceOf } from "../model/models/prices.ts";
import type { Problem } from "../model/refusal.ts";
import type { Usage } from "../model/outcomes/sample.ts";
import type { SaidAnswer } from "./provider/answer.ts";
import {
  createSendPrompt,
  type SendPrompt,
  type PromptRequest,
  type ModelEnd,
} from "./provider/ask.ts";
import { conversationKey } from "./conversation.ts";
import { findKey, keyProblems } from "./provider/key.ts";
import { cutAtStop } from "./provider/stop.ts";
import { addTokens, priced, type TokenCount } from "./provider/usage.ts";
import type { CandidateTools, OpenedCandidate } from "./open.ts";
import type { ModelSpec } from "../model/definition/candidate-kinds.ts";

/** Requests in flight if the manifest says `auto` and the provider's limit is unknown. */
const modelConcurrency = 25;

/**
 * Opens a model behind an API that is compatible with OpenAI's. The official `openai` package (7.57) is not used: with
 * 25 requests in flight against a loopback server it handled a quarter of the requests per second with five times the
 * processor time, and it retries by its own rules.
 */
export async function openModel(spec: ModelSpec, tools: CandidateTools): Promise<OpenedCandidate> {
  const { key, problems } = keyOf(spec, tools);
  if (problems.length > 0) return { problems };
  const traffic = tools.trafficOf(spec.provider.id, key ?? "");
  const { sendHttp, clock } = tools;
  const ask = createSendPrompt(spec, { key, sendHttp, clock, traffic });
  return {
    candidate: {
      id: spec.id,
      generate: ({ prompt, messages, instructions }, signal, pay = async () => true) =>
        generate(spec, ask, { prompt, messages, instructions, signal, pay }),
      concurrency: modelConcurrency,
      slots: traffic.slots,
      costly: true,
      cacheKey: cacheKeyOf(spec),
      price: (tokens) => priced(tokens, priceOf(spec.provider, spec.name)),
      close: async () => undefined,
    },
    hash: hashOf(spec),
  };
}

/** Everything that determines the answers. It never contains the key. */
function hashOf({ provider, name, generation }: ModelSpec): Json {
  const { id, base_url, api, headers = {} } = provider;
  const asked = { id, base_url, api, headers };
  return { kind: "model", provider: asked, name, generation: { ...generation } };
}

/**
 * The key under which an answer is kept: it may be reused as long as all of this is the same. Time limits and retries
 * are not part of it.
 */
function cacheKeyOf({ provider, name, generation }: ModelSpec): (request: GenerateRequest) => Json {
  const { id, base_url, api, passthrough, headers = {} } = provider;
  const asked = { id, base_url, api, passthrough, headers };
  const settings = Object.fromEntries(
    Object.entries(generation).filter(([setting]) => !patience.includes(setting)),
  );
  return ({ prompt, repeat, instructions, ...request }) => ({
    kind: "model",
    provider: asked,
    name,
    settings: instructions === undefined ? settings : { ...settings, instructions },
    prompt,
    repeat,
    ...conversationKey(request),
  });
}

const patience: readonly string[] = ["timeout_seconds", "max_retries", "max_empty_retries"];

/** The provider's key, which is undefined if it needs none, or the problems with it. */
function keyOf(
  spec: ModelSpec,
  { environment, place }: CandidateTools,
): { readonly key: string | undefined; readonly problems: readonly Problem[] } {
  const found = findKey(spec.provider, environment);
  const problems = keyProblems(spec, found, place(["candidates", spec.id]));
  return { key: found.kind === "key" ? found.key : undefined, problems };
}

/**
 * Asks until there is a non-empty answer, `max_empty_retries` are used up, or the budget is spent. All attempts count
 * as usage, each as soon as it arrives.
 */
async function generate(
  spec: ModelSpec,
  ask: SendPrompt,
  { pay, ...asking }: PromptRequest & { readonly pay: Pay },
): Promise<Generated> {
  let tokens: TokenCount | null = null;
  for (let retries = 0; ; retries += 1) {
    const end = await ask(asking);
    if (end.kind === "not_answered") return generatedOf(end, spec, tokens);
    tokens = addTokens(tokens, end.tokens);
    const isOver = !isEmpty(end, spec) || retries >= spec.generation.max_empty_retries;
    const mayGoOn = (await pay(usageOf(end.tokens, spec), !isOver)) && !asking.signal.aborted;
    if (isOver || !mayGoOn) return generatedOf(isOver ? end : cutShort, spec, tokens);
  }
}

/** The result if the run stops after an empty answer. Retries were left, so the model itself has not failed. */
const cutShort: ModelEnd = {
  kind: "not_answered",
  generated: {
    kind: "unavailable",
    type: "cancelled",
    message:
      "the run was stopped before the model, which had answered with nothing, was asked again",
  },
};

function usageOf(tokens: TokenCount | null, { provider, name }: ModelSpec): Usage | null {
  return tokens === null ? null : priced(tokens, priceOf(provider, name));
}

/** Types of output items that ask the caller to act or to approve: an answer that has no text. */
const calls: readonly string[] = [
  "tool_call",
  "computer_call",
  "local_shell_call",
  "shell_call",
  "apply_patch_call",
  "mcp_approval_request",
];

function isEmpty(end: ModelEnd, { generation }: ModelSpec): boolean {
  if (end.kind !== "said" || end.transcript.some(isCall)) return false;
  return cutAtStop(end.text, generation.stop).trim() === "";
}

function isCall({ type }: JsonObject): boolean {
  return typeof type === "string" && calls.includes(type);
}

function generatedOf(end: ModelEnd, spec: ModelSpec, tokens: TokenCount | null): Generated {
  const usage = usageOf(tokens, spec);
  const cost = usage === null ? {} : { usage };
  switch (end.kind) {
    case "not_answered":
      return { ...end.generated, ...cost };
    case "refused": {
      const { type, message, transcript, responseId } = end;
      return { kind: "refused", type, message, ...transcriptOf(transcript), responseId, ...cost };
    }
    case "said": {
      const outputText = cutAtStop(end.text, spec.generation.stop);
      const { responseId } = end;
      const about = { ...transcriptOf(end.transcript, cutOffOf(end, outputText)), responseId };
      return isEmpty(end, spec)
        ? {
            kind: "failed",
            type: "empty_answer",
            message: emptyWords(end, spec),
            ...about,
            ...cost,
          }
        : { kind: "answered", outputText, ...about, ...thoughtsOf(end), usage };
    }
  }
}

function thoughtsOf({ thoughts }: SaidAnswer): Pick<SaidAnswer, "thoughts"> {
  return thoughts === undefined ? {} : { thoughts };
}

/**
 * The reason why the answer was cut off. A text that ends at a stop sequence is complete, wherever the provider
 * stopped; a call is not.
 */
function cutOffOf(
  { text, cutOff, transcript }: SaidAnswer,
  outputText: string,
): string | undefined {
  return outputText === text || transcript.some(isCall) ? cutOff : undefined;
}

function transcriptOf(
  transcript: readonly JsonObject[],
  cutOff?: string,
): { readonly incomplete: boolean; readonly transcript: readonly JsonObject[] | null } {
  const all =
    cutOff === undefined ? transcript : [...transcript, { type: "incomplete", reason: cutOff }];
  return { incomplete: cutOff !== undefined, transcript: all.length === 0 ? null : all };
}

function emptyWords({ text, cutOff }: SaidAnswer, { generation }: ModelSpec): string {
  const times = generation.max_empty_retries + 1;
  const often = times === 1 ? "" : `, ${times} times`;
  if (text.trim() !== "") return `the answer begins with a stop sequence${often}: see 'stop'`;
  return cutOff === "max_output_tokens"
    ? `the token limit was used up before the model said anything${often}: raise max_output_tokens, or ask for less reasoning`
    : `the model answered with nothing${often}`;
}

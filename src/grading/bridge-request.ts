import { isJsonObject, type Json, type JsonObject } from "../model/json.ts";
import { nearest } from "../base/nearest.ts";
import type { ModelCall } from "../model/ports/bridge.ts";
import type { ModelRef } from "../model/definition/suite.ts";
import type { GraderModels } from "../model/definition/graders.ts";

/** Rules for checking a request. */
interface RequestRules extends Pick<GraderModels, "allow_tools" | "allow_urls"> {
  readonly helper: ModelCall["helper"];
  readonly model: ModelRef;
  /** Ids of this execution's earlier responses: only these can be continued. */
  readonly responseIds: ReadonlySet<string>;
}

/** More than any model reads: about three million tokens. */
const mostCharacters = 8_000_000;

/**
 * A grader's request as it may be sent, or a sentence with the reason why not. *Not* blocked: addresses and anything else
 * in texts; the model reads them, but without tools nothing fetches them.
 */
export function checkRequest(
  given: JsonObject,
  rules: RequestRules,
): { readonly request: JsonObject } | { readonly refused: string } {
  const { model: _model, ...rest } = given;
  const fields = Object.entries(rest).filter(([name, value]) => !isIdle(name, value));
  const request = Object.fromEntries(fields);
  const refused =
    fields.map(([name]) => nameComplaint(name, rules)).find((each) => each !== undefined) ??
    inputComplaint(request, rules) ??
    toolComplaint(request, rules) ??
    historyComplaint(request, rules) ??
    (rules.allow_urls ? undefined : addressComplaint(request["input"] ?? null, "input"));
  return refused === undefined ? { request } : { refused: `ctx.${rules.helper}: ${refused}` };
}

/** Whether a field can be dropped: the run decides it for every request, or the value is the default. */
function isIdle(name: string, value: Json): boolean {
  if (["stream", "store", "background"].includes(name) || value === null) return true;
  return name === "tools" && Array.isArray(value) && value.length === 0;
}

/**
 * Fields of "Create a model response" (https://developers.openai.com/api/reference), without those that refer to stored
 * data or change the form of the answer.
 */
const responsesFields: readonly string[] = [
  "include",
  "input",
  "instructions",
  "max_output_tokens",
  "max_tool_calls",
  "metadata",
  "parallel_tool_calls",
  "previous_response_id",
  "prompt_cache_key",
  "prompt_cache_retention",
  "reasoning",
  "safety_identifier",
  "service_tier",
  "temperature",
  "text",
  "tool_choice",
  "tools",
  "top_logprobs",
  "top_p",
  "truncation",
  "user",
];

/** Parameters of "Create embeddings". */
const embeddingsFields: readonly string[] = ["dimensions", "encoding_format", "input", "user"];

/** Parameters of Chat Completions, and of servers that are compatible with OpenAI's. */
const chatFields: readonly string[] = ["stop", "presence_penalty", "frequency_penalty", "seed"];
const compatibleFields: readonly string[] = [
  ...chatFields,
  "top_k",
  "min_p",
  "repetition_penalty",
  "do_sample",
  "chat_template_kwargs",
];

const storedFields: readonly string[] = ["conversation", "prompt"];

function nameComplaint(name: string, { helper, model }: RequestRules): string | undefined {
  if (helper === "responses_create" && storedFields.includes(name)) {
    return `'${name}' names something that is stored at the provider: write its text into 'input' or 'instructions'`;
  }
  const { provider } = model;
  const own = provider.passthrough ? compatibleFields : [];
  const more = provider.api === "chat" ? [...own, ...chatFields] : own;
  const known = helper === "embeddings_create" ? embeddingsFields : [...responsesFields, ...more];
  if (known.includes(name)) return undefined;
  const meant = nearest(name, known);
  const hint = meant === undefined ? `it takes ${known.join(", ")}` : `did you mean '${meant}'?`;
  return `there is no '${name.slice(0, 100)}' in a request to ${model.model}: ${hint}`;
}

function inputComplaint(
  { input, instructions }: JsonObject,
  { helper }: RequestRules,
): string | undefined {
  if (input === undefined || input === "" || (Array.isArray(input) && input.length === 0)) {
    return "'input' is missing or empty: it is what the model is asked";
  }
  if (typeof input !== "string" && !Array.isArray(input)) {
    return `'input' must be a text or a list of ${helper === "embeddings_create" ? "texts" : "messages"}`;
  }
  if (instructions !== undefined && typeof instructions !== "string") {
    return "'instructions' must be a text";
  }
  return JSON.stringify(input).length > mostCharacters
    ? `'input' is longer than ${mostCharacters} characters, which no model reads`
    : undefined;
}

function toolComplaint(
  request: JsonObject,
  { allow_tools, ...rules }: RequestRules,
): string | undefined {
  if (rules.helper === "embeddings_create" || allow_tools) return undefined;
  const allow = "set allow_tools: true on the grader in the manifest if it is meant";
  if (request["tools"] !== undefined || isJsonObject(request["tool_choice"])) {
    return `tools can reach the network and stored files, and are refused: ${allow}`;
  }
  const { input } = request;
  const items = Array.isArray(input) ? input.filter(isJsonObject) : [];
  const other = items.find(({ type = "message" }) => !plainItems.includes(type));
  return other === undefined
    ? undefined
    : `an item of the type ${JSON.stringify(other["type"])} in 'input' belongs to a tool: ${allow}`;
}

/** Items that contain their text. `item_reference` is checked below. */
const plainItems: readonly Json[] = [
  "message",
  "reasoning",
  "function_call",
  "function_call_output",
  "item_reference",
];

/** Data stored in the provider's account may not be read, except for this execution's own responses. */
function historyComplaint(
  { input, previous_response_id: previous }: JsonObject,
  { responseIds }: RequestRules,
): string | undefined {
  const items = Array.isArray(input) ? input.filter(isJsonObject) : [];
  if (items.some(({ type }) => type === "item_reference")) {
    return "an item_reference names something that is stored at the provider: write the item itself";
  }
  if (previous === undefined) return undefined;
  return typeof previous === "string" && responseIds.has(previous)
    ? undefined
    : "'previous_response_id' must be the id of a response that this execution of the grader was given";
}

/** Addresses and file ids, which the provider would fetch: an image's address could carry a grader's data anywhere. */
function addressComplaint(value: Json, path: string): string | undefined {
  if (Array.isArray(value)) {
    return firstOf(value.map((each, i) => [`${path}[${i}]`, each] as const));
  }
  if (!isJsonObject(value)) return undefined;
  const fields = Object.entries(value);
  const found = fields.find(([name, each]) => isAddress(name, each));
  if (found !== undefined) {
    return `${path}.${found[0]} names something that the provider would fetch: hand the content over as a data: URL (or file_data), or set allow_urls: true on the grader in the manifest`;
  }
  return firstOf(fields.map(([name, each]) => [`${path}.${name}`, each] as const));
}

function firstOf(parts: readonly (readonly [string, Json])[]): string | undefined {
  for (const [path, each] of parts) {
    const complaint = addressComplaint(each, path);
    if (complaint !== undefined) return complaint;
  }
  return undefined;
}

/** `image_url`, `file_url`, `url`, `file_id`, … with anything in it but the content itself. */
function isAddress(name: string, value: Json): boolean {
  if (/(?:^|_)(?:file_?ids?|container_id)$/i.test(name)) return value !== null && value !== "";
  if (!/(?:url|uri)s?$/i.test(name)) return false;
  const texts = Array.isArray(value) ? value : [value];
  return texts.some((each) => typeof each === "string" && each !== "" && !/^data:/i.test(each));
}

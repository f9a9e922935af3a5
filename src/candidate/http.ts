import { cutText } from "../base/cut-text.ts";
import { parseAnswer } from "../base/answer-json.ts";
import { valueText } from "../base/fields.ts";
import type { Json, JsonObject } from "../model/json.ts";
import type { Generated } from "../model/models/candidate.ts";
import type { HttpEnd, HttpRequest, SendHttp } from "../model/ports/http.ts";
import { type Place } from "../model/refusal.ts";
import { readToolCalls, type Transcript } from "../model/models/transcript.ts";
import type { CandidateSpec } from "../model/definition/candidate-spec.ts";
import { commandEnvironment } from "./environment.ts";
import { inContact } from "./contact.ts";
import { fieldsIn, fill, fillEvery, percentEncoded, type TemplateValues } from "./http-template.ts";
import { readPointer } from "../base/json-pointer.ts";
import type { CandidateTools, OpenedCandidate } from "./open.ts";
import { inputsProblems, programCacheKey } from "./program.ts";
import { chatMessagesOf } from "./provider/messages-chat.ts";
import { retrying } from "./resilience/retrying.ts";

type HttpSpec = Extract<CandidateSpec, { readonly kind: "http" }>;

/** Requests in flight if the manifest says `auto` and the app's limit is unknown. */
const httpConcurrency = 25;
/** Length of an answer's part in a failure message, in characters. */
const bodyShown = 300;

/** Opens the user's own app over HTTP. It may run on this machine; its errors are the candidate's failures. */
export async function openHttp(spec: HttpSpec, tools: CandidateTools): Promise<OpenedCandidate> {
  const place = (key: string): Place => tools.place(["candidates", spec.id, key]);
  const environment = commandEnvironment(spec.env, tools.environment, place("env"));
  const inputs = await tools.hashGlobs(spec.inputs, tools.suite);
  const { env } = environment;
  const problems = [...environment.problems, ...inputsProblems(inputs, place("inputs"))];
  if (problems.length > 0) return { problems };
  const variables = Object.fromEntries(spec.env.map((name) => [name, env[name] ?? ""]));
  const { send, slots } = openTraffic(spec, variables, tools);
  const { timeout_seconds, max_retries } = spec;
  const asked = askedOf(spec, inputs.files);
  return {
    candidate: {
      id: spec.id,
      generate: inContact(async ({ prompt, messages, fields }, signal) => {
        const list = messages && chatMessagesOf(messages);
        const request = requestOf(spec, { prompt, messages: list, fields, env: variables });
        if ("kind" in request) return request;
        return generatedOf(await send({ ...request, signal }), spec);
      }),
      concurrency: httpConcurrency,
      slots,
      costly: true,
      cacheKey: programCacheKey(spec, asked, env),
      close: async () => undefined,
    },
    hash: { ...asked, timeout_seconds, max_retries },
  };
}

/** The row fields that the request needs in addition to the prompt. */
export function fieldsOfHttp({ url, headers, body, pass }: HttpSpec): readonly string[] {
  return [...new Set([...pass, ...fieldsIn(url), ...fieldsIn(headers), ...fieldsIn(body)])];
}

/**
 * Opens the connection to the app. GET and HEAD change nothing on the other side (RFC 9110 §9.2.1); other methods may,
 * and are retried only if that is safe.
 */
function openTraffic(
  { url, method, max_retries }: HttpSpec,
  variables: Readonly<Record<string, string>>,
  { sendHttp, clock, trafficOf }: CandidateTools,
): { readonly send: SendHttp; readonly slots: ReturnType<CandidateTools["trafficOf"]>["slots"] } {
  const origin = URL.parse(fill(url, noValues))?.origin ?? url;
  const traffic = trafficOf(origin, JSON.stringify(variables));
  const repeats = /^(?:GET|HEAD)$/.test(method) ? "harmless" : "may_act";
  const options = { ...clock, maxRetries: max_retries, repeats, traffic } as const;
  return { send: retrying(sendHttp, options), slots: traffic.slots };
}

const noValues: TemplateValues = { prompt: "", fields: {}, env: {} };

/** The parts of a request that determine the answers: the templates, but not the values of variables. */
function askedOf(
  { url, method, headers, body = null, output, tool_calls, env, pass }: HttpSpec,
  inputs: Readonly<Record<string, string>>,
): JsonObject {
  const calls = tool_calls === undefined ? {} : { tool_calls };
  return { kind: "http", url, method, headers, body, output, ...calls, inputs, env, pass };
}

/**
 * Builds the request for one sample, or explains why it can't be made. A body that is a text is sent as it is, any
 * other as JSON.
 */
function requestOf(
  spec: HttpSpec,
  values: TemplateValues,
): Omit<HttpRequest, "signal"> | Generated {
  const filled = spec.body === undefined ? undefined : fillEvery(spec.body, values);
  const headers = headersOf(spec, values, filled);
  const wrong = Object.keys(headers).find((name) => !isSendable(name, headers[name] ?? ""));
  if (wrong !== undefined) {
    const message = `the header '${wrong}' would hold a line break or another character that no header may: send it in the body`;
    return failedAnswer("header_invalid", message);
  }
  const url = fill(spec.url, values, percentEncoded);
  if (dotSegment.test(url) && !dotSegment.test(spec.url)) {
    const message =
      "a value would stand in the address as '.' or '..', which leads to another path: send it in the query or the body";
    return failedAnswer("url_invalid", message);
  }
  return {
    method: spec.method,
    url,
    headers,
    body: typeof filled === "string" ? filled : textOfBody(filled),
    timeoutSeconds: spec.timeout_seconds,
  };
}

/**
 * Dot segments in a path. URL parsers remove them together with the segment before:
 * https://url.spec.whatwg.org/#double-dot-path-segment.
 */
const dotSegment = /^[^?#]*\/(?:\.|%2e){1,2}(?:[/?#]|$)/i;

function textOfBody(body: Json | undefined): string | undefined {
  return body === undefined ? undefined : JSON.stringify(body);
}

function headersOf(
  spec: HttpSpec,
  values: TemplateValues,
  body: Json | undefined,
): Readonly<Record<string, string>> {
  const own = Object.entries(spec.headers).map(([name, text]) => [
    name.toLowerCase(),
    fill(text, values).trim(),
  ]);
  const type = typeof body === "string" ? "text/plain; charset=utf-8" : "application/json";
  const told = body === undefined ? {} : { "content-type": type };
  return { accept: "application/json", ...told, ...Object.fromEntries(own) };
}

/** True for a valid header. By RFC 9110 §5.1 and §5.5 other characters would be refused, or end the header early. */
function isSendable(name: string, value: string): boolean {
  return /^[!#$%&'*+\-.^_`|~\dA-Za-z]+$/.test(name) && /^[\t\x20-\x7E\x80-\xFF]*$/.test(value);
}

function generatedOf(end: HttpEnd, spec: HttpSpec): Generated {
  switch (end.kind) {
    case "cancelled":
      return { kind: "unavailable", type: "cancelled", message: "the run was stopped" };
    case "failed":
      return failedExchange(end, spec);
    case "response":
      return end.status >= 200 && end.status < 300 ? answered(end.body, spec) : failedStatus(end);
  }
}

/**
 * The result of a failed exchange. A slow, oversized or non-HTTP answer is the app's own failure; `inContact` decides
 * about an app that could not be reached.
 */
function failedExchange(
  { type, message }: Extract<HttpEnd, { readonly kind: "failed" }>,
  { timeout_seconds }: HttpSpec,
): Generated {
  switch (type) {
    case "timeout":
      return failedAnswer(type, `no answer within ${timeout_seconds} s (timeout_seconds)`);
    case "response_too_large":
    case "bad_response":
      return failedAnswer(type, message);
    case "connection_reset":
    case "connection_refused":
    case "name_not_resolved":
    case "tls":
    case "network":
    case "open_files_limit":
      return { kind: "unavailable", type, message };
  }
}

function failedStatus({
  status,
  headers,
  body,
}: Extract<HttpEnd, { readonly kind: "response" }>): Generated {
  const isRedirect = status >= 300 && status < 400;
  const where = isRedirect ? ` to ${headers["location"] ?? "nowhere"}, which is not followed` : "";
  const said = shorten(body);
  const words = `status ${status}${where}${said === "" ? "" : `: ${said}`}`;
  return failedAnswer(isRedirect ? "redirected" : `http_${status}`, words);
}

function answered(body: string, { output, tool_calls }: HttpSpec): Generated {
  const calls = tool_calls === undefined ? [] : callsAt(body, tool_calls);
  if ("kind" in calls) return calls;
  const said = output === "" ? body : pointedAt(body, output);
  const isCall = typeof said !== "string" && said.type === "output_missing" && calls.length > 0;
  const found = isCall ? "" : said;
  if (typeof found !== "string") return found;
  return {
    kind: "answered",
    outputText: found,
    incomplete: false,
    transcript: calls.length === 0 ? null : calls,
    responseId: null,
    usage: null,
  };
}

/** The tool calls at the pointer; none if it points to nothing. */
function callsAt(body: string, pointer: string): Transcript | Failed {
  const parsed = parseAnswer(body, () => false);
  if (parsed.kind === "malformed") {
    const reason = `the answer is no JSON that can be read (${parsed.reason}): ${shorten(body)}`;
    return failedAnswer("bad_response", reason);
  }
  const calls = readToolCalls(readPointer(parsed.value, pointer));
  if (calls !== undefined) return calls;
  const words = `the value at ${pointer} is no list of {name, arguments}, or of the calls of Chat Completions`;
  return failedAnswer("tool_calls_malformed", `${words}: ${shorten(body)}`);
}

/** The text at the pointer: a number in its original spelling, an object or a list as JSON. */
function pointedAt(body: string, output: string): string | Failed {
  const keepsText = (plain: Json): boolean => typeof readPointer(plain, output) !== "string";
  const parsed = parseAnswer(body, keepsText);
  if (parsed.kind === "malformed") {
    return failedAnswer(
      "bad_response",
      `the answer is no JSON that can be read (${parsed.reason}): ${shorten(body)}`,
    );
  }
  const value = readPointer(parsed.value, output) ?? null;
  return value === null
    ? failedAnswer("output_missing", `the answer has nothing at ${output}: ${shorten(body)}`)
    : valueText(value);
}

interface Failed {
  readonly kind: "failed";
  readonly type: string;
  readonly message: string;
}

function failedAnswer(type: string, message: string): Failed {
  return { kind: "failed", type, message };
}

function shorten(text: string): string {
  const line = text.slice(0, 10_000).replaceAll(/\s+/g, " ").trim();
  return line.length > bodyShown ? `${cutText(line, bodyShown)}…` : line;
}

import { cutText } from "../../base/cut-text.ts";
import { parseAnswer } from "../../base/answer-json.ts";
import { isJsonObject, type Json, type JsonObject } from "../../model/json.ts";
import type { JsonText } from "../../base/json-text.ts";

/** An error in a provider's response. Missing parts are empty. */
export interface ProviderError {
  /** All codes that the provider gives: code, type, status, reasons. */
  readonly codes: readonly string[];
  /** The setting that the error is about. */
  readonly param: string;
  readonly message: string;
}

/** Parses the body of an answer as JSON, or returns the reason why it can't be read. */
export function bodyJson(body: string): JsonText {
  return parseAnswer(body, () => false);
}

/**
 * Reads the error in the body of an error response, in any known form; if there is none, the body's text is the
 * message.
 */
export function readError(body: string): ProviderError {
  const parsed = bodyJson(body);
  const json = parsed.kind === "json" ? parsed.value : undefined;
  return (
    errorIn(json) ?? { codes: [], param: "", message: json === undefined ? plain(body) : body }
  );
}

/**
 * The error in a body, undefined if there is none: `{error: {…}}` (OpenAI, Anthropic, OpenRouter), the same in a list
 * (Google), `{error: "…"}` (Ollama), `{object: "error", message, …}` (Mistral), `{detail: …}` (FastAPI, vLLM), an error
 * of the first choice (OpenRouter).
 */
export function errorIn(json: Json | undefined): ProviderError | undefined {
  if (Array.isArray(json)) return json.length === 1 ? errorIn(json[0]) : undefined;
  if (!isJsonObject(json)) return undefined;
  const { error, choices, detail } = json;
  if (isJsonObject(error)) return read(error);
  if (typeof error === "string" && error !== "") return { ...read(json), message: error };
  const first = Array.isArray(choices) ? choices[0] : undefined;
  if (isJsonObject(first) && isJsonObject(first["error"])) return read(first["error"]);
  if (json["object"] === "error" || json["type"] === "error") return read(json);
  return detail === undefined ? undefined : read({ ...json, message: detail });
}

function read(error: JsonObject): ProviderError {
  const { code, type, status, param, message, details, innererror } = error;
  const inner = isJsonObject(innererror) ? [innererror["code"]] : [];
  const reasons = (Array.isArray(details) ? details : []).filter(isJsonObject).flatMap(reasonsOf);
  const complaint = complaintIn(message);
  return {
    codes: [code, type, status, ...inner, ...reasons, complaint?.["type"]].flatMap(wordOf),
    param: typeof param === "string" ? param : fieldOf(complaint?.["loc"]),
    message: textOf(complaint?.["msg"] ?? message ?? error),
  };
}

/**
 * The first problem that FastAPI reports about a body: `{detail: [{type: "extra_forbidden", loc: ["body", "top_k"],
 * msg}]}`; Mistral nests it within `message`.
 */
function complaintIn(told: Json | undefined): JsonObject | undefined {
  const list = isJsonObject(told) ? told["detail"] : told;
  return Array.isArray(list) ? list.find(isJsonObject) : undefined;
}

function fieldOf(loc: Json | undefined): string {
  const steps = Array.isArray(loc) ? loc.flatMap(wordOf) : [];
  return steps.filter((step, i) => i > 0 || step !== "body").join(".");
}

/** Reasons in Google's error details: `ErrorInfo` has a reason, `QuotaFailure` lists the quotas that ran out. */
function reasonsOf({ reason, violations }: JsonObject): readonly (Json | undefined)[] {
  const quotas = Array.isArray(violations) ? violations.filter(isJsonObject) : [];
  return [reason, ...quotas.map((each) => each["quotaId"])];
}

function wordOf(value: Json | undefined): readonly string[] {
  return typeof value === "string" || typeof value === "number" ? [String(value)] : [];
}

function textOf(value: Json): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** The text of an HTML page without its tags. */
function plain(body: string): string {
  return body
    .slice(0, 10_000)
    .replaceAll(/<(?:style|script)\b.*?<\/(?:style|script)>|<[^>]*>/gis, " ");
}

const shown = 300;

/** Puts the text on one line, and cuts it. */
export function shorten(text: string): string {
  const line = text.replaceAll(/\s+/g, " ").trim();
  return line.length > shown ? `${cutText(line, shown)}…` : line;
}

import { tooDeepWords } from "../../base/answer-json.ts";
import { isJsonObject, type JsonObject } from "../../model/json.ts";
import type { HttpEnd, HttpResponse } from "../../model/ports/http.ts";
import type { Malformed } from "./answer.ts";
import { bodyJson, errorIn, shorten, type ProviderError } from "./provider-error.ts";

/** A result with the status that its body reports, and the answer if there is one. */
interface ReadEnd<Answer> {
  readonly end: HttpEnd;
  readonly answer?: Answer;
}

/** Reads the JSON object of an answer, or returns the reason why it does not belong to its API. */
export type ReadAnswer<Answer> = (json: JsonObject) => Answer | Malformed;

/**
 * Detects errors in a response with status 200, so that they are retried correctly: OpenRouter reports errors of its
 * models this way, and the Responses API its own (`status: failed`). If the body is not JSON (a gateway's HTML page,
 * half a body), or not the JSON that the API promises, something between answered, not the model: it is a bad response,
 * which is retried like a 502.
 */
export function readEnd<Answer extends { readonly kind: string }>(
  end: HttpEnd,
  readAnswer: ReadAnswer<Answer>,
): ReadEnd<Answer> {
  if (end.kind !== "response" || end.status < 200 || end.status >= 300) return { end };
  const parsed = bodyJson(end.body);
  if (parsed.kind === "malformed")
    return { end: badResponse(end, unreadableWords(parsed.reason, end)) };
  const json = parsed.value;
  const error = errorIn(json);
  if (error !== undefined) return { end: { ...end, status: statusOf(error) } };
  if (!isJsonObject(json)) return { end: badResponse(end, "JSON, but no object") };
  const answer = readAnswer(json);
  if (isMalformed(answer)) return { end: badResponse(end, `not an answer: ${answer.reason}`) };
  return { end, answer };
}

function unreadableWords(reason: string, { body }: HttpResponse): string {
  return reason === tooDeepWords
    ? `JSON that can't be read: ${reason}`
    : `no JSON: ${shorten(body)}`;
}

function isMalformed(answer: { readonly kind: string }): answer is Malformed {
  return answer.kind === "malformed";
}

function badResponse({ status }: HttpResponse, found: string): HttpEnd {
  const message = `status ${status}, and ${found}`;
  return { kind: "failed", type: "bad_response", message, sent: true };
}

/**
 * The status that an error in a 200 response should have had: its own number, else derived from its code
 * (`ResponseError.code`).
 */
function statusOf({ codes }: ProviderError): number {
  const own = codes.map(Number).find((code) => Number.isInteger(code) && code >= 400 && code < 600);
  if (own !== undefined) return own;
  if (codes.some((code) => /quota|billing/.test(code))) return 402;
  if (codes.some((code) => /rate_limit/.test(code))) return 429;
  return codes.some((code) => /^(?:invalid|unsupported)|policy|image/.test(code)) ? 400 : 500;
}

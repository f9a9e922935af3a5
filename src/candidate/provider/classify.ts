import type { Generated } from "../../model/models/candidate.ts";
import type { HttpEnd } from "../../model/ports/http.ts";
import { asksTooMuch } from "../resilience/repeatable.ts";
import { readError, shorten, type ProviderError } from "./provider-error.ts";

export type NotAnswered = Exclude<Generated, { readonly kind: "answered" }>;

/** The request that a failure message is about. */
export interface SentRequest {
  /** Positions of the model's name and of its settings in the manifest, for the hints. */
  readonly places: { readonly model: string; readonly settings: string };
  readonly provider: string;
  readonly baseUrl: string;
  readonly model: string;
  /** The variable that holds the key; undefined if there is none. */
  readonly keyVariable: string | undefined;
  readonly key: string | undefined;
  /** Seconds that the provider asks to wait, if a run would not wait that long; else undefined. */
  readonly tooLong: (end: HttpEnd) => number | undefined;
}

/**
 * Classifies a request that ended without an answer, after all retries. The provider's problems are `unavailable`; a
 * refusal caused by the prompt is the candidate's failure; a problem that every other request would meet stops the run.
 */
export function classify(end: HttpEnd, asked: SentRequest): NotAnswered {
  switch (end.kind) {
    case "cancelled":
      return { kind: "unavailable", type: "cancelled", message: "the run was stopped" };
    case "failed":
      return {
        kind: "unavailable",
        type: end.type,
        message: scrub(`${asked.provider} at ${hostOf(asked.baseUrl)}: ${end.message}`, asked),
      };
    case "response": {
      const error = readError(end.body);
      const found = kinds.find(({ holds }) => holds(end.status, error)) ?? rejected;
      const waits = found.kind === "unavailable" ? asked.tooLong(end) : undefined;
      const words = `${end.status}${messageAfterColon(error)}`;
      if (waits !== undefined) return halted(found.type, tooLongWords(words, waits, asked), asked);
      return {
        kind: found.kind,
        type: found.type,
        message: scrub(found.say({ words, asked, end, error }), asked),
      };
    }
  }
}

interface Case {
  readonly words: string;
  readonly asked: SentRequest;
  readonly end: Extract<HttpEnd, { readonly kind: "response" }>;
  readonly error: ProviderError;
}

interface Kind {
  readonly kind: NotAnswered["kind"];
  readonly type: string;
  readonly holds: (status: number, error: ProviderError) => boolean;
  readonly say: (found: Case) => string;
}

const rejected: Kind = {
  kind: "unavailable",
  type: "rejected",
  holds: () => true,
  say: ({ words, asked }) => `${asked.provider} rejected the request (${words})`,
};

/**
 * Kinds of refusals, of which the first match counts. The texts are those of the providers' error references, November
 * 2026.
 */
const kinds: readonly Kind[] = [
  {
    kind: "halted",
    type: "quota_exhausted",
    // Anthropic reports it with status 400, OpenAI with 429, most others with 402; Google's daily quota is not restored
    // within a run.
    holds: (status, error) =>
      status === 402 ||
      hasCode(error, /^insufficient_(?:user_)?quota$|^billing_|^access_terminated$|PerDay/) ||
      ([400, 403, 429].includes(status) &&
        /credit balance is too low|insufficient (?:balance|credits?|funds)|out of credits|specified API usage limits|free-models-per-day/i.test(
          error.message,
        )) ||
      isQuotaOfPlan(error),
    say: ({ words, asked }) =>
      `${asked.provider} has no quota left for ${keyOf(asked)} (${words}): add credit or raise the limit there, or ${setKey(asked, "a key that has some")}`,
  },
  {
    kind: "halted",
    type: "setting_refused",
    // The output limit alone exceeds what the model allows, however short the prompt is.
    holds: (status, error) => [400, 422].includes(status) && isLimitTooLarge(error),
    say: ({ words, asked }) =>
      `'${asked.model}' does not take a max_output_tokens of that size (${words}): change ${asked.places.settings}`,
  },
  {
    kind: "failed",
    type: "context_overflow",
    holds: (status, error) =>
      [400, 403, 413, 422].includes(status) &&
      (hasCode(error, overflowCodes) ||
        /context (?:length|window|size|limit)|maximum prompt length|prompt (?:is )?too long|input (?:is )?too long|too many (?:input )?tokens|token count .* exceeds|tokens?`? ?\+ ?`?max_(?:new_)?tokens|max_tokens parameter must be less/i.test(
          error.message,
        )),
    say: ({ words, asked }) => `the prompt is longer than ${asked.model} takes (${words})`,
  },
  {
    kind: "failed",
    type: "content_policy",
    holds: (status, error) =>
      [400, 403, 422].includes(status) &&
      (hasCode(error, /policy|PolicyViolation|^content_filter$|^invalid_prompt$|moderation/i) ||
        /content (?:management )?policy|usage (?:polic|guideline)|was flagged|requires moderation/i.test(
          error.message,
        )),
    say: ({ words, asked }) => `${asked.provider}'s policy does not allow the prompt (${words})`,
  },
  {
    kind: "halted",
    type: "unauthorized",
    // Google answers a wrong key with status 400.
    holds: (status, error) =>
      status === 401 ||
      (status < 404 && hasCode(error, /^(?:API_KEY_INVALID|invalid_api_key)$/)) ||
      (status === 400 && /missing or invalid authorization/i.test(error.message)),
    say: ({ words, asked }) =>
      `${asked.provider} does not accept ${keyOf(asked)} (${words}): ${setKey(asked, `a key that is valid for ${asked.baseUrl}`)}`,
  },
  {
    kind: "halted",
    type: "unknown_model",
    holds: (status, error) =>
      status === 404 ||
      hasCode(error, unknownModelCodes) ||
      (status === 400 && hasCode(error, /^model_not_available$/)) ||
      (status === 400 &&
        /not a valid model|invalid model|non-serverless model|model .*(?:does not exist|not found|decommissioned)/i.test(
          error.message,
        )),
    say: ({ words, asked }) =>
      `${asked.provider} has no model '${asked.model}' for this key at ${asked.baseUrl} (${words}): correct ${asked.places.model}, or the provider's base_url`,
  },
  {
    kind: "halted",
    type: "forbidden",
    holds: (status, error) =>
      status === 403 ||
      hasCode(error, /^organization_restricted$/) ||
      (status === 400 && /location is not supported/i.test(error.message)),
    say: ({ words, asked }) =>
      `${asked.provider} does not let ${keyOf(asked)} use '${asked.model}' from here (${words}): allow it there, or ${setKey(asked, "a key that may")}`,
  },
  {
    kind: "halted",
    type: "setting_refused",
    holds: (status, error) =>
      [400, 422].includes(status) &&
      (hasCode(
        error,
        /^(?:unsupported|unknown)_(?:parameter|value)$|^unknown_field$|^extra_forbidden$/,
      ) ||
        settingIn(error) !== ""),
    say: ({ words, asked, error }) =>
      `'${asked.model}' does not take ${settingWords(error)} (${words}): change ${asked.places.settings}`,
  },
  {
    kind: "unavailable",
    type: "request_too_large_for_quota",
    // The account's quota, not the model's context, is too small, so it is unknown what the model would have answered.
    holds: (status, error) => [413, 429].includes(status) && asksTooMuch(error.message),
    say: ({ words, asked }) =>
      `${asked.provider}'s quota for ${keyOf(asked)} is smaller than this one request (${words}): shorten the prompt, lower max_output_tokens, or raise the limit there`,
  },
  {
    kind: "unavailable",
    type: "rate_limited",
    holds: (status, error) => status === 429 || hasCode(error, /^rate_limit_exceeded$/),
    say: ({ words, asked }) => `${asked.provider} gets too many requests (${words})`,
  },
  {
    kind: "failed",
    type: "context_overflow",
    holds: (status) => status === 413,
    say: ({ words, asked }) => `the prompt is longer than ${asked.provider} takes (${words})`,
  },
  {
    kind: "unavailable",
    type: "timeout",
    holds: (status) => status === 408,
    say: ({ words, asked }) => `${asked.provider} took too long (${words})`,
  },
  {
    kind: "unavailable",
    type: "server_error",
    holds: (status) => status >= 500,
    say: ({ words, asked }) => `${asked.provider} failed (${words})`,
  },
  {
    kind: "unavailable",
    type: "redirected",
    holds: (status) => status >= 300 && status < 400,
    say: ({ words, asked, end }) =>
      `${asked.provider} redirects to ${shorten(end.headers["location"] ?? "nowhere")} (${words}), where the key is not sent: if that is right, make it the provider's base_url`,
  },
];

const unknownModelCodes =
  /^(?:model_not_found|model_decommissioned|invalid_model|DeploymentNotFound)$/;

/**
 * OpenAI's message for a used-up quota, which proxies return without its code. Google uses the same message for a
 * per-minute quota, which recovers.
 */
function isQuotaOfPlan(error: ProviderError): boolean {
  return (
    /exceeded your current quota.* check your plan and billing/i.test(error.message) &&
    !hasCode(error, /^RESOURCE_EXHAUSTED$/)
  );
}

const overflowCodes =
  /^(?:context_length_exceeded|exceed_context_size_error|string_above_max_length|request_too_large)$/;

/**
 * vLLM says "'max_tokens' or 'max_completion_tokens' is too large: 50000. This model's maximum context length is 4096
 * tokens …"; older versions say "This model's maximum context length is … (12 in the messages, 50000 in the
 * completion)".
 */
function isLimitTooLarge({ message }: ProviderError): boolean {
  const named = /max_(?:completion_)?tokens'? is too large: (\d+)|(\d+) in the completion/.exec(
    message,
  );
  const limit = named?.[1] ?? named?.[2];
  const most = /maximum context length is (\d+)/.exec(message)?.[1];
  return limit !== undefined && most !== undefined && Number(limit) >= Number(most);
}

/** Names of fields that hold the prompt, or that are not settings in the manifest. */
const noSettings = /^(?:messages|input|prompt|model)(?:$|[.[])/;

/**
 * Messages that name a refused setting, of providers without a field for it: OpenAI, Groq, Google, Anthropic, older
 * servers.
 */
const refusedSettings: readonly RegExp[] = [
  /unsupported (?:parameter|value): '([\w.]+)'/i,
  /unknown parameter: '([\w.[\]]+)'/i,
  /unrecognized request arguments? supplied: ([\w.]+)/i,
  /property '([\w.]+)' is unsupported/i,
  /unknown name "(\w+)"/i,
  /^([\w.]+): extra inputs are not permitted/i,
];

/** The refused setting; "" if the error is about something else, or does not name it. */
function settingIn({ param, message }: ProviderError): string {
  const named = refusedSettings.map((each) => each.exec(message)?.[1] ?? "");
  return [param, ...named].find((name) => name !== "" && !noSettings.test(name)) ?? "";
}

function settingWords(error: ProviderError): string {
  const setting = settingIn(error);
  return setting === "" ? "one of the settings" : `the setting '${setting}'`;
}

function hasCode({ codes }: ProviderError, pattern: RegExp): boolean {
  return codes.some((code) => pattern.test(code));
}

function messageAfterColon({ message }: ProviderError): string {
  const words = shorten(message);
  return words === "" ? "" : `: ${words}`;
}

function keyOf({ keyVariable }: SentRequest): string {
  return keyVariable === undefined ? "a request without a key" : `the key in ${keyVariable}`;
}

function setKey({ keyVariable, provider }: SentRequest, wanted: string): string {
  return keyVariable === undefined
    ? `name the variable that holds its key in providers.${provider}.api_key_env`
    : `set ${keyVariable} to ${wanted}`;
}

function tooLongWords(words: string, seconds: number, { provider }: SentRequest): string {
  return `${provider} wants to be left alone for ${seconds} s (${words}): continue then with --resume`;
}

function halted(type: string, message: string, asked: SentRequest): NotAnswered {
  return { kind: "halted", type, message: scrub(message, asked) };
}

function hostOf(url: string): string {
  return URL.parse(url)?.host ?? url;
}

/** Removes the key from a message: some providers repeat a key that they refuse. */
function scrub(message: string, { key }: SentRequest): string {
  return key === undefined || key === "" ? message : message.replaceAll(key, "***");
}

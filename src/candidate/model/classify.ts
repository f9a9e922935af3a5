import type { Generated, HttpEnd } from "../../domain/ports.ts";
import { readError, shorten, type ToldError } from "./told-error.ts";

export type NotAnswered = Exclude<Generated, { readonly kind: "answered" }>;

/** Whom the words of a failure are about. */
export interface Asked {
  /** Where the manifest names the model, and where its settings are, for the hints. */
  readonly places: { readonly model: string; readonly settings: string };
  readonly provider: string;
  readonly baseUrl: string;
  readonly model: string;
  /** The variable with the key; undefined: there is none. */
  readonly keyVariable: string | undefined;
  readonly key: string | undefined;
  /** Seconds that the provider wants to be left alone for, where that is more than a run waits. */
  readonly tooLong: (end: HttpEnd) => number | undefined;
}

/**
 * What an end without an answer means for the sample, after all retries. The provider's trouble is `unavailable`; what
 * the prompt made it refuse is the candidate's failure; what every other request would meet too stops the run.
 */
export function classify(end: HttpEnd, asked: Asked): NotAnswered {
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
      const words = `${end.status}${told(error)}`;
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
  readonly asked: Asked;
  readonly end: Extract<HttpEnd, { readonly kind: "response" }>;
  readonly error: ToldError;
}

interface Kind {
  readonly kind: NotAnswered["kind"];
  readonly type: string;
  readonly holds: (status: number, error: ToldError) => boolean;
  readonly say: (found: Case) => string;
}

const rejected: Kind = {
  kind: "unavailable",
  type: "rejected",
  holds: () => true,
  say: ({ words, asked }) => `${asked.provider} rejected the request (${words})`,
};

/** The first that holds. The words of providers are those of their error references, November 2026. */
const kinds: readonly Kind[] = [
  {
    kind: "halted",
    type: "quota_exhausted",
    // Anthropic has status 400 for it, OpenAI 429, most 402; Google's daily quota does not come back within a run.
    holds: (status, error) =>
      status === 402 ||
      has(error, /^insufficient_(?:user_)?quota$|^billing_|^access_terminated$|PerDay/) ||
      ([400, 403, 429].includes(status) &&
        /credit balance is too low|insufficient (?:balance|credits?|funds)|out of credits/i.test(
          error.message,
        )),
    say: ({ words, asked }) =>
      `${asked.provider} has no quota left for ${keyOf(asked)} (${words}): add credit or raise the limit there, or ${setKey(asked, "a key that has some")}`,
  },
  {
    kind: "failed",
    type: "context_overflow",
    holds: (status, error) =>
      [400, 403, 413, 422].includes(status) &&
      (has(error, /^(?:context_length_exceeded|string_above_max_length|request_too_large)$/) ||
        /context (?:length|window)|prompt (?:is )?too long|input (?:is )?too long|too many (?:input )?tokens|token count .* exceeds|tokens? ?\+ ?max_(?:new_)?tokens|max_tokens parameter must be less/i.test(
          error.message,
        )),
    say: ({ words, asked }) => `the prompt is longer than ${asked.model} takes (${words})`,
  },
  {
    kind: "failed",
    type: "content_policy",
    holds: (status, error) =>
      [400, 403, 422].includes(status) &&
      (has(error, /policy|PolicyViolation|^content_filter$|^invalid_prompt$|moderation/i) ||
        /content (?:management )?policy|usage polic|was flagged|requires moderation/i.test(
          error.message,
        )),
    say: ({ words, asked }) => `${asked.provider}'s policy does not allow the prompt (${words})`,
  },
  {
    kind: "halted",
    type: "unauthorized",
    // Google has status 400 for a wrong key.
    holds: (status, error) =>
      status === 401 || (status < 404 && has(error, /^(?:API_KEY_INVALID|invalid_api_key)$/)),
    say: ({ words, asked }) =>
      `${asked.provider} does not accept ${keyOf(asked)} (${words}): ${setKey(asked, `a key that is valid for ${asked.baseUrl}`)}`,
  },
  {
    kind: "halted",
    type: "unknown_model",
    holds: (status, error) =>
      status === 404 ||
      has(error, /^(?:model_not_found|invalid_model|DeploymentNotFound)$/) ||
      (status === 400 &&
        /not a valid model|invalid model|model .*(?:does not exist|not found)/i.test(
          error.message,
        )),
    say: ({ words, asked }) =>
      `${asked.provider} has no model '${asked.model}' for this key at ${asked.baseUrl} (${words}): correct ${asked.places.model}, or the provider's base_url`,
  },
  {
    kind: "halted",
    type: "forbidden",
    holds: (status) => status === 403,
    say: ({ words, asked }) =>
      `${asked.provider} does not let ${keyOf(asked)} use '${asked.model}' from here (${words}): allow it there, or ${setKey(asked, "a key that may")}`,
  },
  {
    kind: "halted",
    type: "setting_refused",
    holds: (status, error) =>
      [400, 422].includes(status) &&
      has(error, /^(?:unsupported|unknown)_(?:parameter|value)$|^unknown_field$/),
    say: ({ words, asked, error }) =>
      `'${asked.model}' does not take ${error.param === "" ? "one of the settings" : `the setting '${error.param}'`} (${words}): change ${asked.places.settings}`,
  },
  {
    kind: "unavailable",
    type: "rate_limited",
    holds: (status, error) => status === 429 || has(error, /^rate_limit_exceeded$/),
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

function has({ codes }: ToldError, pattern: RegExp): boolean {
  return codes.some((code) => pattern.test(code));
}

function told({ message }: ToldError): string {
  const words = shorten(message);
  return words === "" ? "" : `: ${words}`;
}

function keyOf({ keyVariable }: Asked): string {
  return keyVariable === undefined ? "a request without a key" : `the key in ${keyVariable}`;
}

function setKey({ keyVariable, provider }: Asked, wanted: string): string {
  return keyVariable === undefined
    ? `name the variable that holds its key in providers.${provider}.api_key_env`
    : `set ${keyVariable} to ${wanted}`;
}

function tooLongWords(words: string, seconds: number, { provider }: Asked): string {
  return `${provider} wants to be left alone for ${seconds} s (${words}): continue then with --resume`;
}

function halted(type: string, message: string, asked: Asked): NotAnswered {
  return { kind: "halted", type, message: scrub(message, asked) };
}

function hostOf(url: string): string {
  return URL.parse(url)?.host ?? url;
}

/** Some providers repeat the key that they don't accept. */
function scrub(message: string, { key }: Asked): string {
  return key === undefined || key === "" ? message : message.replaceAll(key, "***");
}

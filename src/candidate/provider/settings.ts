import type { Json, JsonObject } from "../../model/json.ts";
import { settingsNotSent, unsafeBodyFields, type Provider } from "../../model/models/providers.ts";
import type { Generation } from "../../model/definition/candidate-spec.ts";
import type { ModelSpec } from "../../model/definition/candidate-kinds.ts";

/** The settings for which the provider's API has a field. */
export function settingsFor({ provider, generation }: ModelSpec): Partial<Generation> {
  const left = new Set<string>(settingsNotSent(provider).map(({ setting }) => setting));
  return Object.fromEntries(Object.entries(generation).filter(([name]) => !left.has(name)));
}

/**
 * Body fields that compatible providers receive unchanged: their own settings, and `extra_body`, which overrides all
 * fields except those that decide what is asked, and of which model.
 */
export function passthroughFields(settings: Partial<Generation>): JsonObject {
  const { top_k, min_p, repetition_penalty, do_sample } = settings;
  const { chat_template_kwargs, prefill_think, use_cache, extra_body = {} } = settings;
  const own = { top_k, min_p, repetition_penalty, do_sample };
  const extra = Object.entries(extra_body).filter(([name]) => !isUnsafe(name));
  return {
    ...written({ ...own, chat_template_kwargs, prefill_think, use_cache }),
    ...Object.fromEntries(extra),
  };
}

function isUnsafe(field: string): boolean {
  return unsafeBodyFields.includes(field.toLowerCase());
}

/**
 * Limit of stop sequences: OpenAI accepts four, and no other provider is known to accept more
 * (https://developers.openai.com/api/reference, `stop`).
 */
const mostStops = 4;

/**
 * The stop sequences to send; undefined for none. All of them are applied to the text afterwards. Anthropic refuses
 * sequences of white space only (docs.claude.com/en/api/openai-sdk).
 */
export function stopsToSend(
  provider: Provider,
  stop: readonly string[] | undefined,
): readonly string[] | undefined {
  const sent = (stop ?? []).filter(
    (each) => each !== "" && (provider.id !== "anthropic" || each.trim() !== ""),
  );
  return sent.length === 0 ? undefined : sent.slice(0, mostStops);
}

/** Drops the fields that have no value. */
export function written(fields: Readonly<Record<string, Json | undefined>>): JsonObject {
  return Object.fromEntries(
    Object.entries(fields).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}

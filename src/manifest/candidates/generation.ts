import { ownValue } from "../../model/own-value.ts";
import { canonicalJson, isJsonObject, type Json, type JsonObject } from "../../model/json.ts";
import {
  partsNotSent,
  settingsNotSent,
  type SettingNotSent,
  unsafeBodyFields,
  type Provider,
} from "../../model/models/providers.ts";
import { problem } from "../../model/refusal.ts";
import { settingsRefused } from "../../model/definition/refused-settings.ts";
import type { Generation } from "../../model/definition/candidate-spec.ts";
import type { ManifestContext } from "../context.ts";
import {
  at,
  fieldsOf,
  isPresent,
  keyPlaceOf,
  objectOf,
  type Part,
  placeOf,
} from "../../base/part.ts";

/** Pairs of lm-eval's names and ours. */
export const settingAliases: readonly (readonly [string, string])[] = [
  ["max_gen_toks", "max_output_tokens"],
  ["until", "stop"],
];

/** Names of settings in the request bodies of Chat Completions and the Responses API, if different. */
const bodyNames: Readonly<Record<string, string>> = {
  max_completion_tokens: "max_output_tokens",
  max_tokens: "max_output_tokens",
  reasoning_effort: "reasoning",
  response_format: "text",
};

const defaults = { timeout_seconds: 120, max_retries: 2, max_empty_retries: 0 } as const;

const whyNotSent: Readonly<Record<SettingNotSent["why"], string>> = {
  not_openai: "OpenAI takes only the fields that it documents",
  not_chat: "Chat Completions has no such field (`api: responses` has)",
  not_responses: "the Responses API has no such field (`api: chat` has)",
};

/** Settings of model calls as one mapping declares them, aliases resolved: not yet a whole `Generation`. */
export function readSettings(part: Part, context: ManifestContext): JsonObject {
  const { model: _model, ...written } = objectOf(part) ?? {};
  const settings: Record<string, Json> = { ...written };
  for (const [alias, key] of settingAliases) {
    const value = settings[alias];
    if (value === undefined) continue;
    const own = settings[key];
    if (own !== undefined && canonicalJson(asList(own)) !== canonicalJson(asList(value))) {
      const found = { key: alias, other: key };
      context.refuse(problem("setting_conflict", found, keyPlaceOf(at(part, alias))));
    }
    settings[key] = value;
    delete settings[alias];
  }
  if (settings["stop"] !== undefined) settings["stop"] = asList(settings["stop"]);
  const body = safeBody(at(part, "extra_body"), context);
  return body === undefined ? settings : { ...settings, extra_body: body };
}

/** A candidate's settings, completed by those of the run and the defaults; undefined if one is invalid. */
export function mergeSettings(run: JsonObject, own: JsonObject): Generation | undefined {
  const settings = { ...defaults, ...run, ...own };
  return isGeneration(settings) ? settings : undefined;
}

/** The schema has checked keys and values; a suite with an invalid one is refused as a whole. */
function isGeneration(settings: JsonObject): settings is Generation & JsonObject {
  return Object.keys(defaults).every((key) => typeof settings[key] === "number");
}

/**
 * Reports settings that this provider is not sent, and those that it will refuse; refuses two values for one field of
 * its request.
 */
export function checkSent(
  {
    generation,
    provider,
    model,
  }: { readonly generation: Generation; readonly provider: Provider; readonly model: string },
  part: Part,
  context: ManifestContext,
): void {
  const parts = (["reasoning", "text"] as const).flatMap((setting) =>
    partsNotSent(provider, setting, generation[setting]).map((name) => ({
      setting: `${setting}.${name}`,
      why: "not_chat" as const,
    })),
  );
  const whole = settingsNotSent(provider).filter(({ setting }) => isSet(generation[setting]));
  const idle = [...whole, ...parts];
  for (const why of new Set(idle.map((each) => each.why))) {
    const settings = idle.filter((each) => each.why === why).map(({ setting }) => setting);
    const found = { settings, model, why: whyNotSent[why] };
    context.warn(problem("settings_not_sent", found, placeOf(part)));
  }
  const name = model.slice(model.indexOf(":") + 1);
  for (const refused of settingsRefused({ provider, name }, generation))
    context.warn(problem("settings_refused", { ...refused, model }, placeOf(part)));
  if (!provider.passthrough) return;
  refuseBodyConflicts(generation, part, context);
}

/** `extra_body` adds to the request; where it repeats a setting, both must have the same value. */
function refuseBodyConflicts(generation: Generation, part: Part, context: ManifestContext): void {
  const set = new Map<string, Json>(Object.entries(generation));
  for (const [field, value] of Object.entries(generation.extra_body ?? {})) {
    const other = ownValue(bodyNames, field) ?? field;
    const own = field === "reasoning_effort" ? effortOf(generation) : set.get(other);
    if (own === undefined || canonicalJson(asList(own)) === canonicalJson(asList(value))) continue;
    const found = { key: `extra_body.${field}`, other };
    context.refuse(problem("setting_conflict", found, placeOf(part)));
  }
}

function effortOf({ reasoning }: Generation): Json | undefined {
  return isJsonObject(reasoning) ? reasoning["effort"] : reasoning;
}

/** Warns about settings of model calls in a suite without a model. */
export function warnIdleGeneration(part: Part, context: ManifestContext): void {
  if (!isPresent(part)) return;
  const found = { key: "generation", why: "no candidate of this suite is a model" };
  context.warn(problem("setting_idle", found, keyPlaceOf(part)));
}

function safeBody(part: Part, context: ManifestContext): JsonObject | undefined {
  if (!isJsonObject(part.value)) return undefined;
  const fields = fieldsOf(part).flatMap(([field]) => (isUnsafe(field) ? [field] : []));
  if (fields.length > 0) context.warn(problem("body_fields_unsafe", { fields }, keyPlaceOf(part)));
  return Object.fromEntries(Object.entries(part.value).filter(([field]) => !isUnsafe(field)));
}

function isUnsafe(field: string): boolean {
  return unsafeBodyFields.includes(field.toLowerCase());
}

function isSet(value: Generation[keyof Generation]): boolean {
  return value !== undefined && !(isJsonObject(value) && Object.keys(value).length === 0);
}

function asList(value: Json): Json {
  return typeof value === "string" ? [value] : value;
}

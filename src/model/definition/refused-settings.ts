import { isJsonObject, type Json } from "../json.ts";
import { builtinProvider, isHostOf, type ProviderApi } from "../models/providers.ts";
import type { ModelRef } from "./suite.ts";
import type { Generation } from "./candidate-spec.ts";

/** Settings that are valid alone, but that a provider refuses together, or for one of its models. */
interface RefusedSettings {
  readonly settings: readonly string[];
  /** The reason, as a clause. */
  readonly why: string;
  /** The advice, as a sentence. */
  readonly instead: string;
}

type Settings = Omit<Generation, "timeout_seconds" | "max_retries" | "max_empty_retries">;
type Asked = Pick<ModelRef, "provider" | "name">;

/**
 * Settings that the provider's documentation says it refuses, as of November 2026:
 * - OpenAI: developers.openai.com/api/docs/guides/latest-model, "parameter compatibility", and guides/reasoning;
 * - Anthropic: platform.claude.com/docs/en/build-with-claude/extended-thinking, and the migration guide of Claude 4.7;
 * - Google: ai.google.dev/gemini-api/docs/openai, "Thinking";
 * - OpenRouter: openrouter.ai/docs/use-cases/reasoning-tokens.
 * A value that is the provider's default counts as not set. Other providers, and models with names that tell nothing, are
 * not judged.
 */
export function settingsRefused(asked: Asked, settings: Settings): readonly RefusedSettings[] {
  if (!asked.provider.passthrough) return refusedByOpenAi(asked, settings);
  const host = hostOf(asked.provider.base_url);
  const reader = readers.find(([id]) => isHost(id, host));
  return reader === undefined ? [] : reader[1](asked, settings);
}

const readers: readonly (readonly [
  string,
  (asked: Asked, settings: Settings) => readonly RefusedSettings[],
])[] = [
  ["anthropic", refusedByAnthropic],
  ["google", refusedByGoogle],
  ["openrouter", refusedByOpenRouter],
];

function isHost(id: string, host: string): boolean {
  const provider = builtinProvider(id);
  return provider !== undefined && isHostOf(provider, host);
}

function hostOf(address: string): string {
  return URL.parse(address)?.hostname ?? "";
}

/** OpenAI's models that always reason. Later ones (gpt-5.1 and after) accept the effort `none`. */
const alwaysReasons = /^(?:ft:)?(?:o\d|codex-mini|gpt-5(?![.\d]|-chat))/;

function refusedByOpenAi(
  { provider, name }: Asked,
  settings: Settings,
): readonly RefusedSettings[] {
  const sampling = samplingOf(settings, provider);
  if (sampling.length === 0) return [];
  const effort = effortOf(settings);
  if (alwaysReasons.test(name))
    return [
      {
        settings: sampling,
        why: "a model that always reasons takes only their defaults",
        instead: "Leave them out.",
      },
    ];
  if (effort === undefined || effort === "none") return [];
  return [
    {
      settings: [...sampling, `reasoning.effort: ${effort}`],
      why: "OpenAI takes the former only where the model does not reason",
      instead: "Leave one side out, or set reasoning.effort to none.",
    },
  ];
}

/** Settings of sampling that differ from the provider's default. */
function samplingOf(settings: Settings, { api }: ProviderApi): readonly string[] {
  const { temperature = 1, top_p = 1, presence_penalty = 0, frequency_penalty = 0 } = settings;
  const hasPenalties = api === "chat";
  return [
    ...(temperature === 1 ? [] : ["temperature"]),
    ...(top_p === 1 ? [] : ["top_p"]),
    ...(hasPenalties && presence_penalty !== 0 ? ["presence_penalty"] : []),
    ...(hasPenalties && frequency_penalty !== 0 ? ["frequency_penalty"] : []),
  ];
}

const leastThinking = 1024;
/** With thinking, Claude accepts a top_p between this and 1. */
const leastTopP = 0.95;

function refusedByAnthropic({ name }: Asked, settings: Settings): readonly RefusedSettings[] {
  const { temperature = 1, top_p = 1, top_k } = settings;
  const thinking = objectAt(settings.extra_body, "thinking");
  const type = thinking?.["type"];
  const sampling = [
    ...(temperature === 1 ? [] : ["temperature"]),
    ...(top_p === 1 ? [] : ["top_p"]),
    ...(top_k === undefined ? [] : ["top_k"]),
  ];
  if (isLateClaude(name))
    return [
      ...(sampling.length === 0 ? [] : [removed(sampling)]),
      ...(type === "enabled" ? [budgetGone] : []),
    ];
  if (type !== "enabled" && type !== "adaptive") return [];
  const beside = sampling.filter((each) => each !== "top_p" || top_p < leastTopP);
  return [
    ...(beside.length === 0 ? [] : [besideThinking(beside)]),
    ...(type === "enabled" ? budgetRefused(thinking?.["budget_tokens"], settings) : []),
  ];
}

/** Whether it is Claude 4.7 or later, such as `claude-opus-4-7-20260416`; false if the name does not tell. */
function isLateClaude(name: string): boolean {
  const version = /^claude-[a-z]+-(\d{1,2})(?:[-.](\d{1,2}))?(?!\d)/.exec(name);
  const [major, minor] = [Number(version?.[1] ?? 0), Number(version?.[2] ?? 0)];
  return major > 4 || (major === 4 && minor >= 7);
}

function removed(settings: readonly string[]): RefusedSettings {
  return {
    settings,
    why: "Claude 4.7 and later models take none of them",
    instead: "Leave them out.",
  };
}

const budgetGone: RefusedSettings = {
  settings: ["extra_body.thinking.type: enabled"],
  why: "Claude 4.7 and later models think without a budget",
  instead: "Write thinking: { type: adaptive }.",
};

function besideThinking(settings: readonly string[]): RefusedSettings {
  return {
    settings: [...settings, "extra_body.thinking"],
    why: `with thinking, Claude takes no other temperature than 1, no top_k, and a top_p from ${leastTopP} on`,
    instead: "Leave one side out.",
  };
}

function budgetRefused(
  budget: Json | undefined,
  { max_output_tokens: most }: Settings,
): readonly RefusedSettings[] {
  if (typeof budget !== "number") return [];
  const settings = ["extra_body.thinking.budget_tokens"];
  if (budget < leastThinking)
    return [
      {
        settings,
        why: `the budget is ${budget}, and at least ${leastThinking} tokens are needed`,
        instead: `Set it to ${leastThinking} or more.`,
      },
    ];
  return most === undefined || budget < most ? [] : [noRoom(settings, budget, most)];
}

function noRoom(settings: readonly string[], budget: number, most: number): RefusedSettings {
  return {
    settings: [...settings, "max_output_tokens"],
    why: `a budget of ${budget} tokens for thinking leaves no room for an answer within ${most}, which count both`,
    instead: "Raise max_output_tokens above the budget.",
  };
}

function refusedByGoogle(_asked: Asked, settings: Settings): readonly RefusedSettings[] {
  const body = settings.extra_body;
  // The API's own examples have `extra_body` in the body; clients that unpack it write `google` directly.
  const google = objectAt(objectAt(body, "extra_body"), "google") ?? objectAt(body, "google");
  const thinking = objectAt(google, "thinking_config") ?? {};
  const { thinking_budget: budget, thinking_level: level } = thinking;
  const most = settings.max_output_tokens;
  const given = [
    ...(effortOf(settings) === undefined ? [] : ["reasoning.effort"]),
    ...(budget === undefined ? [] : ["thinking_budget"]),
    ...(level === undefined ? [] : ["thinking_level"]),
  ];
  return [
    ...(given.length < 2 ? [] : [oneOf(given)]),
    ...(typeof budget === "number" && budget > 0 && most !== undefined && budget >= most
      ? [noRoom(["thinking_budget"], budget, most)]
      : []),
  ];
}

function oneOf(settings: readonly string[]): RefusedSettings {
  return {
    settings,
    why: "each says how much the model thinks, and only one may be given",
    instead: "Keep one of them.",
  };
}

function refusedByOpenRouter(_asked: Asked, settings: Settings): readonly RefusedSettings[] {
  const { reasoning, max_output_tokens: most } = settings;
  const budget = isJsonObject(reasoning) ? reasoning["max_tokens"] : undefined;
  if (typeof budget !== "number") return [];
  return [
    ...(effortOf(settings) === undefined
      ? []
      : [oneOf(["reasoning.effort", "reasoning.max_tokens"])]),
    ...(most === undefined || budget < most
      ? []
      : [noRoom(["reasoning.max_tokens"], budget, most)]),
  ];
}

/** The effort, from either of the two keys that can set it. */
function effortOf({ reasoning, extra_body }: Settings): string | undefined {
  const own = isJsonObject(reasoning) ? reasoning["effort"] : reasoning;
  const effort = own ?? extra_body?.["reasoning_effort"];
  return typeof effort === "string" ? effort : undefined;
}

function objectAt(
  value: Json | undefined,
  key: string,
): Readonly<Record<string, Json>> | undefined {
  const found = isJsonObject(value) ? value[key] : undefined;
  return isJsonObject(found) ? found : undefined;
}

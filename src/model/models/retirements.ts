import { ownValue } from "../own-value.ts";
/** When a provider switches a model off. */
interface Retirement {
  /** The first day on which calls fail: `2027-01-14`. */
  readonly date: string;
  /** The provider's named successor, if known. */
  readonly instead: string | undefined;
}

/**
 * Announced shutdowns, by built-in provider and model, of models that suites are likely to name. A model that is not here has no
 * announced date, or is not known. Snapshots (`gpt-4.1-2025-04-14`) go with the name that they extend.
 *
 * As of 2026-11-26, from copies of these pages:
 *
 * - openai: https://developers.openai.com/api/docs/deprecations
 * - anthropic: https://platform.claude.com/docs/en/about-claude/model-deprecations
 * - google: https://ai.google.dev/gemini-api/docs/deprecations
 */
const table: Readonly<Record<string, Readonly<Record<string, Retirement>>>> = {
  openai: {
    ...retiredOn("2025-06-06", undefined, ["gpt-4-32k", "gpt-4-32k-0613"]),
    ...retiredOn("2025-07-14", undefined, ["gpt-4.5-preview"]),
    ...retiredOn("2025-07-28", undefined, ["o1-preview"]),
    ...retiredOn("2025-10-27", undefined, ["o1-mini"]),
    ...retiredOn("2026-01-16", undefined, ["codex-mini-latest"]),
    ...retiredOn("2026-02-17", undefined, ["chatgpt-4o-latest"]),
    ...retiredOn("2026-07-23", undefined, [
      "gpt-5-chat-latest",
      "gpt-5.1-chat-latest",
      "gpt-5-codex",
    ]),
    ...retiredOn("2026-07-23", undefined, [
      "gpt-5.1-codex",
      "gpt-5.1-codex-max",
      "gpt-5.1-codex-mini",
    ]),
    ...retiredOn("2026-07-23", undefined, [
      "gpt-5.2-codex",
      "o3-deep-research",
      "o4-mini-deep-research",
    ]),
    ...retiredOn("2026-08-10", undefined, ["gpt-5.2-chat-latest", "gpt-5.3-chat-latest"]),
    ...retiredOn("2026-10-23", "gpt-5.6-terra", ["gpt-3.5-turbo", "o4-mini"]),
    ...retiredOn("2026-10-23", "gpt-5.6-sol", ["gpt-4", "gpt-4-turbo", "gpt-4o-2024-05-13"]),
    ...retiredOn("2026-10-23", "gpt-5.6-sol", ["o1", "o1-pro", "o3-mini"]),
    ...retiredOn("2026-10-23", undefined, ["gpt-4.1-nano"]),
    ...retiredOn("2026-12-11", "gpt-6.1-sol", ["gpt-5"]),
    ...retiredOn("2026-12-11", "gpt-6.1-terra", ["gpt-5-mini"]),
    ...retiredOn("2026-12-11", undefined, ["gpt-5-nano", "gpt-5-pro", "o3", "o3-pro"]),
    ...retiredOn("2027-01-14", "gpt-6-luna", ["gpt-4o", "gpt-4o-mini", "gpt-4.1", "gpt-4.1-mini"]),
    ...retiredOn("2027-04-01", undefined, ["gpt-5.1", "gpt-5.4-nano"]),
  },
  anthropic: {
    ...retiredOn("2025-07-21", undefined, [
      "claude-2",
      "claude-2.0",
      "claude-2.1",
      "claude-3-sonnet",
    ]),
    ...retiredOn("2025-10-28", undefined, ["claude-3-5-sonnet"]),
    ...retiredOn("2026-01-05", undefined, ["claude-3-opus"]),
    ...retiredOn("2026-02-19", undefined, ["claude-3-7-sonnet", "claude-3-5-haiku"]),
    ...retiredOn("2026-06-15", "claude-sonnet-4-6", ["claude-sonnet-4"]),
    ...retiredOn("2026-06-15", "claude-opus-4-8", ["claude-opus-4"]),
    ...retiredOn("2026-08-05", undefined, ["claude-opus-4-1"]),
    ...retiredOn("2026-11-30", "claude-sonnet-5-5", ["claude-sonnet-4-5"]),
  },
  google: {
    ...retiredOn("2025-09-29", undefined, [
      "gemini-1.5-pro",
      "gemini-1.5-flash",
      "gemini-1.5-flash-8b",
    ]),
    ...retiredOn("2026-06-01", undefined, ["gemini-2.0-flash", "gemini-2.0-flash-001"]),
    ...retiredOn("2026-12-01", "gemini-3.8-flash", ["gemini-2.5-pro"]),
    ...retiredOn("2026-12-01", "gemini-3.5-flash-lite", ["gemini-2.5-flash"]),
  },
};

function retiredOn(
  date: string,
  instead: string | undefined,
  models: readonly string[],
): Readonly<Record<string, Retirement>> {
  return Object.fromEntries(models.map((model) => [model, { date, instead }]));
}

/** The announced end of a built-in provider's model, found by its name or by the name without a snapshot's date. */
export function retirementOf(provider: string, model: string): Retirement | undefined {
  const known = ownValue(table, provider) ?? {};
  const name = namesOf(model).find((each) => Object.hasOwn(known, each));
  return name === undefined ? undefined : known[name];
}

/**
 * A model's own name, and the name without the suffixes that its provider adds: a snapshot's date or number, `-latest`,
 * `-0`.
 */
function namesOf(model: string): readonly string[] {
  const bare = model.replace(/^models\//, "");
  const undated = bare.replace(/-(?:\d{8}|\d{4}-\d{2}-\d{2}|\d{4}|00\d|latest)$/, "");
  return [bare, undated, undated.replace(/-0$/, "")];
}

/** Number of days until a date; 0 or less if it has passed. */
export function daysUntil(date: string, now: number): number {
  return Math.ceil((Date.parse(date) - now) / 86_400_000);
}

/** Number of days before a model's end at which the warning starts. */
export const warnedDays = 90;

/** The models of a provider that end soon, or have ended within the year. */
export function endingSoon(
  provider: string,
  now: number,
): readonly (readonly [model: string, retirement: Retirement])[] {
  const known = ownValue(table, provider) ?? {};
  return Object.entries(known).filter(([, { date }]) => {
    const days = daysUntil(date, now);
    return days <= warnedDays && days > -warnedDays;
  });
}

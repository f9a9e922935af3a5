import { plural } from "../number-words.ts";
import type { Said } from "./said.ts";

/** Problems with models that can be found before the first sample. */
export const modelTexts = {
  model_key_missing: (found: { variable: string; provider: string; model: string }): Said => ({
    message: `${found.model} needs a key for ${found.provider}, and the environment variable ${found.variable} is not set or empty`,
    hint: `Set it where Regrade is started (in a workflow: env: { ${found.variable}: "\${{ secrets.${found.variable} }}" }; pull requests from forks get no secrets).`,
    missing: found.variable,
  }),
  model_ends: ({ model, provider, date, days, instead }: ModelEnds): Said => ({
    message:
      days > 0
        ? `${provider} switches ${model} off on ${date}, in ${days} ${plural(days, "day")}`
        : `${provider} switched ${model} off on ${date}: its calls fail`,
    hint:
      instead === undefined
        ? "Its provider's page on deprecations names others. Run the suite with both as candidates before you change over."
        : `${provider} names ${instead} in its place. Run the suite with both as candidates before you change over.`,
  }),
  model_key_malformed: ({ variable, provider }: { variable: string; provider: string }): Said => ({
    message: `the key for ${provider} in the environment variable ${variable} has a space, a line break or another character in it that no key has`,
    hint: "Copy the key again, alone and on one line.",
  }),
} satisfies Record<string, (found: never) => Said>;

interface ModelEnds {
  readonly model: string;
  readonly provider: string;
  readonly date: string;
  readonly days: number;
  readonly instead: string | undefined;
}

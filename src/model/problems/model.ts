import type { Said } from "./said.ts";

/** Models, as far as they can be checked before the first sample. */
export const modelTexts = {
  model_key_missing: (found: { variable: string; provider: string; model: string }): Said => ({
    message: `${found.model} needs a key for ${found.provider}, and the environment variable ${found.variable} is not set or empty`,
    hint: `Set it where Regrade is started (in a workflow: env: { ${found.variable}: "\${{ secrets.${found.variable} }}" }; pull requests from forks get no secrets).`,
    missing: found.variable,
  }),
  model_key_malformed: ({ variable, provider }: { variable: string; provider: string }): Said => ({
    message: `the key for ${provider} in the environment variable ${variable} has a space, a line break or another character in it that no key has`,
    hint: "Copy the key again, alone and on one line.",
  }),
} satisfies Record<string, (found: never) => Said>;

import type { Said } from "./said.ts";

/** Problems with the extraction of answers. */
export const extractionTexts = {
  regex_invalid: ({ pattern, reason }: { pattern: string; reason: string }): Said => ({
    message: `the regular expression ${shortened(pattern)} can't be used: ${reason}`,
    hint: "Patterns are those of Python's re module: https://docs.python.org/3/library/re.html#regular-expression-syntax",
  }),
  regex_explodes: ({ pattern }: { pattern: string }): Said => ({
    message: `the regular expression ${shortened(pattern)} takes minutes on a short text that is made for it, and such an answer stays ungraded`,
    hint: "A repetition within a repetition, such as (a+)+, does that where both can match the same letters: write it with one.",
  }),
  labels_too_many: (limit: { maxLabels: number; maxCharacters: number }): Said => ({
    message: `'labels' has more than ${limit.maxLabels} labels or ${limit.maxCharacters} characters`,
    hint: "With so many labels, compare the whole answer instead: no extraction, and exact_match as the grader.",
  }),
} satisfies Record<string, (found: never) => Said>;

function shortened(pattern: string): string {
  const quoted = JSON.stringify(pattern);
  return quoted.length > 100 ? `${quoted.slice(0, 99)}…` : quoted;
}

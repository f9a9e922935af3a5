import type { Said } from "./said.ts";

/** How answers are read. */
export const extractionTexts = {
  regex_invalid: ({ pattern, reason }: { pattern: string; reason: string }): Said => ({
    message: `the regular expression ${shortened(pattern)} can't be used: ${reason}`,
    hint: "Patterns are those of Python's re module: https://docs.python.org/3/library/re.html#regular-expression-syntax",
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

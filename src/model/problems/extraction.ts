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
  decimal_differs: ({ decimal }: { decimal: string }): Said => ({
    message:
      "`output_extraction` and the grader `numeric` read numbers in two ways: one has another `decimal` than the other",
    hint: `Write the same for both: { type: numeric, decimal: ${JSON.stringify(decimal)} }, or the other way round.`,
  }),
  label_repeated: ({ label }: { label: string }): Said => ({
    message: `the label ${JSON.stringify(label)} is written here twice, if case is ignored`,
    hint: "Keep one of them, or set case_sensitive: true.",
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

import type { JsonObject } from "./json.ts";
import type { BuiltinGrader, MetricSpec } from "./suite.ts";

/** What a built-in grader declares. */
export interface BuiltinDeclaration {
  /** The first one is gated by default. */
  readonly metrics: readonly MetricSpec[];
  /** JSON Schema of each option, by its name. */
  readonly options: JsonObject;
}

/**
 * The built-in graders as the manifest needs them before Python is started.
 * The graders in python/regrade/graders/ declare the same; a test holds the two together.
 */
export const builtinGraders: Readonly<Record<BuiltinGrader, BuiltinDeclaration>> = {
  exact_match: {
    metrics: [
      {
        id: "exact_match",
        description: "1 when the extracted output equals the target.",
        higher_is_better: true,
        range: [0, 1],
        scale: "binary",
        aggregation: "mean",
      },
    ],
    options: {
      case_sensitive: {
        type: "boolean",
        default: true,
        description: "Whether upper and lower case differ.",
      },
      ignore_punctuation: {
        type: "boolean",
        default: false,
        description: "Leave punctuation out of the comparison: 'Paris.' equals 'Paris'.",
      },
      collapse_whitespace: {
        type: "boolean",
        default: false,
        description: "Count any white space between words, newlines too, as one space.",
      },
    },
  },
  contains: {
    metrics: [
      {
        id: "contains",
        description: "1 when the extracted output contains the target.",
        higher_is_better: true,
        range: [0, 1],
        scale: "binary",
        aggregation: "mean",
      },
    ],
    options: {
      case_sensitive: {
        type: "boolean",
        default: false,
        description: "Whether upper and lower case differ.",
      },
      whole_words: {
        type: "boolean",
        default: false,
        description: "Look for whole words only: 'cat' isn't in 'category'.",
      },
    },
  },
  numeric: {
    metrics: [
      {
        id: "numeric_match",
        description: "1 when the extracted output is a number within the tolerance of the target.",
        higher_is_better: true,
        range: [0, 1],
        scale: "binary",
        aggregation: "mean",
      },
      {
        id: "absolute_error",
        description:
          "How far the extracted number is from the target; an answer without one counts as the worst seen.",
        higher_is_better: false,
        range: null,
        scale: "graded",
        aggregation: "mean",
      },
    ],
    options: {
      tolerance: {
        type: "number",
        minimum: 0,
        default: 0,
        description: "How far from the target a right answer may be: a number from 0.",
      },
      relative_tolerance: {
        type: "number",
        minimum: 0,
        default: 0,
        description:
          "The same as a part of the target: 0.01 is 1 %. The wider of the two tolerances holds.",
      },
    },
  },
  token_f1: {
    metrics: [
      {
        id: "token_f1",
        description: "Harmonic mean of precision and recall over the words of output and target.",
        higher_is_better: true,
        range: [0, 1],
        scale: "graded",
        aggregation: "mean",
      },
    ],
    options: {
      case_sensitive: {
        type: "boolean",
        default: false,
        description: "Whether upper and lower case differ.",
      },
    },
  },
  choice: {
    metrics: [
      {
        id: "choice_match",
        description: "1 when the extracted output names the target's choice, and no other.",
        higher_is_better: true,
        range: [0, 1],
        scale: "binary",
        aggregation: "mean",
      },
    ],
    options: {
      target: {
        type: "string",
        enum: ["auto", "text", "letter", "index", "number"],
        default: "auto",
        description:
          "What the target is: a choice's text, its letter, its index (from 0) or its number (from 1). auto takes the first of text, letter and index that fits.",
      },
    },
  },
};

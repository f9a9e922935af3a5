import type { JsonObject } from "./json.ts";
import type { BuiltinGrader, MetricSpec } from "./suite.ts";

/** What a built-in grader declares. */
export interface BuiltinDeclaration {
  /** The first one is gated by default. */
  readonly metrics: readonly MetricSpec[];
  /** JSON Schema of each option, by its name. One without a default is required. */
  readonly options: JsonObject;
  /** Whether it compares with a target: its task then needs a `target_template`. */
  readonly needsTarget: boolean;
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
    needsTarget: true,
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
    needsTarget: true,
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
  regex: {
    metrics: [
      {
        id: "regex_match",
        description: "1 when the pattern matches the extracted output.",
        higher_is_better: true,
        range: [0, 1],
        scale: "binary",
        aggregation: "mean",
      },
    ],
    needsTarget: false,
    options: {
      pattern: {
        type: "string",
        minLength: 1,
        description: "A regular expression in Python's syntax, of at most 1,000 characters.",
      },
      flags: {
        type: "string",
        default: "",
        description: "Letters of Python's inline flags: i, m, s, x, a, u.",
      },
      match: {
        type: "string",
        enum: ["search", "whole"],
        default: "search",
        description:
          "search: the pattern is found somewhere in the answer; whole: it is the whole answer.",
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
    needsTarget: true,
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
    needsTarget: true,
    options: {
      case_sensitive: {
        type: "boolean",
        default: false,
        description: "Whether upper and lower case differ.",
      },
    },
  },
  json_valid: {
    metrics: [
      {
        id: "json_valid",
        description: "1 when the extracted output is one JSON value and nothing else.",
        higher_is_better: true,
        range: [0, 1],
        scale: "binary",
        aggregation: "mean",
      },
    ],
    needsTarget: false,
    options: {},
  },
  json_schema: {
    metrics: [
      {
        id: "schema_match",
        description: "1 when the extracted output is JSON that the schema accepts.",
        higher_is_better: true,
        range: [0, 1],
        scale: "binary",
        aggregation: "mean",
      },
    ],
    needsTarget: false,
    options: {
      schema: {
        type: ["string", "object"],
        minLength: 1,
        description:
          "A JSON Schema (draft 2020-12), or the path of a JSON file that has one, relative to the manifest.",
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
    needsTarget: true,
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
  judge: {
    metrics: [
      {
        id: "judge_score",
        description: "The score of the verdict that the judge chose.",
        higher_is_better: true,
        range: [0, 1],
        scale: null,
        aggregation: "mean",
      },
    ],
    needsTarget: false,
    options: {
      rubric: {
        type: "string",
        minLength: 1,
        description: "What to judge by, in words for the judge.",
      },
      verdicts: {
        type: "object",
        minProperties: 2,
        maxProperties: 20,
        propertyNames: {
          pattern: "^[A-Za-z0-9][A-Za-z0-9_ -]{0,63}$",
          patternErrorMessage: "letters, digits, _, - and spaces, at most 64",
        },
        additionalProperties: { type: "number", minimum: 0, maximum: 1 },
        default: { correct: 1, incorrect: 0 },
        description: "What the judge may answer, and what each scores: a number from 0 to 1.",
      },
      model: {
        type: "string",
        minLength: 1,
        default: "auto",
        description: "The judge, `provider:model`; auto is run.judge_model.",
      },
      answer: {
        type: "string",
        enum: ["extracted", "whole"],
        default: "extracted",
        description:
          "Whether the judge reads the extracted output, or the answer as it came (output_text).",
      },
      include_prompt: {
        type: "boolean",
        default: true,
        description: "Whether the judge reads the prompt too.",
      },
      include_target: {
        type: "boolean",
        default: true,
        description: "Whether the judge reads the target too, where the task has one.",
      },
      temperature: {
        type: ["number", "null"],
        minimum: 0,
        maximum: 2,
        default: 0,
        description: "The judge's temperature; null leaves it out, as some models refuse it.",
      },
      max_output_tokens: {
        type: "integer",
        minimum: 16,
        maximum: 100000,
        default: 2048,
        description: "What the judge may write at most, its thoughts included.",
      },
    },
  },
};

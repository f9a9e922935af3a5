import { binary, type BuiltinDeclaration } from "./declaration.ts";

const caseSensitive = {
  type: "boolean",
  default: false,
  description: "Whether upper and lower case differ.",
  examples: [true],
} as const;

/** Graders that read the answer as a text or a number. */
export const textGraders = {
  exact_match: {
    description: "1 where the answer equals the target.",
    metrics: [binary("exact_match", "1 when the extracted output equals the target.")],
    needsTarget: true,
    options: {
      case_sensitive: {
        type: "boolean",
        default: true,
        description: "Whether upper and lower case differ.",
        examples: [false],
      },
      ignore_punctuation: {
        type: "boolean",
        default: false,
        description: "Leave punctuation out of the comparison: 'Paris.' equals 'Paris'.",
        examples: [true],
      },
      collapse_whitespace: {
        type: "boolean",
        default: false,
        description: "Count any white space between words, newlines too, as one space.",
        examples: [true],
      },
    },
  },
  contains: {
    description: "1 where the answer contains the target.",
    metrics: [binary("contains", "1 when the extracted output contains the target.")],
    needsTarget: true,
    options: {
      case_sensitive: caseSensitive,
      whole_words: {
        type: "boolean",
        default: false,
        description: "Look for whole words only: 'cat' isn't in 'category'.",
        examples: [true],
      },
    },
  },
  regex: {
    description: "1 where the answer matches a pattern.",
    metrics: [binary("regex_match", "1 when the pattern matches the extracted output.")],
    timeoutSeconds: 5,
    options: {
      pattern: {
        type: "string",
        minLength: 1,
        description: "A regular expression in Python's syntax, of at most 1,000 characters.",
        examples: ["^yes"],
      },
      flags: {
        type: "string",
        default: "",
        description: "Letters of Python's inline flags: i, m, s, x, a, u.",
        examples: ["i"],
      },
      match: {
        type: "string",
        enum: ["search", "whole"],
        default: "search",
        description:
          "search: the pattern is found somewhere in the answer; whole: it is the whole answer.",
        examples: ["whole"],
      },
    },
  },
  numeric: {
    description: "1 where the answer is the target's number.",
    metrics: [
      binary(
        "numeric_match",
        "1 when the extracted output is a number within the tolerance of the target.",
      ),
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
        examples: [0.01],
      },
      relative_tolerance: {
        type: "number",
        minimum: 0,
        default: 0,
        description:
          "The same as a part of the target: 0.01 is 1 %. The wider of the two tolerances holds.",
        examples: [0.01],
      },
      decimal: {
        type: "string",
        enum: ["plain", ".", ","],
        default: "plain",
        description:
          "How target and answer are written: plain is 1234.5 or 1,234.5; with . also 1 234.5 and 1'234.5; with , it is 1.234,5 or 1 234,5.",
        examples: [","],
      },
    },
  },
  token_f1: {
    description: "The F1 score of the tokens that answer and target share.",
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
      case_sensitive: caseSensitive,
    },
  },
} satisfies Readonly<Record<string, BuiltinDeclaration>>;

import type { JsonObject } from "../json.ts";
import { binary, type BuiltinDeclaration, graded } from "./declaration.ts";

function words(description: string, example: string): JsonObject {
  return {
    type: "array",
    maxItems: 1000,
    items: { type: "string", description: "One of them." },
    default: [],
    description,
    examples: [[example]],
  };
}

/** Graders of several small checks, whose score is the share that holds. */
export const checkGraders = {
  text: {
    description: "Words and patterns that the answer must have, or must not have.",
    metrics: [
      graded("text", "The share of the checks that hold."),
      binary("passed", "1 where all of them hold."),
    ],
    isHere: true,
    options: {
      contains: words("Texts that must be there, in any case of letters.", "refund"),
      not_contains: words("Texts that must not be there, in any case of letters.", "as an AI"),
      contains_any: words(
        "Texts of which one must be there, in any case of letters: one check.",
        "yes",
      ),
      contains_cs: words("Texts that must be there, letter for letter.", "Paris"),
      not_contains_cs: words("Texts that must not be there, letter for letter.", "TODO"),
      regex_match: words(
        "Patterns of RE2 that must match somewhere: (?i), (?m) and (?s) stand at their beginning; there is no look-around.",
        "order [A-Z]-\\d+",
      ),
      regex_not_match: words("Patterns of RE2 that must match nowhere.", "(?i)password"),
      ignore_case: {
        type: "boolean",
        default: false,
        description: "Whether the patterns match in any case of letters.",
        examples: [true],
      },
      words: {
        type: "string",
        enum: ["text", "keyword", "regex"],
        default: "text",
        description: "The grader of waza whose wording the feedback has.",
        examples: ["keyword"],
      },
      answer: {
        type: "string",
        enum: ["extracted", "whole"],
        default: "extracted",
        description:
          "Whether the extracted output is read, or the answer as it came (output_text).",
        examples: ["whole"],
      },
    },
  },
  code: {
    description:
      "Short expressions of Python, or of JavaScript, that must be true of the answer and of what an agent did.",
    metrics: [
      graded("code", "The share of the assertions that hold."),
      binary("passed", "1 where all assertions hold."),
    ],
    options: {
      assertions: {
        type: "array",
        minItems: 1,
        maxItems: 1000,
        items: { type: "string", minLength: 1, description: "An expression." },
        description:
          "Expressions of Python that must be true: over output, outcome, transcript, tool_calls, errors and duration_ms, with len, any, all, re, str, int, float, bool, list and dict.",
        examples: [["len(output) > 10", "'refund' in output.lower()"]],
      },
      language: {
        type: "string",
        enum: ["python", "javascript"],
        default: "python",
        description: "Their language; javascript is run by the Node that runs Regrade.",
        examples: ["javascript"],
      },
    },
  },
} satisfies Readonly<Record<string, BuiltinDeclaration>>;

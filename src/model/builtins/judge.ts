import type { BuiltinDeclaration } from "./declaration.ts";

/** Graders that ask a model. */
export const judgeGraders = {
  judge: {
    description: "A model that judges by a rubric.",
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
    timeoutSeconds: 600,
    asksJudge: true,
    options: {
      rubric: {
        type: "string",
        minLength: 1,
        description: "What to judge by, in words for the judge.",
        examples: ["Is the answer right and polite?"],
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
        examples: [{ good: 1, bad: 0 }],
      },
      model: {
        type: "string",
        minLength: 1,
        default: "auto",
        description: "The judge, `provider:model`; auto is run.judge_model.",
        examples: ["openai:gpt-4.1-mini"],
      },
      answer: {
        type: "string",
        enum: ["extracted", "whole"],
        default: "extracted",
        description:
          "Whether the judge reads the extracted output, or the answer as it came (output_text).",
        examples: ["whole"],
      },
      include_prompt: {
        type: "boolean",
        default: true,
        description: "Whether the judge reads the prompt too.",
        examples: [false],
      },
      include_target: {
        type: "boolean",
        default: true,
        description: "Whether the judge reads the target too, where the task has one.",
        examples: [false],
      },
      include_tool_calls: {
        type: "boolean",
        default: false,
        description: "Whether the judge reads the calls of tools too, with what the tools gave.",
        examples: [true],
      },
      temperature: {
        type: ["number", "null"],
        minimum: 0,
        maximum: 2,
        default: 0,
        description: "The judge's temperature; null leaves it out, as some models refuse it.",
        examples: [0],
      },
      max_output_tokens: {
        type: "integer",
        minimum: 16,
        maximum: 100000,
        default: 2048,
        description: "What the judge may write at most, its thoughts included.",
        examples: [512],
      },
    },
  },
} satisfies Readonly<Record<string, BuiltinDeclaration>>;

import { modelOptions, type BuiltinDeclaration } from "./declaration.ts";

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
    fieldOptions: ["fields"],
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
      fields: {
        type: "array",
        maxItems: 50,
        items: { type: "string", minLength: 1, description: "The name of one." },
        default: [],
        description: "Names in output_extraction.fields that the judge reads beside the answer.",
        examples: [["sources"]],
      },
      ...modelOptions(2048),
    },
  },
} satisfies Readonly<Record<string, BuiltinDeclaration>>;

import { isJsonObject, type JsonObject } from "../json.ts";
import type { MetricSpec } from "../definition/suite.ts";
import { modelOptions, type BuiltinDeclaration } from "./declaration.ts";
import { answersOnScales, claimsMetric, scalesOptions } from "./judge-scales.ts";

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
    takesOneOf: ["rubric", "scales"],
    givenWith: onScales,
    options: {
      rubric: {
        type: ["string", "null"],
        minLength: 1,
        default: null,
        description:
          "What to judge by, in words for the judge. Needed without `scales`; beside them, what holds for all of them.",
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
      ...scalesOptions,
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

/** A judge with scales gives a metric for each, and the number of claims that it could not verify. */
function onScales({ scales, claims }: JsonObject): ReturnType<GivenWith> {
  const items = Array.isArray(scales) ? scales : [];
  if (items.length === 0) return undefined;
  const metrics = items.flatMap((item) => (isJsonObject(item) ? (scaleMetric(item) ?? []) : []));
  return {
    metrics: claims === false ? metrics : [...metrics, claimsCount],
    modelCalls: answersOnScales,
  };
}

type GivenWith = NonNullable<BuiltinDeclaration["givenWith"]>;

function scaleMetric({ id, question, levels }: JsonObject): MetricSpec | undefined {
  if (typeof id !== "string" || !Array.isArray(levels)) return undefined;
  return {
    id,
    ...(typeof question === "string" && { description: question }),
    higher_is_better: true,
    range: [1, levels.length],
    scale: "graded",
    aggregation: "mean",
  };
}

const claimsCount: MetricSpec = {
  id: claimsMetric,
  description: "Claims of an answer that the judge could not verify.",
  higher_is_better: false,
  range: null,
  scale: "graded",
  aggregation: "mean",
};

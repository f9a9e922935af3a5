import { graded, type BuiltinDeclaration } from "./declaration.ts";

/** The grader that checks whether a skill is used for the right prompts, and only for these. */
export const triggerGraders = {
  triggers: {
    description: "Whether an agent uses a skill for the prompts that it is for, and for no others.",
    metrics: [
      graded("accuracy", "The share of the prompts that were told rightly."),
      graded("precision", "The share of the prompts with the skill that are for it."),
      graded("recall", "The share of the prompts for the skill that have it."),
      graded("f1", "The harmonic mean of precision and recall."),
    ],
    seesAll: true,
    timeoutSeconds: 3600,
    options: {
      skill: {
        type: "string",
        minLength: 1,
        description: "The skill's name.",
        examples: ["code-explainer"],
      },
      expected: {
        type: "string",
        minLength: 1,
        default: "should_trigger",
        description:
          "The row's field that is true where the skill should be used, and false where not.",
        examples: ["should_trigger"],
      },
      weight_field: {
        type: ["string", "null"],
        minLength: 1,
        default: null,
        description:
          "The row's field with what a prompt counts for: a number above 0. Default: each counts for 1.",
        examples: ["weight"],
      },
    },
  },
} satisfies Readonly<Record<string, BuiltinDeclaration>>;

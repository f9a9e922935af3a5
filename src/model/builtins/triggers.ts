import { binary, graded, type BuiltinDeclaration } from "./declaration.ts";

/** The grader that checks whether a skill is used for the right prompts, and only for these. */
export const triggerGraders = {
  triggers: {
    description: "Whether an agent uses a skill for the prompts that it is for, and for no others.",
    metrics: [
      graded("accuracy", "The share of the prompts with the right decision."),
      graded("precision", "Of the prompts that used the skill, the share that should."),
      graded("recall", "Of the prompts that should use the skill, the share that did."),
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
  trigger_words: {
    description: "Whether a prompt has the words of a skill. The agent is not asked.",
    metrics: [
      graded("trigger_words", "The share of the prompt's words that the skill has."),
      binary("passed", "1 where the score is on the right side of the threshold for mode."),
    ],
    isHere: true,
    takesOneOf: ["text", "phrases"],
    options: {
      text: {
        type: "string",
        default: "",
        description: "The skill's text: its name, description and body.",
        examples: ["Deploys an app to Azure."],
      },
      phrases: {
        type: "array",
        maxItems: 1000,
        items: { type: "string", description: "A phrase." },
        default: [],
        description:
          "Phrases that should use the skill: a phrase that the prompt contains scores 1, otherwise the share of its words counts.",
        examples: [["deploy to azure", "publish an API"]],
      },
      mode: {
        type: "string",
        enum: ["positive", "negative"],
        default: "positive",
        description: "positive: the prompt is for the skill; negative: it is not.",
        examples: ["negative"],
      },
      threshold: {
        type: "number",
        minimum: 0,
        maximum: 1,
        default: 0.6,
        description: "The score from which on a prompt counts as one for the skill.",
        examples: [0.5],
      },
    },
  },
} satisfies Readonly<Record<string, BuiltinDeclaration>>;

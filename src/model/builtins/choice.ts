import { binary, type BuiltinDeclaration } from "./declaration.ts";

/** The grader of a task with `choices`. */
export const choiceGraders = {
  choice: {
    description: "1 where the answer is the right one of the choices.",
    metrics: [
      binary(
        "choice_match",
        "1 when the extracted output names the target's choice, and no other.",
      ),
    ],
    needsTarget: true,
    options: {
      target: {
        type: "string",
        enum: ["auto", "text", "letter", "index", "number"],
        default: "auto",
        description:
          "What the target is: a choice's text, its letter, its index (from 0) or its number (from 1). auto takes the first of text, letter and index that fits.",
        examples: ["text"],
      },
    },
  },
} satisfies Readonly<Record<string, BuiltinDeclaration>>;

import { binary, graded, modelOptions, type BuiltinDeclaration } from "./declaration.ts";

/** The grader whose judge gives its verdicts by calling functions. */
export const judgeCallsGraders = {
  judge_calls: {
    description: "A model that calls a function for each criterion that is met, or is not.",
    metrics: [
      graded(
        "judge_calls",
        "The share of the verdicts that pass; on a scale, the score; against another answer 1, 0.5 or 0.",
      ),
      binary(
        "passed",
        "1 where all verdicts pass; on a scale, from the threshold on; against another answer, where it is not worse.",
      ),
    ],
    isHere: true,
    asksJudge: true,
    modelCalls: 8,
    options: {
      prompt: {
        type: "string",
        minLength: 1,
        description:
          "What to judge by, in words for the judge, who calls set_waza_grade_pass or set_waza_grade_fail for each criterion.",
        examples: ["1. Names the city. 2. Is polite."],
      },
      calls: {
        type: ["integer", "null"],
        minimum: 1,
        maximum: 50,
        default: null,
        description:
          "How many verdicts there must be, one a criterion: with fewer or more the sample is ungraded. Default: one at least.",
        examples: [2],
      },
      scale: {
        type: "string",
        enum: ["verdicts", "score"],
        default: "verdicts",
        description: "verdicts: a call a criterion; score: one call with a score from 1 to 5.",
        examples: ["score"],
      },
      threshold: {
        type: "number",
        minimum: 0,
        maximum: 1,
        default: 0.75,
        description:
          "On a scale: the score, from 0 (1 of 5) to 1 (5 of 5), from which on it passes.",
        examples: [0.5],
      },
      reference: {
        type: ["string", "null"],
        default: null,
        description: "An answer to compare with.",
        examples: ["Paris"],
      },
      against: {
        type: ["string", "null"],
        default: null,
        description:
          "The name of another candidate: the judge says which of the two answers to a case is better, asked in both orders. 1 for the better one, 0.5 for a tie, or where the orders disagree, 0 for the worse one; the other candidate's own answers have 0.5.",
        examples: ["without-skills"],
      },
      words: {
        type: "string",
        enum: ["plain", "waza"],
        default: "plain",
        description:
          "How the better answer is named: answer and the candidate, or skill and baseline.",
        examples: ["waza"],
      },
      ...modelOptions(4096),
    },
  },
} satisfies Readonly<Record<string, BuiltinDeclaration>>;

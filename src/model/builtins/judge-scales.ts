import type { JsonObject } from "../json.ts";

/** Scales with rubrics that a suite names instead of writing them; the first level scores 1. */
export const namedScales = {
  factual_adherence: {
    question:
      "Are the facts and commands of the answer right and safe, measured by the reference? What the answer adds to the reference costs nothing by itself: it must fit the question, must not contradict the reference, and must not make up commands. Where you can't tell whether an addition is true and it contradicts nothing, list it as an unverified claim and score the core facts alone.",
    levels: [
      "The answer contradicts the reference in a way that does harm: a destructive command, a wrong flag, critical steps in the wrong order.",
      "There are major factual errors. The answer is not dangerous, but who follows it fails or is confused. What it adds is mostly wrong.",
      "The core of the reference is right, but something that the answer adds is noticeably wrong or confusing.",
      "The whole core of the reference is right. What the answer adds is safe or plausible, with small slips at most that change nothing.",
      "The whole core of the reference is right, and all that the answer adds is true, safe and without any contradiction.",
    ],
  },
  completeness: {
    question:
      "Does the answer hold the essential facts of the reference: commands, parameters, steps? Look only for what the reference has. Additions cost nothing as long as the core facts are there.",
    levels: [
      "The answer has none of the reference's facts, commands or concepts.",
      "The answer has one or two minor details, and misses the main answer or the core command.",
      "The answer has the main answer or command, and misses critical parameters, flags or facts that the reference states.",
      "The answer has the main answer and almost all key facts; at most a minor detail is missing.",
      "The answer has every key fact, main command and essential detail of the reference, whatever else it holds.",
    ],
  },
  helpfulness_and_clarity: {
    question:
      "Is the answer clear, easy to take in, and ready to act on? It should be formatted as its content asks, with code blocks for commands, and should not bury the main point in conversation.",
    levels: [
      "A wall of text without formatting, or so much filler that the answer can't be seen.",
      "The answer is there, but deep in needless prose; formatting may be inconsistent.",
      "The answer is there and helps, but repeats itself or has some filler, and could be easier to scan.",
      "The answer is direct and easy to scan. A short introduction or closing sentence may be there; the core is well visible.",
      "The answer could not serve the question better: excellent formatting, and every sentence answers the question or gives context that matters.",
    ],
  },
} as const;

type NamedScale = keyof typeof namedScales;

export function isNamedScale(name: string): name is NamedScale {
  return Object.hasOwn(namedScales, name);
}

/** The metric that counts the claims a judge could not verify. */
export const claimsMetric = "unverified_claims";

/** Answers that a judge is asked for at most, where it scores on scales: one, and two more where it can't be read. */
export const answersOnScales = 3;

/** The schema of `scales`; a scale's own is in schemas/suite.schema.json. */
export const scalesOptions: JsonObject = {
  scales: {
    type: "array",
    maxItems: 20,
    items: { $ref: "#/$defs/judgeScale" },
    default: [],
    description:
      "Instead of `verdicts`: scales that the answer is scored on, each a metric. A name stands for a rubric that Regrade brings.",
    examples: [["factual_adherence", "completeness"]],
  },
  claims: {
    type: "boolean",
    default: true,
    description:
      "With `scales`: whether the judge lists what it could not verify. The list is kept with the sample and counted as `unverified_claims`.",
    examples: [false],
  },
};

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
  relevance: {
    question:
      "Does the answer deal with what was asked, and with all of it? Whether it is right does not matter here.",
    levels: [
      "The answer has nothing to do with what was asked.",
      "The answer touches the subject, and does not answer what was asked.",
      "The answer deals with a part of what was asked, or with all of it beside much that nobody asked for.",
      "The answer deals with what was asked; little is missing or beside the point.",
      "The answer deals with all that was asked and with nothing else.",
    ],
  },
  coherence: {
    question:
      "Do the sentences of the answer follow from each other, in an order that a reader can go along with?",
    levels: [
      "There is no thread: the sentences do not belong together, or contradict each other.",
      "Some sentences belong together; the thread is lost often.",
      "The thread can be followed with an effort; steps are missing or out of order.",
      "The thread is clear, with a jump here or there.",
      "Each sentence follows from those before it, and the whole comes to its point.",
    ],
  },
  fluency: {
    question:
      "Is the language of the answer correct and natural? What it says does not matter here.",
    levels: [
      "Hardly a sentence is correct: it can't be understood.",
      "Errors are many, and get in the way of understanding.",
      "Errors or stiff phrases are there, and it is understood all the same.",
      "The language is correct, with a slip or an unnatural phrase.",
      "The language is correct and natural throughout.",
    ],
  },
  groundedness: {
    question:
      "Does every statement of the answer rest on what it was given: the prompt, the reference, results of tools? What is true and stands in none of them is not grounded.",
    levels: [
      "The answer contradicts what it was given, or has none of it.",
      "Most statements are not in what it was given.",
      "Some statements are in what it was given, and others are made up.",
      "All that matters is in what it was given; a detail is added.",
      "Every statement is in what it was given, or follows from it.",
    ],
  },
  similarity: {
    question: "Does the answer say the same as the reference? Words may differ.",
    levels: [
      "The answer says something else.",
      "The answer shares the subject with the reference, and little of what it says.",
      "The answer says a part of what the reference says, or the whole with a difference that matters.",
      "The answer says the same but for a detail.",
      "The answer says the same.",
    ],
  },
  retrieval: {
    question:
      "Are the passages that were retrieved (in the prompt, or as results of tools) those that answer the question, the best of them first?",
    levels: [
      "No passage has to do with the question.",
      "Passages touch the subject; none helps to answer.",
      "A passage helps, behind or among many that do not.",
      "The passages that help are there and early; some others are among them.",
      "The passages that answer the question stand first, and hardly any other is there.",
    ],
  },
  intent_resolution: {
    question: "Did the answer find out what the user wanted to reach, and bring them there?",
    levels: [
      "What the user wanted is missed.",
      "The intent is half understood, and not resolved.",
      "The intent is understood, and resolved in part.",
      "The intent is understood and resolved; something small is left to do.",
      "The intent is understood and resolved, with what the user needs to go on.",
    ],
  },
  task_adherence: {
    question:
      "Did the answer keep to its instructions: the task, its limits, the steps and the form that it was told?",
    levels: [
      "The instructions are ignored.",
      "Some instructions are followed; what matters is not.",
      "The task is done with instructions left out or done in another way.",
      "The task is done as told, with a small departure.",
      "Every instruction is followed, and nothing is done that was not asked for.",
    ],
  },
  tool_call_accuracy: {
    question:
      "Were the right tools called, with the arguments that what was said gives them, and no call without need?",
    levels: [
      "The calls have nothing to do with what was asked, or a needed one is missing.",
      "A right tool is called with arguments that are wrong or made up.",
      "The right tools are called with an argument missing or wrong, or with calls that were not needed.",
      "The right tools are called with right arguments; a call too many, or one in a poor order.",
      "The right tools are called, with right arguments, in a good order, and no other.",
    ],
  },
} as const;

type NamedScale = keyof typeof namedScales;

/** Whether a name is one of the scales that Regrade brings. */
export function isNamedScale(name: string): name is NamedScale {
  return Object.hasOwn(namedScales, name);
}

/** The metric that counts the claims a judge could not verify. */
export const claimsMetric = "unverified_claims";

/** Limit of answers per sample from a judge that scores on scales: one, and two more if it can't be read. */
export const answersOnScales = 3;

/** The schema of `scales`; the schema of a single scale is in schemas/suite.schema.json. */
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

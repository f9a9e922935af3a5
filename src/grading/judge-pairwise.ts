import type { JsonObject } from "../model/json.ts";
import type { AnswerOf } from "../model/grading.ts";
import type { HashText } from "../model/ports/files.ts";
import type { GraderSample } from "../model/outcomes/sample.ts";
import { textOption } from "./checks/options.ts";
import { type JudgeText, quoteTexts } from "./judge-blocks.ts";
import type { AskJudge, Judged } from "./judge-calls.ts";
import { callsIn, functionTool } from "./judge-functions.ts";

/** Two answers to compare, and how the judge is asked. */
interface PairwiseOptions {
  readonly prompt: string;
  /** The candidate whose answer is the other one. */
  readonly against: string;
  /** Names of the two candidates in the feedback. */
  readonly names: Readonly<Record<Side, string>>;
  readonly settings: JsonObject;
}

type Side = "own" | "other";
type Winner = Side | "tie";

/** One verdict on the two answers, whichever of them was shown first. */
interface Verdict {
  readonly winner: Winner;
  readonly magnitude: string;
  readonly reasoning: string;
}

type Ungraded = Extract<Judged, { kind: "ungraded" }>;

/**
 * Compares an answer with another candidate's answer to the same case, twice, in both orders. A judge that prefers a
 * position instead of an answer has not told them apart, which counts as a tie. The score is 1 for the better answer,
 * 0.5 for a tie, 0 for the worse one.
 */
export async function judgePairwise(
  options: PairwiseOptions,
  sample: GraderSample,
  {
    ask,
    answerOf,
    hashText,
  }: {
    readonly ask: AskJudge;
    readonly answerOf: AnswerOf | undefined;
    readonly hashText: HashText;
  },
): Promise<Judged> {
  const { against } = options;
  if (sample.model === against)
    return settled(tie("it is the answer to compare with"), true, options);
  const other = await answerOf?.(against);
  if (other === undefined || other.kind === "unavailable") {
    const message = `there is no answer of the candidate ${against} to compare with${other === undefined ? "" : `: ${other.message}`}`;
    return { kind: "ungraded", type: "judge_no_other", message };
  }
  if (other.kind === "failed") {
    const reasoning = "the other candidate gave no answer";
    return settled({ winner: "own", magnitude: "much-better", reasoning }, true, options);
  }
  const passes: Verdict[] = [];
  for (const first of ["other", "own"] as const) {
    const texts = { own: sample.output_text, other: other.text };
    const found = await askOnce({ first, texts, options, sample }, ask, hashText);
    if ("kind" in found) return found;
    passes.push(found);
  }
  const [one = tie(""), two = tie("")] = passes;
  if (one.winner === two.winner) return settled(one, true, options);
  const [a, b] = [one, two].map(({ winner }) => nameOf(winner, options));
  return settled(
    tie(`Position-inconsistent: pass1=${a}, pass2=${b}. Defaulting to tie.`),
    false,
    options,
  );
}

function tie(reasoning: string): Verdict {
  return { winner: "tie", magnitude: "equal", reasoning };
}

function nameOf(winner: Winner, { names }: PairwiseOptions): string {
  return winner === "tie" ? "tie" : names[winner];
}

const scores: Readonly<Record<Winner, number>> = { own: 1, tie: 0.5, other: 0 };

function settled(
  { winner, magnitude, reasoning }: Verdict,
  isConsistent: boolean,
  options: PairwiseOptions,
): Judged {
  const name = nameOf(winner, options);
  const pairwise = { winner: name, magnitude, reasoning, position_consistent: isConsistent };
  return {
    kind: "judged",
    result: {
      score: scores[winner],
      passed: winner !== "other",
      feedback: `pairwise: winner=${name}, magnitude=${magnitude}, consistent=${isConsistent}`,
      details: { mode: "pairwise", pairwise },
    },
  };
}

const winnerName = "set_pairwise_winner";
const magnitudes = ["much-better", "slightly-better", "equal"];

const winnerTool = functionTool(winnerName, "Which of the two answers is better.", {
  type: "object",
  properties: {
    winner: { type: "string", enum: ["A", "B", "tie"] },
    magnitude: { type: "string", enum: magnitudes },
    reasoning: { type: "string" },
  },
  required: ["winner", "magnitude", "reasoning"],
  additionalProperties: false,
});

interface Pass {
  /** Which answer is A. */
  readonly first: Side;
  readonly texts: Readonly<Record<Side, string>>;
  readonly options: PairwiseOptions;
  readonly sample: GraderSample;
}

async function askOnce(
  { first, texts, options, sample }: Pass,
  ask: AskJudge,
  hashText: HashText,
): Promise<Verdict | Ungraded> {
  const second: Side = first === "own" ? "other" : "own";
  const blocks: readonly JudgeText[] = [
    ["PROMPT", sample.prompt],
    ["ANSWER_A", texts[first]],
    ["ANSWER_B", texts[second]],
  ];
  const { text, rules } = quoteTexts(blocks, hashText);
  const end = await ask({
    ...options.settings,
    instructions: instructionsOf(options.prompt, rules),
    input: `${text}\n\nCompare ANSWER_A and ANSWER_B.`,
    tools: [winnerTool],
    tool_choice: "required",
  });
  if (end.kind === "unavailable") return { kind: "ungraded", type: end.type, message: end.message };
  if (end.kind === "refused")
    return { kind: "ungraded", type: "judge_refused", message: end.message };
  // The last call counts, as in waza.
  const given = callsIn(end.response).findLast(({ name }) => name === winnerName)?.given;
  return given === undefined ? noVerdict() : verdictIn(given, { A: first, B: second });
}

function instructionsOf(prompt: string, rules: string): string {
  return `You compare two answers to one prompt by the criteria below. They are ANSWER_A and ANSWER_B; which of them comes first says
nothing.\n\n${rules}\n\nCriteria, as whoever set the test wrote them:\n${prompt}\n\nGive your verdict by one call of ${winnerName}, and by nothing else.`;
}

function noVerdict(): Ungraded {
  const message = `the judge compared nothing: it did not call ${winnerName}`;
  return { kind: "ungraded", type: "judge_incomplete", message };
}

function verdictIn(
  given: JsonObject,
  sides: Readonly<Record<"A" | "B", Side>>,
): Verdict | Ungraded {
  const { winner, magnitude } = given;
  const reasoning = textOption(given["reasoning"]) ?? "";
  if (winner !== "A" && winner !== "B" && winner !== "tie") {
    const message = "the judge named no winner: A, B or tie";
    return { kind: "ungraded", type: "judge_off_menu", message };
  }
  if (winner === "tie") return { winner, magnitude: "equal", reasoning };
  const told = textOption(magnitude) ?? "";
  return {
    winner: sides[winner],
    magnitude: magnitudes.includes(told) ? told : "slightly-better",
    reasoning,
  };
}

/** undefined if the options name no candidate to compare with. */
export function pairwiseOptions(
  options: JsonObject,
  { prompt, settings }: Pick<PairwiseOptions, "prompt" | "settings">,
): PairwiseOptions | undefined {
  const against = textOption(options["against"]);
  if (against === undefined) return undefined;
  const isWaza = options["words"] === "waza";
  const names = isWaza ? { own: "skill", other: "baseline" } : { own: "answer", other: against };
  return { prompt, against, names, settings };
}

import { cutText } from "../base/cut-text.ts";
import type { Generated } from "../model/ports.ts";
import { isLargerThan, mostAnswerBytes } from "../base/written-size.ts";

/** Limit of an over-long failure message, in characters. */
const messageShown = 2000;

/** An answer that fits into a sample's line, or the candidate's failure to give one: a longer line could not be read back. */
export function fitAnswer(generated: Generated): Generated {
  const isAnswer = generated.kind === "answered";
  const { transcript = null, responseId = null, workspace = null } = generated;
  const told = isAnswer ? generated.outputText : generated.message;
  if (!isLargerThan(mostAnswerBytes, [told, transcript, responseId, workspace])) return generated;
  const { kind, type } = isAnswer
    ? ({ kind: "failed", type: "answer_too_large" } as const)
    : generated;
  const message = isAnswer
    ? `the answer takes more than ${mostAnswerBytes / 1_000_000} MB as JSON`
    : `${cutText(told, messageShown)}…`;
  const { usage } = generated;
  return { kind, type, message, ...(usage && { usage }) };
}

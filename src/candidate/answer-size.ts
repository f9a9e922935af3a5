import { cutText } from "../base/cut-text.ts";
import type { Generated } from "../model/models/candidate.ts";
import { isLargerThan, mostAnswerBytes } from "../base/written-size.ts";

/** Length to which a failure message that is too long is cut, in characters. */
const messageShown = 2000;

/**
 * Keeps an answer that fits into a sample's line; otherwise returns a failure of the candidate, because a longer line
 * could not be read back.
 */
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

import { plural } from "../../model/number-words.ts";
import type { RunAttempts } from "../../model/outcomes/attempts.ts";

/** Facts about a re-run: the earlier attempts whose samples count too, and the rules that they decided. */
export function attemptLines(
  attempts: RunAttempts | undefined,
  decided: RunAttempts["decided"],
): readonly string[] {
  return [
    ...(attempts === undefined || attempts.earlier.length === 0 ? [] : [takenLine(attempts)]),
    ...decided.map(decidedLine),
  ];
}

function takenLine({ number, earlier }: RunAttempts): string {
  const noun = plural(earlier.length, "attempt");
  const numbers = earlier.map((each) => each.number).join(", ");
  return `Attempt ${number} of this workflow run: the samples of ${noun} ${numbers} count beside its own, of each case the mean; what had no grade then was asked again.`;
}

function decidedLine({ attempt, rule }: RunAttempts["decided"][number]): string {
  const { task, metric, candidate } = rule;
  return `${task}/${metric}, ${candidate}: attempt ${attempt} of this workflow run confirmed the drop, and a re-run does not undo that; push a commit to have it judged anew.`;
}

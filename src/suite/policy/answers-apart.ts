import { contentsOf } from "../../base/encodings/bytes.ts";
import { layersOf } from "../../base/encodings/layers.ts";
import type { AlteredFiles, PolicyChange } from "../../model/policy.ts";
import type { AnswerFiles } from "./answer-files.ts";
import { seekGathered } from "./gathered-answers.ts";
import type { AskedCase } from "./held-answers.ts";
import { seekOrder } from "./ordered-answers.ts";

/**
 * Files that have the answers of cases apart from what these ask, and that the base's files have not: in the cases' order, which
 * keeps the run from passing, or gathered, which is told. Pure.
 */
export function answersApart(
  task: string,
  cases: readonly AskedCase[],
  { here, there }: Pick<AlteredFiles, "here" | "there">,
): AnswerFiles {
  const answers = cases.map((each) => each.answers[0] ?? "");
  const isInOrder = seekOrder(answers);
  const lists = ({ bytes }: { readonly bytes: Uint8Array }): boolean =>
    textsOf(bytes).some(isInOrder);
  const isListed = there.some(lists);
  const listing = isListed ? [] : here.filter(lists);
  const before = there.flatMap(({ bytes }) => textsOf(bytes)).join("\n");
  const countGathered = seekGathered(answers, before);
  const notes = here
    .filter((each) => !listing.includes(each))
    .flatMap(({ path, bytes }): readonly PolicyChange[] => {
      const count = Math.max(0, ...textsOf(bytes).map(countGathered));
      if (count === 0) return [];
      const note = `\`${path}\` has ${count} answers of the cases, apart from what these ask: see that no candidate looks them up there`;
      return [{ part: "task", task, effect: "told", note }];
    });
  return { told: listing.map(({ path }) => ({ task, field: path, reader: "file" })), notes };
}

/** Encodings within longer texts are not looked for here. */
const longestLayered = 1 << 16;

function textsOf(bytes: Uint8Array): readonly string[] {
  return contentsOf(bytes).flatMap(({ text }) =>
    text.length > longestLayered ? [text] : [text].concat(layersOf(text)),
  );
}

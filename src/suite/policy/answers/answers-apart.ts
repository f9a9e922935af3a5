import { contentsOf } from "../../../base/encodings/bytes.ts";
import { layersOf } from "../../../base/encodings/layers.ts";
import type { AlteredFiles, PolicyChange } from "../../../model/policy.ts";
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
  { here, there, all, told }: Sides,
): AnswerFiles {
  const answers = cases.map((each) => each.answers[0] ?? "");
  const isInOrder = seekOrder(answers);
  const lists = ({ bytes }: Altered): boolean => textsOf(bytes).some(isInOrder);
  const listed = there.filter(lists);
  const nowOf = ({ path }: Altered): Altered | undefined => all.find((each) => each.path === path);
  const isMoved = (old: Altered): boolean => {
    const now = nowOf(old);
    return now === undefined || !lists(now);
  };
  const isKnown = ({ path }: Altered): boolean =>
    listed.some((each) => each.path === path || isMoved(each));
  const single = here.filter((each) => !isKnown(each) && lists(each));
  const spread = single.length > 0 || listed.length > 0 ? [] : spreadOver(here, answers);
  const listing = single.length > 0 || !isInOrder(joined(spread)) ? single : spread;
  const countGathered = seekGathered(
    answers,
    joined(there.filter((old) => nowOf(old) === undefined)),
  );
  const notes = here
    .filter((each) => !listing.includes(each) && !told.has(each.path))
    .flatMap((each): readonly PolicyChange[] => {
      const older = joined(there.filter(({ path }) => path === each.path));
      const counts = textsOf(each.bytes).map((text) => countGathered(text, older));
      const count = Math.max(0, ...counts);
      if (count === 0) return [];
      const note = `\`${each.path}\` has ${count} answers of the cases, apart from what these ask: see that no candidate looks them up there`;
      return [{ part: "task", task, effect: "told", note }];
    });
  return { told: listing.map(({ path }) => ({ task, field: path, reader: "file" })), notes };
}

type Altered = AlteredFiles["here"][number];

interface Sides extends Pick<AlteredFiles, "here" | "there"> {
  /** All altered files as the change has them. */
  readonly all: readonly Altered[];
  /** Files of which nothing is noted, as other words tell of them. */
  readonly told: ReadonlySet<string>;
}

/** The files over which a list may be spread, in the order of their paths. */
function spreadOver(files: readonly Altered[], answers: readonly string[]): readonly Altered[] {
  const wanted = [...new Set(answers)].filter((each) => each !== "");
  return files
    .filter(({ bytes }) => {
      const text = joined([{ path: "", bytes }]);
      return wanted.some((answer) => text.includes(answer));
    })
    .toSorted((a, b) => (a.path < b.path ? -1 : 1));
}

function joined(files: readonly Altered[]): string {
  return files
    .flatMap(({ bytes }) => contentsOf(bytes))
    .map(({ text }) => text)
    .join("\n");
}

/** Encodings within longer texts are not looked for here. */
const longestLayered = 1 << 16;

function textsOf(bytes: Uint8Array): readonly string[] {
  return contentsOf(bytes).flatMap(({ text }) =>
    text.length > longestLayered ? [text] : [text].concat(layersOf(text)),
  );
}

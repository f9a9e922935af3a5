import { posix } from "node:path";
import type { AlteredFiles, PolicyChange } from "../../../model/outcomes/policy.ts";
import { toldNote } from "../../../model/outcomes/policy.ts";
import type { AnswerFiles } from "./answer-files.ts";
import { seekChosen, type ChosenCases } from "./chosen-cases.ts";
import { seekKeyed } from "./coded-answers.ts";
import { rememberEach, type FileTexts } from "./file-texts.ts";
import { seekGathered } from "./gathered-answers.ts";
import type { AskedCase } from "./held-answers.ts";
import { seekOrder } from "./ordered-answers.ts";

/**
 * Files that have the answers of cases apart from what these ask, and that the base's files have not: in the cases' order, or by
 * listing what the cases of one answer ask, which keeps the run from passing; or gathered, or by words of these cases, which is
 * told. Pure.
 */
export function answersApart(
  task: string,
  cases: readonly AskedCase[],
  { here, there, all, texts, told: known }: Sides,
): AnswerFiles {
  const sides = { here, there, all, texts };
  const answers = cases.map((each) => each.answers[0] ?? "");
  const isInOrder = seekOrder(answers);
  const choose = seekChosen(cases);
  const chosen = here.map((each): readonly [Altered, ChosenCases] => [
    each,
    chosenIn(each, sides, choose),
  ]);
  const listing = [
    ...filesInOrder(sides, { answers, isInOrder }),
    ...sizesInOrder(here, isInOrder),
    ...chosen.flatMap(([{ path }, { kind }]) => (kind === "questions" ? [path] : [])),
  ];
  const others = here.filter(({ path }) => !known.has(path));
  const gathered = gatheredNotes(
    { task, answers },
    others.filter(({ path }) => !listing.includes(path)),
    sides,
  );
  const words = wordNotes(
    { task, cases },
    chosen.filter(([{ path }]) => !known.has(path)),
    sides,
  );
  const told = [...new Set(listing)].map((field) => ({ task, field, reader: "file" as const }));
  return { told, notes: [...gathered, ...words] };
}

/**
 * The files that list the answers in the cases' order, each alone or all together, where the base has no such list or keeps
 * its own.
 */
function filesInOrder(
  { here, there, all, texts }: Omit<Sides, "told">,
  {
    answers,
    isInOrder,
  }: { readonly answers: readonly string[]; readonly isInOrder: (text: string) => boolean },
): readonly string[] {
  const lists = rememberEach((bytes: Uint8Array) => texts.textsOf(bytes).some(isInOrder));
  const listed = there.filter(({ bytes }) => lists(bytes));
  const own = new Set(listed.map(({ path }) => path));
  const hasMoved = listed.some((old) => {
    const now = nowOf(old, all);
    return now === undefined || !lists(now.bytes);
  });
  const single = here.filter(({ path, bytes }) => !hasMoved && !own.has(path) && lists(bytes));
  const spread = single.length > 0 || listed.length > 0 ? [] : spreadOver(here, answers, texts);
  const found = single.length > 0 || !isInOrder(texts.joined(spread)) ? single : spread;
  return found.map(({ path }) => path);
}

function nowOf({ path }: Altered, all: readonly Altered[]): Altered | undefined {
  return all.find((each) => each.path === path);
}

/** Notes for files that have the answers gathered, beyond those that the base's version or a removed file has. */
function gatheredNotes(
  { task, answers }: { readonly task: string; readonly answers: readonly string[] },
  files: readonly Altered[],
  { there, all, texts }: Omit<Sides, "told">,
): readonly PolicyChange[] {
  const removed = there.filter((old) => nowOf(old, all) === undefined);
  const countGathered = seekGathered(answers, texts.joined(removed));
  return files.flatMap(({ path, bytes }): readonly PolicyChange[] => {
    const older = texts.joined(there.filter((old) => old.path === path));
    const count = Math.max(0, ...texts.textsOf(bytes).map((text) => countGathered(text, older)));
    if (count === 0) return [];
    const note = `\`${path}\` has ${count} answers of the cases, apart from what these ask: see that no candidate looks them up there`;
    return [toldNote(note, { task })];
  });
}

/** Notes for words that one case alone has, and for what stands beside such words. */
function wordNotes(
  { task, cases }: { readonly task: string; readonly cases: readonly AskedCase[] },
  files: readonly (readonly [Altered, ChosenCases])[],
  sides: Pick<Sides, "there" | "texts">,
): readonly PolicyChange[] {
  const countKeyed = seekKeyed(cases);
  return files.flatMap(([file, each]) => [
    ...wordsNote({ task, path: file.path }, each),
    ...keyedNote({ task, countKeyed }, file, sides),
  ]);
}

function chosenIn(
  { path, bytes }: Altered,
  { there, texts }: Pick<Sides, "there" | "texts">,
  choose: ReturnType<typeof seekChosen>,
): ChosenCases {
  const older = texts.joined(there.filter((old) => old.path === path));
  const found = texts.textsOf(bytes).map((text) => choose(text, older));
  return (
    found.find(({ kind }) => kind === "questions") ??
    found.find(({ kind }) => kind === "words") ?? { kind: "none" }
  );
}

function wordsNote(
  { task, path }: { readonly task: string; readonly path: string },
  chosen: ChosenCases,
): readonly PolicyChange[] {
  if (chosen.kind !== "words") return [];
  const { count, answer } = chosen;
  const note = `\`${path}\` has words that one case alone has, of ${count} cases with the answer ${JSON.stringify(answer)} and of few others: see that no candidate recognises them by these`;
  return [toldNote(note, { task })];
}

/** A note for codes beside single words of cases, if the base's file has none. */
function keyedNote(
  {
    task,
    countKeyed,
  }: { readonly task: string; readonly countKeyed: ReturnType<typeof seekKeyed> },
  { path, bytes }: Altered,
  { there, texts }: Pick<Sides, "there" | "texts">,
): readonly PolicyChange[] {
  const countIn = (files: readonly Altered[]): number =>
    Math.max(0, ...files.flatMap((each) => texts.textsOf(each.bytes)).map(countKeyed));
  const count = countIn([{ path, bytes }]);
  const older = count === 0 ? 0 : countIn(there.filter((old) => old.path === path));
  if (count <= older) return [];
  const note = `\`${path}\` has something that goes with the answer beside words that one case alone has, of ${count} cases: see that no candidate looks answers up there`;
  return [toldNote(note, { task })];
}

/** Whether the sizes of the files that a change brings into one folder list the answers, and in which. */
function sizesInOrder(
  here: readonly Altered[],
  isInOrder: (text: string) => boolean,
): readonly string[] {
  const folders = Map.groupBy(here, ({ path }) => posix.dirname(path));
  return [...folders].flatMap(([folder, files]) => {
    const sorted = files.toSorted((a, b) => a.path.localeCompare(b.path, "en", { numeric: true }));
    const sizes = sorted.map(({ bytes }) => bytes.length).join("\n");
    return isInOrder(sizes) ? [`the sizes of the files in ${folder}`] : [];
  });
}

type Altered = AlteredFiles["here"][number];

interface Sides extends Pick<AlteredFiles, "here" | "there"> {
  /** All altered files as the change has them. */
  readonly all: readonly Altered[];
  readonly texts: FileTexts;
  /** Files of which nothing is noted, as other words tell of them. */
  readonly told: ReadonlySet<string>;
}

/** The files over which a list may be spread, in the order of their paths. */
function spreadOver(
  files: readonly Altered[],
  answers: readonly string[],
  texts: FileTexts,
): readonly Altered[] {
  const wanted = [...new Set(answers)].filter((each) => each !== "");
  return files
    .filter((each) => {
      const text = texts.joined([each]);
      return wanted.some((answer) => text.includes(answer));
    })
    .toSorted((a, b) => (a.path < b.path ? -1 : 1));
}

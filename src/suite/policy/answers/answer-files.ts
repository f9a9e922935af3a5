import { contentsOf } from "../../../base/encodings/bytes.ts";
import { readField, valueText } from "../../../base/fields.ts";
import { candidateKinds } from "../../../model/definition/candidate-kinds.ts";
import type { AlteredFiles, PolicyChange, ToldField } from "../../../model/outcomes/policy.ts";
import { toldNote } from "../../../model/outcomes/policy.ts";
import type { Suite } from "../../../model/definition/suite.ts";
import { promptTemplateOf } from "../../../prompt/messages.ts";
import { templateFields } from "../../../prompt/template.ts";
import type { PreparedTask } from "../../opening/open-task.ts";
import { passOf } from "../../prompts/rendering.ts";
import { dataOf, manifestPath, pathFromRoot } from "../../withheld.ts";
import { answersApart } from "./answers-apart.ts";
import { denseQuestion } from "./coded-answers.ts";
import { rememberEach, readFileTexts, type FileTexts } from "./file-texts.ts";
import { allOf, heldIn, type AskedCase, type HeldAnswers } from "./held-answers.ts";
import { listNote, weighAnswers, type FileHolding } from "./weigh-answers.ts";

export interface AnswerFiles {
  /** Files that keep the run from passing. */
  readonly told: readonly ToldField[];
  /** Files that reviewers should see, but that don't keep the run from passing. */
  readonly notes: readonly PolicyChange[];
}

interface FoundAnswers extends AnswerFiles {
  /** Number of cases of all tasks. */
  readonly cases: number;
  /** Tests and documents that have answers, and that no candidate has to open. */
  readonly quoting: readonly string[];
}

interface Sides {
  readonly base: Suite;
  readonly head: Suite;
  readonly judged: readonly PreparedTask[];
  /** Files of graders and preprocessors that differ. */
  readonly judging: readonly string[];
  /** Tests and documents that no program names. */
  readonly unnamed: ReadonlySet<string>;
}

/**
 * Finds files that a change adds or edits, that its candidates can read, and that have the answers of the base's cases
 * beside their questions, if the base's files have not. Left out: files that judge, data sets, which are watched while the
 * candidates run, and what the base has as recordings and examples: others that the change brings are a place like any to
 * hide answers in. More examples than a prompt usually shows, or three encoded ones, keep the run from passing; fewer are only
 * reported. Tests and documents quote cases, too: where no program names them, they are watched.
 */
export async function answerFiles(
  { base, head, judged, judging, unnamed }: Sides,
  altered: AlteredFiles,
): Promise<FoundAnswers> {
  const hidden = [...withheldIn(base), ...dataPaths(head)];
  const readable = altered.here.filter(
    ({ path }) => isReadable(path, head, hidden) && !judging.includes(path),
  );
  if (readable.length === 0) return nothing;
  // A data set or a grader's file that the change edits has the answers, too, and candidates are not to read it.
  const withheld = [...withheldIn(base), ...judging];
  const there = altered.there.filter(({ path }) => !isWithin(path, withheld));
  const texts = readFileTexts();
  const found = await Promise.all(
    judged.map(async (task) => {
      const cases = await askedCases(task, { base, head });
      const sides = { readable, there, all: altered.here, texts, unnamed };
      return cases.length === 0 ? nothing : answersOf(task.spec.id, cases, sides);
    }),
  );
  return {
    told: found.flatMap((each) => each.told),
    notes: [
      ...found.flatMap((each) => each.notes),
      ...skippedNote(altered.skipped + texts.skipped()),
    ],
    cases: found.reduce((sum, each) => sum + each.cases, 0),
    quoting: [...new Set(found.flatMap((each) => each.quoting))],
  };
}

const nothing: FoundAnswers = { told: [], notes: [], cases: 0, quoting: [] };

interface Searched extends Pick<Sides, "unnamed"> {
  /** The change's files that candidates can read. */
  readonly readable: AlteredFiles["here"];
  /** The base's files, without those that candidates are not to read. */
  readonly there: AlteredFiles["there"];
  /** All altered files as the change has them. */
  readonly all: AlteredFiles["here"];
  readonly texts: FileTexts;
}

/** Finds the answers of one task in the files. */
function answersOf(
  task: string,
  cases: readonly AskedCase[],
  { readable, there, all, texts, unnamed }: Searched,
): FoundAnswers {
  const heldOf = rememberEach((bytes: Uint8Array) =>
    allOf(texts.contentsOf(bytes).map((each) => heldIn(each, cases, texts.layersOf(each)))),
  );
  const nows = new Map(all.map((each) => [each.path, each]));
  const old = there.map(({ path, bytes }) => {
    const held = heldOf(bytes);
    const now = nows.get(path);
    return { path, held, left: now ? without(held, heldOf(now.bytes)) : held };
  });
  // Answers may move from file to file. Those that a file keeps are its own.
  const moved = allOf(old.map(({ left }) => left));
  const own = new Map(old.map(({ path, held }) => [path, held]));
  const before = (path: string): HeldAnswers => allOf([moved, own.get(path) ?? moved]);
  const here = holdingsOf(readable, { heldOf, before });
  const known = allOf([...old, ...here].map(({ held }) => held));
  const joined = holdingsOf(joinedFrom(readable), { heldOf, before: () => known });
  const beside = weighAnswers(task, { here, joined, cases: cases.length, unnamed });
  const told = new Set([...beside.holding, ...unnamed]);
  const apart = answersApart(task, cases, { here: readable, there, all, texts, told });
  const isKnown = ({ field }: ToldField): boolean =>
    beside.told.some((each) => each.field === field);
  const lists = apart.told.filter(({ field }) => unnamed.has(field)).map(({ field }) => field);
  const listing = lists.filter((path) => !beside.holding.includes(path));
  const others = apart.told.filter((each) => !lists.includes(each.field) && !isKnown(each));
  return {
    told: [...beside.told, ...others],
    notes: [...beside.notes, ...apart.notes, ...listing.map((path) => listNote(task, path))],
    cases: cases.length,
    quoting: [...beside.quoting, ...listing],
  };
}

function holdingsOf(
  files: AlteredFiles["here"],
  {
    heldOf,
    before,
  }: {
    readonly heldOf: (bytes: Uint8Array) => HeldAnswers;
    readonly before: (path: string) => HeldAnswers;
  },
): readonly FileHolding[] {
  return files.map(({ path, bytes }) => ({
    path,
    held: without(heldOf(bytes), before(path)),
  }));
}

/** Files whose names together are one encoding or a part of one are joined, names and contents, in order. */
function joinedFrom(files: AlteredFiles["here"]): AlteredFiles["here"] {
  const sorted = files.toSorted((a, b) => (a.path < b.path ? -1 : 1));
  const names = sorted.map(({ path }) => path.replaceAll("/", "\n")).join("\n");
  const parts = sorted
    .map(({ path, bytes }) => ({ path, text: new TextDecoder().decode(bytes).trim() }))
    .filter(({ text }) => /^[\w+/=\s-]+$/.test(text));
  return [
    { path: `the name of ${together(sorted)}`, bytes: Buffer.from(names) },
    { path: together(parts), bytes: Buffer.from(parts.map(({ text }) => text).join("")) },
  ];
}

function together([first, ...others]: readonly { readonly path: string }[]): string {
  const path = first?.path ?? "";
  return others.length === 0 ? path : `${path} and ${others.length} more`;
}

function skippedNote(skipped: number): readonly PolicyChange[] {
  if (skipped === 0) return [];
  const files = skipped === 1 ? "1 file of the change was" : `${skipped} files of the change were`;
  const note = `${files} not searched for answers of the cases, or only in part: too large, too many, or not to be unpacked`;
  return [toldNote(note)];
}

/**
 * Whether a candidate can read a file: a program may read any file of the checkout, a model receives only what its
 * manifest says.
 */
function isReadable(path: string, suite: Suite, withheld: readonly string[]): boolean {
  if (path === manifestPath(suite)) return true;
  const { candidates } = suite;
  const runsCode = candidates.some(({ kind }) => candidateKinds[kind].program || kind === "http");
  return runsCode && !isWithin(path, withheld);
}

/** The paths of a suite's data sets, from its root. */
function dataPaths(suite: Suite): readonly string[] {
  return dataOf(suite).map(({ path }) => pathFromRoot(suite, path));
}

/** The paths of a suite's data sets, examples and recordings, from its root. */
function withheldIn(suite: Suite): readonly string[] {
  const { candidates } = suite;
  return [
    ...dataOf(suite).map((each) => each.path),
    ...suite.tasks.flatMap(({ fewshot }) =>
      fewshot?.dataset !== undefined && "file" in fewshot.dataset
        ? [fewshot.dataset.file.absolute]
        : [],
    ),
    ...candidates.flatMap((each) => (each.kind === "replay" ? [each.file.absolute] : [])),
  ].map((absolute) => pathFromRoot(suite, absolute));
}

function isWithin(path: string, paths: readonly string[]): boolean {
  return paths.some((each) => path === each || path.startsWith(`${each}/`));
}

/** Limit of cases to search for. */
const mostCases = 2000;

async function askedCases(
  { spec, dataset, renderPrompt, renderTarget, renderTargets }: PreparedTask,
  { base, head }: Pick<Sides, "base" | "head">,
): Promise<readonly AskedCase[]> {
  const fields = [
    ...templateFields(promptTemplateOf(spec)).names,
    ...[...base.candidates, ...head.candidates].flatMap(passOf),
  ];
  const found: AskedCase[] = [];
  for await (const cases of dataset.cases()) {
    for (const { caseId: id, row, content } of cases.slice(0, mostCases - found.length)) {
      const targets = [renderTarget(row) ?? "", ...Object.values(renderTargets(row) ?? {})];
      const answers = targets.filter((text) => text.trim() !== "");
      const values = fields.map((name) => valueText(readField(row, name)));
      const asked = values.filter((text) => text.trim() !== "");
      if (answers.length > 0 && asked.length > 0)
        found.push({
          asked,
          prompt: renderPrompt({ row, content }).text,
          answers,
          dense: denseQuestion(asked),
          ...(asked.includes(id) && { id }),
        });
    }
    if (found.length >= mostCases) break;
  }
  return found;
}

/** Number of cases whose answers a file has beside their questions, plain or encoded. */
export async function answersHeldIn(
  bytes: Uint8Array,
  judged: readonly PreparedTask[],
  suites: Pick<Sides, "base" | "head">,
): Promise<number> {
  const counts = judged.map(async (task) => {
    const cases = await askedCases(task, suites);
    const { plain, encoded } = allOf(contentsOf(bytes).all.map((each) => heldIn(each, cases)));
    return plain.size + encoded.size;
  });
  return (await Promise.all(counts)).reduce((sum, each) => sum + each, 0);
}

function without(held: HeldAnswers, before: HeldAnswers): HeldAnswers {
  const known = before.plain.union(before.encoded);
  return { plain: held.plain.difference(known), encoded: held.encoded.difference(known) };
}

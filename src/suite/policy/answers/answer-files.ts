import { relative, resolve, sep } from "node:path";
import { contentsOf } from "../../../base/encodings/bytes.ts";
import { readField, valueText } from "../../../base/fields.ts";
import { candidateKinds } from "../../../model/candidate-kinds.ts";
import type { AlteredFiles, PolicyChange, ToldField } from "../../../model/policy.ts";
import type { Suite } from "../../../model/suite.ts";
import { promptTemplateOf } from "../../../prompt/messages.ts";
import { templateFields } from "../../../prompt/template.ts";
import type { PreparedTask } from "../../open-task.ts";
import { passOf } from "../../rendering.ts";
import { dataOf, manifestPath } from "../../withheld.ts";
import { answersApart } from "./answers-apart.ts";
import { heldIn, type AskedCase, type HeldAnswers } from "./held-answers.ts";

export interface AnswerFiles {
  /** Files that keep the run from passing. */
  readonly told: readonly ToldField[];
  /** Files that reviewers should see, but that don't keep the run from passing. */
  readonly notes: readonly PolicyChange[];
}

interface Sides {
  readonly base: Suite;
  readonly head: Suite;
  readonly judged: readonly PreparedTask[];
  /** Files of graders and preprocessors that differ. */
  readonly judging: readonly string[];
}

/**
 * Finds files that a change adds or edits, that its candidates can read, and that have the answers of the base's cases
 * beside their questions, if the base's files have not. Left out: files that judge and that a sandbox withholds (data
 * sets, recordings, baselines). More examples than a prompt usually shows, or three encoded ones, keep the run from
 * passing; fewer are only reported.
 */
export async function answerFiles(
  { base, head, judged, judging }: Sides,
  altered: AlteredFiles,
): Promise<AnswerFiles & { /** Of all tasks. */ readonly cases: number }> {
  const readable = altered.here.filter(
    ({ path }) => isReadable(path, head) && !judging.includes(path),
  );
  if (readable.length === 0) return { told: [], notes: [], cases: 0 };
  // A data set or a grader's file that the change edits has the answers, too, and candidates are not to read it.
  const withheld = [...withheldIn(base), ...judging];
  const there = altered.there.filter(({ path }) => !isWithin(path, withheld));
  const found = await Promise.all(
    judged.map(async (task) => {
      const cases = await askedCases(task, { base, head });
      if (cases.length === 0) return { told: [], notes: [], cases: 0 };
      const old = there.map(({ path, bytes }) => {
        const held = heldInBytes(bytes, cases);
        const now = altered.here.find((each) => each.path === path);
        return { path, held, left: now ? without(held, heldInBytes(now.bytes, cases)) : held };
      });
      // Answers may move from file to file. Those that a file keeps are its own.
      const before = (path: string): HeldAnswers =>
        allOf(old.map((each) => (each.path === path ? each.held : each.left)));
      const here = holdingsOf(readable, { cases, before });
      const known = allOf([...old, ...here].map(({ held }) => held));
      const joined = holdingsOf(joinedFrom(readable), { cases, before: () => known });
      const beside = weigh(task.spec.id, [...here, ...joined], cases.length);
      const apart = answersApart(task.spec.id, cases, { here: readable, there, all: altered.here });
      const isKnown = ({ field }: ToldField): boolean =>
        beside.told.some((each) => each.field === field);
      const told = [...beside.told, ...apart.told.filter((each) => !isKnown(each))];
      return { told, notes: [...beside.notes, ...apart.notes], cases: cases.length };
    }),
  );
  const told = found.flatMap((each) => each.told);
  const notes = [...found.flatMap((each) => each.notes), ...skippedNote(altered)];
  return { told, notes, cases: found.reduce((sum, each) => sum + each.cases, 0) };
}

function holdingsOf(
  files: AlteredFiles["here"],
  {
    cases,
    before,
  }: {
    readonly cases: readonly AskedCase[];
    readonly before: (path: string) => HeldAnswers;
  },
): readonly FileHolding[] {
  return files.map(({ path, bytes }) => ({
    path,
    held: without(heldInBytes(bytes, cases), before(path)),
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

interface FileHolding {
  readonly path: string;
  readonly held: HeldAnswers;
}

/** This many encoded answers are hardly chance, and nobody writes examples in this form. */
const leastEncoded = 3;
/** Prompts usually show up to eight examples. */
const usualExamples = 8;

function weigh(task: string, files: readonly FileHolding[], cases: number): AnswerFiles {
  const all = allOf(files.map(({ held }) => held));
  const allowed = Math.min(usualExamples, Math.max(2, Math.floor(cases / 10)));
  const least = Math.min(leastEncoded, cases);
  const isEncoded = all.encoded.size >= least;
  const isTable = all.plain.size + all.encoded.size > allowed;
  const holding = files.filter(({ held }) => held.plain.size + held.encoded.size > 0);
  if (isEncoded || isTable)
    return {
      told: holding.map(({ path }) => ({ task, field: path, reader: "file" }) as const),
      notes: [],
    };
  const notes = holding.map(({ path, held }): PolicyChange => {
    const count = held.plain.size + held.encoded.size;
    const note = `\`${path}\` has the answer${count === 1 ? " of a case" : `s of ${count} cases`} beside what ${count === 1 ? "it asks" : "they ask"}: fine as examples, if those cases tell little`;
    return { part: "task", task, effect: "told", note };
  });
  return { told: [], notes };
}

function skippedNote({ skipped }: AlteredFiles): readonly PolicyChange[] {
  if (skipped === 0) return [];
  const note = `${skipped} ${skipped === 1 ? "file" : "files"} of the change, too large or too many, ${skipped === 1 ? "was" : "were"} not searched for answers of the cases`;
  return [{ part: "task", task: null, effect: "told", note }];
}

/**
 * Whether a candidate can read a file: a program may read any file of the checkout, a model receives only what its
 * manifest says.
 */
function isReadable(path: string, suite: Suite): boolean {
  if (path === manifestPath(suite)) return true;
  const { candidates } = suite;
  const runsCode = candidates.some(({ kind }) => candidateKinds[kind].program || kind === "http");
  return runsCode && !isWithin(path, withheldIn(suite));
}

/** The paths of a suite's data sets, examples and recordings, from its root. */
function withheldIn(suite: Suite): readonly string[] {
  const { candidates, root } = suite;
  return [
    ...dataOf(suite).map((each) => each.path),
    ...suite.tasks.flatMap(({ fewshot }) =>
      fewshot?.dataset !== undefined && "file" in fewshot.dataset
        ? [fewshot.dataset.file.absolute]
        : [],
    ),
    ...candidates.flatMap((each) => (each.kind === "replay" ? [each.file.absolute] : [])),
  ].map((absolute) => relative(root, resolve(absolute)).split(sep).join("/"));
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
    const { plain, encoded } = heldInBytes(bytes, await askedCases(task, suites));
    return plain.size + encoded.size;
  });
  return (await Promise.all(counts)).reduce((sum, each) => sum + each, 0);
}

function heldInBytes(bytes: Uint8Array, cases: readonly AskedCase[]): HeldAnswers {
  return allOf(contentsOf(bytes).map((content) => heldIn(content, cases)));
}

function allOf(held: readonly HeldAnswers[]): HeldAnswers {
  return {
    plain: new Set(held.flatMap(({ plain }) => [...plain])),
    encoded: new Set(held.flatMap(({ encoded }) => [...encoded])),
  };
}

function without(held: HeldAnswers, before: HeldAnswers): HeldAnswers {
  const known = before.plain.union(before.encoded);
  return { plain: held.plain.difference(known), encoded: held.encoded.difference(known) };
}

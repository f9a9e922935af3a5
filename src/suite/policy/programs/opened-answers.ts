import { join, relative, resolve, sep } from "node:path";
import { withSlashes } from "../../../base/slashes.ts";
import { bytesKept } from "../../../dataset/keep.ts";
import { candidateKinds } from "../../../model/definition/candidate-kinds.ts";
import type { AlteredFiles, PolicyChange, ToldField } from "../../../model/outcomes/policy.ts";
import type { WatchEnd } from "../../../model/ports/processes.ts";
import type { Suite } from "../../../model/definition/suite.ts";
import type { FileTools } from "../../../tools.ts";
import type { RowsCopy } from "../../opening/open-data.ts";
import { manifestPath } from "../../withheld.ts";
import type { AnswerFiles } from "../answers/answer-files.ts";
import { answerSources } from "./answer-sources.ts";
import { readersOf } from "../graders/grader-data.ts";
import { sourceOf } from "../graders/grader-fields.ts";
import { isFenced, textsBefore } from "./look-ups.ts";
import { namedAnswers } from "./named-answers.ts";
import { asProse, type ProgramText } from "./program-text.ts";

/** Files that are watched while candidates run, and what it means that some were opened. */
export interface AnswerWatch {
  /** Absolute paths. */
  readonly paths: readonly string[];
  /** Larger files, in bytes, are read again while a run goes on: they are not watched. */
  readonly largest: number;
  /** Tests and documents that quote cases, of any size; absolute. */
  readonly quoting: readonly string[];
  /** Folders of baselines, in which other runs may be; absolute. */
  readonly baselines: readonly string[];
  /** Needs the base's tree. */
  readonly explain: (end: WatchEnd, around: Around) => Promise<AnswerFiles>;
}

interface Around {
  /** False: openings and edits are only told, since an editor, git or a second run of the user's may have done it. */
  readonly inCi: boolean;
  /** Files of Regrade's own that were watched, too. */
  readonly copies: readonly RowsCopy[];
  /** Data sets that were opened in the base's run. */
  readonly known: readonly string[];
  /** Whether nothing was watched, so that openings are not known. */
  readonly isUnwatched: boolean;
}

interface Sides {
  readonly base: Suite;
  readonly head: Suite;
  /** The manifest in the base, from its root. */
  readonly basePath: string;
  /** Tests and documents that quote cases with their answers, from the root. */
  readonly quoting: readonly string[];
}

/**
 * The files with answers that no program of a change has to open while it runs: the data sets of the change, those of the base
 * in both trees, and tests and documents that quote cases. undefined: no program runs without a fence.
 */
export function answerWatch(
  sides: Sides,
  altered: AlteredFiles,
  files: Pick<FileTools, "openFile" | "inspectPath" | "readBytes">,
): AnswerWatch | undefined {
  const { base, head } = sides;
  const programs = head.candidates.filter(
    (each) => candidateKinds[each.kind].program && !isFenced(each),
  );
  if (programs.length === 0 && !head.candidates.some(({ kind }) => kind === "http"))
    return undefined;
  const [data, quoting] = [namesIn(sides), quotingIn(sides)];
  const names = new Map([...data, ...quoting]);
  const ofOpened = async (
    { opened, isWhole }: WatchEnd,
    { inCi, copies, known }: Around,
  ): Promise<AnswerFiles> => {
    const [first] = base.tasks;
    // Only a process of this user ends a watch: it may open any of them afterwards.
    const seen = isWhole ? opened : [...names.keys()];
    const shared = copies.filter(({ isShared, absolute }) => isShared && seen.includes(absolute));
    const isKnown = (path: string): boolean => known.includes(names.get(path) ?? "");
    const notes = [
      ...shared.map(({ name }) => openedNote(name)),
      ...seen
        .filter(isKnown)
        .map((path) => openedNote(nameOf(path, head), ", as in the base's run")),
    ];
    const nameIn = (path: string): string =>
      names.get(path) ?? copies.find((each) => each.absolute === path)?.name ?? runName(path, head);
    const fresh = seen.filter(
      (path) => !isKnown(path) && !shared.some(({ absolute }) => absolute === path),
    );
    const found = [...new Set(fresh.map(nameIn))];
    if (found.length === 0 || first === undefined) return { told: [], notes };
    const isHonest = programs.length === 0 || (await mayBeHonest(sides, altered, files));
    // A program that opens what quotes cases reads a table that the change brings.
    const isTold = (name: string): boolean => inCi && (!isHonest || sides.quoting.includes(name));
    const others = found.filter((each) => !isTold(each)).map((each) => openedNote(each));
    return { told: found.filter(isTold).map(asTold(first.id)), notes: [...notes, ...others] };
  };
  const explain: AnswerWatch["explain"] = async (end, around) =>
    withUnwatched(await ofOpened(end, around), around);
  return {
    paths: [...data.keys()],
    largest: bytesKept / Math.max(base.tasks.length, head.tasks.length, 1),
    quoting: [...quoting.keys()],
    baselines: [base, head].flatMap(baselineOf),
    explain,
  };
}

/** Other processes may hold all that the system has for watching files: a development server, or a program of the change. */
const unwatchedNote: PolicyChange = {
  part: "task",
  task: null,
  effect: "told",
  note: "files with answers could not be watched while the candidates ran, so that nobody knows who opened them: see that no answers are looked up, or give the candidates a `fence`",
};

function withUnwatched({ told, notes }: AnswerFiles, { isUnwatched, inCi }: Around): AnswerFiles {
  return { told, notes: isUnwatched && inCi ? [unwatchedNote, ...notes] : notes };
}

const mostEdited = 5;

/**
 * Adds the first edited files of those that judge: nothing but a program that was asked writes there. `edited`: their paths,
 * with whose they are.
 */
export function withEdited(
  { told, notes }: AnswerFiles,
  { tasks: [first] }: Suite,
  { edited, inCi }: { readonly edited: readonly string[]; readonly inCi: boolean },
): AnswerFiles {
  const files = edited.slice(0, mostEdited);
  if (first === undefined) return { told, notes };
  if (!inCi) return { told, notes: [...notes, ...files.map(editedNote)] };
  const fields = files.map((field) => ({ task: first.id, field, reader: "edited" as const }));
  return { told: [...told, ...fields], notes };
}

function editedNote(path: string): PolicyChange {
  const note = `\`${path}\` was edited, added or removed while the candidates ran, and judges them`;
  return { part: "task", task: null, effect: "told", note };
}

/** The data sets by their absolute paths. */
function namesIn({ base, head }: Sides): ReadonlyMap<string, string> {
  const here = (absolute: string): string => join(head.root, relative(base.root, absolute));
  return new Map([
    ...dataOf(base).map((path) => [path, `the base's copy of ${nameOf(path, base)}`] as const),
    ...dataOf(base).map((path) => [here(path), nameOf(path, base)] as const),
    ...dataOf(head).map((path) => [path, nameOf(path, head)] as const),
  ]);
}

/** Tests and documents that quote cases, by their absolute paths. */
function quotingIn({ head, quoting }: Sides): ReadonlyMap<string, string> {
  return new Map(quoting.map((path) => [join(head.root, path), path]));
}

function dataOf({ tasks }: Suite): readonly string[] {
  return tasks.flatMap(({ dataset }) =>
    "file" in dataset && dataset.inline === undefined ? [dataset.file.absolute] : [],
  );
}

function baselineOf({ gate, directory }: Suite): readonly string[] {
  const path = gate === "none" ? undefined : gate.baseline?.path;
  return path === undefined ? [] : [resolve(directory, path)];
}

function nameOf(path: string, { root }: Suite): string {
  return withSlashes(relative(root, path));
}

/** The data sets of a suite that no policy judges, by their paths; undefined: none of its candidates can open them. */
export function openableData(suite: Suite): Pick<AnswerWatch, "paths" | "largest"> | undefined {
  const largest = bytesKept / Math.max(suite.tasks.length, 1);
  return mayOpenFiles(suite.candidates) ? { paths: dataOf(suite), largest } : undefined;
}

/** Whether one of the candidates is an app, or a program without a fence. */
export function mayOpenFiles(candidates: Suite["candidates"]): boolean {
  return candidates.some(
    (each) => each.kind === "http" || (candidateKinds[each.kind].program && !isFenced(each)),
  );
}

/** The names of data sets as a run has them, from the root. */
export function dataNames(paths: readonly string[], suite: Suite): readonly string[] {
  return [...new Set(paths.map((path) => nameOf(path, suite)))].toSorted();
}

/** The name of a file in the directory of a run, which may be anywhere. */
function runName(path: string, head: Suite): string {
  const name = nameOf(path, head);
  return name.startsWith("../") ? path.split(sep).slice(-2).join("/") : name;
}

function asTold(task: string): (field: string) => ToldField {
  return (field) => ({ task, field, reader: "opened" });
}

function openedNote(name: string, like = ""): PolicyChange {
  const note = `\`${name}\` was opened while the candidates ran${like}: see that no answers are looked up, or give the candidate a \`fence\``;
  return { part: "task", task: null, effect: "told", note };
}

const texts =
  /\.(?:md|markdown|txt|rst|prompt|jinja2?|j2|mustache|liquid|csv|tsv|jsonl|ndjson|png|jpe?g|gif|svg|webp|lock)$/i;

/** Whether a file of the change may be a part of a program. */
function isCode(path: string, head: Suite): boolean {
  return path !== manifestPath(head) && !texts.test(path) && !path.startsWith(".github/");
}

/**
 * Whether the change alters nothing but texts, or the base's programs or graders may open the data sets as well, or call git, which
 * reads files to compare them.
 */
async function mayBeHonest(
  { base, head, basePath }: Sides,
  altered: AlteredFiles,
  files: Pick<FileTools, "openFile" | "inspectPath" | "readBytes">,
): Promise<boolean> {
  if (!altered.here.some(({ path }) => isCode(path, head))) return true;
  const sources = answerSources(base, basePath);
  const others = altered.basePaths.filter((path) => !sources.files.includes(path));
  const programs = await textsBefore({ base, basePath, paths: others }, files);
  const graders = await gradersOf(base, files);
  return [...programs, ...graders].some((text) => {
    const { named, maybe } = namedAnswers(text, sources, { others });
    return named.size + maybe.size > 0 || /\bgit\b/.test(text.text);
  });
}

async function gradersOf(
  base: Suite,
  files: Pick<FileTools, "inspectPath" | "readBytes">,
): Promise<readonly ProgramText[]> {
  const readers = base.tasks.flatMap(readersOf);
  const sources = await Promise.all(readers.map(({ source }) => sourceOf(source, files)));
  const allowed = readers.flatMap((each) => each.allowed.map(({ path }) => path));
  const text = sources.flat().join("\n");
  return [{ text, kind: "code", folder: ".", home: "." }, asProse(allowed, ".")];
}

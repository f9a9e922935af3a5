import { join, posix } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { isMedia, isUnreadable } from "../../../base/encodings/bytes.ts";
import { candidateKinds } from "../../../model/definition/candidate-kinds.ts";
import type { AlteredFiles, PolicyChange, ToldField } from "../../../model/outcomes/policy.ts";
import { toldNote } from "../../../model/outcomes/policy.ts";
import type { Suite, Task } from "../../../model/definition/suite.ts";
import type { CandidateSpec } from "../../../model/definition/candidate-spec.ts";
import type { FileTools } from "../../../tools.ts";
import { wordsOf } from "../../selection/program-words.ts";
import { manifestPath } from "../../withheld.ts";
import type { AnswerFiles } from "../answers/answer-files.ts";
import { answerSources, joinedSources } from "./answer-sources.ts";
import { counterpartOf } from "../compose.ts";
import { constantsOf, type Given } from "./folded-text.ts";
import { namedAnswers, type NamedAnswers } from "./named-answers.ts";
import { asProse, asWords, programText, type ProgramText } from "./program-text.ts";
import { longestText, reachOf } from "./program-reach.ts";

export interface ChangedSuites {
  readonly base: Suite;
  readonly head: Suite;
  /** Path of the manifest in the base, from its root. */
  readonly basePath: string;
}

/**
 * Finds files of the change's programs that name what contains the answers (a data set, a recording, a baseline, the
 * manifest), if the base's files do not: such a program may look the answers up. A program in a sandbox can't, and a
 * model receives no file. Words of the command and prompts of agents count as well.
 */
export async function lookUps(
  { base, head, basePath }: ChangedSuites,
  altered: AlteredFiles,
  files: Pick<FileTools, "openFile">,
): Promise<AnswerFiles> {
  const open = head.candidates.filter(
    (each) => candidateKinds[each.kind].program && !isFenced(each),
  );
  if (open.length === 0) return { told: [], notes: [] };
  const manifest = manifestPath(head);
  const sides = { base, head, basePath };
  const { reached, sources, others, home } = await reachedBy(open, sides, { altered, files });
  const texts = altered.here
    .filter(({ path }) => reached.has(path))
    .map(({ path, bytes }) => ({ path, text: new TextDecoder().decode(bytes) }));
  const given = givenTo(open, [...texts, ...variablesIn(altered, open)]);
  const named = (text: ProgramText): NamedAnswers => namedAnswers(text, sources, { others, given });
  const found = texts.map(({ path, text }) => ({
    path,
    names: named(programText(path, text, home)),
  }));
  const words = newWords(base, head, open);
  const said = { path: manifest, names: named(asWords(words, home)) };
  const asked = { path: manifest, names: named(asProse(newPrompts(base, head, open), home)) };
  const unread = altered.here.filter(
    ({ path, bytes }) => reached.has(path) && (isUnreadable(bytes) || isMedia(bytes)),
  );
  const notes = unread.map(({ path }) => aNote(path, "can't be read, and a program names it"));
  const all = [...found, said, asked].filter(
    (each) => each.names.named.size + each.names.maybe.size > 0,
  );
  if (all.length === 0) return { told: [], notes };
  const paths = altered.basePaths.filter((path) => !sources.files.includes(path));
  const before = (await textsBefore({ base, basePath, paths }, files)).map(named);
  const { told, notes: more } = asTold(all, unionOf(before), base.tasks);
  return { told, notes: [...notes, ...more] };
}

/** The files that candidates are made of in the change, without those that hold answers. */
export async function reachedBy(
  candidates: readonly CandidateSpec[],
  { base, head, basePath }: ChangedSuites,
  {
    altered,
    files,
  }: { readonly altered: AlteredFiles; readonly files: Pick<FileTools, "openFile"> },
): Promise<{
  readonly reached: ReadonlySet<string>;
  readonly sources: ReturnType<typeof joinedSources>;
  readonly others: readonly string[];
  /** The manifest's folder. */
  readonly home: string;
}> {
  const manifest = manifestPath(head);
  const home = posix.dirname(manifest);
  const sources = joinedSources(answerSources(base, basePath), answerSources(head, manifest), {
    files: altered.runs,
    folders: [],
    remote: [],
  });
  const others = altered.paths.filter((path) => !sources.files.includes(path));
  const readText = beginningIn(head.root, files);
  const reached = await reachOf(candidates, { home, paths: new Set(others), readText });
  return { reached, sources, others, home };
}

function unionOf(all: readonly NamedAnswers[]): NamedAnswers {
  return {
    named: new Set(all.flatMap(({ named }) => [...named])),
    maybe: new Set(all.flatMap(({ maybe }) => [...maybe])),
  };
}

/** Constants of a program's files, variables that a workflow sets, and the words after its script. */
function givenTo(
  open: readonly CandidateSpec[],
  texts: readonly { readonly text: string }[],
): Given {
  const words = open.flatMap(wordsOf);
  const script = words.findIndex((word) => /\.(?:py|[cm]?[jt]sx?|sh|rb|go|php|pl)$/.test(word));
  const flags = words.flatMap((word, i) =>
    word.startsWith("--") ? [`${word.slice(2).replaceAll("-", "_")}="${words[i + 1] ?? ""}"`] : [],
  );
  const all = [...texts.map(({ text }) => text), ...flags];
  return {
    constants: new Map(all.flatMap((text) => Array.from(constantsOf(text)))),
    words: script < 0 ? [] : words.slice(script + 1),
  };
}

/** Values that altered workflows give the variables of programs, as assignments. */
function variablesIn(
  { here }: AlteredFiles,
  open: readonly CandidateSpec[],
): readonly { readonly text: string }[] {
  const names = open.flatMap((each) => ("env" in each ? each.env : []));
  return here
    .filter(({ path }) => path.startsWith(".github/"))
    .flatMap(({ bytes }) => new TextDecoder().decode(bytes).split("\n"))
    .flatMap((line) => {
      const [, name = "", said = ""] = /^[\s-]*(\w+)\s*[:=](.*)/.exec(line) ?? [];
      const value = said.trim().replaceAll(/^["']|["']$/g, "");
      const isPlain = value !== "" && !/["']/.test(value);
      return isPlain && names.includes(name) ? [{ text: `${name}="${value}"` }] : [];
    });
}

/** Reads the beginning of a file as text; "" if it can't be read. */
export function beginningIn(
  root: string,
  files: Pick<FileTools, "openFile">,
): (path: string) => Promise<string> {
  return async (path) =>
    new TextDecoder().decode(await bytesFrom(join(root, path), longestText, files));
}

/** Reads the first bytes of a file; undefined if it is missing, or a link that leads nowhere. */
export async function bytesFrom(
  absolute: string,
  most: number,
  { openFile }: Pick<FileTools, "openFile">,
): Promise<Uint8Array | undefined> {
  try {
    const file = await openFile(absolute);
    try {
      return await file.read(0, most);
    } finally {
      await file.close();
    }
  } catch {
    return undefined;
  }
}

/** Whether a candidate can't read what it is not granted. */
export function isFenced(candidate: CandidateSpec): boolean {
  return "fence" in candidate && candidate.fence === "required";
}

/** The text of all files that the base's programs consist of or are started with. */
export async function textsBefore(
  { base, basePath, paths }: Omit<ChangedSuites, "head"> & { readonly paths: readonly string[] },
  files: Pick<FileTools, "openFile">,
): Promise<readonly ProgramText[]> {
  const readText = beginningIn(base.root, files);
  const home = posix.dirname(basePath);
  const reached = await reachOf(base.candidates, { home, paths: new Set(paths), readText });
  const texts = await Promise.all(
    [...reached].map(async (path) => programText(path, await readText(path), home)),
  );
  return [asWords(base.candidates.flatMap(wordsOf), home), ...texts];
}

/** Number of the base's files of code that are read at most. */
const mostCode = 500;

/** The text of files of code of the base. */
export async function textsOfCode(
  { base, basePath, paths }: Omit<ChangedSuites, "head"> & { readonly paths: readonly string[] },
  files: Pick<FileTools, "openFile">,
): Promise<readonly ProgramText[]> {
  const readText = beginningIn(base.root, files);
  const home = posix.dirname(basePath);
  const wanted = paths.slice(0, mostCode);
  return Promise.all(wanted.map(async (path) => programText(path, await readText(path), home)));
}

/** Words of commands, and values given to servers of agents, that the change has but the base has not. */
function newWords(base: Suite, head: Suite, open: readonly CandidateSpec[]): readonly string[] {
  return open.flatMap((each) => {
    const before = counterpartOf(each, base.candidates, head.candidates);
    const known = before === undefined ? [] : givenWords(before);
    return givenWords(each).filter((word) => !known.includes(word));
  });
}

function givenWords(candidate: CandidateSpec): readonly string[] {
  if (candidate.kind !== "agent") return wordsOf(candidate);
  const values = Object.values(candidate.mcp_servers).flatMap((server) =>
    server.type === "stdio" ? Object.values(server.env) : [],
  );
  return [...wordsOf(candidate), ...values];
}

/** Texts that agents are given, and that the change has and the base does not. */
function newPrompts(base: Suite, head: Suite, open: readonly CandidateSpec[]): readonly string[] {
  const agents = open.filter((each) => each.kind === "agent");
  if (agents.length === 0) return [];
  const known = base.candidates.flatMap((each) =>
    each.kind === "agent" ? [each.system_prompt ?? ""] : [],
  );
  const prompts = agents.map(({ system_prompt: text = "" }) => text);
  const asked = head.tasks.filter(({ id, prompt_template: text, messages }) => {
    const task = base.tasks.find((each) => each.id === id);
    return task?.prompt_template !== text || !isDeepStrictEqual(task.messages, messages);
  });
  return [
    ...prompts.filter((text) => !known.includes(text)),
    ...asked.flatMap(({ prompt_template: text, messages }) => [text, JSON.stringify(messages)]),
  ];
}

interface Naming {
  readonly path: string;
  readonly names: NamedAnswers;
}

function asTold(
  found: readonly Naming[],
  before: NamedAnswers,
  tasks: readonly Task[],
): AnswerFiles {
  const [first] = tasks;
  const old = before.named.union(before.maybe);
  const isNew = ({ names }: Naming): boolean => names.named.difference(before.named).size > 0;
  const told = found
    .filter(isNew)
    .flatMap(({ path }): readonly ToldField[] =>
      first === undefined ? [] : [{ task: first.id, field: path, reader: "lookup" }],
    );
  const unsure = found.filter((each) => !isNew(each) && each.names.maybe.difference(old).size > 0);
  const notes = unsure.map(({ path }) => aNote(path, "may read what holds the answers"));
  return { told, notes };
}

function aNote(path: string, what: string): PolicyChange {
  const note = `\`${path}\` ${what}: see that no answers are looked up, or give its candidate a \`fence\``;
  return toldNote(note);
}

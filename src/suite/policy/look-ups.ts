import { join, posix } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { isUnreadable } from "../../base/encodings/bytes.ts";
import { layersOf } from "../../base/encodings/layers.ts";
import { candidateKinds } from "../../model/candidate-kinds.ts";
import type { AlteredFiles, PolicyChange, ToldField } from "../../model/policy.ts";
import type { Suite, Task } from "../../model/suite.ts";
import type { CandidateSpec } from "../../model/candidate-spec.ts";
import type { FileTools } from "../../tools.ts";
import { wordsOf } from "../program-words.ts";
import { manifestPath } from "../withheld.ts";
import type { AnswerFiles } from "./answer-files.ts";
import { answerSources, joinedSources, namedAnswers, type NamedAnswers } from "./answer-sources.ts";
import { counterpartOf } from "./compose.ts";
import { longestText, reachOf } from "./program-reach.ts";

interface Sides {
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
  { base, head, basePath }: Sides,
  altered: AlteredFiles,
  files: Pick<FileTools, "openFile">,
): Promise<AnswerFiles> {
  const open = head.candidates.filter(
    (each) => candidateKinds[each.kind].program && !isFenced(each),
  );
  if (open.length === 0) return { told: [], notes: [] };
  const manifest = manifestPath(head);
  const sources = joinedSources(answerSources(base, basePath), answerSources(head, manifest), {
    files: altered.runs,
    folders: [],
    remote: [],
  });
  const others = altered.paths.filter((path) => !sources.files.includes(path));
  const named = (text: string): NamedAnswers => namedAnswers(readable(text), sources, others);
  const here = { home: posix.dirname(manifest), paths: new Set(others) };
  const reached = await reachOf(open, { ...here, readText: beginningIn(head.root, files) });
  const found = altered.here
    .filter(({ path }) => reached.has(path))
    .map(({ path, bytes }) => ({ path, names: named(new TextDecoder().decode(bytes)) }));
  const said = { path: manifest, names: named(newWords(base, head, open)) };
  const unread = altered.here.filter(({ path, bytes }) => reached.has(path) && isUnreadable(bytes));
  const notes = unread.map(({ path }) => aNote(path, "can't be read, and a program names it"));
  const all = [...found, said].filter((each) => each.names.named.size + each.names.maybe.size > 0);
  if (all.length === 0) return { told: [], notes };
  const paths = altered.basePaths.filter((path) => !sources.files.includes(path));
  const before = await textBefore({ base, basePath, paths }, files);
  const { told, notes: more } = asTold(all, named(before), base.tasks);
  return { told, notes: [...notes, ...more] };
}

/** Reads the beginning of a file; "" if it can't be read. */
function beginningIn(
  root: string,
  { openFile }: Pick<FileTools, "openFile">,
): (path: string) => Promise<string> {
  return async (path) => {
    try {
      const file = await openFile(join(root, path));
      try {
        return new TextDecoder().decode(await file.read(0, longestText));
      } finally {
        await file.close();
      }
    } catch {
      // A missing file, or a link that leads nowhere, has no text.
      return "";
    }
  };
}

/** A text with its adjacent quoted pieces joined, and its encoded words decoded. */
function readable(text: string): string {
  const joined = text.replaceAll(/(["'`])\s*[+.]?\s*\1/g, "");
  return [text, joined, ...layersOf(text)].join("\n");
}

function isFenced(candidate: CandidateSpec): boolean {
  return "fence" in candidate && candidate.fence === "required";
}

/** The text of all files that the base's programs consist of or are started with. */
async function textBefore(
  { base, basePath, paths }: Omit<Sides, "head"> & { readonly paths: readonly string[] },
  files: Pick<FileTools, "openFile">,
): Promise<string> {
  const readText = beginningIn(base.root, files);
  const checkout = { home: posix.dirname(basePath), paths: new Set(paths), readText };
  const reached = await reachOf(base.candidates, checkout);
  const texts = await Promise.all([...reached].map(readText));
  return [...base.candidates.flatMap(wordsOf), ...texts].join("\n");
}

/** Words of commands, and of agents' prompts, that the change has but the base has not. */
function newWords(base: Suite, head: Suite, open: readonly CandidateSpec[]): string {
  const words = open.flatMap((each) => {
    const before = counterpartOf(each, base.candidates, head.candidates);
    const known = before === undefined ? [] : wordsOf(before);
    return wordsOf(each).filter((word) => !known.includes(word));
  });
  const agents = open.filter((each) => each.kind === "agent");
  if (agents.length === 0) return words.join("\n");
  const known = base.candidates.flatMap((each) =>
    each.kind === "agent" ? [each.system_prompt ?? ""] : [],
  );
  const prompts = agents.map(({ system_prompt: text = "" }) => text);
  const asked = head.tasks.filter(({ id, prompt_template: text, messages }) => {
    const task = base.tasks.find((each) => each.id === id);
    return task?.prompt_template !== text || !isDeepStrictEqual(task.messages, messages);
  });
  return [
    ...words,
    ...prompts.filter((text) => !known.includes(text)),
    ...asked.flatMap(({ prompt_template: text, messages }) => [text, JSON.stringify(messages)]),
  ].join("\n");
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
  return { part: "task", task: null, effect: "told", note };
}

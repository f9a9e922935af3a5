import { join } from "node:path";
import { candidateKinds } from "../../../model/definition/candidate-kinds.ts";
import type { AlteredFiles, PolicyChange } from "../../../model/outcomes/policy.ts";
import { toldNote } from "../../../model/outcomes/policy.ts";
import type { FileTools } from "../../../tools.ts";
import type { PreparedTask } from "../../opening/open-task.ts";
import { answersHeldIn } from "../answers/answer-files.ts";
import { namesIn } from "./names-in.ts";
import { bytesFrom, isFenced, reachedBy, textsBefore, type ChangedSuites } from "./look-ups.ts";

/** Files that are read for it, and the bytes of each. */
const mostFiles = 20;
const mostBytes = 4 * 1024 * 1024;

/**
 * Notes for programs of the change that name a file which the base already has, if it has answers of cases beside their questions
 * and the base's programs do not name it. It may be a page that the program is to know: it is told, and blocks nothing.
 */
export async function namedFiles(
  sides: ChangedSuites & { readonly judged: readonly PreparedTask[] },
  altered: AlteredFiles,
  files: Pick<FileTools, "openFile">,
): Promise<readonly PolicyChange[]> {
  const { base, head, basePath, judged } = sides;
  const open = head.candidates.filter(
    (each) => candidateKinds[each.kind].program && !isFenced(each),
  );
  if (open.length === 0) return [];
  const { reached, sources } = await reachedBy(open, sides, { altered, files });
  const programs = altered.here
    .filter(({ path }) => reached.has(path))
    .map(({ path, bytes }) => ({ path, text: new TextDecoder().decode(bytes) }));
  const differing = new Set(altered.here.map(({ path }) => path));
  const unaltered = altered.paths.filter(
    (path) => !differing.has(path) && !sources.files.includes(path),
  );
  const named = programs.flatMap(({ path, text }) => {
    const names = namesIn(text);
    return unaltered.filter(names).map((other) => ({ program: path, other }));
  });
  if (named.length === 0) return [];
  const before = await textsBefore({ base, basePath, paths: altered.basePaths }, files);
  const namesBefore = before.map(({ text }) => namesIn(text));
  const isNew = (path: string): boolean => !namesBefore.some((names) => names(path));
  const notes: PolicyChange[] = [];
  for (const { program, other } of named.filter((each) => isNew(each.other)).slice(0, mostFiles)) {
    const bytes = await bytesFrom(join(head.root, other), mostBytes, files);
    const count = bytes === undefined ? 0 : await answersHeldIn(bytes, judged, { base, head });
    if (count > 0) notes.push(aNote(program, other, count));
  }
  return notes;
}

function aNote(program: string, path: string, count: number): PolicyChange {
  const cases = count === 1 ? "the answer of a case" : `the answers of ${count} cases`;
  const note = `\`${program}\`, as this change has it, names \`${path}\`, which has ${cases} beside what ${count === 1 ? "it asks" : "they ask"}: see that no answers are looked up`;
  return toldNote(note);
}

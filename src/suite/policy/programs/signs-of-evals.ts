import { candidateKinds } from "../../../model/definition/candidate-kinds.ts";
import type { AlteredFiles, PolicyChange } from "../../../model/outcomes/policy.ts";
import { toldNote } from "../../../model/outcomes/policy.ts";
import type { FileTools } from "../../../tools.ts";
import { signsIn } from "./eval-names.ts";
import { reachedBy, textsBefore, type ChangedSuites } from "./look-ups.ts";
import { programText } from "./program-text.ts";

/** Files that have a note of their own, and signs that a note names. */
const mostFiles = 5;
const mostSigns = 5;

/**
 * Notes for files of the change's programs that name what only a run of evals, or a CI job, has around it, if the base's programs do
 * not: such a program can answer otherwise here than elsewhere. It may also just read the fields of a row, so nothing is
 * blocked.
 */
export async function signNotes(
  sides: ChangedSuites,
  altered: AlteredFiles,
  files: Pick<FileTools, "openFile">,
): Promise<readonly PolicyChange[]> {
  const { base, head, basePath } = sides;
  const programs = head.candidates.filter(({ kind }) => candidateKinds[kind].program);
  if (programs.length === 0) return [];
  const { reached, home } = await reachedBy(programs, sides, { altered, files });
  const found = altered.here
    .filter(({ path }) => reached.has(path))
    .map(({ path, bytes }) => {
      const { text } = programText(path, new TextDecoder().decode(bytes), home);
      return { path, signs: signsIn(text) };
    })
    .filter(({ signs }) => signs.size > 0);
  if (found.length === 0) return [];
  const before = await textsBefore({ base, basePath, paths: altered.basePaths }, files);
  const known = signsIn(before.map(({ text }) => text).join("\n"));
  const fresh = found
    .map(({ path, signs }) => ({ path, signs: [...signs.difference(known)] }))
    .filter(({ signs }) => signs.length > 0);
  return fresh.slice(0, mostFiles).map(({ path, signs }) => aNote(path, signs));
}

function aNote(path: string, names: readonly string[]): PolicyChange {
  const shown = names.slice(0, mostSigns).map((name) => `\`${name.slice(0, 60)}\``);
  const rest = names.length - shown.length;
  const list = `${shown.join(", ")}${rest > 0 ? ` and ${rest} more` : ""}`;
  const note = `\`${path}\`, of which a program is made, newly names ${list}, by which it can tell a run of evals: see that it answers the same elsewhere`;
  return toldNote(note);
}

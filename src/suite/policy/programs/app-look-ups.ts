import type { AlteredFiles, PolicyChange } from "../../../model/outcomes/policy.ts";
import { toldNote } from "../../../model/outcomes/policy.ts";
import type { FileTools } from "../../../tools.ts";
import { reachedBy, textsOfCode, type ChangedSuites } from "./look-ups.ts";
import { namedAnswers } from "./named-answers.ts";
import { isCode } from "./program-tables.ts";
import { programText } from "./program-text.ts";

/**
 * Notes for code of the change that names what contains the answers, where an app is asked over HTTP and no code of the
 * base names it. Nothing tells which files that app is made of, so that all code counts, and nothing is blocked. `judging`:
 * files of graders and preprocessors, which are the base's.
 */
export async function appLookUps(
  sides: ChangedSuites & { readonly judging: readonly string[] },
  altered: AlteredFiles,
  files: Pick<FileTools, "openFile">,
): Promise<readonly PolicyChange[]> {
  const { base, head, basePath, judging } = sides;
  if (!head.candidates.some(({ kind }) => kind === "http")) return [];
  const { sources, others, home } = await reachedBy([], sides, { altered, files });
  const naming = altered.here
    .filter(({ path }) => isCode.test(path) && !judging.includes(path))
    .map(({ path, bytes }) => {
      const text = programText(path, new TextDecoder().decode(bytes), home);
      return { path, named: namedAnswers(text, sources, { others }).named };
    })
    .filter(({ named }) => named.size > 0);
  if (naming.length === 0) return [];
  const paths = altered.basePaths.filter(
    (path) => isCode.test(path) && !sources.files.includes(path),
  );
  const texts = await textsOfCode({ base, basePath, paths }, files);
  const before = new Set(
    texts.flatMap((text) => Array.from(namedAnswers(text, sources, { others }).named)),
  );
  return naming
    .filter(({ named }) => named.difference(before).size > 0)
    .map(({ path }): PolicyChange => {
      const note = `\`${path}\` names what holds the answers, and an app is asked over HTTP: if the app is made of it, see that no answers are looked up`;
      return toldNote(note);
    });
}

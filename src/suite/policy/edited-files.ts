import { posix } from "node:path";
import type { AlteredFiles, PolicyChange } from "../../model/outcomes/policy.ts";
import type { FileTools } from "../../tools.ts";
import { reachedBy, type ChangedSuites } from "./programs/look-ups.ts";

/** Files that a note names. */
const mostNamed = 5;

/**
 * A note for files that are here with another content than in the commit, because a build, an earlier step of the job or
 * the program of an earlier suite wrote over them: of the suite's folder, or of those that a candidate is made of. What is judged are the files here, and not those that a
 * reviewer sees.
 */
export async function editedFiles(
  sides: ChangedSuites & { readonly commit: string | undefined },
  altered: AlteredFiles,
  files: Pick<FileTools, "openFile" | "findEdited">,
): Promise<readonly PolicyChange[]> {
  const { head, commit } = sides;
  const edited = await files.findEdited(head.root, commit);
  if (edited.kind === "unknown") return [aNote(unknownWords(edited.reason))];
  if (edited.paths.length === 0) return [];
  const { reached, home } = await reachedBy(head.candidates, sides, { altered, files });
  const isOurs = (path: string): boolean =>
    reached.has(path) || home === "." || path.startsWith(`${posix.normalize(home)}/`);
  const found = edited.paths.filter(isOurs);
  if (found.length === 0) return [];
  const shown = found.slice(0, mostNamed).map((path) => `\`${path.replaceAll("`", "'")}\``);
  const rest = found.length - shown.length;
  const list = `${shown.join(", ")}${rest > 0 ? ` and ${rest} more` : ""}`;
  const verb = found.length === 1 ? "is" : "are";
  const note = `${list} ${verb} not here as in the commit, as a build, an earlier step or another suite's program wrote over ${found.length === 1 ? "it" : "them"}: the content here is judged`;
  return [aNote(note)];
}

function unknownWords(reason: string): string {
  return `files here may differ from the commit: git did not tell which do (\`${reason.replaceAll("`", "'")}\`). The content here is judged`;
}

function aNote(note: string): PolicyChange {
  return { part: "candidates", task: null, effect: "told", note };
}

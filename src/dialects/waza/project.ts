import { dirname, join } from "node:path";
import { at, numberOf, type Part, placeOf } from "../../base/part.ts";
import { problem } from "../../model/refusal.ts";
import type { WazaEval } from "./eval.ts";
import { shownPath } from "./paths.ts";

/**
 * The judge that `.waza.yaml` above an eval file names. Most of that file does not affect the verdict, which a warning
 * says.
 */
export async function projectJudge(file: WazaEval): Promise<Part | undefined> {
  const root = await openProject(file);
  if (root === undefined) return undefined;
  const why =
    "of it `defaults.judgeModel` and `graders.programTimeout` alone are read; workers, cache and folders are those of waza's own program";
  file.warn(problem("waza_key_idle", { key: ".waza.yaml", why }, placeOf(root)));
  return at(at(root, "defaults"), "judgeModel");
}

/** Time limit in seconds of a program without its own limit; undefined if the file names none either. */
export async function readProgramTimeout(file: WazaEval): Promise<number | undefined> {
  const root = await openProject(file);
  const seconds = root && numberOf(at(at(root, "graders"), "programTimeout"));
  return seconds !== undefined && seconds > 0 ? seconds : undefined;
}

/** Opens the nearest such file, searching up to the repository's folder. */
async function openProject({ root, tools }: WazaEval): Promise<Part | undefined> {
  for (let folder = tools.directory; ; folder = dirname(folder)) {
    const absolute = join(folder, ".waza.yaml");
    const text = await tools.readText(absolute);
    const shown = shownPath(absolute, root, tools.directory);
    const parsed = text === undefined ? undefined : tools.parse(text, shown);
    if (parsed !== undefined) return { value: parsed.value, path: [], locate: parsed.locate };
    if (folder === tools.root || folder === dirname(folder)) return undefined;
  }
}

import { dirname, join } from "node:path";
import { at, type Part, placeOf } from "../../base/part.ts";
import { problem } from "../../model/refusal.ts";
import type { WazaEval } from "./eval.ts";
import { shownPath } from "./paths.ts";

/** The judge that `.waza.yaml` above an eval file names; of the file nothing else is about how a run is judged, which is told. */
export async function projectJudge(file: WazaEval): Promise<Part | undefined> {
  const root = await openProject(file);
  if (root === undefined) return undefined;
  const why =
    "of it `defaults.judgeModel` alone is read; workers, cache and folders are those of waza's own program";
  file.warn(problem("waza_key_idle", { key: ".waza.yaml", why }, placeOf(root)));
  return at(at(root, "defaults"), "judgeModel");
}

/** The nearest one, up to the repository's folder. */
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

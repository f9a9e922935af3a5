import { dirname } from "node:path";
import { stringify } from "yaml";
import { dialectOf } from "../dialects/recognise.ts";
import { parseManifest } from "../manifest/syntax/parse.ts";
import { type Problem, problem, Refusal } from "../model/refusal.ts";
import { dialectToolsOf } from "../suite/translate.ts";
import type { Tools } from "../tools.ts";

interface ForeignSuite {
  readonly text: string;
  /** The path as the user wrote it. */
  readonly path: string;
  readonly absolute: string;
}

/**
 * Translates another tool's suite into a manifest, as YAML; undefined if the text is no such suite. Throws a Refusal
 * for parts that can't be translated.
 */
export async function importForeign(
  { text, path, absolute }: ForeignSuite,
  manifest: string,
  { files, candidateTools }: Tools,
): Promise<{ readonly text: string; readonly warnings: readonly Problem[] } | undefined> {
  const parsed = parseManifest(text, path);
  if (parsed.kind === "refused") return undefined;
  const root = { value: parsed.value, path: [], locate: parsed.locate };
  const translate = dialectOf(root);
  if (translate === undefined) return undefined;
  const { root: repository } = await files.locate(path);
  const place = {
    directory: dirname(absolute),
    root: repository,
    documentDirectory: dirname(manifest),
  };
  const { environment } = candidateTools;
  const found = await translate(root, dialectToolsOf(place, { files, environment }));
  if (found.kind === "refused") throw new Refusal(found.problems);
  if (found.hidden.length > 0) {
    const names = [...new Set(found.hidden.map(({ shown }) => shown))];
    throw new Refusal(problem("k_eval_import_variables", { names }));
  }
  const head = `# Made of ${path}, which it no longer needs: change it as you like.\n`;
  return { text: head + stringify(found.value, { lineWidth: 120 }), warnings: found.warnings };
}

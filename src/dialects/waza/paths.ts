import { dirname, isAbsolute, relative, resolve } from "node:path";
import { withSlashes } from "../../base/slashes.ts";
import { type Part, placeOf } from "../../base/part.ts";
import { problem } from "../../model/refusal.ts";
import type { WazaEval } from "./eval.ts";

/**
 * Reads a file that the eval file names. waza resolves paths from where it is run; here that is the eval file's folder,
 * else the repository's. A missing file is refused.
 */
export async function readBeside(
  part: Part,
  path: string,
  file: WazaEval,
): Promise<{ readonly absolute: string; readonly text: string } | undefined> {
  const found = await findBesideText(path, file);
  if (found !== undefined) return found;
  const reason = isAbsolute(path)
    ? "the path is absolute"
    : "it is neither in this file's folder nor in the repository's";
  return file.refuse(problem("waza_file_unusable", { path, reason }, placeOf(part)));
}

/** Reads such a file; undefined, without a problem, if it is missing. */
export async function findBesideText(
  path: string,
  { tools }: WazaEval,
): Promise<{ readonly absolute: string; readonly text: string } | undefined> {
  for (const folder of isAbsolute(path) ? [] : [tools.directory, tools.root]) {
    const absolute = resolve(folder, path);
    const text = await tools.readText(absolute);
    if (text !== undefined) return { absolute, text };
  }
  return undefined;
}

/** The path of a file near the eval file, in the same form as the eval file's own path. */
export function shownPath(absolute: string, root: Part, directory: string): string {
  const home = dirname(root.locate([]).file);
  const path = withSlashes(relative(directory, absolute));
  return home === "." ? path : `${home}/${path}`;
}

import { dirname, isAbsolute, relative, resolve, sep } from "node:path";
import { type Part, placeOf } from "../../base/part.ts";
import { problem } from "../../model/refusal.ts";
import type { WazaEval } from "./eval.ts";

/**
 * A file that the eval file names. waza starts at the folder where it is run; here that is the eval file's own, else the
 * repository's. Refused where it is not there.
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

/** The same, without a word where it is not there. */
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

/** A file beside the eval file, named as that one is. */
export function shownPath(absolute: string, root: Part, directory: string): string {
  const home = dirname(root.locate([]).file);
  const path = relative(directory, absolute).split(sep).join("/");
  return home === "." ? path : `${home}/${path}`;
}

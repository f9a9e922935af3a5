import { isAbsolute, posix, resolve } from "node:path";
import { at, type Part, placeOf } from "../../base/part.ts";
import { problem } from "../../model/refusal.ts";
import { mappingOf, mappingList, fullText, optionalText, type WazaEval } from "./eval.ts";

/** A file that the agent finds in its workspace. */
export interface InputFile {
  readonly path: string;
  readonly content: string;
}

/** The files of a task, either with their content in place or read from the folder of fixtures. */
export async function readInputFiles(
  list: Part,
  folder: string | undefined,
  file: WazaEval,
): Promise<readonly InputFile[]> {
  const files: InputFile[] = [];
  for (const part of mappingList(list, file)) {
    mappingOf(part, { known: ["path", "content"], what: "an entry of `files`" }, file);
    const path = fullText(at(part, "path"), file);
    if (path === undefined) continue;
    const content = optionalText(at(part, "content"), file) ?? "";
    const found = await contentOf(path, { content, folder: folder ?? "fixtures" }, file);
    if ("content" in found) files.push({ path: posix.normalize(path), content: found.content });
    else
      file.warn(
        problem("waza_file_missing", { path, reason: found.reason }, placeOf(at(part, "path"))),
      );
  }
  return files;
}

async function contentOf(
  path: string,
  { content, folder }: { readonly content: string; readonly folder: string },
  { tools }: WazaEval,
): Promise<{ readonly content: string } | { readonly reason: string }> {
  if (isAbsolute(path)) return { reason: "its path is absolute" };
  if (posix.normalize(path).split("/").includes(".."))
    return { reason: "its path leads out of the workspace" };
  if (content !== "") return { content };
  const home = resolve(tools.directory, folder);
  const text = await tools.readText(resolve(home, path));
  return text === undefined ? { reason: `it is not in ${folder}` } : { content: text };
}

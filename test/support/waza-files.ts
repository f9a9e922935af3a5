import { createHash } from "node:crypto";
import { matchesGlob } from "node:path";
import type { Translated } from "../../src/base/foreign.ts";
import { dialectOf } from "../../src/dialects/recognise.ts";
import { parseManifest } from "../../src/manifest/syntax/parse.ts";

export type Files = Readonly<Record<string, string>>;

/** A task without graders of its own. */
export const wazaTask = "id: a\nname: A\ninputs: { prompt: p }\n";

/** An eval file in /repo/evals, with the files beside it. */
export async function translated(
  text: string,
  files: Files = { "tasks/a.yaml": wazaTask },
): Promise<Translated> {
  const parsed = parseManifest(text, "evals/eval.yaml");
  if (parsed.kind === "refused") return parsed;
  const root = { value: parsed.value, path: [], locate: parsed.locate };
  const found = await dialectOf(root)?.(root, {
    directory: "/repo/evals",
    root: "/repo",
    documentDirectory: "/repo/evals",
    ownKeys: undefined,
    environment: {},
    readText: async (path) => files[path.replace("/repo/evals/", "")],
    isThere: async (path) => Object.hasOwn(files, path.replace("/repo/evals/", "")),
    filesOf: async (glob, folder) =>
      Object.keys(files)
        .map((path) => `/repo/evals/${path}`)
        .filter((path) => matchesGlob(path, `${folder}/${glob}`))
        .toSorted((a, b) => a.localeCompare(b)),
    hashFile: async (path) => {
      const content = files[path.replace("/repo/evals/", "")];
      return content === undefined ? undefined : createHash("sha256").update(content).digest("hex");
    },
    pythonFiles: async () => [],
    parse: (each, path) => {
      const read = parseManifest(each, path);
      return read.kind === "parsed" ? read : undefined;
    },
  });
  if (found === undefined) throw new Error("not recognised");
  return found;
}

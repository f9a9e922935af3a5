import { isAbsolute, join, posix, relative, resolve, sep } from "node:path";
import { withSlashes } from "../base/slashes.ts";
import type { Translated } from "../base/foreign.ts";
import { at, fieldsOf, keyPlaceOf, objectOf, type Part, placeOf, textOf } from "../base/part.ts";
import { dialectOf, type Translate } from "../dialects/recognise.ts";
import { parseManifest } from "../manifest/syntax/parse.ts";
import { type Problem, problem } from "../model/refusal.ts";
import type { Tools } from "../tools.ts";
import type { Environment } from "../model/ports/processes.ts";

/** Keys that a manifest with `uses` may have itself; its tasks come from the other tool's file. */
const ownKeys: ReadonlySet<string> = new Set([
  "$schema",
  "schema_version",
  "name",
  "providers",
  "candidates",
  "models",
  "run",
  "gate",
  "judge_calibration",
  "publish",
  "metadata",
]);

/** Tools that reading another tool's suite needs. */
export interface Outside {
  readonly files: Tools["files"];
  readonly environment: Environment;
}

type Used =
  | {
      readonly kind: "used";
      /** Absolute. */
      readonly file: string;
      readonly root: Part;
      readonly translate: Translate;
      /** The manifest's own keys. */
      readonly keys: ReadonlySet<string>;
    }
  | { readonly kind: "refused"; readonly problems: readonly Problem[] };

/** Reads the file that `uses` names, and determines its tool. */
export async function readUsed(
  root: Part,
  suite: { readonly directory: string; readonly root: string; readonly path: string },
  { files }: Outside,
): Promise<Used> {
  const uses = at(root, "uses");
  const others = fieldsOf(root).filter(([key]) => key !== "uses" && !ownKeys.has(key));
  if (others.length > 0)
    return refused(
      ...others.map(([key, part]) =>
        problem("uses_other_key", { key, own: [...ownKeys] }, keyPlaceOf(part)),
      ),
    );
  const file = resolve(suite.directory, textOf(uses) ?? "");
  const reason = await unusable(uses, { file, root: suite.root }, files);
  if (reason !== undefined) return refused(problem("uses_unusable", { reason }, placeOf(uses)));
  const shown = posix.join(posix.dirname(withSlashes(suite.path)), textOf(uses) ?? "");
  const parsed = parseManifest(await files.readText(file), shown);
  if (parsed.kind === "refused") return parsed;
  const used: Part = { value: parsed.value, path: [], locate: parsed.locate };
  const translate = dialectOf(used);
  if (translate === undefined)
    return refused(problem("uses_unknown_tool", { path: shown }, placeOf(uses)));
  return {
    kind: "used",
    file,
    root: used,
    translate,
    keys: new Set(Object.keys(objectOf(root) ?? {})),
  };
}

/** Why the file can't be read, as a clause. */
async function unusable(
  uses: Part,
  { file, root }: { readonly file: string; readonly root: string },
  files: Outside["files"],
): Promise<string | undefined> {
  const path = textOf(uses);
  if (path === undefined || path === "") return "it is no path";
  if (isAbsolute(path)) return "the path is absolute; it starts at this file's folder";
  const home = (await files.inspectPath(root)).real;
  const found = await files.inspectPath(file);
  const way = relative(home, found.real);
  if (way === ".." || way.startsWith(join("..", sep)) || isAbsolute(way))
    return "it leads out of the repository";
  if (found.kind === "missing") return `there is no file ${JSON.stringify(path)}`;
  return found.kind === "directory" ? `${JSON.stringify(path)} is a folder` : undefined;
}

function refused(...problems: readonly Problem[]): Used {
  return { kind: "refused", problems };
}

/** The document with the manifest's own keys replacing the file's, each with its position. */
export function withOwnKeys(
  root: Part,
  translated: Extract<Translated, { kind: "translated" }>,
): Translated {
  const { uses: _uses, ...own } = objectOf(root) ?? {};
  // The manifest's own models replace the file's, in whichever form each is written.
  const models = ["candidates", "models"];
  const hasModels = models.some((key) => key in own);
  const document = objectOf({ ...root, value: translated.value }) ?? {};
  const kept = Object.entries(document).filter(
    ([key]) => !(key in own) && !(hasModels && models.includes(key)),
  );
  return {
    ...translated,
    value: { ...Object.fromEntries(kept), ...own },
    locate: (path, part) =>
      path[0] === undefined || path[0] in own
        ? root.locate(path, part)
        : translated.locate(path, part),
  };
}

import { dirname, relative } from "node:path";
import type { Translated } from "../base/foreign.ts";
import { at, isPresent, type Part } from "../base/part.ts";
import type { DialectTools } from "../dialects/dialect.ts";
import { dialectOf } from "../dialects/recognise.ts";
import { parseManifest } from "../manifest/syntax/parse.ts";
import { Refusal } from "../model/refusal.ts";
import { type Outside, readUsed, withOwnKeys } from "./uses.ts";

/** Location of a suite: absolute folders, and its path for messages. */
interface SuitePlace {
  readonly directory: string;
  readonly root: string;
  readonly path: string;
}

/**
 * Converts a suite in another tool's format, or one that uses such a file, to a manifest of ours; undefined if it is
 * one already.
 */
export async function translate(
  root: Part,
  suite: SuitePlace,
  outside: Outside,
): Promise<Translated | undefined> {
  if (!isPresent(at(root, "uses"))) return dialectOf(root)?.(root, dialectToolsOf(suite, outside));
  const used = await readUsed(root, suite, outside);
  if (used.kind === "refused") return used;
  const { file, keys } = used;
  const place = {
    directory: dirname(file),
    root: suite.root,
    documentDirectory: suite.directory,
    ownKeys: keys,
  };
  const tools = dialectToolsOf(place, outside);
  const translated = await used.translate(used.root, tools);
  return translated.kind === "refused" ? translated : withOwnKeys(root, translated);
}

interface ForeignPlace {
  readonly directory: string;
  readonly root: string;
  /** Default: `directory`. */
  readonly documentDirectory?: string;
  readonly ownKeys?: ReadonlySet<string>;
}

/** Gives a dialect access to files, but to none outside the root. */
export function dialectToolsOf(
  { directory, root, documentDirectory = directory, ownKeys }: ForeignPlace,
  { files, environment }: Outside,
): DialectTools {
  const isInside = async (path: string): Promise<boolean> => {
    const [found, home] = [await files.inspectPath(path), await files.inspectPath(root)];
    return found.kind !== "missing" && !relative(home.real, found.real).startsWith("..");
  };
  const filesOf = async (glob: string, folder: string): Promise<readonly string[]> => {
    const found = await readable(() => files.findResultFiles([glob], { directory: folder, root }));
    return (found ?? []).map(({ absolute }) => absolute);
  };
  return {
    directory,
    root,
    documentDirectory,
    ownKeys,
    environment,
    isThere: isInside,
    hashFile: async (path) => {
      if (!(await isInside(path))) return undefined;
      const hash = await readable(() => files.hashFile(path));
      return hash?.replace("sha256:", "");
    },
    readText: async (path) =>
      (await isInside(path)) ? readable(() => files.readText(path)) : undefined,
    filesOf,
    pythonFiles: (folder) => filesOf("*.py", folder),
    parse: (text, file) => {
      const found = parseManifest(text, file);
      return found.kind === "parsed" ? found : undefined;
    },
  };
}

/** undefined if it can't be read. */
async function readable<T>(read: () => Promise<T>): Promise<T | undefined> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof Refusal) return undefined;
    throw error;
  }
}

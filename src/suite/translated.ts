import { dirname, relative } from "node:path";
import type { DialectTools, Translated } from "../dialects/dialect.ts";
import { dialectOf } from "../dialects/recognise.ts";
import { parseManifest } from "../manifest/parse.ts";
import { Refusal } from "../model/refusal.ts";
import type { Tools } from "../tools.ts";

/** A suite's text and where it stands. */
interface SuiteText {
  readonly text: string;
  /** As the user wrote it, for messages. */
  readonly path: string;
  readonly directory: string;
  readonly root: string;
}

interface Outside extends Pick<DialectTools, "environment"> {
  readonly files: Tools["files"];
}

/** A manifest as data: as it stands, or made of a file of another tool. */
export async function translated(suite: SuiteText, outside: Outside): Promise<Translated> {
  const parsed = parseManifest(suite.text, suite.path);
  if (parsed.kind === "refused") return parsed;
  const root = { value: parsed.value, path: [], locate: parsed.locate };
  const translate = dialectOf(root);
  if (translate === undefined)
    return { ...parsed, kind: "translated", about: undefined, warnings: [] };
  return translate(root, toolsOf(suite, outside));
}

function toolsOf({ directory, root }: SuiteText, { files, environment }: Outside): DialectTools {
  const isInside = async (path: string): Promise<boolean> => {
    const [found, home] = [await files.inspectPath(path), await files.inspectPath(root)];
    return found.kind !== "missing" && !relative(home.real, found.real).startsWith("..");
  };
  return {
    directory,
    root,
    environment,
    isThere: isInside,
    readText: async (path) =>
      (await isInside(path)) ? readable(() => files.readText(path)) : undefined,
    pythonFiles: async (folder) => {
      const found = await readable(() =>
        files.findResultFiles(["*.py"], { directory: folder, root }),
      );
      return (found ?? []).map(({ absolute }) => absolute).filter((path) => dirname(path) !== "");
    },
    parse: (text, file) => {
      const found = parseManifest(text, file);
      return found.kind === "parsed" ? found : undefined;
    },
  };
}

/** undefined where it can't be read. */
async function readable<T>(read: () => Promise<T>): Promise<T | undefined> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof Refusal) return undefined;
    throw error;
  }
}

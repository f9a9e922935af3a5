import { dirname, relative } from "node:path";
import type { Translated } from "../base/foreign.ts";
import type { Part } from "../base/part.ts";
import type { DialectTools } from "../dialects/dialect.ts";
import { dialectOf } from "../dialects/recognise.ts";
import { parseManifest } from "../manifest/parse.ts";
import { Refusal } from "../model/refusal.ts";
import type { Tools } from "../tools.ts";

/** Where a suite stands, absolute. */
interface SuitePlace {
  readonly directory: string;
  readonly root: string;
}

interface Outside extends Pick<DialectTools, "environment"> {
  readonly files: Tools["files"];
}

/** A suite in another tool's format as a manifest of ours; undefined where it is one of ours already. */
export async function translate(
  root: Part,
  suite: SuitePlace,
  outside: Outside,
): Promise<Translated | undefined> {
  return dialectOf(root)?.(root, toolsOf(suite, outside));
}

function toolsOf({ directory, root }: SuitePlace, { files, environment }: Outside): DialectTools {
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

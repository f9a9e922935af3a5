import type { ResultsAsked } from "../model/results.ts";
import type { Tools } from "../tools.ts";
import { followStored } from "../suite/imported/follow.ts";
import { readBaselineResults, readResults } from "../run/stored-results.ts";
import type { StoredRun } from "../model/ports/store.ts";
import type { ResultsFlags } from "./results-flags.ts";

/** Placeholder in place of the path HEAD if `--results` names the files. No path begins with it. */
export const headOfResults = "--results";

/** How result files are read, and the rules that the flags define. */
export function resultsAsked(
  { format, maxDrop, min, metric, name }: ResultsFlags,
  paths: readonly string[],
): ResultsAsked {
  return {
    from: { paths, format, group: undefined, columns: {}, directed: [] },
    rules: { maxDrop, min, metrics: [...new Set(metric)] },
    name,
  };
}

/** Directories to compare. */
interface Compared {
  readonly base?: readonly [string, ...string[]];
  /** undefined: everything that is read is a baseline. */
  readonly head: string | undefined;
}

/**
 * Tools that read another tool's results if a file stands in place of a run directory. Head is judged by the base's
 * rules unless flags define others. Each path is read only once.
 */
export function readingResults(asked: ResultsFlags & Compared, tools: Tools): Tools {
  const known = new Map<string, Promise<StoredRun>>();
  const readOnce = (path: string, isBaseline: boolean): Promise<StoredRun> => {
    const key = JSON.stringify([path, isBaseline]);
    const run = known.get(key) ?? readEither(path, { asked, isBaseline }, tools);
    known.set(key, run);
    return run;
  };
  return {
    ...tools,
    readRun: async (path) => {
      const isHead = path === asked.head;
      const run = await readOnce(path, !isHead);
      return isHead && asked.base !== undefined
        ? followStored(run, await readOnce(asked.base[0], true))
        : run;
    },
  };
}

async function readEither(
  path: string,
  { asked, isBaseline }: { readonly asked: ResultsFlags; readonly isBaseline: boolean },
  tools: Tools,
): Promise<StoredRun> {
  if (asked.results !== undefined && path === headOfResults)
    return readResults(resultsAsked(asked, asked.results), tools);
  const { absolute } = await tools.files.locate(path);
  const { kind } = await tools.files.inspectPath(absolute);
  if (kind !== "file") return tools.readRun(path);
  const read = isBaseline ? readBaselineResults : readResults;
  return read(resultsAsked(asked, [path]), tools);
}

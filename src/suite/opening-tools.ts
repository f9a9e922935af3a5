import { resolve } from "node:path";
import { createDatasetDownloader } from "../dataset/download.ts";
import type { Withheld } from "../model/ports/fence.ts";
import type { RowCache } from "../model/ports/remote.ts";
import type { Tools } from "../tools.ts";
import { withholding } from "./withheld.ts";

/** Folders that a run writes to or is compared with, as the user names them. */
interface Folders {
  readonly out?: string | undefined;
  readonly baseline?: string | readonly string[] | undefined;
}

interface OpeningRequest extends Folders {
  /** Kept rows count that nobody wrote to since, in milliseconds since 1970; undefined: all. */
  readonly writtenBefore?: number | undefined;
}

/**
 * The tools for opening a suite. Data sets are downloaded, and candidates in a sandbox get no access to the folders of
 * runs and caches. `rows`: how many rows of a remote data set to read.
 */
export async function openingTools(
  { writtenBefore, ...folders }: OpeningRequest,
  rows: "all" | "first",
  outside: Tools,
): Promise<Tools> {
  const { rowCache } = outside.remote;
  const remote = { ...outside.remote, rowCache: keptBefore(writtenBefore, rowCache) };
  const downloadDataset = createDatasetDownloader(remote, rows);
  return withholding(await runsOf(folders, outside), { ...outside, downloadDataset });
}

/** The rows that were kept before a time: a program that was asked since may have put others in their place. */
function keptBefore(writtenBefore: number | undefined, rowCache: RowCache): RowCache {
  if (writtenBefore === undefined) return rowCache;
  return {
    find: (key) => rowCache.find(key, writtenBefore),
    begin: (as) => rowCache.begin({ ...as, resume: false }),
  };
}

/** Folders of this run and of earlier ones, relative to the working directory. */
async function runsOf({ out, baseline }: Folders, tools: Tools): Promise<readonly Withheld[]> {
  const { folder } = await tools.findOwnRuns();
  const baselines = [baseline ?? []].flat().filter((each) => each !== "auto" && each !== "none");
  return [
    { path: resolve(folder), what: "the runs of Regrade" },
    { path: resolve(tools.cache.folder), what: "Regrade's cache" },
    ...(out === undefined ? [] : [{ path: resolve(out), what: "the run directory" }]),
    ...baselines.map((each) => ({ path: resolve(each), what: `the baseline ${each}` })),
  ];
}

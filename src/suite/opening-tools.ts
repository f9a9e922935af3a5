import { resolve } from "node:path";
import { createDatasetDownloader } from "../dataset/download.ts";
import type { Withheld } from "../model/fence.ts";
import type { Tools } from "../tools.ts";
import { withholding } from "./withheld.ts";

/** Folders that a run writes to or is compared with, as the user names them. */
interface Folders {
  readonly out?: string | undefined;
  readonly baseline?: string | readonly string[] | undefined;
}

/**
 * The tools for opening a suite. Data sets are downloaded, and candidates in a sandbox get no access to the folders of
 * runs and caches. `rows`: how many rows of a remote data set to read.
 */
export async function openingTools(
  folders: Folders,
  rows: "all" | "first",
  outside: Tools,
): Promise<Tools> {
  const downloadDataset = createDatasetDownloader(outside.remote, rows);
  return withholding(await runsOf(folders, outside), { ...outside, downloadDataset });
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

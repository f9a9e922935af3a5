import { join } from "node:path";
import { writePage, type PageSource } from "../analyse/page/write.ts";
import type { Tools } from "../tools.ts";
import { runNamed } from "./latest.ts";
import { runFolders } from "./run-folders.ts";

/** The name of a page in a run directory. */
export const pageName = "report.html";

/** Writes the page of a run, or of all runs in a folder, and returns its file. */
export async function makePage(
  named: string,
  file: string | undefined,
  tools: Tools,
): Promise<string> {
  const directory = await runNamed(named, tools);
  const sources = await pageSources(directory, tools);
  const written = file ?? join(directory, pageName);
  await writePage(sources, written, tools);
  return written;
}

/** The run in a directory, or else the runs one level below it, as several suites make them. */
async function pageSources(directory: string, tools: Tools): Promise<readonly PageSource[]> {
  const found = await runFolders(directory, 1, tools);
  // Refused, with the reason: there is no such folder, or no run in it.
  if (found.length === 0) await tools.readRun(directory);
  return found.map((each) => ({ directory: each, shownAs: each }));
}

import { readdir } from "node:fs/promises";
import { basename, join } from "node:path";
import { problem, Refusal } from "../model/refusal.ts";
import { writePage, type PageSource } from "../analyse/page/write.ts";
import type { Tools } from "../tools.ts";
import { runNamed } from "./latest.ts";

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

/** The run in a directory; else runs one level below it, as several suites make them. */
async function pageSources(directory: string, tools: Tools): Promise<readonly PageSource[]> {
  const isRun = async (path: string): Promise<boolean> =>
    (await tools.files.inspectPath(join(path, "run.json"))).kind === "file";
  if (await isRun(directory)) return [{ directory, shownAs: directory }];
  const found: PageSource[] = [];
  for (const name of await namesIn(directory)) {
    const inside = join(directory, name);
    if (await isRun(inside)) found.push({ directory: inside, shownAs: inside });
  }
  if (found.length === 0) throw new Refusal(problem("run_missing", { directory }));
  return found;
}

async function namesIn(directory: string): Promise<readonly string[]> {
  const entries = await readdir(directory, { withFileTypes: true }).catch(() => []);
  return entries
    .filter((entry) => entry.isDirectory())
    .map((entry) => basename(entry.name))
    .toSorted();
}

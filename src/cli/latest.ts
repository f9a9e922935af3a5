import { resolve } from "node:path";
import { chosenCases } from "../model/chosen.ts";
import { problem, Refusal } from "../model/refusal.ts";
import type { Run } from "../model/run.ts";
import type { Tools } from "../tools.ts";
import { readRunJson } from "../wiring.ts";

/** The word for the last run in the default folder. A directory of that name has priority. */
export const latest = "latest";

/** The run directory that a path or `latest` names. */
export async function runNamed(path: string, tools: Tools): Promise<string> {
  return lastRun(path, { tools, suite: undefined, serves: () => true });
}

/** The directory of a baseline. `latest` means the last run of the suite that can serve as a baseline. */
export async function baselineNamed(path: string, suite: string, tools: Tools): Promise<string> {
  return lastRun(path, { tools, suite, serves: canBeBaseline });
}

/** The last finished run of a suite. */
export async function lastRunOf(suite: string, tools: Tools): Promise<string> {
  return lastRun(latest, { tools, suite, serves: () => true });
}

function canBeBaseline(run: Run): boolean {
  return run.status === "completed" && run.shard === undefined && chosenCases(run).length === 0;
}

interface Wanted {
  readonly tools: Tools;
  /** Name of the suite; undefined: any suite. */
  readonly suite: string | undefined;
  readonly serves: (run: Run) => boolean;
}

async function lastRun(path: string, { tools, suite, serves }: Wanted): Promise<string> {
  if (path !== latest) return path;
  if (suite === undefined && (await tools.files.inspectPath(resolve(path))).kind === "directory")
    return path;
  const { folder, runs } = await tools.findOwnRuns();
  for (const { directory, hasEnd } of runs) {
    if (!hasEnd) continue;
    const run = await readRunJson(directory);
    if ((suite === undefined || run.suite.name === suite) && serves(run)) return directory;
  }
  throw new Refusal(problem("no_latest_run", { folder, suite }));
}

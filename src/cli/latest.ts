import { resolve } from "node:path";
import { canBeBaseline } from "../model/outcomes/chosen.ts";
import { problem, Refusal } from "../model/refusal.ts";
import type { Run } from "../model/outcomes/run.ts";
import type { Suite } from "../model/definition/suite.ts";
import type { Tools } from "../tools.ts";
import { readRunJson } from "../wiring.ts";

/** The word for the last run in the default folder. A directory of that name has priority. */
export const latest = "latest";

/** The run directory that a path or `latest` names. */
export async function runNamed(path: string, tools: Tools): Promise<string> {
  return lastRun(path, { tools, suite: undefined, serves: () => true });
}

/**
 * The directory of a baseline. `latest` means the last run of the suite that has all cases that the new run will have:
 * those of the whole suite, or, if `max_samples` draws some, at least as many.
 */
export async function baselineNamed(
  path: string,
  { name, max_samples }: Pick<Suite, "name" | "max_samples">,
  tools: Tools,
): Promise<string> {
  const serves = (run: Run): boolean => canBeBaseline(run, max_samples);
  return lastRun(path, { tools, suite: name, isWhole: true, serves });
}

/** The last finished run of a suite. */
export async function lastRunOf(suite: string, tools: Tools): Promise<string> {
  return lastRun(latest, { tools, suite, serves: () => true });
}

interface Wanted {
  readonly tools: Tools;
  /** Name of the suite; undefined: any suite. */
  readonly suite: string | undefined;
  /** True if only a completed run of all cases serves. */
  readonly isWhole?: boolean;
  readonly serves: (run: Run) => boolean;
}

async function lastRun(
  path: string,
  { tools, suite, isWhole = false, serves }: Wanted,
): Promise<string> {
  if (path !== latest) return path;
  if (suite === undefined && (await tools.files.inspectPath(resolve(path))).kind === "directory")
    return path;
  const { folder, runs } = await tools.findOwnRuns();
  for (const { directory, hasEnd } of runs) {
    if (!hasEnd) continue;
    const run = await readRunJson(directory);
    if ((suite === undefined || run.suite.name === suite) && serves(run)) return directory;
  }
  throw new Refusal(problem("no_latest_run", { folder, suite, isWhole }));
}

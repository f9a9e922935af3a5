import { realpathSync } from "node:fs";
import { mkdtemp, realpath, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { problem, Refusal, type Problem } from "../../model/refusal.ts";
import type { Environment } from "../../model/ports/processes.ts";

/** The root of the repository where the runner checked it out: absolute, and without symbolic links if it exists. */
export function workspaceRoot(env: Environment): string {
  const root = resolve(env["GITHUB_WORKSPACE"] || ".");
  try {
    return realpathSync(root);
  } catch {
    return root;
  }
}

/** The absolute folder that the inputs' paths are relative to; throws a Refusal if it does not exist. */
export async function findDirectory(root: string, workingDirectory: string): Promise<string> {
  const directory = resolve(root, workingDirectory);
  const found = await stat(directory).catch(() => undefined);
  if (found?.isDirectory() === true) return realpath(directory);
  throw new Refusal(problem("input_directory_missing", { directory: workingDirectory }));
}

/**
 * Makes a new folder for this step's runs. It is in RUNNER_TEMP: later steps of the job can read it, the runner empties
 * it before and after each job, and the repository stays clean. Its name is unique, because steps may run in parallel.
 */
export async function makeRunFolder(env: Environment): Promise<string> {
  const parent = env["RUNNER_TEMP"] || tmpdir();
  try {
    return await mkdtemp(join(await realpath(parent), "regrade-"));
  } catch (cause) {
    const variable = env["RUNNER_TEMP"] ? "RUNNER_TEMP" : "TMPDIR";
    const details = { folder: parent, variable, reason: reasonOf(cause) };
    throw new Refusal(problem("temporary_failed", details), { cause, exit: 4 });
  }
}

interface SavedSummary {
  /** "" if the summary could not be written. */
  readonly path: string;
  readonly problems: readonly Problem[];
}

/** Writes the summary of several suites beside their runs. */
export async function saveSummary(folder: string, texts: readonly string[]): Promise<SavedSummary> {
  const path = join(folder, "summary.md");
  try {
    await writeFile(path, `${texts.join("\n\n")}\n`);
    return { path, problems: [] };
  } catch (cause) {
    return { path: "", problems: [problem("summary_failed", { reason: reasonOf(cause) })] };
  }
}

function reasonOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}

import { stat } from "node:fs/promises";
import { join, resolve } from "node:path";

const taskFile = "graph_config.yaml";

/**
 * Resolves a SyGra task's name to its file: a folder, `tasks.eval.topics`, `tasks/eval/topics` or `eval/topics`. Existing
 * files and other names are returned unchanged.
 */
export async function findTaskFile(name: string, directory: string): Promise<string> {
  if (await isFile(resolve(directory, name))) return name;
  const slashed = name.includes("/") ? name : name.replaceAll(".", "/");
  for (const folder of [name, slashed, join("tasks", slashed)]) {
    const file = join(folder, taskFile).replaceAll("\\", "/");
    if (await isFile(resolve(directory, file))) return file;
  }
  return name;
}

async function isFile(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isFile();
  } catch {
    return false;
  }
}

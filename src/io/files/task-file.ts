import { stat } from "node:fs/promises";
import { join, resolve } from "node:path";

const taskFile = "graph_config.yaml";

/**
 * The file that a task of SyGra is named by: its folder, `tasks.eval.topics`, `tasks/eval/topics` or `eval/topics`. What is a
 * file already, or nothing of the kind, stays as it is.
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

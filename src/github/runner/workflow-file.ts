import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { yamlIn } from "../../base/yaml-text.ts";
import { isJsonObject } from "../../model/json.ts";

/** A workflow file of a tree. */
interface WorkflowFile {
  /** `.github/workflows/evals.yml`. */
  readonly path: string;
  /** Name by which other workflows listen to it: its path, if it has no name. */
  readonly name: string;
  /** Names of the workflows whose end starts it. */
  readonly listensTo: readonly string[];
}

const folder = ".github/workflows";

/** The workflows of a tree, sorted by path; empty if it has none. */
export async function readWorkflows(root: string): Promise<readonly WorkflowFile[]> {
  const entries = await readdir(join(root, folder), { withFileTypes: true }).catch(() => []);
  const names = entries
    .filter((entry) => entry.isFile() && /\.ya?ml$/.test(entry.name))
    .map(({ name }) => name)
    .toSorted();
  return Promise.all(
    names.map(async (name) => {
      const path = `${folder}/${name}`;
      return readWorkflow(path, await readFile(join(root, path), "utf8"));
    }),
  );
}

/**
 * Reads a workflow's text. GitHub does not start a workflow that it can't read, so an unreadable one gets only its path
 * as its name.
 */
function readWorkflow(path: string, text: string): WorkflowFile {
  const body = yamlIn(text);
  const name = isJsonObject(body) ? body["name"] : undefined;
  const on = isJsonObject(body) ? body["on"] : undefined;
  const ended = isJsonObject(on) ? on["workflow_run"] : undefined;
  const heard = isJsonObject(ended) ? ended["workflows"] : undefined;
  return {
    path,
    name: typeof name === "string" && name !== "" ? name : path,
    listensTo: [heard ?? []].flat().filter((each) => typeof each === "string"),
  };
}

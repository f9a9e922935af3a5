import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { BaseTree } from "../../model/policy.ts";
import { problem, Refusal } from "../../model/refusal.ts";
import { inputsOfBase, takesToken } from "../runner/base-inputs.ts";
import { readInputs, type Settings } from "../runner/inputs.ts";
import { noteOf } from "../runner/log.ts";
import { workspaceRoot } from "../runner/workspace.ts";
import type { GitHubAccess, Step } from "./step.ts";

interface Base {
  /** The base's files, if they are here; undefined: only the workflow's file is requested. */
  readonly tree: BaseTree | undefined;
  /** The base commit; undefined: no change is judged. */
  readonly sha: string | undefined;
  readonly access: GitHubAccess;
}

/**
 * The inputs that count. A change can't choose how it is judged by editing its own workflow: as long as the step runs,
 * all inputs that judge are those of the base's file.
 */
export async function settingsOfBase(
  settings: Settings,
  base: Base,
  step: Step,
): Promise<Settings> {
  const { context, env, log } = step;
  const { path } = context.workflow;
  if (base.sha === undefined || path === undefined) return settings;
  const head = await textOf(join(workspaceRoot(env), path));
  if (head === undefined) return settings;
  const before =
    base.tree === undefined
      ? await fetchText({ path, sha: base.sha }, base.access)
      : await textOf(join(base.tree.root, path));
  if (before === undefined || before === head) return settings;
  const action = env["GITHUB_ACTION_REPOSITORY"] || undefined;
  const texts = { base: before, head };
  const job = { job: context.job, action };
  if (settings.token === "" && takesToken(texts, job))
    throw new Refusal(problem("token_of_base", { path }));
  const inputs = inputsOfBase(texts, job, env);
  const names = Object.keys(inputs);
  if (names.length === 0) return settings;
  const given = names.map((name) => [`INPUT_${name.toUpperCase()}`, inputs[name]]);
  const read = readInputs({ ...env, ...Object.fromEntries(given) });
  if (read.kind === "problems") throw new Refusal(read.problems);
  log.warning(noteOf(problem("inputs_of_base", { path, inputs })));
  // The folder has been entered already, and the base's suites are named relative to it.
  return { ...read.settings, workingDirectory: settings.workingDirectory };
}

/** The text of a file; undefined if there is none. */
function textOf(path: string): Promise<string | undefined> {
  return readFile(path, "utf8").catch(() => undefined);
}

/** A file of a commit; undefined if the commit does not have it, or if GitHub does not answer. */
async function fetchText(
  { path, sha }: { readonly path: string; readonly sha: string },
  { github, tellFailure }: GitHubAccess,
): Promise<string | undefined> {
  if (github === undefined) return undefined;
  const { request, repository, attempt } = await github();
  const doing = {
    what: "reading the base's workflow",
    permission: "contents: read",
    decides: true,
  };
  const found = await attempt(doing, () =>
    request("GET /repos/{owner}/{repo}/contents/{path}", {
      ...repository,
      path,
      ref: sha,
    }),
  );
  if (found.kind === "failed") {
    if (found.reason !== "missing") tellFailure(found);
    return undefined;
  }
  const { data } = found.value;
  const isText = !Array.isArray(data) && data.type === "file" && "content" in data;
  return isText ? Buffer.from(data.content, "base64").toString("utf8") : undefined;
}

import { join, posix } from "node:path";
import { yamlIn } from "../../base/yaml-text.ts";
import { isJsonObject } from "../../model/json.ts";
import type { FirstSuiteTools } from "../../wiring.ts";

/** How the workflow's file is dealt with. */
export type WorkflowPlan =
  /** No workflow runs Regrade yet, so one is written here. */
  | { readonly kind: "write"; readonly path: string }
  /** This workflow already runs the folder's suites. */
  | ({ readonly kind: "covered"; readonly path: string; readonly text: string } & Judged)
  /** This workflow runs Regrade, but only in other folders. */
  | { readonly kind: "elsewhere"; readonly path: string };

/** The suites that one step of a workflow runs. */
interface Judged {
  readonly folder: string;
  /** The step's input `suite`; undefined: all of evals/. */
  readonly suite: string | undefined;
}

const folderOfWorkflows = ".github/workflows";
/** File names for the new workflow; the first free one is taken. */
const names = ["evals.yml", "regrade.yml", "regrade-evals.yml"];

/**
 * Examines the workflows of a repository. `folder`: the suite's folder, relative to the root; "" is the root itself.
 */
export async function planWorkflow(
  { root, folder }: { readonly root: string; readonly folder: string },
  tools: FirstSuiteTools,
): Promise<WorkflowPlan> {
  const present = await tools.listNames(join(root, folderOfWorkflows));
  let elsewhere: WorkflowPlan | undefined;
  for (const name of present.filter((each) => /\.ya?ml$/.test(each)).toSorted()) {
    const path = `${folderOfWorkflows}/${name}`;
    const text = await readIfText(join(root, path), tools);
    const judged = judgedBy(text);
    const here = judged.find((each) => each.folder === posix.normalize(folder || "."));
    if (here !== undefined) return { kind: "covered", path, text, ...here };
    if (judged.length > 0) elsewhere ??= { kind: "elsewhere", path };
  }
  const free = names.find((name) => !present.includes(name)) ?? "evals.yml";
  return elsewhere ?? { kind: "write", path: `${folderOfWorkflows}/${free}` };
}

/** The suites that a workflow runs, in its steps and in calls of the reusable workflow. */
function judgedBy(text: string): readonly Judged[] {
  const jobs = objectAt(yamlIn(text), "jobs");
  return Object.values(jobs).flatMap((job) => {
    if (!isJsonObject(job)) return [];
    const steps: readonly unknown[] = Array.isArray(job["steps"]) ? job["steps"] : [];
    return [job, ...steps].flatMap((each) => (isJsonObject(each) ? readStep(each) : []));
  });
}

function readStep(step: Readonly<Record<string, unknown>>): readonly Judged[] {
  const { uses } = step;
  if (typeof uses !== "string" || !/^\S+\/regrade(?:\/\S*)?@/.test(uses)) return [];
  const { results, suite, "working-directory": named } = objectAt(step, "with");
  // A step that judges another tool's results runs no suite.
  if (typeof results === "string") return [];
  const folder = typeof named === "string" && named !== "" ? named : ".";
  return [
    {
      folder: posix.normalize(folder).replace(/(?<=.)\/$/, ""),
      suite: typeof suite === "string" ? suite : undefined,
    },
  ];
}

function objectAt(value: unknown, key: string): Readonly<Record<string, unknown>> {
  const found = isJsonObject(value) ? value[key] : undefined;
  return isJsonObject(found) ? found : {};
}

async function readIfText(path: string, tools: FirstSuiteTools): Promise<string> {
  if ((await tools.inspectPath(path)).kind !== "file") return "";
  return tools.readText(path).catch(() => "");
}

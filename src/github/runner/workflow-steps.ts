import { yamlIn } from "../../base/yaml-text.ts";
import { isJsonObject } from "../../model/json.ts";

/** The job of a workflow that judges. */
export interface JudgingJob {
  /** Path of the workflow's file from the repository's root. */
  readonly workflow: string | undefined;
  /** The id of the job. */
  readonly job: string;
  /** `owner/name` of the action; undefined for an action in the repository itself. */
  readonly action: string | undefined;
}

/** The `with` of a step. */
export type StepInputs = Readonly<Record<string, unknown>>;

/** The inputs of the steps that run Regrade: those of this job if it has any, else those of all jobs. */
export function inputsOfSteps(
  text: string,
  { job, action }: Omit<JudgingJob, "workflow">,
): readonly StepInputs[] {
  const workflow = yamlIn(text);
  const jobs = isJsonObject(workflow) && isJsonObject(workflow["jobs"]) ? workflow["jobs"] : {};
  const within = (each: unknown): readonly StepInputs[] => {
    if (!isJsonObject(each)) return [];
    const steps: readonly unknown[] = Array.isArray(each["steps"]) ? each["steps"] : [];
    return [each, ...steps].filter(isJsonObject).flatMap((step) => {
      if (!isOurs(step["uses"], action)) return [];
      return [isJsonObject(step["with"]) ? step["with"] : {}];
    });
  };
  const own = within(jobs[job]);
  return own.length > 0 ? own : Object.values(jobs).flatMap(within);
}

function isOurs(uses: unknown, action: string | undefined): boolean {
  if (typeof uses !== "string") return false;
  const [path = ""] = uses.split("@");
  return path === action || /^\.\/?$/.test(path) || /^[^/]+\/regrade(?:\/|$)/.test(path);
}

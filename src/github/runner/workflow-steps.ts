import { yamlIn } from "../../base/yaml-text.ts";
import { isJsonObject, type Json, type JsonObject } from "../../model/json.ts";

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
  const jobs = jobsIn(text);
  const own = inputsWithin(jobs[job], action);
  return own.length > 0 ? own : Object.values(jobs).flatMap((each) => inputsWithin(each, action));
}

/** True if a workflow has this job, and the job runs Regrade. */
export function hasJob(text: string, { job, action }: Omit<JudgingJob, "workflow">): boolean {
  return inputsWithin(jobsIn(text)[job], action).length > 0;
}

function jobsIn(text: string): JsonObject {
  const workflow = yamlIn(text);
  return isJsonObject(workflow) && isJsonObject(workflow["jobs"]) ? workflow["jobs"] : {};
}

function inputsWithin(job: Json | undefined, action: string | undefined): readonly StepInputs[] {
  if (!isJsonObject(job)) return [];
  const steps: readonly unknown[] = Array.isArray(job["steps"]) ? job["steps"] : [];
  return [job, ...steps].filter(isJsonObject).flatMap((step) => {
    if (!isOurs(step["uses"], action)) return [];
    return [isJsonObject(step["with"]) ? step["with"] : {}];
  });
}

function isOurs(uses: unknown, action: string | undefined): boolean {
  if (typeof uses !== "string") return false;
  const [path = ""] = uses.split("@");
  return path === action || /^\.\/?$/.test(path) || /^[^/]+\/regrade(?:\/|$)/.test(path);
}

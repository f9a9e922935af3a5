import { ownValue } from "../../model/own-value.ts";
import { isJsonObject, type Json, type JsonObject } from "../../model/json.ts";
import type { Run } from "../../model/outcomes/run.ts";
import type { Sample } from "../../model/outcomes/sample.ts";

/** A grader's result for a run, in waza's format. */
export interface Grade {
  readonly identifier: string;
  readonly type: string;
  readonly score: number;
  readonly weight: number;
  readonly passed: boolean;
  readonly feedback: string;
  /** The grader's findings: failures, figures, output. */
  readonly details?: JsonObject;
  readonly duration_ms: number;
}

/** Whether a task contains the trigger tests of a waza file, which are a task of their own. */
export function isTriggerTask(run: Run, task: string): boolean {
  return run.suite.foreign?.["tool"] === "waza" && task === "trigger";
}

/** A text from the eval file. */
export function foreignText(run: Run, key: "skill" | "eval_name"): string | undefined {
  const { foreign = {} } = run.suite;
  const text = foreign["tool"] === "waza" ? foreign[key] : undefined;
  return typeof text === "string" && text !== "" ? text : undefined;
}

/** Whether the eval file asks for groups by model, the only grouping that waza has. */
export function isGroupedByModel({ suite: { foreign = {} } }: Run): boolean {
  return foreign["group_by"] === "model";
}

/**
 * The set-up that waza's own program would have had: the agent's program, its time limit in seconds, and the attempts
 * per task.
 */
export function setupIn({ suite: { foreign = {} } }: Run): {
  readonly engine: string;
  readonly seconds: number;
  readonly attempts: number;
} {
  const { executor, timeout_seconds: seconds, max_attempts: attempts } = foreign;
  return {
    engine: typeof executor === "string" && executor !== "" ? executor : "regrade",
    seconds: typeof seconds === "number" ? seconds : 0,
    attempts: typeof attempts === "number" ? attempts : 1,
  };
}

/** Names and types of the eval file's graders by their metric: those of all tasks, and those of tasks that differ. */
export interface KnownGraders {
  readonly shared: JsonObject;
  readonly byTask: JsonObject;
}

/** Reads the graders that the eval file declares; empty if the suite is not waza's. */
export function gradersIn({ suite: { foreign = {} } }: Run): KnownGraders {
  const { graders, task_graders: own } = foreign;
  return {
    shared: isJsonObject(graders) ? graders : {},
    byTask: isJsonObject(own) ? own : {},
  };
}

/** The grades of checks that rows carry; undefined if the sample has none. */
export function checkGrades(
  { case_id: task, judge }: Sample,
  { shared, byTask }: KnownGraders,
): readonly Grade[] | undefined {
  const checks = judge?.["checks"];
  if (!Array.isArray(checks)) return undefined;
  const own = ownValue(byTask, task);
  const known = isJsonObject(own) ? { ...shared, ...own } : shared;
  return checks.filter(isJsonObject).map((told) => gradeOf(told, known));
}

function gradeOf(told: JsonObject, known: JsonObject): Grade {
  const { check, type, score, weight, passed, judge } = told;
  const metric = typeof check === "string" ? check : "";
  const own = ownValue(known, metric);
  const { name = metric, type: kind = type } = isJsonObject(own) ? own : {};
  const { feedback, problem, ...details } = isJsonObject(judge) ? judge : {};
  const said = feedback ?? problem;
  return {
    identifier: typeof name === "string" ? name : metric,
    type: typeof kind === "string" ? kind : "code",
    score: typeof score === "number" ? score : 0,
    weight: typeof weight === "number" ? weight : 1,
    passed: passed === true,
    feedback: typeof said === "string" ? said : "",
    ...(Object.keys(details).length > 0 && { details }),
    duration_ms: 0,
  };
}

/** The task's name, if the row has one. */
export function nameIn(sample: Sample | undefined): string | undefined {
  const name = sample?.dataset_row["name"];
  return typeof name === "string" ? name : undefined;
}

/** The feedback about this grader, if the feedback is split by graders' names. */
export function feedbackOf(metric: string, told: Json | undefined): string {
  if (typeof told !== "string") return "";
  const start = `${metric}: `;
  const own = told.split("\n").find((line) => line.startsWith(start));
  return own?.slice(start.length) ?? "";
}

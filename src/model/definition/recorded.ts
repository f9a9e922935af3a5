import type { ResultsFrom } from "../results.ts";
import type { FileRef, Suite, Task } from "./suite.ts";

/** The parts of a task that apply to another tool's results. */
export type RecordedTask = Pick<
  Task,
  | "id"
  | "name"
  | "type"
  | "metrics"
  | "repeats"
  | "cluster_by"
  | "slices"
  | "min_cases"
  | "metadata"
> & { readonly from: ResultsFrom };

/** A task with recorded results, in the form of a task that asks and grades nothing. */
export function recordedTask(task: RecordedTask): Task & RecordedTask {
  return {
    dataset: { file: { path: "", absolute: "" }, format: "jsonl", id_field: null },
    preprocess: undefined,
    prompt_template: "",
    target_template: undefined,
    choices: [],
    output_extraction: { type: "none" },
    grader: { type: "recorded", options: {}, models: undefined },
    ...task,
  };
}

/** True for a suite of recorded tasks: a manifest has either only these or only tasks to run. */
export function isRecorded({ tasks }: Pick<Suite, "tasks">): boolean {
  return tasks.some(({ from }) => from !== undefined);
}

/** The recording of a candidate in the base of a change. */
export interface BaseRecording {
  readonly file: FileRef;
  readonly model: string | undefined;
  readonly output_field: string;
  readonly id_field: string;
}

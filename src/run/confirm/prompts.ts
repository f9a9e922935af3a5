import type { JsonObject } from "../../model/json.ts";
import type { CandidateSpec, Task } from "../../model/suite.ts";
import { promptHash } from "../../manifest/fingerprint.ts";
import { renderingOf, type PreparedTask } from "../../suite/open-task.ts";
import type { Tools } from "../../tools.ts";
import type { Baseline } from "../../verdict/conclude.ts";
import type { PlannedRound } from "./rounds.ts";

/** How the base's side is asked. */
export type PromptSource = Pick<PreparedTask, "renderPrompt" | "fieldsFor">;

/** The baseline's prompts: what was asked then is asked again. */
export interface PromptsWanted {
  readonly round: PlannedRound;
  /** As this run has it, with the cases of the round. */
  readonly task: PreparedTask;
  readonly spec: CandidateSpec;
  readonly stored: Extract<Baseline, { readonly kind: "run" }>["stored"];
}

/**
 * How the baseline asked, by a task whose prompt is the very one that it was made with, whatever else changed since;
 * undefined where none of them is.
 */
export function askAsTemplate(
  { round, task, spec, stored }: PromptsWanted,
  known: readonly Task[],
  hashText: Tools["files"]["hashText"],
): PromptSource | undefined {
  const wanted = stored.run.suite.tasks[round.task]?.fingerprint.prompt;
  // Which examples were shown before a prompt only its recording tells.
  const same = known.find(
    (each) => each.fewshot === undefined && promptHash(each, hashText) === wanted,
  );
  if (same === undefined) return undefined;
  const { prompt_template, choices } = same;
  return renderingOf({ ...task.spec, prompt_template, choices }, [spec]);
}

/**
 * The same from the baseline's recorded prompts, for candidates that are given nothing else. undefined where it lacks one:
 * it may have been kept without its texts.
 */
export async function askAsRecorded(
  { round, task, stored }: PromptsWanted,
  { visitSamples }: Tools,
): Promise<PromptSource | undefined> {
  const wanted = new Map(round.cases.map((each) => [each.baseCaseId, each.caseId]));
  const prompts = new Map<string, string>();
  await stored.fetchTexts?.();
  for await (const sample of visitSamples(stored.directory)) {
    const isAsked = sample.task_id === round.task && sample.model === round.baseCandidate;
    const caseId = isAsked ? wanted.get(sample.case_id) : undefined;
    if (caseId !== undefined) prompts.set(caseId, sample.prompt);
  }
  const byRow = new Map<string, string>();
  for await (const batch of task.dataset.cases())
    for (const { caseId, row } of batch) {
      const prompt = prompts.get(caseId);
      if (prompt === undefined) return undefined;
      byRow.set(rowKey(row), prompt);
    }
  return {
    renderPrompt: ({ row }) => byRow.get(rowKey(row)) ?? "",
    fieldsFor: () => ({}),
  };
}

/** Equal rows were asked the same. */
function rowKey(row: JsonObject): string {
  return JSON.stringify(row);
}

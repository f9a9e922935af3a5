import { ownValue } from "../../model/own-value.ts";
import type { JsonObject } from "../../model/json.ts";
import type { Task } from "../../model/definition/suite.ts";
import type { CandidateSpec } from "../../model/definition/candidate-spec.ts";
import { promptHash } from "../../manifest/fingerprint.ts";
import type { Message } from "../../model/models/message.ts";
import type { Sample } from "../../model/outcomes/sample.ts";
import type { PreparedTask } from "../../suite/opening/open-task.ts";
import { renderingOf, type RenderedPrompt } from "../../suite/prompts/rendering.ts";
import type { Tools } from "../../tools.ts";
import type { Baseline } from "../../verdict/conclude.ts";
import type { PlannedRound } from "./rounds.ts";

/** The parts of a task that determine how the base's side is asked. */
export type PromptSource = Pick<PreparedTask, "renderPrompt" | "fieldsFor" | "instructionsFor">;

/** Inputs for finding the baseline's prompts, which are asked again. */
export interface PromptsWanted {
  readonly round: PlannedRound;
  /** The task of this run, with the cases of the round. */
  readonly task: PreparedTask;
  readonly spec: CandidateSpec;
  readonly stored: Extract<Baseline, { readonly kind: "run" }>["stored"];
}

/** Finds a task whose prompt is the baseline's, even if other parts changed since; undefined if there is none. */
export function askAsTemplate(
  { round, task, spec, stored }: PromptsWanted,
  known: readonly Task[],
  hashText: Tools["files"]["hashText"],
): PromptSource | undefined {
  const wanted = ownValue(stored.run.suite.tasks, round.task)?.fingerprint.prompt;
  // Only a recorded prompt tells which few-shot examples preceded it.
  const same = known.find(
    (each) => each.fewshot === undefined && promptHash(each, hashText) === wanted,
  );
  if (same === undefined) return undefined;
  const { messages: _messages, ...own } = task.spec;
  const { prompt_template, choices } = same;
  if (same.messages === undefined) return renderingOf({ ...own, prompt_template, choices }, [spec]);
  // Only the opened task knows the folder and the files of images.
  const isOwn = own.fewshot === undefined && promptHash(task.spec, hashText) === wanted;
  if (!isOwn) return undefined;
  return { ...renderingOf(task.spec, [spec]), renderPrompt: task.renderPrompt };
}

/**
 * The baseline's recorded prompts, for candidates that receive only the prompt. undefined if one is missing: the
 * baseline may have been stored without its texts.
 */
export async function askAsRecorded(
  { round, task, spec, stored }: PromptsWanted,
  { visitSamples }: Tools,
): Promise<PromptSource | undefined> {
  const wanted = new Map(round.cases.map((each) => [each.baseCaseId, each.caseId]));
  const prompts = new Map<string, RenderedPrompt | undefined>();
  await stored.fetchTexts?.();
  for await (const sample of visitSamples(stored.directory)) {
    const isAsked = sample.task_id === round.task && sample.model === round.baseCandidate;
    const caseId = isAsked ? wanted.get(sample.case_id) : undefined;
    if (caseId !== undefined) prompts.set(caseId, askedIn(sample));
  }
  const byRow = new Map<string, RenderedPrompt>();
  for await (const batch of task.dataset.cases())
    for (const { caseId, row } of batch) {
      const prompt = prompts.get(caseId);
      if (prompt === undefined) return undefined;
      byRow.set(rowKey(row), prompt);
    }
  return {
    renderPrompt: ({ row }) => byRow.get(rowKey(row)) ?? { text: "" },
    fieldsFor: () => ({}),
    instructionsFor: renderingOf(task.spec, [spec]).instructionsFor,
  };
}

/**
 * undefined if the question can't be recovered from the conversation, or if it has images, of which a sample stores only
 * the digest.
 */
function askedIn({ prompt: text, messages, transcript }: Sample): RenderedPrompt | undefined {
  if (messages === undefined) return { text };
  const went = transcript?.some(({ type }) => type === "message" || type === "tool_result");
  return went === true || !messages.every(isWhole) ? undefined : { text, messages };
}

function isWhole({ content }: Message): boolean {
  if (typeof content === "string") return true;
  return content.every((part) => part.type === "text" || part.url !== undefined);
}

/** Key of a row: equal rows were asked the same. */
function rowKey(row: JsonObject): string {
  return JSON.stringify(row);
}

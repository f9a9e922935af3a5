import type { JsonObject } from "../../model/json.ts";
import type { CandidateSpec, Task } from "../../model/suite.ts";
import { promptHash } from "../../manifest/fingerprint.ts";
import type { Message } from "../../model/message.ts";
import type { Sample } from "../../model/sample.ts";
import type { PreparedTask } from "../../suite/open-task.ts";
import { renderingOf, type RenderedPrompt } from "../../suite/rendering.ts";
import type { Tools } from "../../tools.ts";
import type { Baseline } from "../../verdict/conclude.ts";
import type { PlannedRound } from "./rounds.ts";

/** How the base's side is asked. */
export type PromptSource = Pick<PreparedTask, "renderPrompt" | "fieldsFor" | "instructionsFor">;

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
  const { messages: _messages, ...own } = task.spec;
  const { prompt_template, choices } = same;
  if (same.messages === undefined) return renderingOf({ ...own, prompt_template, choices }, [spec]);
  // Where images lie, and what they are, only the opened task knows.
  const isOwn = own.fewshot === undefined && promptHash(task.spec, hashText) === wanted;
  if (!isOwn) return undefined;
  return { ...renderingOf(task.spec, [spec]), renderPrompt: task.renderPrompt };
}

/**
 * The same from the baseline's recorded prompts, for candidates that are given nothing else. undefined where it lacks one:
 * it may have been kept without its texts.
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
 * undefined: what was asked can't be told from the conversation that came of it, or has images, of which a sample has the
 * digest alone.
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

/** Equal rows were asked the same. */
function rowKey(row: JsonObject): string {
  return JSON.stringify(row);
}

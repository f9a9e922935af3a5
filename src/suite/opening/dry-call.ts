import { ownValue } from "../../model/own-value.ts";
import { nearest } from "../../base/nearest.ts";
import { singleGraders } from "../../model/definition/graders.ts";
import type { BatchGraded, BatchSample, Graded, Grader } from "../../model/grading.ts";
import type { Dataset } from "../../model/definition/dataset.ts";
import { problem, type Place, type Problem } from "../../model/refusal.ts";
import type { Case, GraderItem, GraderSample } from "../../model/outcomes/sample.ts";
import { graderSample } from "../../prompt/item.ts";
import type { Tools } from "../../tools.ts";
import type { TaskToOpen } from "./open-task.ts";
import type { Rendering } from "../prompts/rendering.ts";

/** Time limit of the dry call; the run itself shows what a slower grader returns. */
const longestMilliseconds = 2000;

interface DryTask {
  readonly toOpen: TaskToOpen;
  readonly grader: Grader;
  readonly dataset: Dataset;
  readonly rendering: Rendering;
}

/**
 * Calls the suite's own grader once, for the first row, with the target as the answer: its result for the right answer
 * shows what it is written to return. Graders that ask models are skipped, because calls cost money.
 */
export async function dryCall(task: DryTask, tools: Tools): Promise<readonly Problem[]> {
  const { spec, index, resolved, checksOnly } = task.toOpen;
  const graders = singleGraders(spec.grader);
  const isOwn = graders.some(({ type }) => type === "python");
  if (!isOwn || graders.some(({ models }) => models !== undefined)) return [];
  // A grader that sees all samples together is called once in a run, and one sample is not all.
  if (seesAll(task.grader) && !checksOnly) return [];
  const first = await firstCase(task.dataset);
  if (first === undefined) return [];
  const { sample, item } = rightAnswer(first, task);
  const { clock } = tools.candidateTools;
  // An unfinished sleep would keep the program from ending.
  const over = new AbortController();
  const either = AbortSignal.any([tools.signal, over.signal]);
  const late = clock.sleep(longestMilliseconds, either).then(() => undefined);
  const key = spec.grader.type === "several" ? "graders" : "grader";
  const place = resolved.place(["tasks", index, key]);
  const asked = call(task.grader, sample, item).finally(() => over.abort());
  const returned = await Promise.race([late, asked]);
  return returned === undefined ? [] : whatIsWrong(returned, { task, item, place });
}

async function firstCase(dataset: Dataset): Promise<Case | undefined> {
  for await (const [first] of dataset.cases()) return first;
  return undefined;
}

function rightAnswer(
  { row, caseId, content }: Case,
  { toOpen: { spec, candidates }, rendering }: DryTask,
): { readonly sample: GraderSample; readonly item: GraderItem } {
  const { text, messages } = rendering.renderPrompt({ row, content });
  const target = rendering.renderTarget(row);
  const sample = graderSample({
    outputText: target ?? "",
    extractedOutput: target ?? "",
    targets: rendering.renderTargets(row),
    model: candidates[0]?.id ?? "",
    prompt: text,
    messages,
    taskId: spec.id,
    runId: "dry",
    sampleId: caseId,
    ...(candidates[0]?.kind === "agent" && idleAgent),
  });
  return { sample, item: rendering.buildItem(row, { prompt: text, target }) };
}

/** An agent's activity and files, which graders of agents read. */
const idleAgent = {
  transcript: [{ type: "end", reason: "completed", turns: 1, duration_ms: 0 }],
  workspace: { files: [], omitted: 0 },
  usage: { input_tokens: 0, output_tokens: 0, cached_tokens: 0, reasoning_tokens: 0, usd: null },
  latencyMs: 0,
} as const;

async function call(
  grader: Grader,
  sample: GraderSample,
  item: GraderItem,
): Promise<Graded | BatchGraded> {
  const { task_id: task, model: candidate } = sample;
  if (seesAll(grader)) return grader.gradeBatch({ task, candidate }, asLines(sample, item));
  const graded = grader.grade(sample, item);
  grader.hurry();
  return graded;
}

function seesAll(
  grader: Grader,
): grader is Grader & { readonly gradeBatch: NonNullable<Grader["gradeBatch"]> } {
  return grader.gradeBatch !== undefined && grader.batchPart === undefined;
}

async function* asLines(sample: GraderSample, item: GraderItem): AsyncGenerator<string> {
  yield JSON.stringify({
    ...sample,
    target: item.target,
    extracted_fields: sample.extracted_fields ?? {},
    dataset_row: item,
    response_id: null,
    scores: {},
    judge: null,
  } satisfies BatchSample & GraderSample);
}

interface Called {
  readonly task: DryTask;
  readonly item: GraderItem;
  readonly place: Place;
}

function whatIsWrong(
  returned: Graded | BatchGraded,
  { task, item, place }: Called,
): readonly Problem[] {
  switch (returned.kind) {
    case "ungraded":
      return [];
    case "invalid": {
      const { type, message } = returned;
      if (type === "bad_result") return [problem("dry_call_invalid", { message }, place)];
      const called = { task, item, place };
      return [...misspeltField(message, called), ...attributeOfDict(message, called)];
    }
    case "scored":
      return [
        ...undeclared(Object.keys(returned.scores), task, place),
        ...outOfRange(returned.scores, task, place),
      ];
    case "graded": {
      const ofSamples = returned.updates.flatMap(({ scores }) => Object.keys(scores ?? {}));
      const ofAll = Object.keys(returned.metrics);
      const isOpen = task.toOpen.spec.metrics.length === 0;
      if (isOpen && ofAll.length === 0 && ofSamples.length > 0)
        return [problem("dry_call_unmeasured", { given: [...new Set(ofSamples)] }, place)];
      return undeclared([...ofAll, ...ofSamples], task, place);
    }
  }
}

/** Only a KeyError whose key resembles a key of the row is certainly not caused by the made-up answer. */
function misspeltField(message: string, { item, place }: Called): readonly Problem[] {
  const [, key = ""] = /KeyError: '([^']+)'/.exec(message) ?? [];
  const known = [...Object.keys(item), "output_text", "extracted_output"];
  if (key === "" || known.includes(key)) return [];
  const word = nearest(key, known);
  return word === undefined ? [] : [problem("dry_call_key", { key, nearest: word }, place)];
}

/** Finds `sample.output_text`: a dict has no such attribute, whatever the answer is. */
function attributeOfDict(message: string, { item, place }: Called): readonly Problem[] {
  const [, key = ""] = /AttributeError: 'dict' object has no attribute '(\w+)'/.exec(message) ?? [];
  const known = [...Object.keys(item), "output_text", "extracted_output", "prompt", "model"];
  return known.includes(key) ? [problem("dry_call_attribute", { key }, place)] : [];
}

/** Finds a score for the right answer outside the declared range, although the right answer's score should be inside. */
function outOfRange(
  scores: Readonly<Record<string, number>>,
  { toOpen: { spec } }: DryTask,
  place: Place,
): readonly Problem[] {
  return spec.metrics.flatMap(({ id, range }) => {
    const score = ownValue(scores, id);
    if (range === null || range === undefined || score === undefined) return [];
    const [least, most] = range;
    const isWithin = score >= least - 1e-9 && score <= most + 1e-9;
    return isWithin ? [] : [problem("dry_call_range", { metric: id, score, least, most }, place)];
  });
}

/** Finds a declared metric that a grader with a single function never gives, while it gives another one. */
function undeclared(
  given: readonly string[],
  { toOpen: { spec } }: DryTask,
  place: Place,
): readonly Problem[] {
  if (spec.grader.type === "several" || spec.metrics.length === 0) return [];
  const declared = spec.metrics.map(({ id }) => id);
  const missing = declared.filter((id) => !given.includes(id));
  const others = given.filter((id) => !declared.includes(id));
  if (missing.length === 0 || others.length === 0) return [];
  return [problem("dry_call_metric", { given: others, missing }, place)];
}

import type { PlannedPart, RunPlan } from "../domain/plan.ts";
import type { ModelAsk } from "../domain/bridge.ts";
import { isAggregate, singleGraders } from "../domain/graders.ts";
import { costOf, priceOf } from "../domain/prices.ts";
import type { CandidateSpec, Suite, Task } from "../domain/suite.ts";
import type { PreparedTask } from "./open-task.ts";

type ModelSpec = Extract<CandidateSpec, { readonly kind: "model" }>;

export interface ToEstimate {
  readonly suite: Suite;
  readonly tasks: readonly PreparedTask[];
  readonly candidates: readonly CandidateSpec[];
  /** Reads every prompt, however many there are. */
  readonly exact: boolean;
}

/**
 * How many tokens an answer is taken to have where `max_output_tokens` is not set: more than most answers have,
 * not the most that a model could say.
 */
export const assumedOutputTokens = 4096;
/** English has about 4 characters a token, most other languages less: 3 errs on the dear side. */
const charactersPerToken = 3;
/** An idea of the costs needs no more; a run without a budget should not wait for one. */
const casesRead = 1000;

/** What a run will do, and what it will cost at most: prompts at 3 characters a token, answers as long as they may be. */
export async function planRun(toEstimate: ToEstimate): Promise<RunPlan> {
  const { suite, candidates, exact } = toEstimate;
  const models = candidates.filter((each) => each.kind === "model");
  const limit = exact ? Number.POSITIVE_INFINITY : casesRead;
  const parts: PlannedPart[] = [];
  let everyPromptRead = true;
  for (const task of toEstimate.tasks) {
    const characters = models.length === 0 ? 0 : await promptCharacters(task, limit);
    everyPromptRead &&= models.length === 0 || task.dataset.size <= limit;
    parts.push(...candidates.map((candidate) => planPart(task, candidate, characters)));
  }
  return {
    suite: suite.name,
    path: suite.path,
    parts,
    budget: suite.budget,
    assumed_output_tokens: assumedOutputTokens,
    every_prompt_read: everyPromptRead,
  };
}

/** Characters of a task's prompts, one a case; those of the first `limit` cases stand for the others. */
async function promptCharacters(
  { dataset, renderPrompt }: PreparedTask,
  limit: number,
): Promise<number> {
  let characters = 0;
  let read = 0;
  for await (const batch of dataset.cases()) {
    for (const each of batch) {
      if (read >= limit) break;
      characters += renderPrompt(each).length;
      read += 1;
    }
    if (read >= limit) break;
  }
  return read === 0 ? 0 : Math.ceil((characters / read) * dataset.size);
}

function planPart(task: PreparedTask, candidate: CandidateSpec, characters: number): PlannedPart {
  const { spec, dataset } = task;
  const samples = dataset.size * spec.repeats;
  const counts = { cases: dataset.size, repeats: spec.repeats, samples };
  return {
    task: spec.id,
    candidate: candidate.id,
    kind: candidate.kind,
    model: candidate.kind === "model" ? candidate.model : null,
    ...counts,
    requests: candidate.kind === "model" || candidate.kind === "http" ? samples : 0,
    grader_calls: graderCalls(spec, samples),
    ...(candidate.kind === "model"
      ? costOfSamples(candidate, { ...counts, characters })
      : { input_tokens: null, output_tokens: null, usd: null }),
  };
}

/** What the graders may ask at most: `max_model_calls` of each execution. */
function graderCalls({ grader }: Task, samples: number): number {
  return singleGraders(grader).reduce(
    (sum, each) => sum + (each.models?.max_calls ?? 0) * (isAggregate(each) ? 1 : samples),
    0,
  );
}

function costOfSamples(
  model: ModelSpec,
  {
    cases,
    repeats,
    samples,
    characters,
  }: { cases: number; repeats: number; samples: number; characters: number },
): Pick<PlannedPart, "input_tokens" | "output_tokens" | "usd"> {
  const instructions = cases * (model.generation.instructions?.length ?? 0);
  const input_tokens = Math.ceil(((characters + instructions) * repeats) / charactersPerToken);
  const output_tokens = samples * (model.generation.max_output_tokens ?? assumedOutputTokens);
  const price = priceOf(model.provider, model.name);
  const tokens = { input_tokens, output_tokens, cached_tokens: 0 };
  return { input_tokens, output_tokens, usd: price === undefined ? null : costOf(price, tokens) };
}

/** What one answer may have taken, for a provider that does not say. */
export function answerEstimate(
  model: ModelSpec,
  promptLength: number,
): { readonly tokens: number; readonly usd: number } {
  const one = { cases: 1, repeats: 1, samples: 1, characters: promptLength };
  const { input_tokens, output_tokens, usd } = costOfSamples(model, one);
  return { tokens: (input_tokens ?? 0) + (output_tokens ?? 0), usd: usd ?? 0 };
}

/** What one call of a grader may have taken, for a provider that does not say: the whole request at 3 characters a token. */
export function callEstimate({ model, helper, request }: ModelAsk): {
  readonly tokens: number;
  readonly usd: number;
} {
  const input_tokens = Math.ceil(JSON.stringify(request).length / charactersPerToken);
  const limit = request["max_output_tokens"];
  const most = typeof limit === "number" && limit > 0 ? limit : assumedOutputTokens;
  const output_tokens = helper === "embeddings_create" ? 0 : most;
  const price = priceOf(model.provider, model.name);
  const usd = price && costOf(price, { input_tokens, output_tokens, cached_tokens: 0 });
  return { tokens: input_tokens + output_tokens, usd: usd ?? 0 };
}

import { candidateKinds, type ModelSpec } from "../model/definition/candidate-kinds.ts";
import type { PlannedPart, RunPlan } from "../model/figures/plan.ts";
import type { ModelAsk } from "../model/ports/bridge.ts";
import { textOfMessages } from "../model/models/message.ts";
import { isAggregate, singleGraders } from "../model/definition/graders.ts";
import { costOf, priceOf } from "../model/models/prices.ts";
import type { Spent } from "../model/ports/store.ts";
import type { ModelRef, Suite, Task } from "../model/definition/suite.ts";
import type { CandidateSpec } from "../model/definition/candidate-spec.ts";
import { mostTokens } from "../base/tokens.ts";
import type { PreparedTask } from "../suite/opening/open-task.ts";
import type { RenderedPrompt } from "../suite/prompts/rendering.ts";
import type { Tokens } from "../model/outcomes/sample.ts";

interface ToEstimate {
  readonly suite: Suite;
  readonly tasks: readonly PreparedTask[];
  readonly candidates: readonly CandidateSpec[];
  /** True if every prompt is read, however many there are. */
  readonly exact: boolean;
}

/**
 * Assumed tokens of an answer if `max_output_tokens` is not set: more than most answers have, not the most that a model
 * could write.
 */
export const assumedOutputTokens = 4096;
/** Tokens around the texts of a request (roles, separators, tool definitions): OpenAI's has 7. */
const tokensAround = 20;
/** A rough estimate needs no more; a run without a budget should not wait for a better one. */
const casesRead = 1000;

/** Work of a run, and its largest cost: all inputs, the longest answers, the most requests. */
export async function planRun(toEstimate: ToEstimate): Promise<RunPlan> {
  const { suite, candidates, exact } = toEstimate;
  const models = candidates.filter((each) => each.kind === "model");
  const limit = exact ? Number.POSITIVE_INFINITY : casesRead;
  const parts: PlannedPart[] = [];
  let everyPromptRead = true;
  for (const task of toEstimate.tasks) {
    const sent = models.length === 0 ? nothingSent : await sentFor(task, limit);
    everyPromptRead &&= models.length === 0 || task.dataset.size <= limit;
    parts.push(...candidates.map((candidate) => planPart(task, candidate, sent)));
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

/** The requests of a task's cases, once each. */
interface Sent {
  /** More than one per case if the user has turns. Rounds of tools are not counted. */
  readonly requests: number;
  readonly promptTokens: number;
  /** Number of times that an earlier answer is sent again, in later turns. */
  readonly answersAgain: number;
}

const nothingSent: Sent = { requests: 0, promptTokens: 0, answersAgain: 0 };

/** Reads the first `limit` cases and extrapolates to all by their mean. */
async function sentFor({ dataset, renderPrompt }: PreparedTask, limit: number): Promise<Sent> {
  let sum = nothingSent;
  let read = 0;
  for await (const batch of dataset.cases()) {
    for (const each of batch) {
      if (read >= limit) break;
      sum = addSent(sum, sentBy(renderPrompt(each)));
      read += 1;
    }
    if (read >= limit) break;
  }
  const share = read === 0 ? 0 : dataset.size / read;
  return {
    requests: Math.ceil(sum.requests * share),
    promptTokens: Math.ceil(sum.promptTokens * share),
    answersAgain: Math.ceil(sum.answersAgain * share),
  };
}

/** Each turn sends the whole conversation before it. */
function sentBy({ text, messages = [], turns = [] }: RenderedPrompt): Sent {
  let promptTokens = mostTokens(text);
  for (let i = 0; i < turns.length; i += 1)
    promptTokens += mostTokens(textOfMessages([...messages, ...turns.slice(0, i)]));
  return {
    requests: 1 + turns.length,
    promptTokens,
    answersAgain: (turns.length * (turns.length + 1)) / 2,
  };
}

function addSent(one: Sent, other: Sent): Sent {
  return {
    requests: one.requests + other.requests,
    promptTokens: one.promptTokens + other.promptTokens,
    answersAgain: one.answersAgain + other.answersAgain,
  };
}

function planPart(task: PreparedTask, candidate: CandidateSpec, sent: Sent): PlannedPart {
  const { spec, dataset } = task;
  const samples = dataset.size * spec.repeats;
  const counts = { cases: dataset.size, repeats: spec.repeats, samples };
  const common = { task: spec.id, candidate: candidate.id, kind: candidate.kind, ...counts };
  const grader_calls = graderCalls(spec, samples);
  if (candidate.kind !== "model") {
    const requests = candidateKinds[candidate.kind].network ? samples : 0;
    const unknown = { input_tokens: null, output_tokens: null, usd: null };
    return { ...common, model: null, requests, grader_calls, ...unknown };
  }
  // Each request may get an empty answer until its last try.
  const tries = 1 + candidate.generation.max_empty_retries;
  const times = spec.repeats * tries;
  const requests = sent.requests * times;
  const outputTokens = outputLimit(candidate) ?? assumedOutputTokens;
  const prompts = (sent.promptTokens + sent.answersAgain * outputTokens) * times;
  const cost = costOfRequests(candidate, { requests, prompts, outputTokens });
  return { ...common, model: candidate.model, requests, grader_calls, ...cost };
}

/** Limit of graders' requests: `max_model_calls` of each execution. */
function graderCalls({ grader }: Task, samples: number): number {
  return singleGraders(grader).reduce(
    (sum, each) => sum + (each.models?.max_calls ?? 0) * (isAggregate(each) ? 1 : samples),
    0,
  );
}

interface Requests {
  readonly requests: number;
  /** Tokens of all their prompts. */
  readonly prompts: number;
  /** Tokens of each answer. */
  readonly outputTokens: number;
}

interface Cost extends Tokens {
  /** null if no price is known. */
  readonly usd: number | null;
}

function costOfRequests(model: ModelSpec, { requests, prompts, outputTokens }: Requests): Cost {
  const input_tokens = prompts + requests * (settingTokens(model) + tokensAround);
  const output_tokens = requests * outputTokens;
  return { input_tokens, output_tokens, usd: usdOf(model, { input_tokens, output_tokens }) };
}

/** Tokens sent with each prompt. The texts and results of hosted tools are known only to their provider. */
function settingTokens({ generation }: ModelSpec): number {
  const { instructions, tools, tool_choice, text, chat_template_kwargs, extra_body } = generation;
  const sent = [instructions, tools, tool_choice, text, chat_template_kwargs, extra_body];
  const texts = sent.filter((each) => each !== undefined);
  return texts.reduce<number>((sum, each) => sum + mostTokens(JSON.stringify(each)), 0);
}

function usdOf({ provider, name }: ModelRef, tokens: Tokens): number | null {
  const price = priceOf(provider, name);
  return price === undefined ? null : costOf(price, { ...tokens, cached_tokens: 0 });
}

/** Estimated usage of one answer, for a provider that does not report it. */
export function answerEstimate(
  model: ModelSpec,
  prompt: string,
  outputTokens = outputLimit(model) ?? assumedOutputTokens,
): Spent {
  const prompts = mostTokens(prompt);
  return spentOn(costOfRequests(model, { requests: 1, prompts, outputTokens }));
}

/** Limit of an answer's tokens; undefined if none was set. */
export function outputLimit(asked: ModelSpec | ModelAsk): number | undefined {
  if ("generation" in asked) return asked.generation.max_output_tokens;
  if (asked.helper === "embeddings_create") return 0;
  const limit = asked.request["max_output_tokens"];
  return typeof limit === "number" && limit > 0 ? limit : undefined;
}

/** Estimated usage of one grader call, for a provider that does not report it. */
export function callEstimate(
  ask: ModelAsk,
  output_tokens = outputLimit(ask) ?? assumedOutputTokens,
): Spent {
  const input_tokens = mostTokens(JSON.stringify(ask.request)) + tokensAround;
  const usd = usdOf(ask.model, { input_tokens, output_tokens });
  return spentOn({ input_tokens, output_tokens, usd });
}

function spentOn({ input_tokens, output_tokens, usd }: Cost): Spent {
  return { tokens: input_tokens + output_tokens, usd: usd ?? 0 };
}

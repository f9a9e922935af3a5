import { cutText } from "../base/cut-text.ts";
import { nearest } from "../base/nearest.ts";
import type { Json } from "../model/json.ts";
import type { AskModel, ModelCall } from "../model/ports/bridge.ts";
import type { HashText } from "../model/ports/files.ts";
import type { ModelRef } from "../model/definition/suite.ts";
import type { GraderModels } from "../model/definition/graders.ts";

/** The models that graders may ask, and the functions that a call needs. */
export interface RunModels {
  readonly judge: ModelRef | undefined;
  readonly embedding: ModelRef | undefined;
  /** The candidates' models: a grader may ask them too. */
  readonly candidates: readonly ModelRef[];
  readonly ask: AskModel;
  /** Runs a grader's execution when there is capacity for its requests: its time limit starts then. */
  readonly inTurn: <T>(execute: () => Promise<T>) => Promise<T>;
  /** Milliseconds. */
  readonly now: () => number;
  readonly hashText: HashText;
}

/**
 * The model that a call is for: `auto` or none is the run's; another one must be a model of the run, or one that the
 * grader's `allow_models` or its own code names. A pull request could otherwise spend the run's key on whatever model it likes.
 */
export function chooseModel(
  asked: Json | undefined,
  { helper, run, allowed }: ModelChoice,
): { readonly model: ModelRef } | { readonly refused: string } {
  const isEmbedding = helper === "embeddings_create";
  if (asked === undefined || asked === null || asked === "auto") {
    const model = isEmbedding ? run.embedding : run.judge;
    return model === undefined ? { refused: unset(isEmbedding, asked) } : { model };
  }
  if (typeof asked !== "string") {
    return { refused: `'model' must be a text, such as "auto" or "openai:gpt-5.4-mini"` };
  }
  // Models that the manifest names for graders come before candidates of the same name, because a candidate is what is
  // judged.
  const known = [run.judge, run.embedding, ...allowed, ...run.candidates].filter(
    (each) => each !== undefined,
  );
  const model = known.find((each) => each.model === asked);
  return model === undefined ? { refused: unknown(asked, known) } : { model };
}

interface ModelChoice {
  readonly helper: ModelCall["helper"];
  readonly run: Pick<RunModels, "judge" | "embedding" | "candidates">;
  readonly allowed: GraderModels["allow_models"];
}

function unset(isEmbedding: boolean, asked: Json | undefined): string {
  const [key, example] = isEmbedding
    ? ["embedding_model", "openai:text-embedding-3-small"]
    : ["judge_model", "openai:gpt-5.4-mini"];
  const how = asked === "auto" ? `model="auto" stands for` : "a call without a model is for";
  return `the run has no ${key}, which ${how}: set it in the manifest (run: { ${key}: ${example} }), or name a model of the run`;
}

function unknown(asked: string, known: readonly ModelRef[]): string {
  const names = [...new Set(known.map(({ model }) => model))];
  const bare = known.find(({ name }) => name === asked)?.model;
  const meant = bare ?? nearest(asked, names);
  const hint = meant === undefined ? "" : ` Did you mean ${meant}?`;
  const list = names.length === 0 ? "none" : names.join(", ");
  return `'${shortName(asked)}' is no model of this run (${list}): add it to the grader's allow_models, as provider:model, or set run.judge_model or run.embedding_model and ask "auto".${hint}`;
}

function shortName(text: string): string {
  return text.length > 100 ? `${cutText(text, 100)}…` : text;
}

import { type BuiltinGrader, builtinGraders, isBuiltinGrader } from "../model/builtins.ts";
import { type Place, problem, Refusal } from "../model/refusal.ts";
import type {
  GraderContract,
  GraderExecution,
  GraderIsolation,
  GraderModels,
  GraderSpec,
  SingleGrader,
  FileRef,
} from "../model/suite.ts";
import { resolveAllowRead, resolveSource } from "./code.ts";
import type { ManifestContext } from "./context.ts";
import { type ModelsOfRun, resolveModelRef } from "./models.ts";
import {
  at,
  booleanOf,
  isPresent,
  itemsOf,
  keyPlaceOf,
  numberOf,
  type Part,
  placeOf,
  presentKeys,
  textOf,
  objectOf,
} from "./part.ts";
import { checkSource, resolveSeveral } from "./several-graders.ts";
import { oneKeyOf } from "./sources.ts";
import { isJsonObject, type JsonObject } from "../model/json.ts";
import { resolveFile } from "./files.ts";

/** Calls of one execution at most, where the manifest does not say. */
const defaultModelCalls = 64;
const keysOfList = ["name", "weight"];

/** A task's grader, or its `graders`; a single plain one of these means the same as `grader`. */
export async function resolveGrader(
  task: Part,
  modelsOfRun: ModelsOfRun,
  context: ManifestContext,
): Promise<GraderSpec | undefined> {
  const key = oneKeyOf(task, ["grader", "graders"], context);
  if (key === undefined) return undefined;
  const part = at(task, key);
  if (key === "grader") return resolveSingle(withoutListKeys(part, context), modelsOfRun, context);
  const [first, ...others] = itemsOf(part);
  if (first === undefined) return undefined;
  const isPlain = others.length === 0 && presentKeys(first, keysOfList).length === 0;
  if (isPlain) return resolveSingle(first, modelsOfRun, context);
  return resolveSeveral(part, (item) => resolveSingle(item, modelsOfRun, context), context);
}

async function resolveSingle(
  part: Part,
  modelsOfRun: ModelsOfRun,
  context: ManifestContext,
): Promise<SingleGrader | undefined> {
  const type = textOf(part) ?? textOf(at(part, "type"));
  if (type === undefined) return undefined;
  if (type === "python") return resolvePython(part, modelsOfRun, context);
  // Beside the built-in ones the schema has refused the name already.
  if (!isBuiltinGrader(type)) return undefined;
  const { asksJudge } = builtinGraders[type];
  const models = asksJudge ? judgeModels(part, modelsOfRun, context) : undefined;
  const options = await resolveOptions(type, part, context);
  return options && { type, options, models };
}

function withoutListKeys(part: Part, context: ManifestContext): Part {
  for (const key of presentKeys(part, keysOfList)) {
    const found = { key, belongs: "the entries of `graders`" };
    context.refuse(problem("key_misplaced", found, keyPlaceOf(at(part, key))));
  }
  return part;
}

async function resolvePython(
  part: Part,
  modelsOfRun: ModelsOfRun,
  context: ManifestContext,
): Promise<SingleGrader | undefined> {
  const contract = contractOf(part);
  const execution = executionOf(part, contract, context);
  const models = resolveModels(part, { contract, modelsOfRun: modelsOfRun }, context);
  const allow_read = await resolveAllowRead(at(part, "allow_read"), context);
  const source = await resolveSource(part, context);
  if (source === undefined) return undefined;
  return {
    type: "python",
    contract,
    execution,
    metric_id: textOf(at(part, "metric_id")) ?? "score",
    source,
    timeout_seconds: numberOf(at(part, "timeout_seconds")) ?? 120,
    isolation: isolationOf(part),
    allow_read,
    models,
  };
}

function isolationOf(part: Part): GraderIsolation | undefined {
  const isolation = textOf(at(part, "isolation"));
  return isolation === "sample" || isolation === "chunk" ? isolation : undefined;
}

function contractOf(part: Part): GraderContract {
  const contract = textOf(at(part, "contract"));
  return contract === "batch" || contract === "model_backed" ? contract : "sample";
}

/** The override wins, and what it says against the contract is told. */
function executionOf(
  part: Part,
  contract: GraderContract,
  context: ManifestContext,
): GraderExecution {
  const usual = contract === "batch" ? "aggregate" : "per_sample";
  const written = textOf(at(part, "execution"));
  const execution = written === "aggregate" || written === "per_sample" ? written : usual;
  if (execution !== usual && contract !== "model_backed") {
    const place = placeOf(at(part, "execution"));
    context.warn(problem("execution_unlike_contract", { execution, contract }, place));
  }
  const isolation = at(part, "isolation");
  if (execution === "aggregate" && isPresent(isolation)) {
    const why = "grade_batch is one execution, in a process of its own";
    context.warn(problem("setting_idle", { key: "isolation", why }, keyPlaceOf(isolation)));
  }
  return execution;
}

const keysOfModels = ["max_model_calls", "allow_models", "allow_tools", "allow_urls"];

/** What a grader may ask of models; undefined where it has no access to them. */
function resolveModels(
  part: Part,
  {
    contract,
    modelsOfRun,
  }: { readonly contract: GraderContract; readonly modelsOfRun: ModelsOfRun },
  context: ManifestContext,
): GraderModels | undefined {
  const access = at(part, "model_access");
  const allow_models = itemsOf(at(part, "allow_models")).flatMap(
    (item) => resolveModelRef(item, modelsOfRun.providers, context) ?? [],
  );
  if ((textOf(access) ?? (contract === "model_backed" ? "mka1" : "none")) === "none") {
    if (contract === "model_backed") {
      context.warn(problem("contract_without_models", undefined, placeOf(access)));
    }
    const why =
      "the grader has no access to models (contract: model_backed, or model_access: mka1)";
    for (const key of presentKeys(part, keysOfModels)) {
      context.warn(problem("setting_idle", { key, why }, keyPlaceOf(at(part, key))));
    }
    return undefined;
  }
  return {
    max_calls: numberOf(at(part, "max_model_calls")) ?? defaultModelCalls,
    allow_models,
    allow_tools: booleanOf(at(part, "allow_tools")) ?? false,
    allow_urls: booleanOf(at(part, "allow_urls")) ?? false,
  };
}

/** The built-in grader that asks a model asks it itself: nothing of a request is the suite's. */
function judgeModels(part: Part, modelsOfRun: ModelsOfRun, context: ManifestContext): GraderModels {
  const own = at(part, "model");
  const named =
    textOf(own) === "auto" ? undefined : resolveModelRef(own, modelsOfRun.providers, context);
  return {
    // One a sample: an answer off its menu is not asked for again.
    max_calls: 1,
    allow_models: named === undefined ? [] : [named],
    allow_tools: false,
    allow_urls: false,
  };
}

/** What only the whole suite shows: a target to compare with, models to ask. */
export function checkGraderNeeds(
  spec: GraderSpec,
  { task, models }: { readonly task: Part; readonly models: ModelsOfRun },
  context: ManifestContext,
): void {
  for (const { grader, part } of graderParts(spec, task)) {
    const place = placeOf(part);
    if (spec.type === "aggregate") checkSource(part, [], context);
    // A model that stands there and was refused has been complained of.
    if ((textOf(at(part, "model")) ?? "auto") === "auto")
      checkModels(grader, models, { context: context, place });
    if (grader.type === "python" || grader.type === "recorded") continue;
    if (!builtinGraders[grader.type].needsTarget) continue;
    if (isPresent(at(task, "target_template"))) continue;
    context.refuse(problem("target_missing", { grader: grader.type }, place));
  }
}

/** Each grader of a task with where it is declared. */
export function graderParts(
  spec: GraderSpec,
  task: Part,
): readonly { readonly grader: SingleGrader; readonly part: Part }[] {
  const list = at(task, "graders");
  if (spec.type === "several")
    return spec.graders.map(({ grader }, i) => ({ grader, part: at(list, i) }));
  return [{ grader: spec, part: isPresent(list) ? at(list, 0) : at(task, "grader") }];
}

/** Code may still name a model that the run has; a built-in judge without one can't judge. */
function checkModels(
  { type, models }: SingleGrader,
  { names_judge, embedding_model }: ModelsOfRun,
  { context, place }: { readonly context: ManifestContext; readonly place: Place },
): void {
  if (models === undefined || models.allow_models.length > 0 || names_judge) return;
  if (isBuiltinGrader(type) && builtinGraders[type].asksJudge) {
    context.refuse(problem("judge_model_missing", undefined, place));
  } else if (embedding_model === undefined && models.max_calls > 0) {
    context.warn(problem("models_missing", undefined, place));
  }
}

/**
 * The options of a built-in grader. An option that names a file by its path holds the file's content: that is what changes
 * scores, and the sandbox keeps the grader from its file.
 */
async function resolveOptions(
  type: BuiltinGrader,
  part: Part,
  context: ManifestContext,
): Promise<JsonObject | undefined> {
  const { type: _type, name: _name, weight: _weight, ...options } = objectOf(part) ?? {};
  const { fileOption } = builtinGraders[type];
  if (fileOption === undefined) return options;
  const named = at(part, fileOption);
  if (textOf(named) === undefined) return options;
  const file = await resolveFile(named, context);
  const read = file && (await readSchema(file, named, context));
  return read && { ...options, [fileOption]: read };
}

async function readSchema(
  file: FileRef,
  part: Part,
  context: ManifestContext,
): Promise<JsonObject | undefined> {
  const refuse = (reason: string): undefined =>
    context.refuse(problem("schema_file_unusable", { path: file.path, reason }, placeOf(part)));
  try {
    const found: unknown = JSON.parse(await context.readText(file.absolute));
    return isJsonObject(found) ? found : refuse("it holds no JSON object");
  } catch (error) {
    if (error instanceof SyntaxError) return refuse(error.message);
    if (error instanceof Refusal) return refuse(error.problems[0]?.message ?? error.message);
    throw error;
  }
}

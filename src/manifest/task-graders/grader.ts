import { ownValue } from "../../model/own-value.ts";
import {
  type BuiltinGrader,
  builtinGraders,
  isBuiltinGrader,
} from "../../model/definition/builtins.ts";
import { problem, Refusal } from "../../model/refusal.ts";
import type { CodeSource, FileRef } from "../../model/definition/suite.ts";
import type {
  GraderContract,
  GraderExecution,
  GraderIsolation,
  GraderSpec,
  SingleGrader,
} from "../../model/definition/graders.ts";
import type { HeldBase } from "../../model/ports/held-programs.ts";
import { resolveAllowRead, resolveClass, resolveSource } from "./code.ts";
import type { ManifestContext } from "../context.ts";
import { type ModelsOfRun } from "../candidates/models.ts";
import {
  at,
  isPresent,
  itemsOf,
  keyPlaceOf,
  numberOf,
  type Part,
  placeOf,
  presentKeys,
  textOf,
  objectOf,
} from "../../base/part.ts";
import { resolveJudgeOptions } from "./judge-scales.ts";
import { resolveSeveral } from "./several-graders.ts";
import { oneKeyOf } from "../sources.ts";
import { isJsonObject, type JsonObject } from "../../model/json.ts";
import { resolveFile } from "../files.ts";
import { rowCheckModels, resolveModels, judgeModels } from "./grader-models.ts";

const commonKeys = ["name", "weight", "target_template", "extracted_field"];
const keysOfList = ["name", "weight", "target_template"];

/** A task's grader, or its `graders`; a single plain entry of `graders` is the same as `grader`. */
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
  // The schema has already refused names that are not built-in.
  if (!isBuiltinGrader(type)) return undefined;
  const declared = builtinGraders[type];
  const options = await resolveOptions(type, part, context);
  const calls = options && declared.givenWith?.(options)?.modelCalls;
  const models = declared.asksJudge
    ? judgeModels(
        part,
        { ...declared, ...(calls && { modelCalls: calls }) },
        { modelsOfRun, context },
      )
    : undefined;
  const asked = type === "row_checks" ? rowCheckModels(part, modelsOfRun, context) : models;
  const held = runsPrograms.has(type) ? { held_base: baseOf(context) } : {};
  return options && { type, options, models: asked, ...fieldOf(part), ...held };
}

/** Built-in graders that run programs of the repository, for every sample or for a row's checks. */
const runsPrograms: ReadonlySet<BuiltinGrader> = new Set(["program", "code", "row_checks"]);

/** A grader carries the folder that it was read from: graders of the base run programs of the base's tree. */
function baseOf({ directory, root }: ManifestContext): HeldBase {
  return { directory, root };
}

/** Any grader may read one of the extracted fields instead of the extracted output. */
function fieldOf(part: Part): Pick<Extract<SingleGrader, { type: "python" }>, "extracted_field"> {
  const extracted_field = textOf(at(part, "extracted_field"));
  return extracted_field === undefined ? {} : { extracted_field };
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
  const allow_read = await resolveAllowRead(at(part, "allow_read"), context);
  const source = await resolveSource(part, context);
  const code = await textOfCode(source, context);
  const models = resolveModels(part, { contract, code, modelsOfRun }, context);
  const usual =
    contract === "batch" || (contract === "model_backed" && definesBatchOnly(code))
      ? "aggregate"
      : "per_sample";
  const execution = executionOf(part, { contract, usual }, context);
  if (source === undefined) return undefined;
  const ofClass = await resolveClass(at(part, "class"), { source, execution }, context);
  return {
    type: "python",
    contract,
    execution,
    metric_id: textOf(at(part, "metric_id")) ?? "score",
    source,
    class: ofClass,
    timeout_seconds: numberOf(at(part, "timeout_seconds")) ?? 120,
    isolation: isolationOf(part),
    allow_read,
    models,
    ...fieldOf(part),
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

/** For `model_backed`, which may be either: whether the code defines a function for all samples, but none for one. */
function definesBatchOnly(code: string): boolean {
  const hasOne = /^(?:(?:async )?def )?grade\b|^from .*\bimport\b.*\bgrade\b/m.test(code);
  return !hasOne && /^(?:async )?def grade_batch\b/m.test(code);
}

/** An unreadable file is reported when it is loaded. */
async function textOfCode(
  source: CodeSource | undefined,
  context: ManifestContext,
): Promise<string> {
  if (source === undefined) return "";
  if (source.kind === "inline") return source.text;
  try {
    return await context.readText(source.file.absolute);
  } catch (error) {
    if (error instanceof Refusal) return "";
    throw error;
  }
}

/** The override has priority; a contradiction to the contract is reported. */
function executionOf(
  part: Part,
  { contract, usual }: { readonly contract: GraderContract; readonly usual: GraderExecution },
  context: ManifestContext,
): GraderExecution {
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

/** Options of `judge_calls` that the way in which it judges does not read. */
function warnIdleOptions(part: Part, context: ManifestContext): void {
  const way = isPresent(at(part, "against"))
    ? "against"
    : (textOf(at(part, "scale")) ?? "verdicts");
  const { keys, why } = ownValue(idleOptions, way) ?? { keys: [], why: "" };
  for (const key of presentKeys(part, keys))
    context.warn(problem("setting_idle", { key, why }, keyPlaceOf(at(part, key))));
}

const idleOptions: Readonly<
  Record<string, { readonly keys: readonly string[]; readonly why: string }>
> = {
  against: {
    keys: ["calls", "scale", "threshold", "reference"],
    why: "with `against` the judge says which of two answers is better",
  },
  score: { keys: ["calls"], why: "with `scale: score` the judge gives one score" },
  verdicts: { keys: ["threshold"], why: "only with `scale: score` there is a score to pass" },
};

/**
 * The options of a built-in grader. An option that names a file is replaced by the file's content, because the content
 * affects scores and the sandbox hides the file from the grader.
 */
async function resolveOptions(
  type: BuiltinGrader,
  part: Part,
  context: ManifestContext,
): Promise<JsonObject | undefined> {
  const { type: _type, ...written } = objectOf(part) ?? {};
  const options = Object.fromEntries(
    Object.entries(written).filter(([key]) => !commonKeys.includes(key)),
  );
  if (type === "judge_calls") warnIdleOptions(part, context);
  if (type === "judge") return resolveJudgeOptions(options, part, context);
  if (type === "diff") return withSnapshots(options, part, context);
  const { fileOption } = builtinGraders[type];
  if (fileOption === undefined) return options;
  const named = at(part, fileOption);
  if (textOf(named) === undefined) return options;
  const file = await resolveFile(named, context);
  const read = file && (await readSchema(file, named, context));
  return read && { ...options, [fileOption]: read };
}

/** Replaces each snapshot's path by its hash: the content is compared, and a changed snapshot makes another rule. */
async function withSnapshots(
  options: JsonObject,
  part: Part,
  context: ManifestContext,
): Promise<JsonObject | undefined> {
  const entries = itemsOf(at(part, "expected_files"));
  const read = await Promise.all(entries.map((entry) => withSnapshot(entry, context)));
  const known = read.flatMap((each) => each ?? []);
  return known.length < read.length ? undefined : { ...options, expected_files: known };
}

async function withSnapshot(
  entry: Part,
  context: ManifestContext,
): Promise<JsonObject | undefined> {
  const written = objectOf(entry) ?? {};
  const named = at(entry, "snapshot");
  if (textOf(named) === undefined || isPresent(at(entry, "sha256"))) return written;
  const file = await resolveFile(named, context);
  if (file === undefined) return undefined;
  const sha256 = (await context.hashFile(file.absolute)).replace("sha256:", "");
  return { ...written, snapshot: { file: file.path, sha256 } };
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

import { nearest } from "../../base/nearest.ts";
import { at, fieldsOf, isPresent, itemsOf, placeOf, textOf, type Part } from "../../base/part.ts";
import { builtinGraders, isBuiltinGrader } from "../../model/definition/builtins.ts";
import {
  modelsAllowed,
  type GraderSpec,
  type SingleGrader,
} from "../../model/definition/graders.ts";
import { problem } from "../../model/refusal.ts";
import type { ManifestContext } from "../context.ts";
import type { ModelsOfRun } from "../candidates/models.ts";
import { checksProblems } from "./row-checks.ts";
import { checkSource } from "./several-graders.ts";

/** Requirements that need the whole suite: a target, models to ask. */
export function checkGraderNeeds(
  spec: GraderSpec,
  { task, models }: { readonly task: Part; readonly models: ModelsOfRun },
  context: ManifestContext,
): void {
  for (const { grader, part } of graderParts(spec, task)) {
    const place = placeOf(part);
    const fields = fieldsNamed(task);
    checkField(at(part, "extracted_field"), fields, context);
    checkFieldOptions(grader, part, { fields, context });
    const hasTarget = isPresent(at(task, "target_template"));
    for (const found of checksProblems(at(part, "also"), { hasTarget, fields }))
      context.refuse(found);
    if (spec.type === "aggregate") checkSource(part, [], context);
    checkModels(grader, part, { models, context });
    if (grader.type === "python" || grader.type === "recorded") continue;
    if (!builtinGraders[grader.type].needsTarget) continue;
    if (isPresent(at(task, "target_template")) || isPresent(at(part, "target_template"))) continue;
    context.refuse(problem("target_missing", { grader: grader.type }, place));
  }
}

function fieldsNamed(task: Part): readonly string[] {
  return fieldsOf(at(at(task, "output_extraction"), "fields")).map(([name]) => name);
}

/** Options of a built-in that name extracted fields. */
function checkFieldOptions(
  { type }: SingleGrader,
  part: Part,
  { fields, context }: { readonly fields: readonly string[]; readonly context: ManifestContext },
): void {
  if (!isBuiltinGrader(type)) return;
  for (const key of builtinGraders[type].fieldOptions ?? []) {
    const own = at(part, key);
    for (const item of itemsOf(own)) checkField(item, fields, context);
    const [, name] = /^extracted\.(.*)$/s.exec(textOf(own) ?? "") ?? [];
    if (name !== undefined) checkField({ ...own, value: name }, fields, context);
  }
}

/** Refuses a field that the extraction does not name: it would be empty in every sample. */
function checkField(part: Part, known: readonly string[], context: ManifestContext): void {
  const field = textOf(part);
  if (field === undefined || known.includes(field)) return;
  const found = { field, known, nearest: nearest(field, known) };
  context.refuse(problem("extracted_field_unknown", found, placeOf(part)));
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

/** Whether checks of rows may ask the run's judge: `auto` is among the models, or no models are listed. */
function asksRunsJudge({ type, models }: SingleGrader, part: Part): boolean {
  if (type !== "row_checks") return false;
  const list = at(part, "judge_models");
  const isListed = itemsOf(list).some((item) => textOf(item) === "auto");
  return models !== undefined && (!isPresent(list) || isListed);
}

/** Code may still name a model of the run at run time; a built-in that asks models needs one. */
function checkModels(
  grader: SingleGrader,
  part: Part,
  { models, context }: { readonly models: ModelsOfRun; readonly context: ManifestContext },
): void {
  const place = placeOf(part);
  if (isBuiltinGrader(grader.type)) {
    const { asksJudge, asksEmbedding } = builtinGraders[grader.type];
    // A given model that was refused has been reported already.
    const isAuto = (key: string): boolean => (textOf(at(part, key)) ?? "auto") === "auto";
    const isAsked = (asksJudge === true && isAuto("model")) || asksRunsJudge(grader, part);
    if (isAsked && !models.names_judge)
      context.refuse(problem("judge_model_missing", { grader: grader.type }, place));
    if (asksEmbedding && isAuto("embedding_model") && !models.names_embedding)
      context.refuse(problem("embedding_model_missing", { grader: grader.type }, place));
    return;
  }
  const own = grader.models;
  if (own === undefined || modelsAllowed(grader).length > 0 || own.max_calls === 0) return;
  if (models.names_judge || models.embedding_model !== undefined) return;
  context.warn(problem("models_missing", undefined, place));
}

import { firstPart, readField } from "../../base/fields.ts";
import { nearest } from "../../base/nearest.ts";
import { isJsonObject, type Json, type JsonObject } from "../../model/json.ts";
import type { Dataset } from "../../model/definition/dataset.ts";
import { problem, type Place, type Problem } from "../../model/refusal.ts";
import { singleGraders } from "../../model/definition/graders.ts";
import type { Task } from "../../model/definition/suite.ts";
import type { CandidateSpec } from "../../model/definition/candidate-spec.ts";
import { templateFields, type Template } from "../../prompt/template.ts";
import { toolResultsTemplate } from "../../prompt/tool-results.ts";
import {
  useWarnings,
  nearestField,
  targetShownWarnings,
  templateWarnings,
} from "../../prompt/warnings.ts";
import { ownTargetWarnings } from "../prompts/answer-templates.ts";
import { emptyFieldWarnings } from "../prompts/empty-fields.ts";
import { instructionsTemplate, type Templates } from "../prompts/rendering.ts";

interface WarnedTask {
  readonly spec: Task;
  readonly index: number;
  readonly resolved: { readonly place: (path: readonly (string | number)[]) => Place };
  readonly candidates: readonly CandidateSpec[];
}

/** Warns about a field that no row has: it would silently make every case its own cluster. */
function clusterWarnings(
  field: string | undefined,
  fields: ReadonlySet<string>,
  place: Place,
): readonly Problem[] {
  if (field === undefined || hasField(fields, field)) return [];
  return [problem("cluster_field_unknown", { field, known: [...fields] }, place)];
}

/** Warns about a field that no row has: it would silently put all cases into one slice. */
function sliceWarnings(
  slices: readonly string[],
  fields: ReadonlySet<string>,
  placeAt: (at: number) => Place,
): readonly Problem[] {
  return slices.flatMap((field, at) => {
    if (hasField(fields, field)) return [];
    const found = { field, known: [...fields], nearest: nearestField(field, fields) };
    return [problem("slice_field_unknown", found, placeAt(at))];
  });
}

function hasField(fields: ReadonlySet<string>, name: string): boolean {
  return fields.has(name) || fields.has(firstPart(name));
}

/** Likely mistakes in a task, given its rows. */
export function taskWarnings(
  { spec, index, resolved, candidates }: WarnedTask,
  { prompt, target, answer }: Templates,
  fields: ReadonlySet<string>,
): readonly Problem[] {
  const place = (...keys: readonly (string | number)[]): Place =>
    resolved.place(["tasks", index, ...keys]);
  const use = (key: string) => ({ key, choices: spec.choices, fields });
  const asked = askedKey(spec);
  return [
    ...templateWarnings(prompt, fields, place(asked)),
    ...useWarnings(prompt, use(asked), place(asked)),
    ...(target === undefined
      ? []
      : useWarnings(target, use("target_template"), place("target_template"))),
    ...toolResultWarnings(spec, fields, place("tool_results")),
    ...instructionWarnings(candidates, fields, resolved),
    ...(target === undefined ? [] : templateWarnings(target, fields, place("target_template"))),
    ...ownTargetWarnings(spec.grader, fields, place),
    ...choiceWarnings(spec, fields, place),
    ...clusterWarnings(spec.cluster_by, fields, place("cluster_by")),
    ...sliceWarnings(spec.slices, fields, (at) => place("slices", at)),
    ...targetShownWarnings(prompt, answer, place(askedKey(spec))),
  ];
}

/** Warns about the grader `choice` where nothing says what there is to choose from: it would score no sample. */
function choiceWarnings(
  { grader, choices }: Task,
  fields: ReadonlySet<string>,
  place: (...keys: readonly (string | number)[]) => Place,
): readonly Problem[] {
  if (choices.length > 0 || fields.has("choices")) return [];
  const at = singleGraders(grader).findIndex(({ type }) => type === "choice");
  if (at === -1) return [];
  const where = grader.type === "several" ? place("graders", at) : place("grader");
  return [problem("grader_choices_missing", undefined, where)];
}

function askedKey({ messages }: Task): string {
  return messages === undefined ? "prompt_template" : "messages_template";
}

function toolResultWarnings(
  { tool_results }: Task,
  fields: ReadonlySet<string>,
  place: Place,
): readonly Problem[] {
  if (tool_results === undefined) return [];
  return templateWarnings(toolResultsTemplate(tool_results), fields, place);
}

/** Warns once for candidates that share the same instructions. */
function instructionWarnings(
  candidates: readonly CandidateSpec[],
  fields: ReadonlySet<string>,
  { place }: WarnedTask["resolved"],
): readonly Problem[] {
  const found = new Map<string, readonly Problem[]>();
  for (const each of candidates) {
    const template = instructionsTemplate(each);
    if (template === undefined || found.has(template.text)) continue;
    found.set(template.text, templateWarnings(template, fields, place(["candidates", each.id])));
  }
  return [...found.values()].flat();
}

/** Likely mistakes that only the values in the rows show. */
export async function rowWarnings(
  task: WarnedTask,
  templates: Templates,
  dataset: Dataset,
): Promise<readonly Problem[]> {
  const { spec, index, resolved } = task;
  const asked = resolved.place(["tasks", index, askedKey(spec)]);
  const target = resolved.place(["tasks", index, "target_template"]);
  const placed = [
    { template: templates.target, place: target, isTarget: true },
    { template: templates.prompt, place: asked, isTarget: false },
  ];
  return [
    ...(await emptyFieldWarnings(placed, dataset)),
    ...(await nestedWarnings(task, templates, dataset)),
    ...(await listWarnings(task, templates, dataset)),
    ...(await labelWarnings(task, templates, dataset)),
  ];
}

/**
 * Warns about names within a field, such as `{{meta.lang}}`, that no row has. All rows are read only for a misspelt
 * name: any other name is found in one of the first.
 */
async function nestedWarnings(
  { spec, index, resolved }: WarnedTask,
  { prompt, target }: Templates,
  dataset: Dataset,
): Promise<readonly Problem[]> {
  const places = new Map<string, string>();
  const note = (template: Template | undefined, key: string): void => {
    const names = template === undefined ? [] : [...templateFields(template).names];
    for (const name of names)
      if (!dataset.fields.has(name) && dataset.fields.has(firstPart(name))) places.set(name, key);
  };
  note(target, "target_template");
  note(prompt, askedKey(spec));
  const known = new Set<string>();
  await leaveUnread(places, { dataset, known });
  return [...places].map(([field, key]) => {
    const found = { field, nearest: nearestField(field, known), known: [...dataset.fields] };
    return problem("template_unknown_field", found, resolved.place(["tasks", index, key]));
  });
}

/** Removes the names that some row has; `known`: other names within their fields. */
async function leaveUnread(
  names: Map<string, string>,
  { dataset, known }: { readonly dataset: Dataset; readonly known: Set<string> },
): Promise<void> {
  if (names.size === 0) return;
  for await (const batch of dataset.cases())
    for (const { row } of batch) {
      for (const name of names.keys()) {
        if (readField(row, name) !== undefined) names.delete(name);
        else if (known.size < 100) for (const each of namesBeside(row, name)) known.add(each);
      }
      if (names.size === 0) return;
    }
}

/** For `meta.lnag`, the names within `meta`. */
function namesBeside(row: JsonObject, name: string): readonly string[] {
  const above = name.slice(0, name.lastIndexOf("."));
  const value = readField(row, above);
  return isJsonObject(value) ? Object.keys(value).map((key) => `${above}.${key}`) : [];
}

/** Warns about a list of messages in a prompt: it is most likely meant as messages, which the first row shows. */
async function listWarnings(
  { spec, index, resolved }: WarnedTask,
  { prompt }: Templates,
  dataset: Dataset,
): Promise<readonly Problem[]> {
  if (spec.messages !== undefined) return [];
  for await (const [first] of dataset.cases()) {
    const row = first?.row ?? {};
    const lists = [...templateFields(prompt).names].filter((name) =>
      isListOfMessages(readField(row, name)),
    );
    const place = resolved.place(["tasks", index, "prompt_template"]);
    return lists.map((field) => problem("template_list_of_messages", { field }, place));
  }
  return [];
}

function isListOfMessages(value: Json | undefined): boolean {
  if (!Array.isArray(value) || value.length === 0) return false;
  return value.every((each) => isJsonObject(each) && "role" in each && "content" in each);
}

/** Rows that are read for it: a data set may have millions. */
const rowsWithLabels = 10_000;

/** Warns about targets that are none of the extraction's labels: no extracted answer can equal them. */
async function labelWarnings(
  { spec, index, resolved }: WarnedTask,
  { target }: Templates,
  dataset: Dataset,
): Promise<readonly Problem[]> {
  const { output_extraction: extraction, grader } = spec;
  const [, field] = /^\{\{\s*([^{}\s]+)\s*\}\}$/.exec(target?.text.trim() ?? "") ?? [];
  if (extraction?.type !== "label_set" || grader.type !== "exact_match" || !field) return [];
  const { labels, case_sensitive: isExact } = extraction;
  const folded = (text: string): string => (isExact ? text.trim() : text.trim().toLowerCase());
  const known = new Set(labels.map(folded));
  const strays: { readonly id: string; readonly found: string }[] = [];
  let read = 0;
  for await (const batch of dataset.cases()) {
    for (const { caseId: id, row } of batch) {
      const value = readField(row, field);
      if (typeof value === "string" && value.trim() !== "" && !known.has(folded(value)))
        strays.push({ id, found: value });
    }
    read += batch.length;
    if (read >= rowsWithLabels) break;
  }
  const [first] = strays;
  if (first === undefined) return [];
  const shown = { id: first.id, found: first.found.slice(0, 60) };
  const found = { ...shown, count: strays.length, read, nearest: nearest(first.found, labels) };
  const place = resolved.place(["tasks", index, "target_template"]);
  return [problem("target_not_a_label", found, place)];
}

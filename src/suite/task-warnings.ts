import { firstPart, readField } from "../base/fields.ts";
import { isJsonObject, type Json } from "../model/json.ts";
import type { Dataset } from "../model/ports.ts";
import { problem } from "../model/refusal.ts";
import type { Place, Problem } from "../model/refusal.ts";
import type { CandidateSpec, Task } from "../model/suite.ts";
import { templateFields } from "../prompt/template.ts";
import { toolResultsTemplate } from "../prompt/tool-results.ts";
import {
  useWarnings,
  nearestField,
  targetShownWarnings,
  templateWarnings,
} from "../prompt/warnings.ts";
import { ownTargetWarnings } from "./answer-templates.ts";
import { instructionsTemplate, type Templates } from "./rendering.ts";

interface WarnedTask {
  readonly spec: Task;
  readonly index: number;
  readonly resolved: { readonly place: (path: readonly (string | number)[]) => Place };
  readonly candidates: readonly CandidateSpec[];
}

/** A field that no row has would silently make every case its own cluster. */
function clusterWarnings(
  field: string | undefined,
  fields: ReadonlySet<string>,
  place: Place,
): readonly Problem[] {
  if (field === undefined || hasField(fields, field)) return [];
  return [problem("cluster_field_unknown", { field, known: [...fields] }, place)];
}

/** A field that no row has would leave all cases in one slice, unseen. */
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
    ...clusterWarnings(spec.cluster_by, fields, place("cluster_by")),
    ...sliceWarnings(spec.slices, fields, (at) => place("slices", at)),
    ...targetShownWarnings(prompt, answer, place(askedKey(spec))),
  ];
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

/** Once for candidates that share them. */
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

/** A list of messages in a prompt is most likely meant as messages: the first row shows it. */
export async function listWarnings(
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

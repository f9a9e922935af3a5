import { dirname, join } from "node:path";
import {
  expectedFieldsOf,
  singleGraders,
  type GraderSpec,
} from "../../../model/definition/graders.ts";
import { firstPart } from "../../../base/fields.ts";
import type { ToldField } from "../../../model/outcomes/policy.ts";
import type { CodeSource, Suite, Task } from "../../../model/definition/suite.ts";
import type { CandidateSpec } from "../../../model/definition/candidate-spec.ts";
import { promptTemplateOf } from "../../../prompt/messages.ts";
import { coversField, templateFields } from "../../../prompt/template.ts";
import { passOf } from "../../prompts/rendering.ts";
import type { FileTools } from "../../../tools.ts";
import type { Composed } from "../compose.ts";

/**
 * Finds fields that a change passes to its candidates (by prompt, `pass` or an HTTP request) and that on the base only
 * a Python grader reads: a grader may compare the answer with a field without a `target_template`. A grader counts as
 * reading a field if its code, or a module that it imports from its folder, has the field's name in quotes. *Not*
 * found: names that are composed or read from a file.
 */
export async function fieldsOfGraders(
  { base, counterparts }: Composed,
  candidates: { readonly base: Suite["candidates"]; readonly head: Suite["candidates"] },
  files: FileTools,
): Promise<readonly ToldField[]> {
  const found = base.map(async (task) => {
    const head = counterparts.get(task.id) ?? task;
    const added = addedFields({ base: task, head }, candidates);
    if (added.length === 0) return [];
    const sources = await sourcesOf(task.grader, files);
    return added
      .filter((name) => sources.some((source) => readsField(source, name)))
      .map((field) => ({ task: task.id, field, reader: "grader" }) as const);
  });
  return (await Promise.all(found)).flat();
}

/** Fields that some candidate of the change receives, but no candidate of the base; `row`: the whole row. */
export function addedFields(
  tasks: { readonly base: Task; readonly head: Task },
  candidates: { readonly base: Suite["candidates"]; readonly head: Suite["candidates"] },
): readonly string[] {
  const known = toldBy(tasks.base, candidates.base);
  if (known.has(wholeRow)) return [];
  const told = toldBy(tasks.head, candidates.head);
  return [...told].filter((name) => ![...known].some((each) => coversField(each, name)));
}

const wholeRow = "row";

/** All fields of a row that some candidate receives. */
function toldBy(task: Task, candidates: readonly CandidateSpec[]): ReadonlySet<string> {
  const prompt = templateFields(promptTemplateOf(task));
  const all = prompt.wholeRow ? [wholeRow] : [];
  return new Set([...all, ...prompt.names, ...candidates.flatMap(passOf)]);
}

/** Programs receive whole fields, so a part of a field reveals all of it. */
function readsField(source: string, name: string): boolean {
  if (name === wholeRow) return true;
  return [name, firstPart(name)].some((each) =>
    [`"${each}"`, `'${each}'`].some((quoted) => source.includes(quoted)),
  );
}

/** Fields of a task's rows that its grader reads or uses as expectations, and that no candidate of the base receives. */
export async function graderOnlyFields(
  task: Task,
  {
    fields,
    candidates,
  }: { readonly fields: Iterable<string>; readonly candidates: Suite["candidates"] },
  files: FileTools,
): Promise<readonly string[]> {
  const known = toldBy(task, candidates);
  const sources = await sourcesOf(task.grader, files);
  const expected = expectedFieldsOf(task.grader);
  return [...fields].filter(
    (name) =>
      ![...known].some((each) => coversField(each, name) || coversField(name, each)) &&
      (expected.includes(name) || sources.some((source) => readsField(source, name))),
  );
}

async function sourcesOf(grader: GraderSpec, files: FileTools): Promise<readonly string[]> {
  const own = singleGraders(grader).flatMap((each) =>
    each.type === "python" ? [sourceOf(each.source, files)] : [],
  );
  return (await Promise.all(own)).flat();
}

/** The source text of a grader and of its imports from the same folder. */
export async function sourceOf(
  source: CodeSource,
  files: Pick<FileTools, "inspectPath" | "readBytes">,
): Promise<readonly string[]> {
  if (source.kind === "inline") return [source.text];
  const { absolute } = source.file;
  const texts = new Map([[absolute, await sourceText(absolute, files)]]);
  // Iterating over a Map includes entries that are added during the iteration.
  for (const [path, text] of texts) {
    for (const module of modulesBeside(text, [dirname(absolute), dirname(path)])) {
      if (texts.has(module) || (await files.inspectPath(module)).kind !== "file") continue;
      texts.set(module, await sourceText(module, files));
    }
  }
  return [...texts.values()];
}

/** Python's sources may have another encoding than UTF-8 (PEP 263); names and imports are mostly ASCII in all of them. */
export async function sourceText(
  absolute: string,
  { readBytes }: Pick<FileTools, "readBytes">,
): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of readBytes(absolute)) chunks.push(chunk);
  return new TextDecoder().decode(Buffer.concat(chunks));
}

/** Imports of a line; names in brackets may go on over several. */
const imports =
  /^[ \t]*(?:from[ \t]+\.*([\w.]*)[ \t]+import\b(?:[ \t]*\(((?:[^()#]|#[^\n]*)*)\)|([^\n#]*))|import[ \t]+([^\n#]+))/gm;

/** Files that the imports of a source could mean, whether they exist or not. */
function modulesBeside(source: string, folders: readonly string[]): readonly string[] {
  return importsIn(source).flatMap((parts) =>
    folders.flatMap((folder) => [
      `${join(folder, ...parts)}.py`,
      join(folder, ...parts, "__init__.py"),
    ]),
  );
}

/** The names of modules in a source's imports; a name imported from a module may be a module too. */
export function importsIn(source: string): readonly (readonly string[])[] {
  return [...source.matchAll(imports)].flatMap(([, from = "", bracketed = "", ...others]) => {
    const names = bracketed.replaceAll(/#.*/g, "");
    const listed = [names, ...others].join(" ").match(/[\w.]+/g) ?? [];
    const modules = from === "" ? listed : [from, ...listed.map((name) => `${from}.${name}`)];
    const parts = modules.map((name) => name.split(".").filter((part) => part !== ""));
    return parts.filter((each) => each.length > 0);
  });
}

import { readField, textsWithin, valueText } from "../../base/fields.ts";
import type { Json } from "../../model/json.ts";
import type { ToldField } from "../../model/policy.ts";
import type { Row } from "../../model/sample.ts";
import type { Suite } from "../../model/suite.ts";
import type { FileTools } from "../../tools.ts";
import type { PreparedTask } from "../open-task.ts";
import type { Composed } from "./compose.ts";
import { addedFields, graderOnlyFields } from "./grader-fields.ts";

/**
 * Fields that a change passes to its candidates, and whose values are the targets, or those of a field that only the base's
 * grader reads, under another name: equal to them in
 * nine of ten cases, whole or as a part of a list or object, or a code for them (a number for each label). A field whose
 * text contains the target among more (a passage that the answer is in) is *not* found.
 */
export async function copiedAnswers(
  { base, counterparts }: Composed,
  {
    candidates,
    judged,
  }: {
    readonly candidates: { readonly base: Suite["candidates"]; readonly head: Suite["candidates"] };
    readonly judged: readonly PreparedTask[];
  },
  files: FileTools,
): Promise<readonly ToldField[]> {
  const found = base.map(async (task): Promise<readonly ToldField[]> => {
    const opened = judged.find(({ spec }) => spec.id === task.id);
    const head = counterparts.get(task.id);
    if (opened === undefined || head === undefined) return [];
    const fields = addedFields({ base: task, head }, candidates);
    if (fields.length === 0) return [];
    const known = { fields: opened.dataset.fields, candidates: candidates.base };
    const read = await graderOnlyFields(task, known, files);
    const copies = await amongFirstCases(opened, { fields, read });
    return copies.map((field) => ({ task: task.id, field, reader: "copy" }) as const);
  });
  return (await Promise.all(found)).flat();
}

/** So many cases tell a copy from a chance, whatever the size of the data set. */
const mostCases = 2000;

async function amongFirstCases(
  task: PreparedTask,
  { fields, read }: { readonly fields: readonly string[]; readonly read: readonly string[] },
): Promise<readonly string[]> {
  const looks = new Map(fields.map((field) => [field, new Map<string, Likeness>()]));
  let rest = mostCases;
  for await (const cases of task.dataset.cases()) {
    for (const { row } of cases.slice(0, rest)) look(row, targetsOf(task, row, read), looks);
    rest -= cases.length;
    if (rest <= 0) break;
  }
  return fields.filter((field) => [...(looks.get(field)?.values() ?? [])].some(isCopy));
}

/** What a row's answer is compared with: the task's target, those of its graders, and fields that a grader reads. */
function targetsOf(
  task: PreparedTask,
  row: Row,
  read: readonly string[],
): ReadonlyMap<string, string> {
  const own = Object.entries(task.renderTargets(row) ?? {});
  const fields = read.map((name) => [`field ${name}`, valueText(readField(row, name))] as const);
  return new Map([["", task.renderTarget(row) ?? ""], ...own, ...fields]);
}

/** How a field's values and the targets agree. */
interface Likeness {
  cases: number;
  equal: number;
  readonly targets: Map<string, string>;
  readonly values: Map<string, string>;
  isOneToOne: boolean;
}

function look(
  row: Row,
  targets: ReadonlyMap<string, string>,
  looks: ReadonlyMap<string, Map<string, Likeness>>,
): void {
  for (const [field, likenesses] of looks) {
    const value = readField(row, field);
    for (const [name, text] of targets) {
      const target = plain(text);
      if (target === "") continue;
      const known = likenesses.get(name) ?? noLikeness();
      likenesses.set(name, known);
      add(known, value, target);
    }
  }
}

function noLikeness(): Likeness {
  return { cases: 0, equal: 0, targets: new Map(), values: new Map(), isOneToOne: true };
}

function add(known: Likeness, value: Json | undefined, target: string): void {
  const text = plain(valueText(value));
  known.cases += 1;
  if (text === target || textsWithin(value).some((each) => plain(each) === target))
    known.equal += 1;
  known.isOneToOne &&=
    (known.targets.get(target) ?? text) === text && (known.values.get(text) ?? target) === target;
  known.targets.set(target, text);
  known.values.set(text, target);
}

function isCopy({ cases, equal, targets, isOneToOne }: Likeness): boolean {
  // Where all targets are the same, every constant equals them.
  if (targets.size < 2) return false;
  // Values that occur once each map to whatever stands beside them.
  return equal >= 0.9 * cases || (isOneToOne && cases >= 3 * targets.size);
}

/** A text whatever its white space, capitals, marks around it and way to write a number: `(B)` is `b`, `1,000.0` is `1000`. */
function plain(text: string): string {
  const words = text.replaceAll(/\s+/g, " ").trim().toLowerCase();
  const bare = words.replaceAll(/^[^\p{L}\p{N}-]+|[^\p{L}\p{N}]+$/gu, "");
  if (/^-?\d[\d,]{0,30}(?:\.\d{1,30})?$/.test(bare))
    return String(Number(bare.replaceAll(",", "")));
  return bare === "" ? words : bare;
}

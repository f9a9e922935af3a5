import { readField, valueText } from "../../../base/fields.ts";
import type { ToldField } from "../../../model/outcomes/policy.ts";
import type { Row } from "../../../model/outcomes/sample.ts";
import type { Suite } from "../../../model/definition/suite.ts";
import type { FileTools } from "../../../tools.ts";
import type { PreparedTask } from "../../opening/open-task.ts";
import type { Composed } from "../compose.ts";
import { addedFields, graderOnlyFields } from "../graders/grader-fields.ts";
import { addCase, isCopy, noLikeness, type Likeness } from "./likeness.ts";

/**
 * Finds fields that a change passes to its candidates and whose values are the answers under another name: the targets,
 * or the values of a field that only the base's grader reads. A field counts if its values equal these in nine of ten
 * cases, whole, as a part of a list or object, or between the same words; if they are a code for them (a number for
 * each label, another alphabet); or if they are an encoding or a digest of them in one of ten cases. Two fields that
 * together do so count too. *Not* found: a field whose text contains the target among other text, such as a passage
 * with the answer in it; `containedTargets` tells of these.
 */
export async function copiedAnswers(
  { base, counterparts }: Composed,
  {
    candidates,
    tasks,
  }: {
    readonly candidates: { readonly base: Suite["candidates"]; readonly head: Suite["candidates"] };
    /** Those that are judged, and those of the change that have more fields. */
    readonly tasks: readonly PreparedTask[];
  },
  files: FileTools,
): Promise<readonly ToldField[]> {
  const found = base.map(async (task): Promise<readonly ToldField[]> => {
    const head = counterparts.get(task.id);
    const fields = head === undefined ? [] : addedFields({ base: task, head }, candidates);
    if (fields.length === 0) return [];
    const copies = tasks
      .filter(({ spec }) => spec.id === task.id)
      .map(async (opened) => {
        const known = { fields: opened.dataset.fields, candidates: candidates.base };
        const read = await graderOnlyFields(task, known, files);
        return amongFirstCases(opened, { fields, read });
      });
    const names = new Set((await Promise.all(copies)).flat());
    return [...names].map((field) => ({ task: task.id, field, reader: "copy" }) as const);
  });
  return (await Promise.all(found)).flat();
}

/** Number of cases that distinguishes a copy from chance, whatever the size of the data set. */
const mostCases = 2000;

async function amongFirstCases(
  task: PreparedTask,
  { fields, read }: { readonly fields: readonly string[]; readonly read: readonly string[] },
): Promise<readonly string[]> {
  const told = [...fields.map((field) => [field]), ...pairsOf(fields)];
  const looks: readonly Look[] = told.map((names) => ({ names, likenesses: new Map() }));
  let rest = mostCases;
  for await (const cases of task.dataset.cases()) {
    for (const { row } of cases.slice(0, rest)) compareRow(row, targetsOf(task, row, read), looks);
    rest -= cases.length;
    if (rest <= 0) break;
  }
  const copies = looks.filter(({ likenesses }) => [...likenesses.values()].some(isCopy));
  const whole = copies.flatMap(({ names }) => (names.length === 1 ? names : []));
  const halves = copies.flatMap(({ names }) =>
    names.some((name) => whole.includes(name)) ? [] : names,
  );
  return [...new Set([...whole, ...halves])];
}

/** Fields, and how the values that they form together agree with each kind of target. */
interface Look {
  readonly names: readonly string[];
  readonly likenesses: Map<string, Likeness>;
}

/** Limit of fields that are combined in pairs. */
const mostHalves = 8;

/** Pairs of fields, each of which may contain half of the answer. */
function pairsOf(fields: readonly string[]): readonly (readonly string[])[] {
  if (fields.length > mostHalves) return [];
  return fields.flatMap((one) => fields.flatMap((other) => (one === other ? [] : [[one, other]])));
}

/** The texts that a row's answer is compared with: the task's target, its graders' targets, and fields that a grader reads. */
function targetsOf(
  task: PreparedTask,
  row: Row,
  read: readonly string[],
): ReadonlyMap<string, string> {
  const own = Object.entries(task.renderTargets(row) ?? {});
  const fields = read.map((name) => [`field ${name}`, valueText(readField(row, name))] as const);
  return new Map([["", task.renderTarget(row) ?? ""], ...own, ...fields]);
}

function compareRow(row: Row, targets: ReadonlyMap<string, string>, looks: readonly Look[]): void {
  for (const { names, likenesses } of looks) {
    const [first = "", ...others] = names;
    const value =
      others.length === 0
        ? readField(row, first)
        : names.map((name) => valueText(readField(row, name))).join("");
    for (const [name, answer] of targets) {
      const known = likenesses.get(name) ?? noLikeness();
      likenesses.set(name, known);
      addCase(known, value, answer);
    }
  }
}

import { readField, valueText } from "../../../base/fields.ts";
import type { PolicyChange, ToldField } from "../../../model/outcomes/policy.ts";
import { toldNote } from "../../../model/outcomes/policy.ts";
import type { Suite } from "../../../model/definition/suite.ts";
import type { PreparedTask } from "../../opening/open-task.ts";
import type { Composed } from "../compose.ts";
import { addedFields } from "../graders/grader-fields.ts";
import { countContained, type Contained, type Shown } from "./contained-words.ts";

/** Cases that are looked at, and fields of a task. */
const mostCases = 500;
const mostFields = 20;

/**
 * Notes for fields that the change tells its candidates, and whose values contain the case's own target as a word, such as the label
 * in the path of a source or in an id. A passage that has the answer in it does so, too: nothing is blocked.
 */
export async function containedTargets(
  { base, counterparts }: Composed,
  {
    candidates,
    tasks,
    told,
  }: {
    readonly candidates: { readonly base: Suite["candidates"]; readonly head: Suite["candidates"] };
    /** Those that are judged, and those of the change that have more fields. */
    readonly tasks: readonly PreparedTask[];
    /** Fields that are told already. */
    readonly told: readonly ToldField[];
  },
): Promise<readonly PolicyChange[]> {
  const notes: PolicyChange[] = [];
  for (const opened of tasks) {
    const task = base.find(({ id }) => id === opened.spec.id);
    const head = task && counterparts.get(task.id);
    if (task === undefined || head === undefined) continue;
    const fields = addedFields({ base: task, head }, candidates)
      .filter((name) => !told.some((each) => each.task === task.id && each.field === name))
      .slice(0, mostFields);
    if (fields.length > 0) notes.push(...(await notesOf(opened, fields)));
  }
  return notes;
}

async function notesOf(
  task: PreparedTask,
  fields: readonly string[],
): Promise<readonly PolicyChange[]> {
  const shown = new Map<string, Shown[]>(fields.map((field) => [field, []]));
  let rest = mostCases;
  for await (const cases of task.dataset.cases()) {
    for (const { row } of cases.slice(0, rest)) {
      const target = task.renderTarget(row) ?? "";
      for (const [field, pairs] of shown)
        pairs.push({ target, value: valueText(readField(row, field)) });
    }
    rest -= cases.length;
    if (rest <= 0) break;
  }
  return [...shown].flatMap(([field, pairs]) => {
    const count = countContained(pairs);
    return count === undefined ? [] : [aNote(task.spec.id, field, count)];
  });
}

function aNote(task: string, field: string, { own, cases }: Contained): PolicyChange {
  const note = `the candidate is told \`${field}\`, which contains the target in ${own} of ${cases} cases: see that it is not the answer`;
  return toldNote(note, { task });
}

import { isDeepStrictEqual } from "node:util";
import type { PolicyChange } from "../../model/outcomes/policy.ts";
import type { Suite, Task } from "../../model/definition/suite.ts";
import type { Gate } from "../../model/definition/gate.ts";

/** A change's suite whose tasks have the ids of the base's. */
interface Named {
  readonly suite: Suite;
  /** New ids of the tasks that it renamed, by the base's id. */
  readonly renamed: ReadonlyMap<string, string>;
}

/**
 * Gives tasks that a change renamed the ids that they have on the base, in its rules too: a new name alone must not
 * prevent the comparison. A task is the same if it is the only one on each side, or if it asks the same data for the
 * same target. Pure.
 */
export function withBaseTaskIds(base: Suite, head: Suite): Named {
  const ids = new Map(head.tasks.map(({ id }) => [id, id]));
  const renamed = new Map<string, string>();
  const isTaken = (id: string): boolean => base.tasks.some((task) => task.id === id);
  for (const task of base.tasks.filter(({ id }) => !ids.has(id))) {
    const free = head.tasks.filter(({ id }) => !isTaken(id) && ids.get(id) === id);
    const isOnly = base.tasks.length === 1 && head.tasks.length === 1;
    const same = free.find((each) => isOnly || asksTheSame(task, each));
    if (same === undefined) continue;
    ids.set(same.id, task.id);
    renamed.set(task.id, same.id);
  }
  if (renamed.size === 0) return { suite: head, renamed };
  const tasks = head.tasks.map((task) => Object.assign({}, task, { id: ids.get(task.id) }));
  return { suite: { ...head, tasks, gate: withTaskIds(head.gate, ids) }, renamed };
}

/** Notes about tasks that differ only in their names. */
export function renamedTasks(renamed: Named["renamed"]): readonly PolicyChange[] {
  return [...renamed].map(([id, now]) => {
    const note = `the task \`${id}\` is called \`${now}\` now`;
    return { part: "suite", task: null, effect: "equivalent", note };
  });
}

function asksTheSame(base: Task, head: Task): boolean {
  return (
    base.target_template === head.target_template &&
    isDeepStrictEqual(withoutFolder(base.dataset), withoutFolder(head.dataset))
  );
}

/** The two sides are read from two folders, so that folders are left out. */
function withoutFolder(dataset: Task["dataset"]): unknown {
  return "file" in dataset ? { ...dataset, file: dataset.file.path } : dataset;
}

/** Rules name a metric as `task/metric`. */
function withTaskIds(gate: Gate, ids: ReadonlyMap<string, string>): Gate {
  if (gate === "none" || gate.rules === undefined) return gate;
  const rules = gate.rules.map((rule) => {
    const [task = "", ...metric] = rule.metric.split("/");
    const id = ids.get(task);
    if (metric.length === 0 || id === undefined) return rule;
    return Object.assign({}, rule, { metric: [id, ...metric].join("/") });
  });
  return { ...gate, rules };
}

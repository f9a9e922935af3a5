import { relative, sep } from "node:path";
import {
  at,
  fieldsOf,
  isPresent,
  keyPlaceOf,
  objectOf,
  type Part,
  placeOf,
  textOf,
} from "../../base/part.ts";
import { problem, type Problem } from "../../model/refusal.ts";
import type { DialectTools } from "../dialect.ts";

/** A task of SyGra that is being translated. */
export interface SygraTask {
  readonly root: Part;
  readonly tools: DialectTools;
  /** The folder that contains `tasks`, or the root if there is none: paths in the file are relative to it. */
  readonly home: string;
  readonly refuse: (found: Problem) => undefined;
  readonly warn: (found: Problem) => undefined;
}

/** The folder from which SyGra is started. */
export function homeOf({ directory, root }: DialectTools): string {
  const steps = relative(root, directory).split(sep);
  const count = steps.indexOf("tasks");
  return count <= 0 ? root : [root, ...steps.slice(0, count)].join(sep);
}

/** The text under a required key. */
export function neededText(part: Part, key: string, task: SygraTask): string | undefined {
  const found = at(part, key);
  const text = textOf(found);
  if (text !== undefined && text !== "") return text;
  const place = isPresent(found) ? placeOf(found) : keyPlaceOf(part);
  return task.refuse(problem("sygra_text_missing", { key }, place));
}

/** Refuses keys that have a meaning in SyGra but none here. */
export function refuseOtherKeys(
  part: Part,
  known: readonly string[],
  { task, what }: { readonly task: SygraTask; readonly what: string },
): void {
  if (objectOf(part) === undefined) return;
  for (const [key, field] of fieldsOf(part)) {
    if (known.includes(key)) continue;
    task.refuse(problem("sygra_key_unsupported", { key, what, known }, keyPlaceOf(field)));
  }
}

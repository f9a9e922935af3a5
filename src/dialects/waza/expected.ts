import { at, keyPlaceOf, type Part } from "../../base/part.ts";
import type { JsonObject } from "../../model/json.ts";
import { problem } from "../../model/refusal.ts";
import { isGiven, mappingOf, tellIdle, textList, type WazaEval } from "./eval.ts";
import type { WazaCheck } from "./graders.ts";

const known = [
  "outcomes",
  "tool_calls",
  "behavior",
  "output_contains",
  "output_not_contains",
  "output_contains_any",
  "should_trigger",
];

/**
 * Checks of a task's expectations. Older versions read them but check nothing, which is reported once; newer ones check
 * three of the lists.
 */
export function expectedChecks(part: Part, file: WazaEval): readonly WazaCheck[] {
  mappingOf(part, { known, what: "`expected` of a task" }, file);
  if (!isGiven(part)) return [];
  if (file.era !== "E3") return [];
  for (const key of ["outcomes", "tool_calls", "behavior", "should_trigger"])
    if (isGiven(at(part, key)))
      tellIdle(at(part, key), "waza checks none of it; write graders", file);
  const lists = [
    ["output_contains", "contains"],
    ["output_not_contains", "not_contains"],
    ["output_contains_any", "contains_any"],
  ] as const;
  return lists.flatMap(([key, option]) => {
    const words = textList(at(part, key), file);
    if (words.length === 0) return [];
    const name = `_${key}`;
    if (key !== "output_not_contains" && words.every((word) => word === "")) {
      const found = { grader: name, keys: ["a text that is not empty"] };
      file.refuse(problem("waza_check_empty", found, keyPlaceOf(at(part, key))));
      return [];
    }
    const check: JsonObject = { type: "text", answer: "whole", [option]: [...words], name };
    return [{ wazaName: name, check, part: at(part, key) }];
  });
}

/** Reports once that the expectations of tasks are not checked. */
export function tellExpected(tasks: readonly Part[], file: WazaEval): void {
  if (file.era === "E3") return;
  const [first, ...others] = tasks.map((task) => at(task, "expected")).filter(isGiven);
  if (first === undefined) return;
  const more = others.length === 0 ? "" : `, here and in ${counted(others.length, "other task")}`;
  tellIdle(
    first,
    `this version of waza reads it and checks none of it${more}; write graders`,
    file,
  );
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}

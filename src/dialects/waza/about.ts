import { at, numberOf, textOf } from "../../base/part.ts";
import type { JsonObject } from "../../model/json.ts";
import type { WazaConfig } from "./config.ts";
import { type WazaEval, writtenText } from "./eval.ts";
import { metricName, type WazaCheck } from "./graders.ts";
import { triggerMetric } from "./triggers.ts";
import type { WazaTask } from "./tasks.ts";

/** Data that a report in waza's format needs: waza's names of the skill, graders and tasks. */
export function aboutOf(
  file: WazaEval,
  {
    shared,
    tasks,
    config: { attempts, executor },
  }: {
    readonly shared: readonly WazaCheck[];
    readonly tasks: readonly WazaTask[];
    readonly config: WazaConfig;
  },
): JsonObject {
  const { root, era } = file;
  const config = at(root, "config");
  const accuracy = triggerMetric(file);
  const seconds = numberOf(at(config, "timeout_seconds"));
  const graders = namesOf([...shared, ...tasks.flatMap(({ checks }) => checks)]);
  const own = tasks.flatMap(({ id, checks }) => {
    const others = Object.entries(namesOf(checks)).filter(
      ([metric, named]) => !isSame(graders[metric], named),
    );
    return others.length === 0 ? [] : [[id, Object.fromEntries(others)] as const];
  });
  return {
    tool: "waza",
    era,
    eval_name: writtenText(at(root, "name")) ?? "",
    skill: writtenText(at(root, "skill")) ?? "",
    ...(executor.candidates !== undefined && { executor: textOf(at(config, "executor")) ?? "" }),
    ...(seconds !== undefined && { timeout_seconds: seconds }),
    ...(attempts > 1 && { max_attempts: attempts }),
    ...(textOf(at(config, "group_by")) === "model" && { group_by: "model" }),
    ...(accuracy !== undefined && { trigger_accuracy: accuracy }),
    graders,
    ...(own.length > 0 && { task_graders: Object.fromEntries(own) }),
  };
}

/** waza's name and type of each grader, by its metric. */
function namesOf(checks: readonly WazaCheck[]): Readonly<Record<string, NamedGrader>> {
  return Object.fromEntries(
    checks.map(({ wazaName, part }) => {
      const type = textOf(at(part, "type")) ?? "text";
      return [metricName(wazaName), { name: wazaName, type }] as const;
    }),
  );
}

type NamedGrader = { readonly name: string; readonly type: string };

function isSame(a: NamedGrader | undefined, b: NamedGrader): boolean {
  return a?.name === b.name && a.type === b.type;
}

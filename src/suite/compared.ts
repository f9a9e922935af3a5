import { singleGraders, type GraderSpec } from "../model/definition/graders.ts";
import { isJsonObject, type JsonObject } from "../model/json.ts";
import { type Place, type Problem, problem } from "../model/refusal.ts";
import type { Task } from "../model/definition/suite.ts";

/** Options of a judge that have no meaning if it compares two answers. */
const idle = { calls: null, scale: "verdicts", reference: null } as const;

/**
 * Problems of judges that compare with a candidate which this run does not ask, or that have options without a meaning
 * for it.
 */
export function comparedProblems(
  tasks: readonly Task[],
  candidates: readonly { readonly id: string }[],
  place: Place,
): readonly Problem[] {
  const names = candidates.map(({ id }) => id);
  return tasks.flatMap(({ grader }) =>
    judgesIn(grader).flatMap((options) => problemsOf(options, { names, place })),
  );
}

/** Whether a grader reads the answers of two candidates. */
export function comparesAnswers(grader: GraderSpec): boolean {
  return judgesIn(grader).some(({ against }) => typeof against === "string");
}

function judgesIn(grader: GraderSpec): readonly JsonObject[] {
  return singleGraders(grader).flatMap((each) => {
    if (!("options" in each)) return [];
    return each.type === "judge_calls" ? [each.options] : checksIn(each.options["also"]);
  });
}

function checksIn(also: unknown): readonly JsonObject[] {
  const checks = Array.isArray(also) ? also.filter(isJsonObject) : [];
  return checks.filter(({ type }) => type === "judge_calls");
}

function problemsOf(
  options: JsonObject,
  { names, place }: { readonly names: readonly string[]; readonly place: Place },
): readonly Problem[] {
  const { against } = options;
  if (typeof against !== "string") return [];
  const unused = Object.entries(idle).flatMap(([key, usual]) =>
    (options[key] ?? usual) === usual ? [] : [key],
  );
  const isThere = names.includes(against) && names.length > 1;
  return [
    ...(isThere ? [] : [problem("judge_against_missing", { against, names }, place)]),
    ...(unused.length === 0 ? [] : [problem("judge_against_idle", { keys: unused }, place)]),
  ];
}

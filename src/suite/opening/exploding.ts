import { singleGraders } from "../../model/definition/graders.ts";
import { isJsonObject, type Json } from "../../model/json.ts";
import type { RegexSpec } from "../../model/definition/extraction.ts";
import { problem } from "../../model/refusal.ts";
import type { Place, Problem } from "../../model/refusal.ts";
import type { TaskToOpen } from "./open-task.ts";

type PatternsOf = Pick<TaskToOpen, "spec" | "index" | "resolved" | "python">;

/** Reports the patterns of a task for which a short answer could keep Python busy for minutes. */
export async function explodingPatterns(task: PatternsOf): Promise<readonly Problem[]> {
  const found: Problem[] = [];
  for (const [regex, place] of patternsOf(task)) {
    if (!repeatsWithin(regex.pattern)) continue;
    if ((await task.python.probeRegex(regex)) === "explodes")
      found.push(problem("regex_explodes", { pattern: regex.pattern }, place));
  }
  return found;
}

/**
 * Whether a pattern may have nested repetitions: one with fewer than two repetitions has none, so most patterns need no
 * test.
 */
function repeatsWithin(pattern: string): boolean {
  return (pattern.match(/[*+}]/g) ?? []).length > 1;
}

function patternsOf({
  spec,
  index,
  resolved,
}: PatternsOf): readonly (readonly [RegexSpec, Place])[] {
  const { output_extraction: extraction, grader } = spec;
  const place = (...keys: readonly (string | number)[]): Place =>
    resolved.place(["tasks", index, ...keys]);
  const isRegex = extraction.type === "regex" || extraction.type === "regex_last";
  const own = isRegex ? [[extraction, place("output_extraction", "pattern")] as const] : [];
  const ofGraders = singleGraders(grader).flatMap((each, i) => {
    if (each.type === "python") return [];
    const at = grader.type === "several" ? place("graders", i) : place("grader");
    return patternsIn(each.options).map((regex) => [regex, at] as const);
  });
  return [...own, ...ofGraders];
}

/** Every `pattern` in a grader's options, including JSON Schemas and checks. */
function patternsIn(options: Json): readonly RegexSpec[] {
  if (Array.isArray(options)) return options.flatMap(patternsIn);
  if (!isJsonObject(options)) return [];
  const { pattern, flags } = options;
  const own =
    typeof pattern === "string"
      ? [
          {
            type: "regex",
            pattern,
            group: 0,
            flags: typeof flags === "string" ? flags : "",
          } as const,
        ]
      : [];
  return [...own, ...Object.values(options).flatMap(patternsIn)];
}

import type { Grader } from "../../model/grading.ts";
import { problem } from "../../model/refusal.ts";
import type { Place, Problem } from "../../model/refusal.ts";
import { createOpenGrader } from "../../grading/open.ts";
import type { TaskToOpen } from "./open-task.ts";
import type { Tools } from "../../tools.ts";

/** Opens a task's grader, or combines all of its graders to one. */
export function openTaskGrader(
  { spec, index, resolved, python, models }: TaskToOpen,
  tools: Tools,
): Promise<{ readonly grader: Grader } | { readonly problems: readonly Problem[] }> {
  const placesOf = (...keys: readonly (string | number)[]) => ({
    declaredPlace: resolved.place(["tasks", index, ...keys]),
    inlinePlace: (_: unknown, within: Place): Place =>
      insideSource(resolved.place(["tasks", index, ...keys, "source"]), within),
  });
  const open = createOpenGrader({
    openProgram: python.openProgram,
    hashText: tools.files.hashText,
    models,
    openHeldProgram: python.openHeldProgram,
    ...placesOf("grader"),
    placesOf: (i) => placesOf("graders", i),
  });
  return open(spec.grader);
}

/** Reports why Python's `re` does not accept the pattern of a task's extraction. */
export async function patternProblems({
  spec,
  index,
  resolved,
  python,
}: TaskToOpen): Promise<readonly Problem[]> {
  const extraction = spec.output_extraction;
  if (extraction.type !== "regex" && extraction.type !== "regex_last") return [];
  const reason = await python.checkRegex(extraction);
  if (reason === undefined) return [];
  const place = resolved.place(["tasks", index, "output_extraction", "pattern"]);
  return [problem("regex_invalid", { pattern: extraction.pattern, reason }, place)];
}

/** The place of an inline source in its manifest, and the line within it. */
export function insideSource(place: Place, within: Place): Place {
  if (within.line === undefined) return place;
  return { ...place, path: `${place.path ?? ""}, line ${within.line} of the source` };
}

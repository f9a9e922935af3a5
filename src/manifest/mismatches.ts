import { problem } from "../model/refusal.ts";
import type { Task } from "../model/suite.ts";
import type { Desk } from "./desk.ts";
import { graderParts } from "./grader.ts";
import { type Part, placeOf } from "./part.ts";

/** Parts of a task that are right by themselves and wrong together. */
export function warnMismatches(
  { grader, output_extraction }: Pick<Task, "grader" | "output_extraction">,
  task: Part,
  desk: Desk,
): void {
  if (output_extraction.type !== "number") return;
  for (const { grader: each, part } of graderParts(grader, task)) {
    if (each.type !== "exact_match") continue;
    desk.warn(problem("number_compared_as_text", undefined, placeOf(part)));
  }
}

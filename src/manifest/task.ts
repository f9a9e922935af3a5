import type { Task } from "../domain/suite.ts";
import { resolveDataset } from "./dataset.ts";
import type { Desk } from "./desk.ts";
import { resolveExtraction } from "./extraction.ts";
import { checkGraderNeeds, resolveGrader } from "./grader.ts";
import { resolveMetrics } from "./metrics.ts";
import { at, numberOf, objectOf, type Part, textOf, textsOf } from "./part.ts";
import { refuseFeature, refuseUnsupported } from "./unsupported.ts";

/** A task as declared, and what a suite of one task takes from the suite: its id. */
export interface DeclaredTask {
  readonly part: Part;
  readonly id: string;
  /** The short form: `name` and `metadata` at the top level are the suite's. */
  readonly short: boolean;
}

/** A task with its defaults, or undefined where something of it is wrong. */
export async function resolveTask(declared: DeclaredTask, desk: Desk): Promise<Task | undefined> {
  const { part, id, short } = declared;
  refuseUnsupported(part, "task", desk);
  refuseFewshot(at(part, "num_fewshot"), desk);
  const dataset = await resolveDataset(at(part, "dataset"), desk);
  const grader = await resolveGrader(part, desk);
  const extraction = resolveExtraction(at(part, "output_extraction"), desk);
  const prompt = textOf(at(part, "prompt_template"));
  const metrics = resolveMetrics(part, grader, desk);
  if (grader === undefined) return undefined;
  checkGraderNeeds(grader, part, desk);
  if (dataset === undefined || extraction === undefined || prompt === undefined) return undefined;
  return {
    id,
    name: short ? undefined : textOf(at(part, "name")),
    type: textOf(at(part, "type")),
    dataset,
    prompt_template: prompt,
    target_template: textOf(at(part, "target_template")),
    choices: textsOf(at(part, "choices")),
    output_extraction: extraction,
    grader,
    metrics,
    repeats: numberOf(at(part, "repeats")) ?? 1,
    slices: textsOf(at(part, "slices")),
    min_cases: numberOf(at(part, "min_cases")) ?? 1,
    metadata: short ? {} : (objectOf(at(part, "metadata")) ?? {}),
  };
}

/** `num_fewshot: 0` means what is done anyway. */
function refuseFewshot(part: Part, desk: Desk): void {
  if ((numberOf(part) ?? 0) > 0) refuseFeature(part, "few-shot examples", desk);
}

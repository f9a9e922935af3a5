import type { Task, PreprocessSpec } from "../../model/definition/suite.ts";
import { resolveDataset } from "./dataset.ts";
import type { ManifestContext } from "../context.ts";
import { resolveExtraction } from "./extraction.ts";
import { resolveFewshot } from "./fewshot.ts";
import { resolveGrader } from "../task-graders/grader.ts";
import { checkGraderNeeds, graderParts } from "../task-graders/grader-needs.ts";
import { imageFolder, resolveAsked, resolveToolResults } from "./messages.ts";
import { resolveMetrics } from "./metrics.ts";
import type { ModelsOfRun } from "../candidates/models.ts";
import { resolveRecorded } from "./from.ts";
import {
  at,
  isPresent,
  numberOf,
  objectOf,
  type Part,
  textOf,
  textsOf,
  placeOf,
} from "../../base/part.ts";
import { problem } from "../../model/refusal.ts";
import { resolveAllowRead, resolveSource } from "../task-graders/code.ts";

/** A declared task; in a suite of one task it takes its id from the suite. */
export interface DeclaredTask {
  readonly part: Part;
  readonly id: string;
  /** The short form: `name` and `metadata` at the top level are the suite's. */
  readonly short: boolean;
}

/** A task with its defaults, or undefined if a part of it is invalid. */
export async function resolveTask(
  declared: DeclaredTask,
  modelsOfRun: ModelsOfRun,
  context: ManifestContext,
): Promise<Task | undefined> {
  const { part, id, short } = declared;
  if (isPresent(at(part, "from"))) return resolveRecorded(declared, context);
  const dataset = await resolveDataset(at(part, "dataset"), context);
  const preprocess = await resolvePreprocess(at(part, "preprocess"), context);
  const fewshot = await resolveFewshot(part, context);
  const grader = await resolveGrader(part, modelsOfRun, context);
  const extraction = resolveExtraction(at(part, "output_extraction"), context);
  const asked = resolveAsked(part, context);
  const recorded = resolveToolResults(at(part, "tool_results"), context);
  const metrics = resolveMetrics(part, grader, context);
  if (grader === undefined) return undefined;
  checkGraderNeeds(grader, { task: part, models: modelsOfRun }, context);
  if (dataset === undefined || extraction === undefined || asked === undefined) return undefined;
  if (preprocess === "refused" || fewshot === "refused") return undefined;
  warnMismatches({ grader, output_extraction: extraction }, part, context);
  return {
    id,
    name: short ? undefined : textOf(at(part, "name")),
    type: textOf(at(part, "type")),
    dataset,
    preprocess,
    ...asked,
    images: imageFolder(dataset, context),
    ...recorded,
    ...(fewshot && { fewshot }),
    target_template: textOf(at(part, "target_template")),
    choices: textsOf(at(part, "choices")),
    output_extraction: extraction,
    grader,
    metrics,
    repeats: numberOf(at(part, "repeats")) ?? 1,
    ...clusterOf(part),
    slices: textsOf(at(part, "slices")),
    min_cases: numberOf(at(part, "min_cases")) ?? 1,
    metadata: short ? {} : (objectOf(at(part, "metadata")) ?? {}),
  };
}

function clusterOf(part: Part): Partial<Task> {
  const cluster_by = textOf(at(part, "cluster_by"));
  return cluster_by === undefined ? {} : { cluster_by };
}

/** Warns about parts of a task that are valid alone but not together. */
function warnMismatches(
  { grader, output_extraction }: Pick<Task, "grader" | "output_extraction">,
  task: Part,
  context: ManifestContext,
): void {
  if (output_extraction.type !== "number") return;
  const { decimal = "plain" } = output_extraction;
  for (const { grader: each, part } of graderParts(grader, task)) {
    if (each.type === "numeric" && (each.options["decimal"] ?? "plain") !== decimal)
      context.refuse(problem("decimal_differs", { decimal }, placeOf(part)));
    if (each.type !== "exact_match") continue;
    context.warn(problem("number_compared_as_text", undefined, placeOf(part)));
  }
}

/** A task's preprocessor; undefined if it has none, `refused` if a part of it is invalid. */
async function resolvePreprocess(
  part: Part,
  context: ManifestContext,
): Promise<PreprocessSpec | undefined | "refused"> {
  if (!isPresent(part)) return undefined;
  const source = await resolveSource(part, context);
  const allow_read = await resolveAllowRead(at(part, "allow_read"), context);
  if (source === undefined) return "refused";
  return {
    contract: textOf(at(part, "contract")) === "batch" ? "batch" : "row",
    source,
    timeout_seconds: numberOf(at(part, "timeout_seconds")) ?? 120,
    allow_read,
  };
}

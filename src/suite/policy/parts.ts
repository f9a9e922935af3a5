import { isDeepStrictEqual } from "node:util";
import {
  asksModels,
  modelsAllowed,
  singleGraders,
  type GraderSpec,
  type SingleGrader,
} from "../../model/definition/graders.ts";
import type { PolicyPart } from "../../model/outcomes/policy.ts";
import type { ModelRef, SuiteModels, Task } from "../../model/definition/suite.ts";
import type { PreparedTask } from "../opening/open-task.ts";

/** The parts of a prepared task that determine its policy. */
interface TaskPolicy {
  readonly spec: Task;
  readonly fingerprint: PreparedTask["fingerprint"];
  readonly grader: Pick<PreparedTask["grader"], "hash">;
}

/** The parts in which the policy of a task differs between the two sides. Contents count, paths don't. Pure. */
export function changedParts(
  base: { readonly task: TaskPolicy; readonly models: SuiteModels },
  head: { readonly task: TaskPolicy; readonly models: SuiteModels },
): readonly PolicyPart[] {
  const [ours, theirs] = [partsOf(base.task, base.models), partsOf(head.task, head.models)];
  return taskParts.filter((part) => !isDeepStrictEqual(ours[part], theirs[part]));
}

const taskParts = [
  "dataset",
  "preprocess",
  "target_template",
  "choices",
  "extraction",
  "grader",
  "judge",
  "metrics",
  "repeats",
  "slices",
  "clusters",
  "min_cases",
] as const;

function partsOf(
  { spec, fingerprint, grader }: TaskPolicy,
  models: SuiteModels,
): Readonly<Record<(typeof taskParts)[number], unknown>> {
  const { preprocess } = spec;
  return {
    dataset: spec.from === undefined ? fingerprint.dataset : [fingerprint.dataset, spec.from],
    preprocess: [
      fingerprint.preprocess,
      preprocess?.timeout_seconds,
      preprocess?.allow_read.map(({ path }) => path),
    ],
    target_template: [spec.target_template, targetsOf(spec.grader)],
    choices: spec.choices,
    extraction: fingerprint.extraction,
    grader: [grader.hash, settingsOf(spec.grader)],
    judge: asksModels(spec.grader) ? judgeOf(spec.grader, models) : null,
    // A metric's description does not affect the verdict.
    metrics: spec.metrics.map((metric) => ({ ...metric, description: undefined })),
    repeats: spec.repeats,
    slices: spec.slices,
    clusters: spec.cluster_by,
    min_cases: spec.min_cases,
  };
}

/** Targets of graders that have their own. */
function targetsOf(spec: GraderSpec): unknown {
  return spec.type === "several"
    ? spec.graders.flatMap(({ name, target_template: own }) =>
        own === undefined ? [] : [[name, own]],
      )
    : [];
}

/** A grader's declared settings, besides its code and its models. */
function settingsOf(spec: GraderSpec): unknown {
  if (spec.type === "several")
    return spec.graders.map(({ name, weight, grader }) => [name, weight, settingsOfOne(grader)]);
  return settingsOfOne(spec);
}

function settingsOfOne(spec: SingleGrader): unknown {
  const { models, ...rest } = spec;
  const limits = models && { ...models, allow_models: undefined, named_in_code: undefined };
  if (rest.type === "recorded") return [rest, limits];
  // The two sides are read from two folders, so that folders are left out.
  if (rest.type !== "python") return [{ ...rest, held_base: undefined }, limits];
  const { allow_read, ...settings } = rest;
  // The grader's hash covers the code.
  return [{ ...settings, source: undefined }, allow_read.map(({ path }) => path), limits];
}

function judgeOf(spec: GraderSpec, { judge_model, embedding_model }: SuiteModels): unknown {
  const allowed = singleGraders(spec).flatMap(modelsAllowed);
  const asked = [judge_model, embedding_model, ...allowed];
  return asked.map((ref) => ref && identify(ref));
}

/** Includes the address, because the server at it gives the scores. Prices don't affect scores. */
function identify({ name, provider }: ModelRef): unknown {
  const { id, base_url, api, headers } = provider;
  return { name, id, base_url, api, headers };
}

import { canonicalJson, type Json, type JsonObject } from "../domain/json.ts";
import type { HashText } from "../domain/ports.ts";
import type { Fingerprint } from "../domain/run.ts";
import type {
  DatasetSpec,
  ExtractionSpec,
  GraderSpec,
  MetricSpec,
  Suite,
  Task,
} from "../domain/suite.ts";

/**
 * Hashes of a task's parts; a part that differs says what may still be compared. Contents count, paths don't.
 * `parts.dataset` is the hash of the file, `parts.grader` that of the grader's code, options and imports.
 */
export function fingerprintTask(
  task: Task,
  parts: { readonly dataset: string; readonly grader: string },
  hashText: HashText,
): Fingerprint {
  const hash = (value: Json): string => hashText(canonicalJson(value));
  return {
    dataset: hash({ content: parts.dataset, ...datasetIdentity(task.dataset) }),
    preprocess: null,
    prompt: hash({ template: task.prompt_template, choices: task.choices }),
    extraction: hash(extractionIdentity(task.output_extraction)),
    // What the grader compares with is part of the judging, not of what is judged.
    grader: hash({
      code: parts.grader,
      ...graderIdentity(task.grader),
      target: task.target_template ?? null,
      choices: task.choices,
    }),
    judge: null,
  };
}

/**
 * The suite's version: a hash over what changes results. Not over `run`, `gate` (`min_cases` belongs to it
 * in spirit), candidates, metadata, names, labels and descriptions, nor over the order of the tasks.
 */
export function suiteVersion(
  suite: Pick<Suite, "schema_version" | "tasks">,
  fingerprints: Readonly<Record<string, Fingerprint>>,
  hashText: HashText,
): string {
  const tasks = suite.tasks
    .toSorted((a, b) => (a.id < b.id ? -1 : 1))
    .map((task) => taskIdentity(task, fingerprints[task.id]));
  return hashText(canonicalJson({ schema_version: suite.schema_version, tasks }));
}

/** Which run can stand for another: the same version, candidates and run settings. */
export function inputHash(
  version: string,
  parts: { readonly candidates: Json; readonly run: Json },
  hashText: HashText,
): string {
  return hashText(canonicalJson({ version, candidates: parts.candidates, run: parts.run }));
}

function taskIdentity(task: Task, fingerprint: Fingerprint | undefined): JsonObject {
  if (fingerprint === undefined) throw new RangeError(`no fingerprint of the task ${task.id}`);
  return {
    id: task.id,
    fingerprint: { ...fingerprint },
    metrics: task.metrics.map(metricIdentity),
    repeats: task.repeats,
    slices: task.slices,
    grader_timeout_seconds: task.grader.type === "python" ? task.grader.timeout_seconds : null,
  };
}

/** JSON has no undefined: "nobody said" (then `id`, if there is one) and null (the hash) must not be one. */
function datasetIdentity({ format, id_field: field }: DatasetSpec): JsonObject {
  return { format, id_field: field === undefined ? { default: true } : field };
}

function extractionIdentity(spec: ExtractionSpec): JsonObject {
  switch (spec.type) {
    case "none":
    case "number":
      return { type: spec.type };
    case "take_first":
      return { type: spec.type, lines: spec.lines };
    case "regex":
    case "regex_last":
      return {
        type: spec.type,
        pattern: spec.pattern,
        group: spec.group ?? null,
        flags: spec.flags,
      };
    case "label_set":
      return { type: spec.type, labels: spec.labels, case_sensitive: spec.case_sensitive };
  }
}

function graderIdentity(spec: GraderSpec): JsonObject {
  if (spec.type !== "python") return { type: spec.type, options: spec.options };
  return { type: spec.type, contract: spec.contract, metric_id: spec.metric_id };
}

function metricIdentity(spec: MetricSpec): JsonObject {
  return {
    id: spec.id,
    aggregation: spec.aggregation,
    higher_is_better: spec.higher_is_better,
    range: spec.range,
    scale: spec.scale,
  };
}

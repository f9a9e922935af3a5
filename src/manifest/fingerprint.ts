import { builtinGraders, isBuiltinGrader } from "../model/definition/builtins.ts";
import {
  singleGraders,
  type GraderModels,
  type GraderSpec,
  type SingleGrader,
} from "../model/definition/graders.ts";
import { canonicalJson, type Json, type JsonObject } from "../model/json.ts";
import type { HashText } from "../model/ports/files.ts";
import type { Fingerprint } from "../model/outcomes/run.ts";
import type { MessagesSpec, PartTemplate, ToolResultsSpec } from "../model/definition/asked.ts";
import type { ExtractionSpec } from "../model/definition/extraction.ts";
import type {
  MetricSpec,
  ModelRef,
  PreprocessSpec,
  Suite,
  SuiteModels,
  Task,
} from "../model/definition/suite.ts";
import type { DatasetSource } from "../model/definition/dataset.ts";

/** Content of a task's parts. */
interface TaskParts {
  /** Hash of the dataset's file. */
  readonly dataset: string;
  /** Source of a downloaded data set; undefined for a file of the repository. */
  readonly origin?: JsonObject | undefined;
  /** Hash of the images that the rows name; undefined: they name none. */
  readonly images?: string | undefined;
  /** Hash of the preprocessor's code and imports; null without one. */
  readonly preprocess: string | null;
  /** The rendered few-shot examples. */
  readonly examples?: readonly string[];
  /** Hash of the grader's code, options and imports. */
  readonly grader: string;
  /** Models that the grader uses for `auto`. */
  readonly models: SuiteModels;
}

/** Hashes of a task's parts; the differing ones decide what can still be compared. Contents count, paths don't. */
export function fingerprintTask(task: Task, parts: TaskParts, hashText: HashText): Fingerprint {
  const hash = (value: Json): string => hashText(canonicalJson(value));
  return {
    dataset: hash({
      content: parts.dataset,
      ...(parts.origin && { origin: parts.origin }),
      ...datasetIdentity(task.dataset),
      // A case's tool results and images count as part of its row.
      ...(task.tool_results !== undefined && { tool_results: resultsIdentity(task.tool_results) }),
      ...(parts.images !== undefined && { images: parts.images }),
    }),
    preprocess: preprocessHash(task.preprocess, parts.preprocess, hash),
    prompt: promptHash(task, hashText, parts.examples),
    extraction: hash({
      ...extractionIdentity(task.output_extraction),
      ...(task.output_extraction.from && { from: task.output_extraction.from }),
    }),
    // The target belongs to the judging side.
    grader: hash({
      code: parts.grader,
      ...graderIdentity(task.grader),
      target: task.target_template ?? null,
      choices: task.choices,
    }),
    judge: judgeHash(task.grader, parts.models, hash),
  };
}

/**
 * Part of the fingerprint that identifies the question of a task. `examples`: the examples before each prompt, if any.
 */
export function promptHash(
  task: Task,
  hashText: HashText,
  examples: readonly string[] = [],
): string {
  return hashText(canonicalJson(promptIdentity(task, examples)));
}

type Hash = (value: Json) => string;

/** Only the rendered examples count; without examples nothing is added, so that existing fingerprints stay the same. */
function promptIdentity(task: Task, examples: readonly string[]): JsonObject {
  const { prompt_template: template, messages, choices, fewshot } = task;
  if (messages !== undefined) {
    const shown = fewshot === undefined ? {} : { fewshot: { examples } };
    return { messages: messagesIdentity(messages), choices, ...shown };
  }
  if (fewshot === undefined) return { template, choices };
  return { template, choices, fewshot: { examples, separator: fewshot.separator } };
}

function messagesIdentity({ start, turns }: MessagesSpec): Json {
  const asked = start.map((item): Json => {
    if (item.kind === "field") return item.text;
    const { role, content } = item;
    return { role, content: typeof content === "string" ? content : content.map(partIdentity) };
  });
  return { start: asked, turns: turns ?? null };
}

function partIdentity(part: PartTemplate): JsonObject {
  if (part.type === "text") return part;
  return { ...part, detail: part.detail ?? null };
}

function resultsIdentity(spec: ToolResultsSpec): Json {
  if (typeof spec === "string") return spec;
  const named = Object.entries(spec).map(([name, results]) => [
    name,
    results.map((each) => ({ ...each, arguments: each.arguments ?? null })),
  ]);
  return Object.fromEntries(named);
}

/** Time-outs and readable paths don't count: if they change a row, the hash of its case changes. */
function preprocessHash(
  spec: PreprocessSpec | undefined,
  code: string | null,
  hash: Hash,
): string | null {
  return spec === undefined ? null : hash({ code, contract: spec.contract });
}

/**
 * The models that judge. The rest of a request is in the grader's code or options. Limits (number of calls, tools) are
 * excluded: a score that they spoil is invalid, not different.
 */
function judgeHash(spec: GraderSpec, models: TaskParts["models"], hash: Hash): string | null {
  const asking = singleGraders(spec).filter((each) => each.models !== undefined);
  const [only, ...others] = asking.map((each) => judgeIdentity(each, models));
  if (only === undefined) return null;
  return hash(others.length === 0 ? only : [only, ...others]);
}

function judgeIdentity(
  grader: SingleGrader,
  { judge_model, embedding_model }: TaskParts["models"],
): JsonObject {
  // A built-in asks its own models, or the run's.
  if (grader.type !== "python") {
    const { options, models } = grader;
    const own = (key: string): ModelRef | undefined =>
      models?.allow_models.find(({ model }) => model === options[key]);
    const judge = modelIdentity(own("model") ?? judge_model);
    const asksEmbedding = isBuiltinGrader(grader.type) && builtinGraders[grader.type].asksEmbedding;
    if (!asksEmbedding) return { judge };
    return { judge, embedding: modelIdentity(own("embedding_model") ?? embedding_model) };
  }
  return { judge: modelIdentity(judge_model), embedding: modelIdentity(embedding_model) };
}

/** Not the address: a proxy of the same provider answers with the same model. */
function modelIdentity(ref: ModelRef | undefined): Json {
  return ref === undefined
    ? null
    : { provider: ref.provider.id, api: ref.provider.api, name: ref.name };
}

/**
 * The suite's version: a hash over everything that changes results. `run`, `gate` (with `min_cases`), candidates,
 * metadata, names, labels, descriptions and the order of the tasks don't count.
 */
export function suiteVersion(
  suite: Suite,
  fingerprints: Readonly<Record<string, Fingerprint>>,
  hashText: HashText,
): string {
  const tasks = suite.tasks
    .toSorted((a, b) => (a.id < b.id ? -1 : 1))
    .map((task) => taskIdentity(task, fingerprints[task.id]));
  return hashText(canonicalJson({ schema_version: suite.schema_version, tasks }));
}

/** Identifies runs that can replace each other: the same version, candidates and run settings. */
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
    // The judge is a choice of the run: it decides what is comparable, not which suite this is.
    fingerprint: { ...fingerprint, judge: null },
    metrics: task.metrics.map(metricIdentity),
    repeats: task.repeats,
    slices: task.slices,
    // Only if there is one, so that versions of other suites stay the same.
    ...(task.cluster_by !== undefined && { cluster_by: task.cluster_by }),
    grader_timeout_seconds: timeoutsOf(task.grader),
    ...limitsOf(task),
  };
}

/**
 * Limits that may turn a score into an invalid one; only if there are some, so that versions of other suites stay the
 * same.
 */
function limitsOf({ grader, preprocess }: Task): JsonObject {
  const limits = singleGraders(grader).map(({ models }) => models && modelLimits(models));
  const asked = limits.filter((each) => each !== undefined);
  return {
    ...(asked.length > 0 && {
      models: grader.type === "several" ? limits.map((each) => each ?? null) : (asked[0] ?? null),
    }),
    ...(preprocess && { preprocess_timeout_seconds: preprocess.timeout_seconds }),
  };
}

/** The grader's hash covers its code, and with it the models that the code names. */
function modelLimits({ named_in_code: _named, ...models }: GraderModels): JsonObject {
  return { ...models, allow_models: models.allow_models.map(({ model }) => model) };
}

function timeoutsOf(spec: GraderSpec): Json {
  const seconds = singleGraders(spec).map((each) =>
    each.type === "python" ? each.timeout_seconds : null,
  );
  return spec.type === "several" ? seconds : (seconds[0] ?? null);
}

/** JSON has no undefined, but "no hash yet" (then `id` counts, if there is one) and null must differ. */
function datasetIdentity(dataset: DatasetSource): JsonObject {
  const { id_field: field } = dataset;
  // Downloaded data becomes JSON lines.
  const format = "source" in dataset ? "jsonl" : dataset.format;
  return { format, id_field: field === undefined ? { default: true } : field };
}

function extractionIdentity(spec: ExtractionSpec): JsonObject {
  switch (spec.type) {
    case "none":
      return { type: spec.type };
    case "number":
      return { type: spec.type, ...(spec.decimal && { decimal: spec.decimal }) };
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
    case "json":
      return { type: spec.type, path: spec.path, ...(spec.fields && { fields: spec.fields }) };
    case "label_set":
      return { type: spec.type, labels: spec.labels, case_sensitive: spec.case_sensitive };
  }
}

function graderIdentity(spec: GraderSpec): JsonObject {
  if (spec.type !== "several") return singleIdentity(spec);
  return {
    graders: spec.graders.map(({ name, weight, target_template, grader }) => ({
      name,
      weight,
      ...(target_template !== undefined && { target_template }),
      ...singleIdentity(grader),
    })),
  };
}

function singleIdentity(spec: SingleGrader): JsonObject {
  if (spec.type === "recorded") return { type: spec.type, options: spec.options };
  const { extracted_field } = spec;
  const reads = extracted_field === undefined ? {} : { extracted_field };
  if (spec.type !== "python") return { type: spec.type, options: spec.options, ...reads };
  const { type, contract, execution, metric_id } = spec;
  const usual = contract === "batch" ? "aggregate" : "per_sample";
  return { type, contract, metric_id, ...(execution !== usual && { execution }), ...reads };
}

function metricIdentity(spec: MetricSpec): JsonObject {
  return {
    id: spec.id,
    aggregation: spec.aggregation,
    higher_is_better: spec.higher_is_better,
    range: spec.range,
    scale: spec.scale,
    ...(spec.reducer && { reducer: { ...spec.reducer } }),
  };
}

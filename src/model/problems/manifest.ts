import { type Said, alternatives } from "./said.ts";
import { datasetEndings, datasetFormats } from "../definition/dataset.ts";

/** Problems with the manifest: its text, its structure, and contradictions between its parts. */
export const manifestTexts = {
  manifest_syntax: ({ language, reason }: { language: string; reason: string }): Said => ({
    message: `not valid ${language}: ${reason}`,
  }),
  manifest_empty: (): Said => ({
    message: "the manifest is empty",
    hint: "Start from the short manifest in the README.",
  }),
  key_duplicate: ({ key }: { key: string }): Said => ({
    message: `the key \`${key}\` is written here twice`,
    hint: "Keep one of them.",
  }),
  alias_unknown: ({ name }: { name: string }): Said => ({
    message: `the alias *${name} names no anchor that is defined before it`,
    hint: `Write &${name} at the value that it repeats.`,
  }),
  alias_circular: ({ name }: { name: string }): Said => ({
    message: `the alias *${name} contains itself`,
    hint: "Write the value out instead of the alias.",
  }),
  manifest_too_large: ({ limit }: { limit: string }): Said => ({
    message: `the manifest has more than ${limit}`,
    hint: "Data belongs in a dataset file; aliases that repeat aliases grow very fast.",
  }),
  number_not_finite: ({ found }: { found: string }): Said => ({
    message: `found ${found}; allowed are finite numbers`,
  }),
  key_unknown: ({ key, allowed, nearest, belongs }: KeyUnknown): Said => ({
    message: `there is no key \`${key}\` here`,
    hint: unknownKeyHint({ allowed, nearest, belongs }),
  }),
  key_missing: ({ key }: { key: string }): Said => ({
    message: `the key \`${key}\` is missing`,
  }),
  key_misplaced: ({ key, belongs }: { key: string; belongs: string }): Said => ({
    message: `\`${key}\` has no meaning here: it belongs to ${belongs}`,
    hint: "Take it out, or move it there.",
  }),
  keys_exclusive: ({
    found,
    keys,
  }: {
    found: readonly string[];
    keys: readonly string[];
  }): Said => ({
    message: `${ticked(found)} exclude each other`,
    hint: `Give exactly one of ${ticked(keys)}.`,
  }),
  keys_none: ({ keys }: { keys: readonly string[] }): Said => ({
    message: `one of ${ticked(keys)} is missing`,
    hint: "Give exactly one of them.",
  }),
  value_type: ({ found, allowed, quoted }: ValueType): Said => {
    const hint = quoted === undefined ? shareMeant(found, allowed) : `Put it in quotes: ${quoted}.`;
    return {
      message: `found ${found}; allowed is ${allowed}`,
      ...(hint === undefined ? {} : { hint }),
    };
  },
  value_range: ({ found, allowed }: { found: string; allowed: string }): Said => ({
    message: `found ${found}, which is out of range; allowed is ${allowed}`,
  }),
  value_unknown: ({ found, allowed, nearest }: ValueUnknown): Said => ({
    message: `found ${found}; allowed: ${allowed.join(", ")}`,
    ...(nearest === undefined ? {} : { hint: `Did you mean \`${nearest}\`?` }),
  }),
  value_empty: (): Said => ({ message: "found an empty text; something must stand here" }),
  value_long: ({ found, limit }: { found: number; limit: number }): Said => ({
    message: `found ${found} characters; at most ${limit} are allowed`,
  }),
  value_characters: ({ found, allowed }: { found: string; allowed: string }): Said => ({
    message: `found ${found}; allowed are ${allowed}`,
  }),
  value_count: ({ found, allowed }: { found: number; allowed: string }): Said => ({
    message: `found ${found === 0 ? "none" : found}; allowed are ${allowed}`,
  }),
  value_repeated: ({ found }: { found: string }): Said => ({
    message: `${found} is in this list twice`,
    hint: "Keep one of them.",
  }),
  strict_refused: (): Said => ({
    message: "--strict refuses what would otherwise be a warning",
    hint: "Correct the suite, or leave --strict out (in a workflow: the action's input `strict`).",
  }),
  prompt_is_list: (): Said => ({
    message: "found a list; `prompt_template` is one text",
    hint: "Write the messages under `messages_template` instead: it is a list of {role, content}.",
  }),
  braces_literal: ({ found, key }: { found: string; key: string }): Said => ({
    message: `\`${key}\` is no template: ${found} stays as it stands`,
    hint: "Templates are prompt_template, messages_template, target_template, those of `fewshot`, `instructions`, `tool_results`, `answer`, and url, headers and body of `http`.",
  }),
  short_form_mixed: ({ key }: { key: string }): Said => ({
    message: `\`${key}\` is written at the top level beside \`tasks\``,
    hint: "Move it into a task, or drop `tasks` and keep one task's keys at the top level.",
  }),
  task_duplicate: ({ id, line }: { id: string; line: number | undefined }): Said => ({
    message: `the task id ${JSON.stringify(id)} is taken${line === undefined ? "" : ` by the task on line ${line}`}`,
    hint: "Give each task an id of its own.",
  }),
  metric_duplicate: ({ id }: { id: string }): Said => ({
    message: `the metric id ${JSON.stringify(id)} is declared twice in this task`,
    hint: "Keep one of them.",
  }),
  metric_not_given: ({ id, grader, given }: MetricNotGiven): Said => ({
    message: `the grader ${grader} gives no metric ${JSON.stringify(id)}; it gives ${given.join(", ")}`,
    hint: "Name one of those, or leave `metrics` out.",
  }),
  grader_name_taken: ({ name }: { name: string }): Said => ({
    message: `two graders of this task are called ${JSON.stringify(name)}`,
    hint: "Give each a `name` of its own: its scores are the metric of that name.",
  }),
  grader_name_reserved: ({ name }: { name: string }): Said => ({
    message: `a grader can't be called ${JSON.stringify(name)}: that is ${name === "score" ? "the weighted score of all graders" : "what Regrade measures itself"}`,
    hint: "Give it another `name`.",
  }),
  class_misplaced: ({ role, seesAll }: { role: string; seesAll: boolean }): Said => ({
    message: `\`class\` as ${role} needs a \`file\`, and \`contract: ${seesAll ? "batch" : "sample"}\``,
    hint: seesAll
      ? "An aggregator and a post-processor see all samples together."
      : "A unit metric and a lambda see one sample at a time.",
  }),
  aggregate_source_unknown: ({ source, sources, suggestion }: UnknownSource): Said => ({
    message: `\`source: ${source}\` is not a grader of this task with one result for each sample; ${sources.length === 0 ? "it has none" : `it has ${sources.join(", ")}`}`,
    hint:
      suggestion === undefined
        ? "Name the grader whose results are to be aggregated: a `unit_metric` in the same `graders`."
        : `Did you mean ${suggestion}?`,
  }),
  grader_weight_direction: ({ name }: { name: string }): Said => ({
    message: `of ${name} less is better, and \`score\` is the weighted mean of what should be high`,
    hint: `Write weight: 0 at the grader ${name}, and gate its metric by a rule of its own.`,
  }),
  reducer_repeats: ({ name, k, repeats }: ReducerRepeats): Said => ({
    message: `\`reducer: ${name}\` needs ${k} repeats of a case, and the task has repeats: ${repeats}`,
    hint: `Write repeats: ${k} or more, or a smaller number in the reducer.`,
  }),
  reducer_no_pass: ({ name, metric }: { name: string; metric: ReducedMetric }): Said => ({
    message: metric.higher_is_better
      ? `\`reducer: ${name}\` counts passes, and nothing says which score of ${metric.id} is one`
      : `\`reducer: ${name}\` counts passes, and of ${metric.id} less is better`,
    hint: metric.higher_is_better
      ? "Declare scale: binary if its scores are 0 and 1 (1 passes), or a range (its upper end passes)."
      : "Use mean, mode or max, or a metric of which more is better.",
  }),
  metric_range_empty: ({ low, high }: { low: number; high: number }): Said => ({
    message: `found the range [${low}, ${high}]: the lowest score must be below the highest`,
    hint: "Write the lowest possible score first, then the highest.",
  }),
  metric_id_unread: ({ id }: { id: string }): Said => ({
    message: `a single number that the grader returns is stored under ${JSON.stringify(id)}, which \`metrics\` does not declare`,
    hint: "Declare it in `metrics`, or name a declared metric in `metric_id`.",
  }),
  target_missing: ({ grader }: { grader: string }): Said => ({
    message: `the grader ${grader} compares with a target, and this task has no \`target_template\``,
    hint: 'Add one, such as target_template: "{{answer}}".',
  }),
  execution_unlike_contract: (found: { execution: string; contract: string }): Said => ({
    message: `\`execution: ${found.execution}\` calls ${found.execution === "aggregate" ? "grade_batch" : "grade"}, though the contract is ${found.contract}`,
    hint:
      found.execution === "aggregate"
        ? "Write contract: batch, or leave `execution` out."
        : "Write contract: sample, or leave `execution` out.",
  }),
  contract_without_models: (): Said => ({
    message:
      "the contract model_backed is for graders that ask models, and `model_access: none` refuses them every call",
    hint: "Leave `model_access` out, or write contract: sample (batch for grade_batch).",
  }),
  models_missing: (): Said => ({
    message:
      'the grader may ask models, and the run names none: ctx.responses_create and ctx.embeddings_create fail where they ask for "auto"',
    hint: 'Set run.judge_model (run.embedding_model for embeddings), or name the model in the call (model="openai:gpt-5.4-mini") or in `allow_models`.',
  }),
  embedding_model_missing: ({ grader }: { grader: string }): Said => ({
    message: `the grader ${grader} asks for embeddings, and the run names no model for them`,
    hint: "Set run.embedding_model, such as run: { embedding_model: openai:text-embedding-3-small }, or the grader's `embedding_model`.",
  }),
  judge_model_missing: ({ grader }: { grader: string }): Said => ({
    message: `the grader ${grader} asks a model, and the run names none`,
    hint: "Set run.judge_model, such as run: { judge_model: openai:gpt-5.4-mini }, or the grader's `model`.",
  }),
  number_compared_as_text: (): Said => ({
    message:
      "exact_match compares the extracted number as a text: the answer 51 is then not the target 51.0, nor 1000 the target 1,000",
    hint: "Write grader: numeric, which compares numbers by their value.",
  }),
  schema_file_unusable: ({ path, reason }: { path: string; reason: string }): Said => ({
    message: `can't use ${path} as a JSON Schema: ${reason}`,
    hint: "The grader json_schema takes a JSON file that holds one schema, or the schema itself under `schema`.",
  }),
  setting_idle: ({ key, why }: { key: string; why: string }): Said => ({
    message: `\`${key}\` has no effect: ${why}`,
  }),
  candidates_missing: (): Said => ({
    message: "the suite has no candidates: nothing to judge",
    hint: "Declare one, such as candidates: { app: { command: [python3, app.py] } } or candidates: { recorded: { replay: outputs.jsonl } }; or name a model for this run: --model openai:gpt-5.4-mini.",
  }),
  candidate_duplicate: ({ id }: { id: string }): Said => ({
    message: `the candidate ${JSON.stringify(id)} is declared twice`,
    hint: "Give each candidate a name of its own, or keep one.",
  }),
  file_id_unknown: ({ id, known, nearest }: FileIdUnknown): Said => ({
    message: `\`files\` has no path for the file id ${JSON.stringify(id)}`,
    hint:
      nearest === undefined
        ? `Add it: files: { ${id}: path/in/this/repository }${known.length === 0 ? "" : `; there are ${known.join(", ")}`}.`
        : `Did you mean ${nearest}?`,
  }),
  file_id_unused: ({ id }: { id: string }): Said => ({
    message: `nothing in this suite uses the file id ${JSON.stringify(id)}`,
  }),
  path_absolute: ({ path }: { path: string }): Said => ({
    message: `found the absolute path ${path}`,
    hint: "Write it relative to the manifest, so that it means the same on every machine.",
  }),
  path_outside: ({ path }: { path: string }): Said => ({
    message: `the path ${path} leads out of the repository`,
    hint: "Paths are relative to the manifest and stay inside the repository (outside git: the working directory).",
  }),
  path_link_outside: ({ path }: { path: string }): Said => ({
    message: `the path ${path} leads out of the repository through a symbolic link`,
    hint: "Put the file itself into the repository.",
  }),
  path_is_directory: ({ path }: { path: string }): Said => ({
    message: `${path} is a directory; a file is needed`,
  }),
  path_shows_git: ({ path }: { path: string }): Said => ({
    message: `${path} would let it read .git, which may hold a token of the checkout`,
    hint: "Name the folders that it needs; the repository as a whole can't be opened.",
  }),
  path_missing: ({ path }: { path: string }): Said => ({
    message: `no such file: ${path}`,
    hint: "Paths are relative to the manifest's folder.",
  }),
  format_unknown: ({ path }: { path: string }): Said => ({
    message: `the name ${path} does not tell the dataset's format`,
    hint: `Add format: ${alternatives(Object.keys(datasetFormats))} (names that tell end in ${alternatives(datasetEndings)}).`,
  }),
} satisfies Record<string, (found: never) => Said>;

interface KeyUnknown {
  readonly key: string;
  readonly allowed: readonly string[];
  readonly nearest: string | undefined;
  /** The right form of the key: in backticks the full path where it belongs, or another way to write it. */
  readonly belongs: string | undefined;
}

function unknownKeyHint({ allowed, nearest, belongs }: Omit<KeyUnknown, "key">): string {
  if (nearest !== undefined) return `Did you mean \`${nearest}\`?`;
  if (belongs !== undefined) return `Write it as ${belongs}.`;
  return `Allowed here: ${allowed.join(", ")}.`;
}

interface ValueType {
  readonly found: string;
  readonly allowed: string;
  readonly quoted?: string | undefined;
}

interface ValueUnknown {
  readonly found: string;
  readonly allowed: readonly string[];
  readonly nearest: string | undefined;
}

interface MetricNotGiven {
  readonly id: string;
  readonly grader: string;
  readonly given: readonly string[];
}

interface UnknownSource {
  readonly source: string;
  readonly sources: readonly string[];
  readonly suggestion: string | undefined;
}

interface FileIdUnknown {
  readonly id: string;
  readonly known: readonly string[];
  readonly nearest: string | undefined;
}

function ticked(keys: readonly string[]): string {
  const quoted = keys.map((key) => `\`${key}\``);
  return quoted.length < 2
    ? quoted.join("")
    : `${quoted.slice(0, -1).join(", ")} and ${quoted.at(-1)}`;
}

interface ReducerRepeats {
  readonly name: string;
  readonly k: number;
  readonly repeats: number;
}

interface ReducedMetric {
  readonly id: string;
  readonly higher_is_better: boolean;
}

/** Advice for a share that is written in percent. */
function shareMeant(found: string, allowed: string): string | undefined {
  const [, percent] = /^"?(\d+(?:\.\d+)?) ?%"?$/.exec(found) ?? [];
  if (percent === undefined || !allowed.startsWith("a number")) return undefined;
  return `Write ${Number((Number(percent) / 100).toPrecision(12))}.`;
}

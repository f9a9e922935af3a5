import { claimsOf, linesAfter } from "../model/claims.ts";
import type { Json, JsonObject } from "../model/json.ts";
import type { Run } from "../model/run.ts";
import type { Sample } from "../model/sample.ts";

/** A file as k-eval writes it. */
interface KEvalFile {
  readonly name: string;
  readonly pieces: AsyncIterable<string>;
}

interface RecordedRun {
  readonly run: Run;
  /** All of its samples, from the first one again at each call; the repeats of a case stand together. */
  readonly samples: () => AsyncIterable<Sample>;
}

/** The judge's three scores, without which there is nothing to write. */
export const kEvalScales = [
  "factual_adherence",
  "completeness",
  "helpfulness_and_clarity",
] as const;

/** A run in k-eval's two files: a line for each question and candidate, and the means of each candidate. */
export async function* kEvalFiles({ run, samples }: RecordedRun): AsyncGenerator<KEvalFile> {
  const stem = `${run.suite.name}_${run.completed_at.slice(0, 10).replaceAll("-", "")}_${run.id.replace(/^run_/, "").slice(0, 8)}`;
  const conditions = new Map<string, Condition>();
  yield {
    name: `${stem}.detailed.jsonl`,
    pieces: linesOf({ run, samples, conditions }),
  };
  yield { name: `${stem}.json`, pieces: aggregateOf(run, { stem, conditions }) };
}

/** What the lines of a condition add up to. */
interface Condition {
  /** By scale: of each question the mean and the deviation over its repetitions. */
  readonly scales: ReadonlyMap<string, Spread[]>;
  questions: number;
}

interface Spread {
  readonly mean: number;
  readonly stddev: number;
}

interface Lines extends RecordedRun {
  /** Filled while the lines go by. */
  readonly conditions: Map<string, Condition>;
}

/** Condition by condition, in the order of their names. */
async function* linesOf({ run, samples, conditions }: Lines): AsyncGenerator<string> {
  const numbers = new Map<string, number>();
  for (const { id: candidate } of run.candidates.toSorted((a, b) => (a.id < b.id ? -1 : 1))) {
    for await (const group of questionsOf(samples(), candidate)) {
      const [first] = group;
      if (first === undefined) continue;
      const name = `${nameOf(run, first.task_id)}/${candidate}`;
      const key = `${first.task_id} ${first.case_id}`;
      const number = numbers.get(key) ?? numbers.size;
      numbers.set(key, number);
      const condition = conditions.get(name) ?? newCondition();
      conditions.set(name, condition);
      condition.questions += 1;
      yield `${JSON.stringify(lineOf(group, { run, name, number, condition }))}\n`;
    }
  }
}

function nameOf(run: Run, task: string): string {
  return Object.keys(run.suite.tasks).length === 1 ? run.suite.name : task;
}

function newCondition(): Condition {
  return { scales: new Map(kEvalScales.map((scale) => [scale, []])), questions: 0 };
}

async function* questionsOf(
  samples: AsyncIterable<Sample>,
  candidate: string,
): AsyncGenerator<readonly Sample[]> {
  let group: Sample[] = [];
  for await (const sample of samples) {
    if (sample.model !== candidate) continue;
    const [first] = group;
    if (first?.case_id !== sample.case_id || first.task_id !== sample.task_id) {
      if (group.length > 0) yield group;
      group = [];
    }
    group.push(sample);
  }
  if (group.length > 0) yield group;
}

interface LineContext {
  readonly run: Run;
  readonly name: string;
  readonly number: number;
  readonly condition: Condition;
}

function lineOf(group: readonly Sample[], { run, name, number, condition }: LineContext): Json {
  const [first] = group;
  return {
    schema_version: "instance_level_eval_0.2.1",
    evaluation_id: run.id,
    model_id: run.candidates.find(({ id }) => id === first?.model)?.model ?? first?.model ?? "",
    evaluation_name: name,
    sample_idx: String(number),
    interaction_type: kindOf(first),
    input: { raw: first?.prompt ?? "", reference: first?.target ?? "" },
    output: { raw: first?.output_text ?? "", reasoning_trace: "" },
    answer_attribution: [],
    evaluation: { score: null, details: detailsOf(group, { run, condition }) },
    token_usage: {
      input_tokens: sumOf(group, "input_tokens"),
      output_tokens: sumOf(group, "output_tokens"),
    },
    run_details: group.map(runDetails),
  };
}

function kindOf(sample: Sample | undefined): string {
  const said = sample?.dataset_row["interaction_type"];
  if (typeof said === "string") return said;
  const called = sample?.transcript?.some(
    ({ type }) => typeof type === "string" && /tool|function_call/.test(type),
  );
  return called === true ? "agentic" : "single_turn";
}

function detailsOf(
  group: readonly Sample[],
  { run, condition }: Pick<LineContext, "run" | "condition">,
): JsonObject {
  const scales = kEvalScales.map((scale) => {
    const spread = spreadOf(group.flatMap(({ scores }) => scores[scale] ?? []));
    if (spread !== undefined) condition.scales.get(scale)?.push(spread);
    return {
      [`${scale}_mean`]: spread?.mean ?? null,
      [`${scale}_stddev`]: spread?.stddev ?? null,
      [`${scale}_reasonings`]: group.map((sample) => wordsOf(sample, scale)),
    };
  });
  return {
    evaluation_timestamp: secondsOf(run),
    elapsed_seconds: Math.round(run.timing.seconds * 10) / 10,
    ...Object.assign({}, ...scales),
    unverified_claims: [...new Set(group.flatMap(({ judge }) => claimsOf(judge)))],
    reasoning_traces: group.map(({ repeat }) => ({
      repetition_index: repeat,
      reasoning_trace: "",
    })),
  };
}

/** The deviation is that of a sample; of one repetition it is 0. undefined: no repetition has a score. */
function spreadOf(scores: readonly number[]): Spread | undefined {
  if (scores.length === 0) return undefined;
  const middle = mean(scores);
  const squares = scores.reduce((sum, score) => sum + (score - middle) ** 2, 0);
  const stddev = scores.length < 2 ? 0 : Math.sqrt(squares / (scores.length - 1));
  return { mean: middle, stddev };
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** The judge's reason for a score: by k-eval's name, or as it was taken in from k-eval's files. */
function wordsOf({ judge }: Sample, scale: string): string {
  const own = judge?.[`${scale}_reasoning`];
  return typeof own === "string" ? own : (linesAfter(judge, `${scale}: `)[0] ?? "");
}

/** null where a repetition has none: k-eval adds up no gaps. */
function sumOf(group: readonly Sample[], tokens: "input_tokens" | "output_tokens"): number | null {
  const counts = group.flatMap(({ usage }) => (usage === null ? [] : [usage[tokens]]));
  return counts.length < group.length ? null : counts.reduce((sum, count) => sum + count, 0);
}

function runDetails(sample: Sample): JsonObject {
  const scores = kEvalScales.map((scale) => [scale, sample.scores[scale] ?? null]);
  return {
    repetition_index: sample.repeat,
    agent_response: sample.output_text,
    reasoning_trace: "",
    cost_usd: sample.usage?.usd ?? null,
    duration_ms: Math.round(sample.latency_ms ?? 0),
    // Not recorded.
    num_turns: null,
    ...Object.fromEntries(scores),
  };
}

function secondsOf({ completed_at }: Run): number {
  return Math.floor(Date.parse(completed_at) / 1000);
}

async function* aggregateOf(
  run: Run,
  { stem, conditions }: { readonly stem: string; readonly conditions: Map<string, Condition> },
): AsyncGenerator<string> {
  const stamp = String(secondsOf(run));
  const [first] = run.candidates;
  const file = `${stem}.detailed.jsonl`;
  const document = {
    schema_version: "0.2.1",
    evaluation_id: run.id,
    retrieved_timestamp: stamp,
    source_metadata: {
      source_name: "k-eval",
      source_type: "evaluation_run",
      source_organization_name: "k-eval",
      evaluator_relationship: "self",
    },
    model_info: {
      id: first?.model ?? "",
      name: first?.model ?? "",
      developer: null,
      inference_platform: null,
    },
    eval_library: { name: "regrade", version: run.environment.regrade },
    evaluation_results: [...conditions].map(([name, condition]) =>
      resultOf(condition, { name, stamp }),
    ),
    detailed_evaluation_results: { file_path: file, format: "jsonl", checksum: null },
  };
  yield `${JSON.stringify(document, null, 2)}\n`;
}

/** k-eval's deviation of a condition is the mean of those within each question. */
function resultOf(
  { scales, questions }: Condition,
  { name, stamp }: { readonly name: string; readonly stamp: string },
): JsonObject {
  const details = [...scales].flatMap(([scale, spreads]): readonly (readonly [string, Json])[] => {
    const of = (part: keyof Spread): number | null =>
      spreads.length === 0 ? null : mean(spreads.map((spread) => spread[part]));
    return [
      [`${scale}_mean`, of("mean")],
      [`${scale}_stddev`, of("stddev")],
    ];
  });
  return {
    evaluation_name: name,
    evaluation_timestamp: stamp,
    source_data: { source_type: "jsonl_file", dataset_sha256: null, samples_number: questions },
    metric_config: {
      evaluation_description:
        "Factual adherence, completeness, helpfulness and clarity, from 1 to 5",
      lower_is_better: false,
      score_type: "composite",
      min_score: 1,
      max_score: 5,
    },
    score_details: { score: null, details: Object.fromEntries(details) },
    generation_config: { judge_temperature: null },
  };
}

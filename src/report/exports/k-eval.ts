import { ownValue } from "../../model/own-value.ts";
import { claimsOf, linesAfter } from "../../model/claims.ts";
import { isJsonObject, type Json, type JsonObject } from "../../model/json.ts";
import type { Run } from "../../model/outcomes/run.ts";
import type { Sample } from "../../model/outcomes/sample.ts";
import { samplesByCase, questionKey } from "./case-groups.ts";
import { attributions, reasoningTrace, turnCount, agentTurns } from "./k-eval-turns.ts";
import type { ExportedFile, ExportedRun } from "./exported.ts";

/** The judge's three scores. Without them there is nothing to write. */
export const kEvalScales = [
  "factual_adherence",
  "completeness",
  "helpfulness_and_clarity",
] as const;

/** Writes a run as k-eval's two files: a line for each question and candidate, and the means of each candidate. */
export async function* kEvalFiles({ run, samples }: ExportedRun): AsyncGenerator<ExportedFile> {
  const day = run.completed_at.slice(0, 10).replaceAll("-", "");
  const stem = `${run.suite.name}_${day}_${shortId(run.id)}`;
  const conditions = new Map<string, Condition>();
  yield {
    name: `${stem}.detailed.jsonl`,
    pieces: linesOf({ run, samples, conditions }),
  };
  yield { name: `${stem}.json`, pieces: aggregateOf(run, { stem, conditions }) };
}

/** The end of a run's id: our ids begin with the time, so that two runs of one day differ only in the end. */
function shortId(id: string): string {
  return id.replace(/^run_(?:\d{8}T\d{6}_)?/, "").slice(0, 8);
}

/** Sums over the lines of a condition. */
interface Condition {
  /** For each scale: mean and deviation of each question over its repetitions. */
  readonly scales: ReadonlyMap<string, Spread[]>;
  questions: number;
}

interface Spread {
  readonly mean: number;
  readonly stddev: number;
}

interface Lines extends ExportedRun {
  /** Filled while the lines are written. */
  readonly conditions: Map<string, Condition>;
}

/** The lines of one condition after the other, sorted by name. */
async function* linesOf({ run, samples, conditions }: Lines): AsyncGenerator<string> {
  const numbers = await numbersOf(samples());
  for (const { id: candidate } of run.candidates.toSorted((a, b) => (a.id < b.id ? -1 : 1))) {
    for await (const group of samplesByCase(
      { run, samples: samples() },
      { task: null, candidate },
    )) {
      const [first] = group;
      if (first === undefined) continue;
      const name = `${nameOf(run, first.task_id)}/${candidate}`;
      const number = numbers.get(questionKey(first)) ?? 0;
      const condition = conditions.get(name) ?? newCondition();
      conditions.set(name, condition);
      condition.questions += 1;
      yield `${JSON.stringify(lineOf(group, { run, name, number, condition }))}\n`;
    }
  }
}

/** The number of each question: its place among the cases of its task, from 0. */
async function numbersOf(samples: AsyncIterable<Sample>): Promise<ReadonlyMap<string, number>> {
  const places = new Map<string, { readonly task: string; index: number }>();
  for await (const sample of samples) {
    const key = questionKey(sample);
    const place = places.get(key) ?? { task: sample.task_id, index: sample.sample_index };
    place.index = Math.min(place.index, sample.sample_index);
    places.set(key, place);
  }
  const seen = new Map<string, number>();
  const inOrder = [...places].toSorted(([, a], [, b]) => a.index - b.index);
  return new Map(
    inOrder.map(([key, { task }]) => {
      const number = seen.get(task) ?? 0;
      seen.set(task, number + 1);
      return [key, number] as const;
    }),
  );
}

function nameOf(run: Run, task: string): string {
  return Object.keys(run.suite.tasks).length === 1 ? run.suite.name : task;
}

function newCondition(): Condition {
  return { scales: new Map(kEvalScales.map((scale) => [scale, []])), questions: 0 };
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
    model_id: asWritten(
      run.candidates.find(({ id }) => id === first?.model)?.model ?? first?.model ?? "",
    ),
    evaluation_name: name,
    sample_idx: String(number),
    interaction_type: kindOf(group),
    input: { raw: first?.prompt ?? "", reference: first?.target ?? "" },
    output: {
      raw: first?.output_text ?? "",
      reasoning_trace: first === undefined ? "" : reasoningTrace(first),
    },
    answer_attribution: group.flatMap(attributions),
    evaluation: { score: null, details: detailsOf(group, { run, condition }) },
    token_usage: {
      input_tokens: sumOf(group, "input_tokens"),
      output_tokens: sumOf(group, "output_tokens"),
    },
    run_details: group.map(runDetails),
  };
}

/** The name of a variable if k-eval's config takes the model from one: the variable's value was never stored. */
function asWritten(model: string): string {
  return model.replaceAll(/\{\{env\.(\w+)\}\}/g, "${$1}");
}

/** The kind of a question: a sample that was read from k-eval's own files has it in its row. */
function kindOf(group: readonly Sample[]): string {
  const said = group[0]?.dataset_row["interaction_type"];
  if (typeof said === "string") return said;
  const called = group.some((each) => agentTurns(each).some(({ kind }) => kind === "tools"));
  return called ? "agentic" : "single_turn";
}

function detailsOf(
  group: readonly Sample[],
  { run, condition }: Pick<LineContext, "run" | "condition">,
): JsonObject {
  const scales = kEvalScales.map((scale) => {
    const spread = spreadOf(group.flatMap(({ scores }) => ownValue(scores, scale) ?? []));
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
    reasoning_traces: group.map((sample) => ({
      repetition_index: sample.repeat,
      reasoning_trace: reasoningTrace(sample),
    })),
  };
}

/** The deviation of a sample, 0 for one repetition. undefined if no repetition has a score. */
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

/** The judge's reason for a score, under k-eval's name, or under the name that importing k-eval's files gave it. */
function wordsOf({ judge }: Sample, scale: string): string {
  const own = judge?.[`${scale}_reasoning`];
  return typeof own === "string" ? own : (linesAfter(judge, `${scale}: `)[0] ?? "");
}

/** null if a repetition has no tokens: k-eval does not sum over gaps. */
function sumOf(group: readonly Sample[], tokens: "input_tokens" | "output_tokens"): number | null {
  const counts = group.flatMap(({ usage }) => (usage === null ? [] : [usage[tokens]]));
  return counts.length < group.length ? null : counts.reduce((sum, count) => sum + count, 0);
}

function runDetails(sample: Sample): JsonObject {
  const scores = kEvalScales.map((scale) => [scale, ownValue(sample.scores, scale) ?? null]);
  return {
    repetition_index: sample.repeat,
    agent_response: sample.output_text,
    reasoning_trace: reasoningTrace(sample),
    cost_usd: sample.usage?.usd ?? null,
    duration_ms: Math.round(sample.latency_ms ?? 0),
    num_turns: turnCount(sample),
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
  const setUp = setUpOf(run);
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
      id: asWritten(first?.model ?? ""),
      name: asWritten(first?.model ?? ""),
      developer: null,
      inference_platform: null,
    },
    eval_library: { name: "regrade", version: run.environment.regrade },
    evaluation_results: [...conditions].map(([name, condition]) =>
      resultOf(condition, { name, stamp, setUp }),
    ),
    detailed_evaluation_results: {
      file_path: file,
      format: "jsonl",
      checksum: setUp.dataset_sha256,
    },
  };
  yield `${JSON.stringify(document, null, 2)}\n`;
}

/** Parts of k-eval's config that its files repeat; null for a suite that is not a config of k-eval. */
interface SetUp {
  readonly dataset_sha256: Json;
  readonly judge_temperature: Json;
}

function setUpOf({ suite: { foreign } }: Run): SetUp {
  const config = foreign?.["tool"] === "k-eval" ? foreign["config"] : undefined;
  const judge = isJsonObject(config) ? config["judge"] : undefined;
  return {
    dataset_sha256: foreign?.["dataset_sha256"] ?? null,
    judge_temperature: isJsonObject(judge) ? (judge["temperature"] ?? null) : null,
  };
}

/** k-eval's deviation of a condition is the mean of those within each question. */
function resultOf(
  { scales, questions }: Condition,
  { name, stamp, setUp }: { readonly name: string; readonly stamp: string; readonly setUp: SetUp },
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
    source_data: {
      source_type: "jsonl_file",
      dataset_sha256: setUp.dataset_sha256,
      samples_number: questions,
    },
    metric_config: {
      evaluation_description: `k-eval LLM-as-judge scoring: ${kEvalScales.join(", ")} (each 1-5)`,
      lower_is_better: false,
      score_type: "composite",
      min_score: 1,
      max_score: 5,
    },
    score_details: { score: null, details: Object.fromEntries(details) },
    generation_config: { judge_temperature: setUp.judge_temperature },
  };
}

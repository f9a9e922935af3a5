import { isJsonObject, type Json, type JsonObject } from "../model/json.ts";
import type { Run } from "../model/run.ts";
import type { Sample } from "../model/sample.ts";

/** A grader's result for a run, in waza's format. */
export interface Grade {
  readonly identifier: string;
  readonly type: string;
  readonly score: number;
  readonly weight: number;
  readonly passed: boolean;
  readonly feedback: string;
  readonly duration_ms: number;
}

/** A run of waza's own file has trigger tests as a task of their own. */
export function isTriggerTask(run: Run, task: string): boolean {
  return run.suite.foreign?.["tool"] === "waza" && task === "trigger";
}

/** A text that the eval file has. */
export function foreignText(run: Run, key: "skill" | "eval_name"): string | undefined {
  const { foreign = {} } = run.suite;
  const text = foreign["tool"] === "waza" ? foreign[key] : undefined;
  return typeof text === "string" && text !== "" ? text : undefined;
}

/** Whether the eval file asks for groups by model: the only ones that waza has. */
export function isGroupedByModel({ suite: { foreign = {} } }: Run): boolean {
  return foreign["group_by"] === "model";
}

/** How waza's own program would have been set up: what ran the agent, its seconds, and how often a task is tried. */
export function setupIn({ suite: { foreign = {} } }: Run): {
  readonly engine: string;
  readonly seconds: number;
  readonly attempts: number;
} {
  const { executor, timeout_seconds: seconds, max_attempts: attempts } = foreign;
  return {
    engine: typeof executor === "string" && executor !== "" ? executor : "regrade",
    seconds: typeof seconds === "number" ? seconds : 0,
    attempts: typeof attempts === "number" ? attempts : 1,
  };
}

/** Name and type of each grader of the eval file, by its metric. */
export function gradersIn({ suite: { foreign = {} } }: Run): JsonObject {
  const { graders } = foreign;
  return isJsonObject(graders) ? graders : {};
}

/** The grades of checks that rows carry; undefined: the sample has none. */
export function checkGrades(
  checks: Json | undefined,
  graders: JsonObject,
): readonly Grade[] | undefined {
  if (!Array.isArray(checks)) return undefined;
  return checks.filter(isJsonObject).map((told): Grade => {
    const { check, type, score, weight, passed, judge } = told;
    const metric = typeof check === "string" ? check : "";
    const own = graders[metric];
    const { name = metric, type: kind = type } = isJsonObject(own) ? own : {};
    const feedback = isJsonObject(judge) ? (judge["feedback"] ?? judge["problem"]) : undefined;
    return {
      identifier: typeof name === "string" ? name : metric,
      type: typeof kind === "string" ? kind : "code",
      score: typeof score === "number" ? score : 0,
      weight: typeof weight === "number" ? weight : 1,
      passed: passed === true,
      feedback: typeof feedback === "string" ? feedback : "",
      duration_ms: 0,
    };
  });
}

/** The task's name, where the row has one. */
export function nameIn(sample: Sample | undefined): string | undefined {
  const name = sample?.dataset_row["name"];
  return typeof name === "string" ? name : undefined;
}

/** The words about this grader, where they are told apart by its name. */
export function feedbackOf(metric: string, told: Json | undefined): string {
  if (typeof told !== "string") return "";
  const start = `${metric}: `;
  const own = told.split("\n").find((line) => line.startsWith(start));
  return own?.slice(start.length) ?? "";
}

interface Prompted {
  readonly should: boolean;
  readonly did: boolean;
  readonly weight: number;
  readonly isError: boolean;
}

/** `trigger_metrics` and `trigger_results`. A prompt without an answer counts as a wrong decision, as in waza. */
export async function triggerPart(
  samples: AsyncIterable<Sample>,
  candidate: string,
): Promise<JsonObject> {
  const results: JsonObject[] = [];
  const counted: Prompted[] = [];
  for await (const sample of samples) {
    if (sample.task_id !== "trigger" || sample.model !== candidate) continue;
    const prompted = promptedIn(sample);
    counted.push(prompted);
    results.push({
      prompt: sample.prompt,
      confidence: prompted.weight === 0.5 ? "medium" : "high",
      should_trigger: prompted.should,
      did_trigger: prompted.did,
      ...(sample.error !== null && { error_msg: sample.error.message }),
      final_output: sample.output_text ?? "",
    });
  }
  return { trigger_metrics: triggerMetrics(counted), trigger_results: results };
}

function promptedIn({ dataset_row: row, scores, error }: Sample): Prompted {
  const should = row["should_trigger"] === true;
  const { weight } = row;
  const did = error === null ? scores["triggered"] === 1 : !should;
  return { should, did, weight: typeof weight === "number" ? weight : 1, isError: error !== null };
}

function triggerMetrics(prompts: readonly Prompted[]): JsonObject {
  const sum = (should: boolean, did: boolean): number =>
    prompts.reduce(
      (total, each) => total + (each.should === should && each.did === did ? each.weight : 0),
      0,
    );
  const [tp, fp, tn, fn] = [sum(true, true), sum(false, true), sum(false, false), sum(true, false)];
  const [precision, recall] = [ratio(tp, tp + fp), ratio(tp, tp + fn)];
  return {
    true_positives: Math.round(tp),
    false_positives: Math.round(fp),
    true_negatives: Math.round(tn),
    false_negatives: Math.round(fn),
    errors: prompts.filter(({ isError }) => isError).length,
    precision: rounded(precision),
    recall: rounded(recall),
    f1: rounded(ratio(2 * precision * recall, precision + recall)),
    accuracy: rounded(ratio(tp + tn, tp + fp + tn + fn)),
  };
}

function ratio(part: number, whole: number): number {
  return whole === 0 ? 0 : part / whole;
}

/** To four decimals, as waza writes them. */
function rounded(value: number): number {
  return Math.round(value * 10_000) / 10_000;
}

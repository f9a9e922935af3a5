import { isJsonObject, type JsonObject } from "../../model/json.ts";
import type { Run } from "../../model/outcomes/run.ts";
import type { Sample } from "../../model/outcomes/sample.ts";

interface Prompted {
  readonly should: boolean;
  readonly did: boolean;
  readonly weight: number;
  readonly isError: boolean;
}

/** The metric `trigger_accuracy` of an eval file that asks for it, as waza writes it. */
export function accuracyMetric({ suite: { foreign = {} } }: Run, told: JsonObject): JsonObject {
  const { trigger_accuracy: asked } = foreign;
  const metrics = told["trigger_metrics"];
  if (!isJsonObject(asked) || !isJsonObject(metrics)) return {};
  const [value, threshold] = [Number(metrics["accuracy"]), Number(asked["threshold"])];
  const passed = threshold <= 0 || value >= threshold;
  const metric = { identifier: "trigger_accuracy", value, threshold, passed };
  return { trigger_accuracy: { ...metric, weight: asked["weight"] ?? 0 } };
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

/** Rounds to four decimals, as waza does. */
function rounded(value: number): number {
  return Math.round(value * 10_000) / 10_000;
}

import type { JudgeApplied, JudgedMetric } from "../model/judge-calibration.ts";
import { isJsonObject, type Json, type JsonObject } from "../model/json.ts";
import type { LedgerGroup } from "../model/ledger.ts";
import { problem, Refusal, type Problem } from "../model/refusal.ts";
import type { StoredRun } from "../model/store.ts";
import { type RatedPair, roganGladen } from "../stats/agreement.ts";
import { statistics } from "../stats/statistics.ts";
import { ownScores } from "./judge-scores.ts";

export const calibrationFormat = "regrade.judge-calibration/1";

/** What of an earlier calibration another run needs. */
type Known = Pick<JudgedMetric, "task" | "metric" | "bound" | "labels" | "bias"> & {
  /** Of a judge of 0 and 1. */
  readonly pairs: readonly RatedPair[];
};

/**
 * Another run's means by an earlier calibration, as `--json` gave it. It holds for the rubric and the model that it was made with: Throws a
 * Refusal where either is another one now.
 */
export function applyCalibration(
  stored: StoredRun,
  { path, document }: { readonly path: string; readonly document: JsonObject },
): JudgeApplied {
  const { run, directory } = stored;
  const known = readKnown(document);
  if (known === undefined)
    throw new Refusal(problem("judge_calibration_bad", undefined, { file: path }));
  const voids = known.flatMap((one) => voidProblem(stored, one, path));
  if (voids.length > 0) throw new Refusal(voids);
  return {
    format: "regrade.judge-applied/1",
    suite: run.suite.name,
    run: { id: run.id, directory },
    means: known.flatMap((one) => meansOf(stored, one)),
    notes: [
      "Corrected by an earlier calibration of the same rubric and model: it holds as far as this run's answers are such as were labelled then.",
    ],
  };
}

function voidProblem(
  { run }: StoredRun,
  { task, metric, bound }: Known,
  path: string,
): readonly Problem[] {
  const now = run.suite.tasks[task]?.fingerprint;
  const changed = [
    ...(now?.grader === bound.grader ? [] : ["the grader with its rubric"]),
    ...((now?.judge ?? null) === bound.judge ? [] : ["the judge model"]),
  ];
  if (now !== undefined && changed.length === 0) return [];
  const what =
    now === undefined ? "the run has no such task" : `${changed.join(" and ")} changed since`;
  return [problem("judge_calibration_void", { metric: `${task}/${metric}`, what }, { file: path })];
}

const z = 1.959963984540054;

function meansOf({ run, ledger }: StoredRun, known: Known): JudgeApplied["means"] {
  const { task, metric, labels, bias, pairs } = known;
  return run.candidates.flatMap(({ id }) => {
    const group: LedgerGroup | undefined = ledger.group(task, id);
    const all = group === undefined ? [] : ownScores(group, metric);
    if (all.length < 2) return [];
    const { mean, stderr = 0, interval } = statistics.pairedT(all, 0.95);
    const value = mean - bias.value;
    const half = bias.ci === null ? undefined : (bias.ci[1] - bias.ci[0]) / 2;
    const reach = half === undefined ? undefined : Math.hypot(z * stderr, half);
    return {
      task,
      metric,
      candidate: id,
      samples: all.length,
      labels,
      judge: {
        value: mean,
        ci: interval === undefined ? null : ([interval.lower, interval.upper] as const),
      },
      prediction_powered: {
        value,
        ci: reach === undefined ? null : ([value - reach, value + reach] as const),
      },
      rogan_gladen: roganGladen({ all, pairs }) ?? null,
    };
  });
}

/** undefined where the file is none that `--json` gave. */
function readKnown({ format, metrics }: JsonObject): readonly Known[] | undefined {
  if (format !== calibrationFormat || !Array.isArray(metrics)) return undefined;
  const known = metrics.map((one: Json) => (isJsonObject(one) ? readMetric(one) : undefined));
  const whole = known.filter((one) => one !== undefined);
  return whole.length === known.length && whole.length > 0 ? whole : undefined;
}

function readMetric({
  task,
  metric,
  bound,
  labels,
  bias,
  confusion,
}: JsonObject): Known | undefined {
  if (typeof task !== "string" || typeof metric !== "string" || typeof labels !== "number")
    return undefined;
  if (!isJsonObject(bound) || !isJsonObject(bias)) return undefined;
  const { grader, judge } = bound;
  if (typeof grader !== "string" || (judge !== null && typeof judge !== "string")) return undefined;
  if (typeof bias["value"] !== "number") return undefined;
  const ci = readInterval(bias["ci"]);
  const pairs = Array.isArray(confusion) ? confusion.flatMap(pairsIn) : [];
  return {
    task,
    metric,
    labels,
    bound: { grader, judge },
    bias: { value: bias["value"], ci },
    pairs,
  };
}

function readInterval(ci: Json | undefined): readonly [number, number] | null {
  if (!Array.isArray(ci)) return null;
  const [lower, upper] = ci;
  return typeof lower === "number" && typeof upper === "number" ? [lower, upper] : null;
}

const mostLabels = 1_000_000;

function pairsIn(cell: Json): readonly RatedPair[] {
  if (!isJsonObject(cell)) return [];
  const { people, judge, count } = cell;
  if (typeof people !== "number" || typeof judge !== "number" || typeof count !== "number")
    return [];
  if (!Number.isSafeInteger(count) || count < 0 || count > mostLabels) return [];
  return Array.from({ length: count }, () => ({ people, judge }));
}

import { extname } from "node:path";
import { parseJsonText } from "../../base/json-text.ts";
import { at, isPresent, type Part, placeOf } from "../../base/part.ts";
import type {
  Figure,
  JudgeCalibration,
  JudgedBits,
  KnownJudge,
  UsedCalibration,
} from "../../model/figures/judge-calibration.ts";
import { isJsonObject, type Json, type JsonObject } from "../../model/json.ts";
import { problem } from "../../model/refusal.ts";
import type { ManifestContext } from "../context.ts";
import { resolveFile } from "../files.ts";
import type { DeclaredTask } from "../tasks/task.ts";

export const calibrationFormat: JudgeCalibration["format"] = "regrade.judge-calibration/1";

/** The calibration that a manifest names; undefined without one, and where it is refused. */
export async function resolveJudgeCalibration(
  root: Part,
  declared: readonly DeclaredTask[],
  context: ManifestContext,
): Promise<UsedCalibration | undefined> {
  const part = at(root, "judge_calibration");
  const tasks = declared.map(({ id }) => id);
  if (!isPresent(part)) return undefined;
  const file = await resolveFile(part, context);
  if (file === undefined) return undefined;
  const metrics = readCalibration(await context.readText(file.absolute), file.path);
  if (metrics === undefined)
    return context.refuse(problem("judge_calibration_bad", undefined, placeOf(part)));
  const unknown = metrics.filter(({ task }) => !tasks.includes(task)).map(({ task }) => task);
  if (unknown.length > 0) {
    const found = { tasks: [...new Set(unknown)], known: tasks };
    context.warn(problem("judge_calibration_task", found, placeOf(part)));
  }
  return { path: file.path, metrics };
}

/** A stored calibration by metric; undefined if `calibrate --judge` did not write the text. */
export function readCalibration(text: string, path: string): readonly KnownJudge[] | undefined {
  if (extname(path).toLowerCase() !== ".json") return undefined;
  const parsed = parseJsonText(text, () => false);
  if (parsed.kind !== "json" || !isJsonObject(parsed.value)) return undefined;
  const { format, metrics } = parsed.value;
  if (format !== calibrationFormat || !Array.isArray(metrics) || metrics.length === 0)
    return undefined;
  const known = metrics.map((one: Json) => (isJsonObject(one) ? readMetric(one) : undefined));
  const whole = known.filter((one) => one !== undefined);
  return whole.length === known.length ? whole : undefined;
}

function readMetric(found: JsonObject): KnownJudge | undefined {
  const { task, metric, labels } = found;
  if (typeof task !== "string" || typeof metric !== "string" || !isCount(labels)) return undefined;
  const bound = readBound(found["bound"]);
  const bias = readFigure(found["bias"]);
  const agreement = readAgreement(found["agreement"]);
  if (bound === undefined || !bias || agreement === undefined) return undefined;
  const [kappa, alpha, slope] = [found["kappa"], found["alpha"], found["slope"]].map(readFigure);
  if (kappa === undefined || alpha === undefined || slope === undefined) return undefined;
  const bits = readBits(found["confusion"]);
  return { task, metric, bound, labels, agreement, kappa, alpha, bias, slope, bits };
}

function isCount(value: Json | undefined): value is number {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0;
}

function readBound(value: Json | undefined): KnownJudge["bound"] | undefined {
  if (!isJsonObject(value)) return undefined;
  const { grader, judge } = value;
  if (typeof grader !== "string") return undefined;
  return judge === null || typeof judge === "string" ? { grader, judge } : undefined;
}

/** null: the labels don't give this figure; undefined: the value is not a figure. */
function readFigure(value: Json | undefined): Figure | null | undefined {
  if (value === null || !isJsonObject(value)) return value === null ? null : undefined;
  const { value: figure, ci } = value;
  const interval = ci === null ? null : readInterval(ci);
  if (typeof figure !== "number" || interval === undefined) return undefined;
  return { value: figure, ci: interval };
}

function readInterval(ci: Json | undefined): readonly [number, number] | undefined {
  if (!Array.isArray(ci)) return undefined;
  const [lower, upper] = ci;
  if (typeof lower !== "number" || typeof upper !== "number") return undefined;
  return lower <= upper ? [lower, upper] : undefined;
}

function readAgreement(value: Json | undefined): KnownJudge["agreement"] | undefined {
  if (!isJsonObject(value)) return undefined;
  const { count, of, rate } = value;
  const ci = readInterval(value["ci"]);
  if (!isCount(count) || !isCount(of) || typeof rate !== "number" || ci === undefined)
    return undefined;
  return { count, of, rate, ci };
}

/** null if the labels are not all 0 or 1. */
function readBits(confusion: Json | undefined): JudgedBits | null {
  if (!Array.isArray(confusion)) return null;
  const bits = { rights: 0, rights_seen: 0, wrongs: 0, wrongs_seen: 0 };
  for (const cell of confusion) {
    const { people, judge, count } = isJsonObject(cell) ? cell : {};
    if (!isCount(count) || (judge !== 0 && judge !== 1)) return null;
    if (people === 1) {
      bits.rights += count;
      bits.rights_seen += judge * count;
    } else if (people === 0) {
      bits.wrongs += count;
      bits.wrongs_seen += (1 - judge) * count;
    } else return null;
  }
  return bits;
}

import { ownValue } from "../../model/own-value.ts";
import { weightedId } from "../../model/definition/metric.ts";
import { isJsonObject, type JsonObject } from "../../model/json.ts";
import type { Scores } from "../../model/outcomes/sample.ts";

/** The details that one of several graders gave for a sample. */
export interface JudgePart {
  readonly name: string;
  readonly judge: JsonObject;
}

/**
 * The details of the graders that explain a metric, if several graders scored the sample: those of the grader that the
 * metric belongs to; for the weighted score those of the graders that took something from it; without a metric all.
 * undefined if one grader scored it.
 */
export function judgeParts(
  judge: JsonObject,
  scores: Scores,
  metric: string | undefined,
): readonly JudgePart[] | undefined {
  const parts = Object.entries(judge).flatMap(([name, part]): readonly JudgePart[] =>
    isJsonObject(part) && isOfGrader(name, part, scores) ? [{ name, judge: part }] : [],
  );
  if (parts.length === 0 || parts.length < Object.keys(judge).length) return undefined;
  if (metric === undefined) return parts;
  if (metric === weightedId && ownValue(scores, weightedId) !== undefined)
    return parts.filter(({ name }) => (ownValue(scores, name) ?? 0) < best);
  return parts.filter(({ name }) => name === metric.split(".")[0]);
}

/** The best score of most graders. */
const best = 1;

/** Several graders give details under their names, which are those of their scores, unless they found none. */
function isOfGrader(name: string, part: JsonObject, scores: Scores): boolean {
  const isScored = Object.keys(scores).some((id) => id.split(".")[0] === name);
  return isScored || part["invalid"] === true;
}

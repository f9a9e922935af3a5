import {
  at,
  isPresent,
  itemsOf,
  keyPlaceOf,
  objectOf,
  type Part,
  placeOf,
  textOf,
} from "../../base/part.ts";
import { claimsMetric, isNamedScale, namedScales } from "../../model/builtins/judge-scales.ts";
import type { JsonObject } from "../../model/json.ts";
import { isSampleMetric } from "../../model/definition/metric.ts";
import { problem } from "../../model/refusal.ts";
import type { ManifestContext } from "../context.ts";

/**
 * The options of a judge. A named scale is replaced by its rubric: the words affect scores, so they belong to the
 * grader's hash, and a baseline that was judged by other words is not compared.
 */
export function resolveJudgeOptions(
  options: JsonObject,
  part: Part,
  context: ManifestContext,
): JsonObject {
  const scales = itemsOf(at(part, "scales"));
  const idle = scales.length > 0 ? "verdicts" : "claims";
  if (isPresent(at(part, idle))) {
    const found = { key: idle, scales: scales.length > 0 };
    context.refuse(problem("judge_key_idle", found, keyPlaceOf(at(part, idle))));
  }
  if (scales.length === 0) {
    if (!isPresent(at(part, "rubric")))
      context.refuse(problem("judge_has_no_rubric", undefined, placeOf(part)));
    return options;
  }
  refuseTaken(scales, context);
  return { ...options, scales: scales.flatMap((scale) => writtenOut(scale) ?? []) };
}

function writtenOut(scale: Part): JsonObject | undefined {
  const name = textOf(scale);
  if (name === undefined) return objectOf(scale);
  if (!isNamedScale(name)) return undefined;
  const { question, levels } = namedScales[name];
  return { id: name, question, levels: [...levels] };
}

/** Ids are metrics, and keys of the judge's answer beside the reasons. */
function refuseTaken(scales: readonly Part[], context: ManifestContext): void {
  const seen = new Map([[claimsMetric, "that counts the claims that the judge could not verify"]]);
  for (const scale of scales) {
    const id = textOf(scale) ?? textOf(at(scale, "id"));
    if (id === undefined) continue;
    const measured = isSampleMetric(id) ? "that is what Regrade measures itself" : undefined;
    const by = seen.get(id) ?? seen.get(reasonOf(id)) ?? measured;
    const place = placeOf(textOf(scale) === undefined ? at(scale, "id") : scale);
    if (by !== undefined) context.refuse(problem("judge_scale_taken", { id, by }, place));
    seen.set(id, "another scale has that id");
    seen.set(reasonOf(id), `that is the reason of the scale ${id}`);
  }
}

function reasonOf(id: string): string {
  return `${id}_reasoning`;
}

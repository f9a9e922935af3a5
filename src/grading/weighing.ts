import { ownValue } from "../model/own-value.ts";
import {
  isMetricOf,
  mainKeyOf,
  metricIdOf,
  type NamedGrader,
} from "../model/definition/graders.ts";
import type { Grader } from "../model/grading.ts";
import type { Scores } from "../model/outcomes/sample.ts";

/** One of several graders, opened. */
export interface OpenedOne {
  readonly named: NamedGrader;
  readonly grader: Grader;
}

/**
 * The weighted mean of the graders' main scores: the one under the grader's name, otherwise its only one. undefined if
 * no grader has a weight, or if a weighted grader has no main score among several.
 */
export function weigh(
  parts: readonly { readonly named: NamedGrader; readonly invalid: boolean }[],
  scores: Scores,
): number | undefined {
  let [sum, total] = [0, 0];
  for (const { named, invalid } of parts) {
    if (named.weight === 0) continue;
    const score = invalid ? 0 : mainScore(named, scores);
    if (score === undefined) return undefined;
    sum += named.weight * score;
    total += named.weight;
  }
  return total === 0 ? undefined : sum / total;
}

function mainScore(named: NamedGrader, scores: Scores): number | undefined {
  const main = scores[metricIdOf(named, mainKeyOf(named.grader))];
  if (main !== undefined) return main;
  const own = Object.keys(scores).filter((id) => isMetricOf(named, id));
  const [only, ...others] = own;
  return only === undefined || others.length > 0 ? undefined : ownValue(scores, only);
}

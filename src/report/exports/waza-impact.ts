import { isJsonObject, type Json, type JsonObject } from "../../model/json.ts";
import type { Run } from "../../model/outcomes/run.ts";
import type { Sample } from "../../model/outcomes/sample.ts";

/** Figures of `baseline: true`: the effect of the skills, as waza computes it. */

/** A candidate, and the one that answers without its skills. */
export interface Pair {
  readonly withSkills: string;
  readonly without: string;
}

/** Endings of the second candidate's name: in a file that is run, and in results that waza recorded. */
const endings = ["-without-skills", " without skills"];

/** Pairs of candidates that differ only in their skills, found by the names that Regrade gives them. */
export function skillPairs({ candidates }: Run): readonly Pair[] {
  const ids = new Set(candidates.map(({ id }) => id));
  return [...ids].flatMap((withSkills) => {
    const without = endings.map((ending) => `${withSkills}${ending}`).find((id) => ids.has(id));
    return without === undefined ? [] : [{ withSkills, without }];
  });
}

/** The share of runs that passed; a run with an error did not. 0 without runs. */
export function passRate(statuses: readonly string[]): number {
  if (statuses.length === 0) return 0;
  return statuses.filter((status) => status === "passed").length / statuses.length;
}

/** `skill_impact` of a task. A rate of 0 counts as 1 % in the percentage. */
export function skillImpact(
  { withSkills, without }: { readonly withSkills: number; readonly without: number },
  pairwise?: Json,
): JsonObject {
  const delta = withSkills - without;
  return {
    pass_rate_with_skills: withSkills,
    pass_rate_baseline: without,
    delta,
    percent_change: (delta / Math.max(without, 0.01)) * 100,
    ...(pairwise !== undefined && { pairwise }),
  };
}

/** The achieved share of the possible gain: (post − pre) ÷ (1 − pre). */
export function normalizedGain(before: number, after: number): number {
  if (before >= 1 || Math.abs(after - before) < 1e-12) return 0;
  return after >= 1 ? 1 : (after - before) / (1 - before);
}

/** A judge's comparison of a task's answers; undefined if no grader compares. */
export function pairwiseIn(samples: readonly Sample[]): Json | undefined {
  for (const { judge } of samples) {
    const checks = judge?.["checks"];
    for (const check of Array.isArray(checks) ? checks.filter(isJsonObject) : []) {
      const told = isJsonObject(check["judge"]) ? check["judge"]["pairwise"] : undefined;
      if (told !== undefined) return told;
    }
  }
  return undefined;
}

import { problem, Refusal } from "../../model/refusal.ts";
import { slug } from "../runner/folder-names.ts";

/**
 * Sees to it that each suite of a step has a name of its own, case and punctuation aside: check, comment section and artifacts
 * go by it, so one of two would take the other's. `a-scores` beside `a` counts as the same: it is how a's scores are called.
 */
export function createNames(): (suite: string, manifest: string) => void {
  const named = new Map<string, string>();
  return (suite, manifest) => {
    const key = slug(suite).toLowerCase();
    const other = [...named].find(
      ([taken, by]) =>
        by !== manifest &&
        (taken === key || taken === `${key}-scores` || key === `${taken}-scores`),
    );
    if (other !== undefined)
      throw new Refusal(problem("same_name", { name: suite, paths: `${other[1]}, ${manifest}` }));
    named.set(key, manifest);
  };
}

import { nameMatcher } from "../../base/glob.ts";
import { problem } from "../../model/refusal.ts";
import type { Problem } from "../../model/refusal.ts";

/** Globs that choose among named items. */
interface Selection<T> {
  readonly chosen: readonly T[];
  readonly leftOut: readonly string[];
  readonly problems: readonly Problem[];
}

/** Items whose id a glob matches; all items if there is no glob. A glob without a match is a problem. */
export function select<T extends { readonly id: string }>(
  all: readonly T[],
  globs: readonly string[],
  flag: string,
): Selection<T> {
  const known = all.map((each) => each.id).join(", ");
  const matchers = globs.map((glob) => nameMatcher(glob));
  const problems = globs
    .filter((_, i) => !all.some((each) => matchers[i]?.(each.id)))
    .map((glob) => problem("selects_nothing", { flag, glob, known }));
  const isChosen = (each: T): boolean =>
    globs.length === 0 || matchers.some((matches) => matches(each.id));
  return {
    chosen: all.filter(isChosen),
    leftOut: all.filter((each) => !isChosen(each)).map((each) => each.id),
    problems,
  };
}

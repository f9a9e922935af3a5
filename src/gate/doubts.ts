import type { JudgedRule } from "../model/finding.ts";
import type { CellCounts, GateProblem } from "../model/remark.ts";
import type { Statistics } from "../model/statistics.ts";
import { evaluateRules, type Examination, type Seen } from "./evaluate.ts";

/**
 * `base`: the rules that judge a change, which has no part in them. `tool`: another tool, in a run that no rules of the base
 * hold: a change may have edited its cases.
 */
export type CasesBy = "change" | "base" | "tool";

interface Doubtful {
  readonly examination: Examination;
  readonly seen: Seen;
  readonly casesBy: CasesBy | undefined;
}

/** Blocking rules that are met and hang on cases that were not compared. */
export function findDoubts(doubtful: Doubtful, statistics: Statistics): readonly GateProblem[] {
  return [
    ...findUngraded(doubtful, statistics),
    ...(doubtful.casesBy === "tool" || doubtful.casesBy === "base"
      ? findEdited(doubtful, doubtful.casesBy, statistics)
      : []),
  ];
}

/** Blocking rules that are met and would not be if the ungraded samples had failed: the gate is asked twice. */
function findUngraded(
  { examination, seen }: Doubtful,
  statistics: Statistics,
): readonly GateProblem[] {
  if (seen.allCounts.every(({ outcomes }) => outcomes.ungraded === 0)) return [];
  const feared: Examination = { ...examination, ungradedAs: "failure" };
  return turnedBy(feared, seen, statistics).map(({ task, candidate, metric, counts }) => {
    const ungraded = counts?.outcomes.ungraded ?? 0;
    return { kind: "ungraded_decide", task, candidate, metric, ungraded };
  });
}

/**
 * Blocking rules that are met and would not be if the cases whose rows differ were compared all the same: another tool's rows
 * may be the change's own, and those of the base were edited since the baseline, which leaves nothing to hold them against.
 */
function findEdited(
  { examination, seen }: Doubtful,
  by: "tool" | "base",
  statistics: Statistics,
): readonly GateProblem[] {
  if (seen.allCounts.every(({ dropped }) => dropped.changed === 0)) return [];
  const sides = { ...examination.sides, pairsEdited: true };
  const feared: Examination = { ...examination, sides };
  return turnedBy(feared, seen, statistics).map(({ task, candidate, metric, counts }) => {
    const edited = counts?.dropped.changed ?? 0;
    return { kind: "edited_decide", task, candidate, metric, edited, by };
  });
}

interface Turned extends Pick<JudgedRule, "task" | "candidate" | "metric"> {
  readonly counts: CellCounts | undefined;
}

/** Blocking rules that are met, and not in another examination of the same run. */
function turnedBy(examination: Examination, seen: Seen, statistics: Statistics): readonly Turned[] {
  if (seen.results.some(isBlocked)) return [];
  const feared = evaluateRules(examination, statistics);
  return seen.results.flatMap((result, i): readonly Turned[] => {
    const { task, candidate, metric } = result;
    if (result.level !== "block" || !isUnopposed(result)) return [];
    const other = feared.results[i];
    if (other !== undefined && isUnopposed(other)) return [];
    const counts = seen.allCounts.find((one) => one.task === task && one.candidate === candidate);
    return [{ task, candidate, metric, counts }];
  });
}

/**
 * Comparisons with a baseline that has fewer than half of the cases: it was run on other data, or on a part of them. Rows that
 * a change edits don't count, because the cases are the base's.
 */
export function findPartial({ allCounts, results }: Seen): readonly GateProblem[] {
  return allCounts.flatMap(({ task, candidate, cases, fresh, dropped }): readonly GateProblem[] => {
    const known = cases - fresh - dropped.changed;
    const isCompared = results.some(
      (one) =>
        one.task === task &&
        one.candidate === candidate &&
        one.level === "block" &&
        isUnopposed(one) &&
        (one.kind === "max_drop" || one.kind === "max_rise") &&
        one.against === undefined,
    );
    if (!isCompared || known <= 0 || known * 2 >= cases) return [];
    return [{ kind: "baseline_partial", task, candidate, known, cases }];
  });
}

/** Nothing was seen against the change: met, or so few cases without a drop that they are no pass. */
function isUnopposed({ outcome, code }: JudgedRule): boolean {
  return outcome === "met" || (outcome === "unmeasured" && code === "too_few_to_prove");
}

export function isBlocked({ level, outcome }: JudgedRule): boolean {
  return level === "block" && outcome === "missed";
}

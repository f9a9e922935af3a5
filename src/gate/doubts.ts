import type { JudgedRule } from "../model/outcomes/finding.ts";
import type { CellCounts, GateProblem } from "../model/outcomes/remark.ts";
import type { Statistics } from "../model/figures/statistics.ts";
import { evaluateRules, type Examination, type Seen } from "./evaluate.ts";

/**
 * Who chose the cases. `base`: the base's rules judge a change, which does not choose them. `change`: the change's own
 * rules, beside the base's. `branch`: a branch's own run on GitHub, whose cases were merged. `user`: a run that nobody
 * else judges; whoever started it may have edited the cases. `tool`: the same for another tool's results.
 */
export type CasesBy = "change" | "base" | "branch" | "user" | "tool";

/** Those whose edited cases could hide a loss. */
type EditedBy = Exclude<CasesBy, "change" | "branch">;

interface Doubtful {
  readonly examination: Examination;
  readonly seen: Seen;
  readonly casesBy: CasesBy | undefined;
}

/** Blocking rules that are met, but only as long as some cases are not compared. */
export function findDoubts(doubtful: Doubtful, statistics: Statistics): readonly GateProblem[] {
  return [
    ...findUngraded(doubtful, statistics),
    ...(hidesLosses(doubtful.casesBy) ? findEdited(doubtful, doubtful.casesBy, statistics) : []),
  ];
}

function hidesLosses(casesBy: CasesBy | undefined): casesBy is EditedBy {
  return casesBy === "tool" || casesBy === "base" || casesBy === "user";
}

/**
 * Blocking rules that are met but would not be if the ungraded samples had failed. The gate is evaluated a second time
 * for them.
 */
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
 * Blocking rules that are met but would not be if cases with different rows were compared, too. In another tool's
 * results, and in a run that nobody else judges, the rows may have been edited together with what is judged. Rows of the
 * base were edited since the baseline, so there is nothing to compare them with.
 */
function findEdited(
  { examination, seen }: Doubtful,
  by: EditedBy,
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

/** Blocking rules that are met here, but not in another examination of the same run. */
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
 * Comparisons with a baseline that has fewer than half of the cases: it was run on other data, or on a part of them.
 * Rows that were edited don't count.
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

/**
 * True if nothing was seen against the change: the rule is met, or there are so few cases without a drop that they are
 * no pass.
 */
function isUnopposed({ outcome, code }: JudgedRule): boolean {
  return outcome === "met" || (outcome === "unmeasured" && code === "too_few_to_prove");
}

/** True if a rule blocks. */
export function isBlocked({ level, outcome }: JudgedRule): boolean {
  return level === "block" && outcome === "missed";
}

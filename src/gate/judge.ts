import type { DecidedRule } from "../model/attempts.ts";
import type { Confirmation } from "../model/confirmation.ts";
import type { Statistics } from "../model/statistics.ts";
import type { ComparisonNote, GateFindings, GateProblem } from "../model/remark.ts";
import type { CaseCounts } from "../model/run.ts";
import type { Gate } from "../model/gate.ts";
import { findGone, totalCases } from "./counts.ts";
import { findDoubts, findPartial, isBlocked, type CasesBy } from "./doubts.ts";
import { evaluateRules, metricsByTask, type Examination, type Seen } from "./evaluate.ts";
import { blocksByProof, type ProvenDrop } from "./confirm.ts";
import { findProblems, findUnread, verdictOf } from "./health.ts";
import type { Effort } from "../model/effort.ts";
import type { Crashed } from "./crashes.ts";
import type { Loss } from "./losses.ts";
import { comparableTasks, comparisonNotes } from "./notes.ts";
import { planRules } from "./plan.ts";
import type { BaselineSide, LeftOut, Side } from "./sides.ts";
import { reachVerdict } from "./verdict.ts";

interface GateInput {
  readonly gate: Gate;
  readonly head: Side;
  readonly baseline: BaselineSide;
  readonly leftOut?: LeftOut;
  /** Result of running proven drops again, if known. */
  readonly confirmation?: Confirmation | undefined;
  /** Why earlier attempts of the same workflow run could not be read, where they may be there: a clause. */
  readonly unread?: string | undefined;
  /** Rules that an earlier attempt decided. */
  readonly decided?: readonly DecidedRule[];
  /** True if an authorized person accepted it: a loss against the baseline does not block. */
  readonly acceptsLoss?: boolean;
  /** True if an authorized person approved the change of the policy: its grader may move the baseline. */
  readonly acceptsMove?: boolean;
  /** The run is that of a change, a pull request or a merge queue's group: `must_pass` asks how its cases stood before. */
  readonly ofChange?: boolean;
  /** Who chose the cases of the run. Default: the author of the change. */
  readonly casesBy?: CasesBy;
}

export interface GateOutput {
  readonly result: GateFindings;
  /** Problems besides the rules that keep the run from passing. */
  readonly problems: readonly GateProblem[];
  readonly cases: CaseCounts;
  /** Whether each task can be compared, by its id in this run; empty without a baseline. */
  readonly comparable: Readonly<Record<string, boolean>>;
  /** Notes about the comparison for readers. */
  readonly notes: readonly ComparisonNote[];
  /** Proven drops that would block, and whether the verdict hangs on them alone. */
  readonly proven: readonly ProvenDrop[];
  readonly hangsOnProven: boolean;
  /** Average effort per case on both sides. */
  readonly effort: readonly Effort[];
  /** Cases that crashed here and not in the baseline, by task and candidate. */
  readonly crashed: readonly Crashed[];
  /** The cases of the losses that were seen. */
  readonly losses: () => readonly Loss[];
}

/**
 * Judges a run by its gate, against a baseline. Pure: the same two runs give the same bytes, in whatever
 * order their samples finished. Results come by task, candidate, metric, then by rule as declared; those of
 * rules that match nothing come last.
 *
 * The p-values of `block` rules with `prove: drop` are adjusted by Holm's method as one family. A run that
 * passes, and would not if each ungraded sample had failed, is `inconclusive`.
 */
export function judge(input: GateInput, statistics: Statistics): GateOutput {
  const { gate, head, baseline } = input;
  const sides = { head, baseline, leftOut: input.leftOut ?? nothingLeftOut };
  const rules = planRules(
    gate,
    metricsByTask(sides),
    baseline.kind === "run" ? "compared" : "none",
  );
  const confirmation = confirms(gate) ? input.confirmation : undefined;
  const { decided = [] } = input;
  const examination: Examination = {
    sides,
    gate,
    rules,
    ungradedAs: "nothing",
    ofChange: input.ofChange === true,
    acceptsMove: input.acceptsMove === true,
    confirmation,
    decided,
  };
  const seen = evaluateRules(examination, statistics);
  const gone = findGone(sides);
  const problems = problemsOf({ examination, seen, gone }, input, statistics);
  return {
    result: reachVerdict({
      gate,
      baseline,
      seen,
      problems,
      confirmation,
      acceptsLoss: input.acceptsLoss === true,
    }),
    problems,
    cases: totalCases(seen.allCounts, gone),
    comparable: comparableTasks(sides),
    notes: comparisonNotes(sides, seen, statistics),
    proven: confirms(gate) ? seen.proven : [],
    hangsOnProven: hangsOnProven(seen, problems),
    effort: seen.effort,
    crashed: seen.crashed,
    losses: seen.losses,
  };
}

/** Problems besides the rules; doubts about rules that are met only if there are no others. */
function problemsOf(
  {
    examination,
    seen,
    gone,
  }: {
    readonly examination: Examination;
    readonly seen: Seen;
    readonly gone: ReturnType<typeof findGone>;
  },
  { gate, baseline, casesBy, unread }: GateInput,
  statistics: Statistics,
): readonly GateProblem[] {
  const ofRun = findProblems(seen.allCounts, gone, gate);
  const found = [
    ...ofRun,
    ...seen.thin.filter((one) => !isSaidWith(ofRun, one)),
    ...(casesBy === "base" ? findPartial(seen) : []),
    ...findUnread(baseline, seen.results),
    ...(unread === undefined ? [] : [{ kind: "attempts_unread" as const, reason: unread }]),
  ];
  return found.length > 0 ? found : findDoubts({ examination, seen, casesBy }, statistics);
}

/** Whether a problem already reports that too many cases of a task and candidate are ungraded. */
function isSaidWith(
  problems: readonly GateProblem[],
  { task, candidate }: { readonly task: string; readonly candidate: string },
): boolean {
  return problems.some(
    (one) =>
      (one.kind === "too_many_ungraded" || one.kind === "none_scored") &&
      one.task === task &&
      one.candidate === candidate,
  );
}

/** Whether proven drops are run again before they block. */
function confirms(gate: Gate): boolean {
  return gate !== "none" && gate.confirm !== "never";
}

/** False if the run fails whatever running them again would show. */
function hangsOnProven({ results }: Seen, problems: readonly GateProblem[]): boolean {
  const fails = problems.some((one) => verdictOf(one) === "fail" || verdictOf(one) === "error");
  return !fails && !results.some((one) => isBlocked(one) && !blocksByProof(one));
}

const nothingLeftOut: LeftOut = { tasks: [], candidates: [] };

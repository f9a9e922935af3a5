import type { DecidedRule } from "../model/outcomes/attempts.ts";
import type { Confirmation } from "../model/outcomes/confirmation.ts";
import type { Statistics } from "../model/figures/statistics.ts";
import type { ComparisonNote, GateFindings, GateProblem } from "../model/outcomes/remark.ts";
import type { CaseCounts } from "../model/outcomes/run.ts";
import type { Gate } from "../model/definition/gate.ts";
import { countOtherwise, findGone, totalCases } from "./counts.ts";
import { findDoubts, findPartial, isBlocked, type CasesBy } from "./doubts.ts";
import { evaluateRules, metricsByTask, type Examination, type Seen } from "./evaluate.ts";
import { blocksByProof, type ProvenDrop } from "./confirm.ts";
import { findProblems, findUnread, verdictOf } from "./health.ts";
import type { Effort } from "../model/figures/effort.ts";
import type { Crashed } from "./crashes.ts";
import type { Loss } from "./losses.ts";
import { comparableTasks, comparisonNotes } from "./notes.ts";
import { planRules } from "./rules/plan.ts";
import type { BaselineSide, LeftOut, Side } from "./pairing/sides.ts";
import { reachVerdict } from "./verdict.ts";

interface GateInput {
  readonly gate: Gate;
  readonly head: Side;
  readonly baseline: BaselineSide;
  readonly leftOut?: LeftOut;
  /** Result of running proven drops again, if known. */
  readonly confirmation?: Confirmation | undefined;
  /**
   * Why existing earlier attempts of the same workflow run could not be read, as a clause; undefined if there are none.
   */
  readonly unread?: string | undefined;
  /** Rules that an earlier attempt decided. */
  readonly decided?: readonly DecidedRule[];
  /** True if an authorized person accepted the loss: a loss against the baseline then does not block. */
  readonly acceptsLoss?: boolean;
  /** True if an authorized person approved the change of the policy: its grader may then move the baseline. */
  readonly acceptsMove?: boolean;
  /**
   * True if the run belongs to a change (a pull request, or a group of a merge queue): `must_pass` then asks how its
   * cases stood before.
   */
  readonly ofChange?: boolean;
  /** Who chose the cases of the run. Default: the author of the change. */
  readonly casesBy?: CasesBy;
}

export interface GateOutput {
  readonly result: GateFindings;
  /** Problems other than missed rules that keep the run from passing. */
  readonly problems: readonly GateProblem[];
  readonly cases: CaseCounts;
  /** True for each task that can be compared, by its id in this run; empty without a baseline. */
  readonly comparable: Readonly<Record<string, boolean>>;
  /** Notes about the comparison for readers. */
  readonly notes: readonly ComparisonNote[];
  /** Proven drops that would block. `hangsOnProven`: true if the verdict depends on them alone. */
  readonly proven: readonly ProvenDrop[];
  readonly hangsOnProven: boolean;
  /** Average effort per case on both sides. */
  readonly effort: readonly Effort[];
  /** Cases that crashed here but not in the baseline, by task and candidate. */
  readonly crashed: readonly Crashed[];
  /** The cases of the losses that were seen. */
  readonly losses: () => readonly Loss[];
}

/**
 * Judges a run by its gate, against a baseline. Pure: the same two runs give the same bytes, in whatever order their
 * samples finished. Results are ordered by task, candidate and metric, then by rule as declared; those of rules that
 * match nothing come last.
 *
 * The p-values of `block` rules with `prove: drop` are adjusted by Holm's method as one family. A run that passes, but
 * would not if each ungraded sample had failed, is `inconclusive`.
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
      casesBy: input.casesBy,
    }),
    problems,
    cases: {
      ...totalCases(seen.allCounts, gone),
      ...countOtherwise(seen.allCounts, input.casesBy),
    },
    comparable: comparableTasks(sides),
    notes: comparisonNotes(sides, seen, statistics),
    proven: confirms(gate) ? seen.proven : [],
    hangsOnProven: hangsOnProven(seen, problems),
    effort: seen.effort,
    crashed: seen.crashed,
    losses: seen.losses,
  };
}

/** Problems other than missed rules. Doubts about rules that are met are only added if there are no other problems. */
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

/** True if a problem already reports that too many cases of a task and candidate are ungraded. */
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

/** True if proven drops are run again before they block. */
function confirms(gate: Gate): boolean {
  return gate !== "none" && gate.confirm !== "never";
}

/** True if running proven drops again can change the verdict; false if the run fails in any case. */
function hangsOnProven({ results }: Seen, problems: readonly GateProblem[]): boolean {
  const fails = problems.some((one) => verdictOf(one) === "fail" || verdictOf(one) === "error");
  return !fails && !results.some((one) => isBlocked(one) && !blocksByProof(one));
}

const nothingLeftOut: LeftOut = { tasks: [], candidates: [] };

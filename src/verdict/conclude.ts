import { hasEarlier, type RunAttempts } from "../model/outcomes/attempts.ts";
import type { NoBaseline } from "../model/baseline.ts";
import type { Confirmation } from "../model/outcomes/confirmation.ts";
import { historyOf } from "../model/outcomes/history.ts";
import type { UsedCalibration } from "../model/figures/judge-calibration.ts";
import type { Ledger } from "../model/figures/ledger.ts";
import { withSampleMetrics } from "../model/definition/metric.ts";
import type { RunPolicy } from "../model/outcomes/policy.ts";
import type { StoredRun } from "../model/ports/store.ts";
import type { BatchRecord, Run, RunBaseline, RunTask } from "../model/outcomes/run.ts";
import type { GateResult, RuleResult } from "../model/outcomes/rule-result.ts";
import type { PooledRun, SwapTest } from "../model/outcomes/compared.ts";
import type { Gate } from "../model/definition/gate.ts";
import { drawOf } from "../dataset/select.ts";
import type { CasesBy } from "../gate/doubts.ts";
import { judge, type GateOutput } from "../gate/judge.ts";
import type { BaselineSide, LeftOut, Pooling } from "../gate/pairing/sides.ts";
import { attemptLines } from "../report/words/attempts.ts";
import { gateResult, noteLines } from "../report/words/remarks.ts";
import { rerunLines } from "../report/words/reruns.ts";
import { aggregate } from "../stats/aggregates/aggregate.ts";
import { caseMatcher } from "../suite/selection/only-cases.ts";
import { rankOf } from "../stats/inference/rank.ts";
import { statistics } from "../stats/statistics.ts";
import { batchNotes } from "./batch-result.ts";
import { unverifiedLine } from "../suite/foreign-outputs.ts";
import { judgedValues, judgesThatHold } from "./judged-values.ts";
import { withMissingSlots, withToldFields } from "./decide.ts";
import { type Regraded, withRegraded } from "./regraded-side.ts";

/** A run as the verdict needs it: from memory at the end of a run, from its directory in a comparison. */
export interface JudgedRun {
  readonly status: Run["status"];
  /** Why the run is `failed`. */
  readonly stopped: string | undefined;
  readonly gate: Gate;
  /** The calibration that the suite names. */
  readonly calibration?: UsedCalibration | undefined;
  readonly tasks: Readonly<Record<string, RunTask>>;
  readonly candidates: readonly string[];
  /** Names of candidates whose answers were recorded. */
  readonly recorded?: readonly string[];
  readonly leftOut: Run["suite"]["not_selected"];
  readonly ledger: Ledger;
  readonly batches: readonly BatchRecord[];
  /** Candidates that only one side of a policy lists: new ones are measured and not judged, missing ones fail. */
  readonly slots?: RunPolicy["slots"] | undefined;
  /** Fields of the base's target that the change shows to the candidate. */
  readonly told?: RunPolicy["told"] | undefined;
  /** Result of running proven drops again, if known. */
  readonly confirmation?: Confirmation | undefined;
  /** When samples were run again into this run, and how many. */
  readonly reruns?: Run["reruns"];
  /** Attempts of the same workflow run that it continues. */
  readonly attempts?: RunAttempts | undefined;
  /** Losses against the baseline don't block, because an authorized person accepted them. */
  readonly acceptsLoss?: boolean | undefined;
  /** An authorized person approved the change of the policy, and with it that its grader moves the baseline. */
  readonly acceptsMove?: boolean | undefined;
  /** True for the run of a change, which is responsible for what it broke. */
  readonly ofChange?: boolean;
  /** False if flags or inputs define the rules. */
  readonly hasManifest?: boolean;
  /** True for a run on GitHub. */
  readonly isOnGitHub?: boolean;
  /** True for results that another tool recorded. */
  readonly isRecorded?: boolean;
  /** Foreign code that produced the outputs. */
  readonly outputsFrom?: Run["outputs_from"] | undefined;
}

/** An earlier run, and how it was found. */
export type Baseline =
  | NoBaseline
  | {
      readonly kind: "run";
      readonly source: string;
      readonly stored: StoredRun;
      /** For tasks whose grader changed: the scores of the stored outputs by this run's grader. */
      readonly regraded?: Regraded;
      /** For dropped numbers of batch graders: tests whether the drop may be chance. */
      readonly swaps?: readonly SwapTest[];
      /** For several pooled runs, whose samples `stored` holds one run after the other. */
      readonly pool?: Pooling & {
        readonly members: readonly PooledRun[];
        /** The newest of the runs alone. */
        readonly newest: StoredRun;
      };
      /** How it was found, if it was searched for. */
      readonly found?: {
        /** The commit that it stands for. */
        readonly sha: string;
        readonly distance: number | null;
        readonly reason: string | null;
      };
    };

export type Conclusion = Pick<Run, "cases" | "metrics" | "judges" | "gate" | "baseline">;

/** Numbers and verdict of a run. Pure: the same two runs give the same bytes, here and in `regrade compare`. */
export function conclude(head: JudgedRun, baseline: Baseline, now: number): Conclusion {
  const side = baselineSide(baseline, head.tasks);
  const found = judgeSides(head, baseline, side);
  const { cases, comparable, effort } = found;
  const notes = found.notes.flatMap(noteLines);
  const regraded = side.kind === "run" ? side.regraded : undefined;
  const marks = [
    ...rerunLines(head.reruns),
    ...attemptLines(head.attempts, decidedAgainst(baseline, head.attempts)),
    ...(head.outputsFrom === undefined ? [] : [unverifiedLine(head.outputsFrom)]),
  ];
  const told = gateResult(found.result, head.hasManifest !== false);
  const whole = withMissingSlots(told, head.slots?.missing ?? []);
  const result = withToldFields(whole, head.told ?? []);
  const metrics = aggregate(head.ledger, measuredTasks(head));
  const judges = judgedValues({ ...head, metrics }, head.calibration);
  return {
    cases,
    metrics,
    ...(judges.length > 0 && { judges }),
    gate:
      head.status === "completed"
        ? { ...result, reasons: [...result.reasons, ...batchNotes(head.batches), ...marks] }
        : stoppedResult(result, head.stopped),
    baseline: describeBaseline(baseline, { comparable, notes, effort, regraded, now }),
  };
}

/** Proven drops that would block a run, and whether the verdict depends on them alone. */
export function findProvenDrops(
  head: JudgedRun,
  baseline: Baseline,
): Pick<GateOutput, "proven" | "hangsOnProven"> {
  const { proven, hangsOnProven } = judgeSides(head, baseline, baselineSide(baseline, head.tasks));
  return { proven, hangsOnProven: hangsOnProven && (head.slots?.missing ?? []).length === 0 };
}

/** Cases in a run's losses, and cases that crashed. */
export function findRunLosses(
  head: JudgedRun,
  baseline: Baseline,
): Pick<GateOutput, "losses" | "crashed"> {
  return judgeSides(head, baseline, baselineSide(baseline, head.tasks));
}

function judgeSides(head: JudgedRun, baseline: Baseline, side: BaselineSide): GateOutput {
  const fresh = head.slots?.new ?? [];
  const candidates = head.candidates.filter((id) => !fresh.includes(id));
  const hasAttempts = hasEarlier(head.attempts);
  return judge(
    {
      gate: head.gate,
      head: {
        ledger: head.ledger,
        tasks: head.tasks,
        candidates,
        hasAttempts,
        recorded: head.recorded ?? [],
        judges: judgesThatHold(head.tasks, head.calibration),
      },
      baseline: side,
      unread: head.attempts?.unread ?? undefined,
      decided: decidedAgainst(baseline, head.attempts),
      leftOut: leftOutOf(head.leftOut, fresh),
      confirmation: head.confirmation,
      acceptsLoss: head.acceptsLoss === true,
      acceptsMove: head.acceptsMove === true,
      ofChange: head.ofChange === true,
      casesBy: casesBy(head),
    },
    statistics,
  );
}

/** Slots are known only if the base's policy judges. */
function casesBy({ isRecorded, slots, ofChange, isOnGitHub }: JudgedRun): CasesBy {
  if (isRecorded === true) return "tool";
  if (slots !== undefined) return "base";
  if (ofChange === true) return "change";
  return isOnGitHub === true ? "branch" : "user";
}

/** A confirmed drop applies only to the commit that it was confirmed against: another baseline is another comparison. */
function decidedAgainst(
  baseline: Baseline,
  attempts: RunAttempts | undefined,
): RunAttempts["decided"] {
  const decided = attempts?.decided ?? [];
  if (baseline.kind === "none") return decided;
  const sha = shaOf(baseline);
  return decided.filter(({ baseline_sha }) => baseline_sha === sha);
}

/** The commit that a baseline stands for. */
function shaOf({ found, stored }: Extract<Baseline, { kind: "run" }>): string | null {
  return found?.sha ?? stored.run.git.sha;
}

/**
 * Tells which cases were left out: those with too high a draw, and those that no glob matches, even if the data set
 * lacks them by now.
 */
function leftOutOf(
  { tasks, candidates, cases = [] }: JudgedRun["leftOut"],
  fresh: readonly string[],
): LeftOut {
  const casesOf = new Map(
    cases.map(({ task, up_to, only }) => {
      const isNamed = only && caseMatcher(only);
      const isLeftOut = (caseId: string): boolean =>
        drawOf(caseId, rankOf) > up_to || isNamed?.(caseId) === false;
      return [task, isLeftOut] as const;
    }),
  );
  return { tasks, candidates: [...candidates, ...fresh], casesOf };
}

/** The baseline for the gate: regraded samples replace the stored ones. */
export function baselineSide(baseline: Baseline, tasks: JudgedRun["tasks"]): BaselineSide {
  if (baseline.kind === "none") return baseline;
  const { run, ledger } = baseline.stored;
  const candidates = run.candidates.map((each) => each.id);
  const { swaps = [] } = baseline;
  const { tasks: own } = run.suite;
  const pool = baseline.pool && { pool: baseline.pool };
  const hasAttempts = hasEarlier(run.attempts);
  const rest = { tasks: own, candidates, swaps, hasAttempts, ...pool };
  const side = { kind: "run" as const, ledger, ...rest };
  return baseline.regraded === undefined ? side : withRegraded(side, baseline.regraded, tasks);
}

function measuredTasks(head: JudgedRun): Parameters<typeof aggregate>[1] {
  const isSeveral = hasEarlier(head.attempts);
  return Object.entries(head.tasks).map(([id, task]) => {
    const sliced = head.candidates.map((candidate) => head.ledger.group(id, candidate));
    const first = sliced.find((group) => group !== undefined && group.size > 0);
    const metrics = withSampleMetrics(task.metrics);
    const slices = Object.keys(first?.slices(0) ?? {});
    return { id, metrics, slices, repeatsOfAttempt: isSeveral ? task.repeats : undefined };
  });
}

/**
 * The result of a run that did not complete. It has no verdict to trust, whatever its samples say so far; the only
 * reason is why it stopped, because the gate's other findings follow from that.
 */
function stoppedResult({ rules }: GateResult, stopped: string | undefined): GateResult {
  const reason = "The run was stopped before its end: what it has says nothing about the rest.";
  return { verdict: "error", reasons: [stopped ?? reason], rules: rules.map(notReached) };
}

/** A stopped run may lack samples that a rule needs: the figures are kept, but they decide nothing. */
function notReached({ located: _located, ...rule }: GateResult["rules"][number]): RuleResult {
  const reason = "not judged: the run was stopped before its end";
  return { ...rule, outcome: "unmeasured", code: "run_stopped", reason };
}

const millisecondsPerDay = 86_400_000;

function describeBaseline(
  baseline: Baseline,
  found: Pick<RunBaseline, "comparable" | "notes"> & {
    readonly effort: GateOutput["effort"];
    readonly regraded: RunBaseline["regraded"] | undefined;
    readonly now: number;
  },
): RunBaseline | null {
  if (baseline.kind === "none") return null;
  const { run } = baseline.stored;
  const age = (found.now - Date.parse(run.completed_at)) / millisecondsPerDay;
  return {
    source: baseline.source,
    run_id: run.id,
    sha: shaOf(baseline),
    age_days: Number.isFinite(age) ? Math.max(0, Math.floor(age)) : null,
    distance: baseline.found?.distance ?? null,
    ...(baseline.found && { reason: baseline.found.reason }),
    history: historyOf(run),
    comparable: found.comparable,
    notes: found.notes,
    ...(found.effort.length > 0 && { effort: found.effort }),
    ...(found.regraded && { regraded: found.regraded }),
    ...(baseline.swaps && { swaps: baseline.swaps }),
    ...(baseline.pool && { pool: baseline.pool.members }),
  };
}

import type { Run } from "./run.ts";
import type { RuleResult } from "./rule-result.ts";

/**
 * A run that continues earlier attempts of the same workflow run. Their samples are its first repeats, its own samples
 * follow. Each attempt has as many repeats of a case as the task declares; an attempt in which a case was not asked has
 * none.
 */
export interface RunAttempts {
  /** The number of this attempt, from 1. */
  readonly number: number;
  /** The attempts whose samples this run contains, oldest first. */
  readonly earlier: readonly EarlierAttempt[];
  /** Why earlier attempts could not be read, though there may be some: a clause. null: all were read, or there are none. */
  readonly unread: string | null;
  /** Rules that an earlier attempt decided: their drops were confirmed. */
  readonly decided: readonly DecidedRule[];
}

interface EarlierAttempt {
  readonly number: number;
  readonly run_id: string;
  readonly completed_at: string;
}

/** A drop that was confirmed stays confirmed: more samples don't undo it. */
export interface DecidedRule {
  /** The number of the attempt. */
  readonly attempt: number;
  /** The commit of the baseline that it was confirmed against. */
  readonly baseline_sha: string | null;
  /** The rule as that attempt recorded it. */
  readonly rule: RuleResult;
}

/** The number of a run's attempt, and what is known of the attempts before it. */
export interface AttemptAsked {
  readonly number: number;
  /** The attempt that wrote the run directory's content; undefined if the directory is empty. */
  readonly before: number | undefined;
  /** As in `RunAttempts`; undefined if all is known. */
  readonly unread: string | undefined;
}

/** True if a ledger holds samples of several attempts. */
export function hasEarlier(attempts: RunAttempts | undefined): boolean {
  return (attempts?.earlier.length ?? 0) > 0;
}

/**
 * Identity that attempts at another tool's results must share. Each attempt has its own results: another run of that tool
 * over the same cases and candidates.
 */
export function attemptQuestion({
  version,
  tasks,
  candidates,
}: {
  readonly version: string;
  readonly tasks: readonly (readonly [id: string, repeats: number])[];
  readonly candidates: readonly string[];
}): string {
  return JSON.stringify(["results", version, tasks, candidates]);
}

/**
 * The attempts of a run that continues `before`. `isSame`: this attempt has the same results as `before`, so they count
 * once.
 */
export function goOnWith(before: Run, asked: AttemptAsked, isSame = false): RunAttempts {
  const { number, before: attempt = number - 1, unread } = asked;
  const known = before.attempts;
  const own = { number: attempt, run_id: before.id, completed_at: before.completed_at };
  const baseline_sha = before.baseline?.sha ?? null;
  const decided = before.gate.rules
    .filter(isConfirmed)
    .map((rule) => ({ attempt, baseline_sha, rule }));
  return {
    number,
    earlier: [...(known?.earlier ?? []), ...(isSame ? [] : [own])],
    unread: unread ?? null,
    decided: [...(known?.decided ?? []), ...decided],
  };
}

function isConfirmed({ level, outcome, confirmation, decided_in }: RuleResult): boolean {
  const isBlocking = level === "block" && outcome === "missed" && decided_in === undefined;
  return isBlocking && confirmation?.outcome === "confirmed";
}

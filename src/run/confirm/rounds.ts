import type { ConfirmObstacle, ConfirmRound } from "../../model/outcomes/confirmation.ts";
import type { ChangedPair, ProvenDrop } from "../../gate/confirm.ts";

/** The cases of a task and candidate to run again, before it is known whether that is possible. */
export interface PlannedRound {
  readonly task: string;
  readonly candidate: string;
  readonly baseCandidate: string;
  readonly repeats: number;
  /** Each case once, whatever number of rules it changed for. */
  readonly cases: readonly ChangedPair[];
}

/** The reason why a round is not run, for programs and for people. */
export interface Obstacle {
  readonly kind: "not_possible";
  readonly obstacle: ConfirmObstacle;
  /** A clause. */
  readonly reason: string;
}

/** One round per task and candidate, because several rules may depend on the same cases. Pure. */
export function planRounds(drops: readonly ProvenDrop[]): readonly PlannedRound[] {
  const rounds = new Map<string, PlannedRound>();
  for (const { task, candidate, baseCandidate, repeats, cases } of drops) {
    const key = JSON.stringify([task, candidate]);
    const known = rounds.get(key);
    const ids = new Set(known?.cases.map(({ caseId }) => caseId));
    const all = [...(known?.cases ?? []), ...cases.filter(({ caseId }) => !ids.has(caseId))];
    const most = Math.max(repeats, known?.repeats ?? 1);
    rounds.set(key, { task, candidate, baseCandidate, repeats: most, cases: all });
  }
  return [...rounds.values()];
}

/** A round in the form of run.json. */
export function recordRound(
  { task, candidate, baseCandidate, repeats, cases }: PlannedRound,
  end:
    | Obstacle
    | { readonly kind: "run"; readonly directory: string; readonly baseSha: string | null },
): ConfirmRound {
  const isRun = end.kind === "run";
  return {
    task,
    candidate,
    base_candidate: baseCandidate,
    repeats,
    cases: cases.length,
    samples: isRun ? 2 * cases.length * repeats : 0,
    outcome: end.kind,
    obstacle: isRun ? null : end.obstacle,
    reason: isRun ? null : end.reason,
    directory: isRun ? end.directory : null,
    base_sha: isRun ? end.baseSha : null,
  };
}

/** An obstacle, with its code and the reason for people. */
export function cannot(obstacle: ConfirmObstacle, reason: string): Obstacle {
  return { kind: "not_possible", obstacle, reason };
}

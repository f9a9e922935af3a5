import { Refusal } from "../domain/refusal.ts";
import {
  clearRun,
  fetchInterrupted,
  keepInterrupted,
  noteRuns,
  type PlannedRun,
} from "../platform/attempts.ts";
import { noteOf } from "../platform/log.ts";
import type { Step } from "./step.ts";

/**
 * Lets the next attempt of this job go on from what this one leaves, and this one from what the last one left. Returns the run
 * directories that hold something to go on from.
 */
export async function openAttempt(
  runs: readonly PlannedRun[],
  { env, log }: Pick<Step, "env" | "log">,
): Promise<ReadonlySet<string>> {
  const { resumed, problems } = await fetchInterrupted(runs, env);
  for (const found of [...problems, ...noteRuns(env, runs)]) log.warning(noteOf(found));
  return new Set(resumed);
}

/** Goes on with what the last attempt left, where it answers the same question; else begins anew. */
export async function goOn<T>(
  { out, isResumed }: { readonly out: string; readonly isResumed: boolean },
  run: (resume: boolean) => Promise<T>,
  { log }: Pick<Step, "log">,
): Promise<T> {
  if (!isResumed) return run(false);
  log.info("The attempt before this one was stopped: what it has finished is kept.");
  try {
    return await run(true);
  } catch (cause) {
    if (!isOtherRun(cause)) throw cause;
    log.info("What it has left is of other inputs: the run begins anew.");
    await clearRun(out);
    return run(false);
  }
}

const otherRun: ReadonlySet<string> = new Set([
  "resume_other_input",
  "resume_nothing",
  "resume_finished",
  "journal_damaged",
]);

function isOtherRun(cause: unknown): boolean {
  return cause instanceof Refusal && cause.problems.every(({ code }) => otherRun.has(code));
}

/** At the end of the job: keeps what was stopped before its end. */
export async function leaveAttempt({ env, log, signal }: Step): Promise<void> {
  const { kept, problems } = await keepInterrupted(env, signal);
  for (const found of problems) log.warning(noteOf(found));
  for (const { manifest, artifact } of kept)
    log.info(
      `${manifest} was stopped before its end. "Re-run failed jobs" goes on from ${artifact}.`,
    );
}

import type { AttemptAsked } from "../../model/outcomes/attempts.ts";
import { problem, Refusal, type Problem } from "../../model/refusal.ts";
import { keepAttempts, noteRuns } from "../artifacts/attempts.ts";
import { clearRun, fetchEarlier, type RunToResume } from "../artifacts/earlier-attempts.ts";
import { noteOf } from "../runner/log.ts";
import type { PlannedSuite } from "./step-plan.ts";
import type { Step, StepOutput } from "./step.ts";

/**
 * Prepares this job's attempt: restores the last attempt's files, and keeps this attempt's files for the next one.
 * Returns the known facts about earlier attempts, for each run.
 */
export async function openAttempt(
  runs: readonly RunToResume[],
  { env, log }: StepOutput,
): Promise<readonly AttemptAsked[]> {
  const found = await fetchEarlier(runs, env);
  const unread = runs.flatMap(({ manifest }, i) => {
    const reason = found[i]?.unread;
    return reason === undefined ? [] : [problem("attempts_unread", { manifest, reason })];
  });
  for (const each of [...unread, ...noteRuns(env, runs)]) log.warning(noteOf(each));
  return found;
}

/** Resumes the last attempt if it has the same inputs; else starts anew. */
export async function goOn<T>(
  { out, manifest, attempt, restored }: PlannedSuite,
  run: (attempt: AttemptAsked) => Promise<T>,
  { log }: StepOutput,
): Promise<T> {
  if (attempt.before === undefined) return run(attempt);
  const beginAnew = async (unread: string): Promise<T> => {
    await clearRun(out);
    log.warning(noteOf(problem("attempts_unread", { manifest, reason: unread })));
    return run({ ...attempt, before: undefined, unread });
  };
  if (restored !== undefined && (await restored.altered()).length > 0)
    return beginAnew(`another suite's program wrote over what attempt ${attempt.before} left`);
  log.info(`Attempt ${attempt.before} of this run left samples: what it has finished is kept.`);
  try {
    return await run(attempt);
  } catch (cause) {
    const why = whyAnew(cause);
    if (why === undefined) throw cause;
    if (why === "other") {
      await clearRun(out);
      log.info("What it has left is of other inputs: the run begins anew.");
      return run({ ...attempt, before: undefined });
    }
    return beginAnew(`what attempt ${attempt.before} left is damaged (${why.message})`);
  }
}

const other: ReadonlySet<string> = new Set(["resume_other_input", "resume_nothing"]);
const damaged: ReadonlySet<string> = new Set([
  "journal_damaged",
  "resume_finished",
  "run_missing",
  "run_other_format",
  "run_unreadable",
]);

/** The reason why an earlier attempt can't be resumed; undefined if the error has another cause. */
function whyAnew(cause: unknown): "other" | Problem | undefined {
  if (!(cause instanceof Refusal)) return undefined;
  if (cause.problems.every(({ code }) => other.has(code))) return "other";
  return cause.problems.find(({ code }) => damaged.has(code));
}

/** Keeps this job's files for the next attempt. */
export async function leaveAttempt({ env, log, signal }: Step): Promise<void> {
  const { kept, problems } = await keepAttempts(env, signal);
  for (const found of problems) log.warning(noteOf(found));
  for (const { manifest, artifact, isWhole } of kept)
    log.info(
      isWhole
        ? `${manifest}: a re-run of this job adds its samples to those in ${artifact}.`
        : `${manifest} was stopped before its end. "Re-run failed jobs" goes on from ${artifact}.`,
    );
}

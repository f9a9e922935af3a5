import { hasEarlier } from "../model/outcomes/attempts.ts";
import { asGlob } from "../base/glob.ts";
import { problem, Refusal } from "../model/refusal.ts";
import type { Run } from "../model/outcomes/run.ts";
import type { RunRequest } from "../runs/request.ts";
import { choicesIn } from "../suite/selection/choices.ts";
import type { Tools } from "../tools.ts";

/** A request to run failed samples again. */
export interface RerunAsked {
  readonly directory: string;
  /** undefined: the manifest that the run was made from. */
  readonly suite: string | undefined;
  /** undefined: the run's own baseline. */
  readonly baseline: string | undefined;
}

/**
 * Request to run a finished run's failed and ungraded samples again, in the same directory and with the same choices;
 * undefined if there are none.
 */
export async function rerunRequest(
  { directory, suite, baseline }: RerunAsked,
  tools: Pick<Tools, "readRun" | "readGitHead">,
): Promise<{ readonly run: Run; readonly request: RunRequest | undefined }> {
  const { run } = await tools.readRun(directory);
  refuseUnfit(run, directory);
  if (hasNothingToDo(run)) return { run, request: undefined };
  const { not_selected: left, tasks, path, publish } = run.suite;
  const request = {
    manifest: suite ?? path,
    out: directory,
    baseline:
      baseline ?? run.baseline?.pool?.map(({ source }) => source) ?? run.baseline?.source ?? "none",
    candidates: left.candidates.length === 0 ? [] : run.candidates.map(({ id }) => asGlob(id)),
    tasks: left.tasks.length === 0 ? [] : Object.keys(tasks).map(asGlob),
    choices: choicesIn(run),
    resume: false,
    rerun: true,
    cache: false,
    publish,
    git: { ...(await tools.readGitHead()), base_sha: run.git.base_sha },
    ofChange: run.of_change,
  };
  return { run, request };
}

/** Refuses runs with missing samples, with samples from elsewhere, or of several attempts. */
function refuseUnfit(run: Run, directory: string): void {
  if (run.policy !== undefined) throw new Refusal(problem("rerun_policy", { directory }));
  if (run.results !== undefined) {
    const why = "the tool that recorded them would have to run again";
    throw new Refusal(problem("results_flag_idle", { flag: "rerun-failed", why }));
  }
  if (run.shard !== undefined || run.stands_in !== undefined)
    throw new Refusal(problem("rerun_part", { directory }));
  if (hasEarlier(run.attempts)) throw new Refusal(problem("rerun_attempts", { directory }));
}

/** An interrupted rerun is continued even if no failed sample is left: a batch grader may still have to run. */
function hasNothingToDo({ request_counts, reruns, status }: Run): boolean {
  const isCutOff = reruns !== undefined && status !== "completed";
  return request_counts.failed === 0 && !isCutOff;
}

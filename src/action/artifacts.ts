import { join } from "node:path";
import { formatProblem, problem } from "../domain/refusal.ts";
import { hasArtifactService, uploadFiles, uploadRun, type Upload } from "../platform/artifact.ts";
import { inputsArtifactName, scoresArtifactName } from "../platform/artifact-names.ts";
import { trustedEvents } from "../platform/baseline-choose.ts";
import { noteOf } from "../platform/log.ts";
import type { StepEnd } from "./ends.ts";
import type { Step } from "./step.ts";

/** The artifact of each end; none where nothing was uploaded. */
export type ArtifactIds = ReadonlyMap<StepEnd, number>;

/** Uploads the run directory of each suite. What fails is said, and changes no verdict. */
export async function uploadRuns(
  ends: readonly StepEnd[],
  { retentionDays }: { readonly retentionDays: number },
  { log, signal, env, context }: Step,
): Promise<ArtifactIds> {
  const ids = new Map<StepEnd, number>();
  const runs = ends.flatMap((end) => (end.kind === "finished" ? [end] : []));
  // A cancelled job has seconds: they belong to what is on disk.
  if (runs.length === 0 || signal.aborted) return ids;
  if (!hasArtifactService(env)) {
    log.info(formatProblem(problem("artifact_no_service", undefined)));
    return ids;
  }
  for (const end of runs) {
    const { directory, run } = end;
    const request = { directory, suite: run.suite.name, shard: run.shard, retentionDays, signal };
    const [upload, ...others] = await log.group(`Artifact of ${run.suite.name}`, () =>
      Promise.all([uploadRun(request), ...leaveBaseline(end, { signal, context })]),
    );
    if (upload.kind === "uploaded") ids.set(end, upload.id);
    for (const one of [upload, ...others])
      if (one.kind === "failed") log.warning(noteOf(problem("artifact_failed", one)));
  }
  return ids;
}

/** GitHub's longest for public repositories. */
const baselineDays = 90;

/** What a later run compares itself with; of the base branch's own runs, also the mark by which equal inputs are found. */
function leaveBaseline(
  { directory, run }: StepEnd & { readonly kind: "finished" },
  { signal, context }: Pick<Step, "signal" | "context">,
): readonly Promise<Upload>[] {
  // A part has no verdict, and a run that was stopped is no baseline.
  if (run.shard !== undefined || run.status !== "completed") return [];
  const scores = ["run.json", "scores.jsonl"].map((name) => join(directory, name));
  const kept = { directory, retentionDays: baselineDays, signal };
  const { name } = run.suite;
  const isTrusted = trustedEvents.some((event) => event === context.event);
  return [
    uploadFiles({ ...kept, name: scoresArtifactName(name), files: scores }),
    ...(isTrusted
      ? [
          uploadFiles({
            ...kept,
            name: inputsArtifactName(name, run.input_hash),
            files: scores.slice(0, 1),
          }),
        ]
      : []),
  ];
}

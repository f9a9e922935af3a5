import { join } from "node:path";
import { formatProblem, problem } from "../domain/refusal.ts";
import {
  hasArtifactService,
  openDeadline,
  uploadFiles,
  uploadRun,
  type Upload,
  type UploadDeadline,
} from "../platform/artifact.ts";
import { inputsArtifactName, scoresArtifactName } from "../platform/artifact-names.ts";
import { trustedEvents } from "../platform/baseline-choose.ts";
import { noteOf } from "../platform/log.ts";
import type { StepEnd } from "./ends.ts";
import type { Step } from "./step.ts";

/** The artifact of each end; none where nothing was uploaded. */
export type ArtifactIds = ReadonlyMap<StepEnd, number>;

type Finished = StepEnd & { readonly kind: "finished" };

/** Suites whose artifacts are on their way at a time: one that hangs does not hold up all others. */
const mostAtOnce = 4;

/** Uploads the run directory of each suite, all within one time. What fails is said, and changes no verdict. */
export async function uploadRuns(
  ends: readonly StepEnd[],
  { retentionDays: asked }: { readonly retentionDays: number | undefined },
  step: Step,
): Promise<ArtifactIds> {
  // The base's outputs live as long as its scores, so that a change of the grader can be compared with them.
  const retentionDays = asked ?? (isOfBase(step) ? baselineDays : usualDays);
  const { log, signal, env } = step;
  const ids = new Map<StepEnd, number>();
  const runs = ends.flatMap((end) => (end.kind === "finished" ? [end] : []));
  // A cancelled job has seconds: they belong to what is on disk.
  if (runs.length === 0 || signal.aborted) return ids;
  if (!hasArtifactService(env)) {
    log.info(formatProblem(problem("artifact_no_service", undefined)));
    return ids;
  }
  const deadline = openDeadline();
  const uploads: Upload[] = [];
  const waiting = [...runs];
  const work = async (): Promise<void> => {
    for (let end = waiting.shift(); end !== undefined; end = waiting.shift()) {
      const [own, ...others] = await uploadOne(end, { ...step, retentionDays, deadline });
      if (own?.kind === "uploaded") ids.set(end, own.id);
      uploads.push(...(own ? [own] : []), ...others);
    }
  };
  const lanes = Array.from({ length: Math.min(mostAtOnce, runs.length) }, work);
  await log.group(`Artifacts of ${runs.map(({ run }) => run.suite.name).join(", ")}`, () =>
    Promise.all(lanes),
  );
  tellUploads(uploads, step);
  // In the order of the suites, whichever was done first.
  return new Map(
    runs.flatMap((end) => {
      const id = ids.get(end);
      return id === undefined ? [] : [[end, id] as const];
    }),
  );
}

interface Uploading extends Pick<Step, "signal" | "context"> {
  readonly retentionDays: number;
  readonly deadline: UploadDeadline;
}

/** The run's own artifact first. */
function uploadOne(end: Finished, around: Uploading): Promise<readonly Upload[]> {
  const { directory, run } = end;
  const request = { ...around, directory, suite: run.suite.name, shard: run.shard };
  return Promise.all([uploadRun(request), ...leaveBaseline(end, around)]);
}

function tellUploads(uploads: readonly Upload[], { log }: Pick<Step, "log">): void {
  for (const one of uploads)
    if (one.kind === "failed") log.warning(noteOf(problem("artifact_failed", one)));
  const late = uploads.filter((one) => one.kind === "late");
  const [first] = late;
  if (first === undefined) return;
  const found = { names: late.map(({ name }) => name).toSorted(), minutes: first.minutes };
  log.warning(noteOf(problem("artifacts_late", found)));
}

/** GitHub's longest for public repositories. */
const baselineDays = 90;
const usualDays = 14;

/** A run whose artifacts later runs may be compared with. */
function isOfBase({ context }: Pick<Step, "context">): boolean {
  return trustedEvents.some((event) => event === context.event);
}

/** What a later run compares itself with; of the base branch's own runs, also the mark by which equal inputs are found. */
function leaveBaseline(
  { directory, run }: Finished,
  { signal, context, deadline }: Uploading,
): readonly Promise<Upload>[] {
  // A part has no verdict, and a run that was stopped is no baseline.
  if (run.shard !== undefined || run.status !== "completed") return [];
  const scores = ["run.json", "scores.jsonl"].map((name) => join(directory, name));
  const kept = { directory, retentionDays: baselineDays, signal, deadline };
  const { name } = run.suite;
  return [
    uploadFiles({ ...kept, name: scoresArtifactName(name), files: scores }),
    ...(isOfBase({ context })
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

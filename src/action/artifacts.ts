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
import type { FinishedEnd, StepEnd } from "./ends.ts";
import { findShared } from "./shared-keys.ts";
import type { Step } from "./step.ts";

/** What became of the artifacts of a step's suites. */
export interface Uploaded {
  /** The artifact of each end; none where nothing was uploaded. */
  readonly ids: ReadonlyMap<StepEnd, number>;
  /** Ends whose key another job or step of this workflow run has too: a later run could not tell their scores apart. */
  readonly shared: ReadonlySet<StepEnd>;
}

/** Suites whose artifacts are on their way at a time: one that hangs does not hold up all others. */
const mostAtOnce = 4;

/** Uploads the run directory of each suite, all within one time. What fails is said, and changes no verdict. */
export async function uploadRuns(
  ends: readonly StepEnd[],
  { retentionDays: asked }: { readonly retentionDays: number | undefined },
  step: Step,
): Promise<Uploaded> {
  // The base's outputs live as long as its scores, so that a change of the grader can be compared with them.
  const retentionDays = asked ?? (isOfBase(step) ? baselineDays : usualDays);
  const { log, signal, env } = step;
  const ids = new Map<StepEnd, number>();
  const none: Uploaded = { ids, shared: new Set() };
  const runs = ends.flatMap((end) => (end.kind === "finished" ? [end] : []));
  // A cancelled job has seconds: they belong to what is on disk.
  if (runs.length === 0 || signal.aborted) return none;
  if (!hasArtifactService(env)) {
    log.info(formatProblem(problem("artifact_no_service", undefined)));
    return none;
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
  const inOrder = new Map(
    runs.flatMap((end) => {
      const id = ids.get(end);
      return id === undefined ? [] : [[end, id] as const];
    }),
  );
  return { ids: inOrder, shared: await findShared(runs, uploads, step) };
}

interface Uploading extends Pick<Step, "signal" | "context"> {
  readonly retentionDays: number;
  readonly deadline: UploadDeadline;
}

/** The run's own artifact first. */
function uploadOne(end: FinishedEnd, around: Uploading): Promise<readonly Upload[]> {
  const { directory, run } = end;
  const { shard, key } = run;
  const request = { ...around, directory, suite: run.suite.name, shard, key };
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
  { directory, run }: FinishedEnd,
  { signal, context, deadline }: Uploading,
): readonly Promise<Upload>[] {
  // A part has no verdict, and a run that was stopped is no baseline.
  if (run.shard !== undefined || run.status !== "completed") return [];
  const scores = ["run.json", "scores.jsonl"].map((name) => join(directory, name));
  const kept = { directory, retentionDays: baselineDays, signal, deadline };
  const { name } = run.suite;
  return [
    uploadFiles({ ...kept, name: scoresArtifactName(name, run.key), files: scores }),
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

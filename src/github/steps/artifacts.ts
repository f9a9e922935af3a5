import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { formatProblem, problem } from "../../model/refusal.ts";
import {
  hasArtifactService,
  openDeadline,
  uploadFiles,
  uploadRun,
  type Upload,
  type UploadDeadline,
} from "../artifacts/artifact.ts";
import { attemptName, keepAttempt, noteKept, type PlannedRun } from "../artifacts/attempts.ts";
import { inputsArtifactName, scoresArtifactName } from "../artifacts/artifact-names.ts";
import type { Verdict } from "../../model/outcomes/verdict.ts";
import type { Tools } from "../../tools.ts";
import type { WorkflowContext } from "../runner/context.ts";
import { traitsOf } from "../runner/events.ts";
import { githubPace } from "../api/pace.ts";
import { noteOf, type Log } from "../runner/log.ts";
import type { FinishedEnd, StepEnd } from "./ends.ts";
import { findShared } from "./shared-keys.ts";
import { leavePage } from "./pages.ts";
import type { Step } from "./step.ts";

/** The uploads of a step's runs while they are under way. */
export interface Uploads {
  /** The artifact ids of the ends, in the order of the suites, as far as they are uploaded. */
  readonly ids: () => ReadonlyMap<StepEnd, number>;
  /** The page ids of the ends, as far as they are uploaded. */
  readonly pages: () => ReadonlyMap<StepEnd, number>;
  readonly isUnderWay: (end: StepEnd) => boolean;
  /**
   * Finds ends whose key another job or step of this workflow run has, too: a later run could not tell their scores
   * apart.
   */
  readonly findShared: () => Promise<ReadonlySet<StepEnd>>;
  /**
   * Settles when all uploads have ended, and after 30 s at the latest, because the comment does not wait longer for its
   * link.
   */
  readonly soon: Promise<void>;
  /** Settles when all uploads have ended; failures have been reported by then. */
  readonly done: Promise<void>;
}

interface UploadOptions {
  readonly retentionDays: number | undefined;
  /** Verdicts that make the step red: the run's page names the consequence. */
  readonly failOn: readonly Verdict[];
  /** Runs that a re-run of this job resumes. */
  readonly keptFor: readonly PlannedRun[];
  /** Tools for making the runs' pages; undefined: pages are not wanted. */
  readonly pageTools: Tools | undefined;
}

/** Number of suites whose artifacts are uploaded at once, so that one that hangs does not block the others. */
const mostAtOnce = 4;
const soonSeconds = 30;

/**
 * Uploads the run directory of each suite, with one time limit for all. Failures are reported and do not change the
 * verdict.
 */
export function startUploads(
  ends: readonly StepEnd[],
  { retentionDays: asked, keptFor, pageTools, failOn }: UploadOptions,
  step: Step,
): Uploads {
  // The base's outputs are kept as long as its scores, so that a change of the grader can be compared with them.
  const retentionDays = asked ?? (isOfBase(step.context) ? baselineDays : usualDays);
  const { log, signal, env } = step;
  const runs = ends.flatMap((end) => (end.kind === "finished" ? [end] : []));
  // A cancelled job has only seconds left, which it needs for writing files.
  if (runs.length === 0 || signal.aborted) return noUploads;
  if (!hasArtifactService(env)) {
    log.info(formatProblem(problem("artifact_no_service", undefined)));
    return noUploads;
  }
  const ids = new Map<StepEnd, number>();
  const pages = new Map<StepEnd, number>();
  const underWay = new Set<StepEnd>(runs);
  const ended: Upload[] = [];
  const done = uploadAll(runs, {
    ...step,
    retentionDays,
    deadline: openDeadline(),
    ended,
    attempts: { planned: keptFor, kept: [] },
    pageTools,
    failOn,
    pageEnded: (end, page) => {
      if (page?.kind === "uploaded") pages.set(end, page.id);
    },
    ownEnded: (end, own) => {
      underWay.delete(end);
      if (own.kind === "uploaded") ids.set(end, own.id);
    },
  });
  const names = runs.map(({ run }) => run.suite.name).join(", ");
  return {
    // The ids have the order of the suites, not the order in which the uploads ended.
    ids: () =>
      new Map(
        runs.flatMap((end) => {
          const id = ids.get(end);
          return id === undefined ? [] : [[end, id] as const];
        }),
      ),
    pages: () => pages,
    isUnderWay: (end) => underWay.has(end),
    findShared: () => findShared(runs, ended, step),
    soon: log.group(`Artifacts of ${names}`, () => settleSoon(done, step)),
    done,
  };
}

const noUploads: Uploads = {
  ids: () => new Map(),
  pages: () => new Map(),
  isUnderWay: () => false,
  findShared: async () => new Set(),
  soon: Promise.resolve(),
  done: Promise.resolve(),
};

async function settleSoon(done: Promise<void>, { env, log }: Step): Promise<void> {
  const watch = new AbortController();
  const seconds = githubPace(env).timeoutSeconds(soonSeconds);
  const late = sleep(seconds * 1000, "late", { signal: watch.signal }).catch(() => "done");
  const first = await Promise.race([late, done]);
  watch.abort();
  if (first === "late")
    log.info(`Not uploaded within ${soonSeconds} s: comment and checks don't wait for it.`);
}

/** Uploads a few at a time. Rejects only because of a bug. */
async function uploadAll(runs: readonly FinishedEnd[], around: Uploading): Promise<void> {
  const waiting = [...runs];
  const work = async (): Promise<void> => {
    for (let end = waiting.shift(); end !== undefined; end = waiting.shift())
      await uploadOne(end, around);
  };
  await Promise.all(Array.from({ length: Math.min(mostAtOnce, runs.length) }, work));
  tellUploads(around.ended, around.log);
}

interface Uploading extends Pick<Step, "signal" | "context" | "log" | "env"> {
  readonly retentionDays: number;
  readonly deadline: UploadDeadline;
  readonly attempts: { readonly planned: readonly PlannedRun[]; readonly kept: string[] };
  /** Uploads that have ended, or will not happen. */
  readonly ended: Upload[];
  readonly pageTools: Tools | undefined;
  readonly failOn: readonly Verdict[];
  readonly pageEnded: (end: StepEnd, page: Upload | undefined) => void;
  /** Called when the upload of the run's own artifact has ended. */
  readonly ownEnded: (end: StepEnd, own: Upload) => void;
}

async function uploadOne(end: FinishedEnd, around: Uploading): Promise<void> {
  const { directory, run } = end;
  const { shard, key } = run;
  const own = uploadRun({ ...around, directory, suite: run.suite.name, shard, key });
  void own.then((upload) => around.ownEnded(end, upload));
  const all = [own, ...leaveBaseline(end, around)];
  const uploaded = all.map(async (upload) => around.ended.push(await upload));
  await Promise.all([...uploaded, leaveAttempt(end, around), leavePageOf(end, around)]);
}

async function leavePageOf(end: FinishedEnd, around: Uploading): Promise<void> {
  if (around.pageTools === undefined) return;
  const page = await leavePage(end, { ...around, tools: around.pageTools });
  if (page !== undefined) around.ended.push(page);
  around.pageEnded(end, page);
}

/** Keeps files for a re-run. If that fails, the post step tries again. */
async function leaveAttempt({ manifest, run }: FinishedEnd, around: Uploading): Promise<void> {
  const { attempts, env, log } = around;
  const planned = attempts.planned.find((each) => each.manifest === manifest);
  if (planned === undefined || run.status !== "completed") return;
  const end = await keepAttempt(planned, around);
  if (end?.kind !== "uploaded") return;
  const name = attemptName(planned, env);
  attempts.kept.push(name);
  noteKept(env, attempts.kept);
  log.info(`${manifest}: a re-run of this job adds its samples to those in ${name}.`);
}

function tellUploads(uploads: readonly Upload[], log: Log): void {
  for (const one of uploads)
    if (one.kind === "failed") log.warning(noteOf(problem("artifact_failed", one)));
  const late = uploads.filter((one) => one.kind === "late");
  const [first] = late;
  if (first === undefined) return;
  const found = { names: late.map(({ name }) => name).toSorted(), minutes: first.minutes };
  log.warning(noteOf(problem("artifacts_late", found)));
}

/** GitHub's longest retention for public repositories, in days. */
const baselineDays = 90;
const usualDays = 14;

/** True for a run whose artifacts may become baselines. */
function isOfBase(context: WorkflowContext): boolean {
  return traitsOf(context.event).baselines !== undefined && context.pull === undefined;
}

/**
 * Uploads the scores that later runs are compared with; on the base branch also the mark by which runs with equal
 * inputs are found.
 */
function leaveBaseline(
  { directory, run }: FinishedEnd,
  { signal, context, deadline }: Uploading,
): readonly Promise<Upload>[] {
  // A shard has no verdict, and a run that was stopped is no baseline.
  if (run.shard !== undefined || run.status !== "completed") return [];
  const scores = ["run.json", "scores.jsonl"].map((name) => join(directory, name));
  const kept = { directory, retentionDays: baselineDays, signal, deadline };
  const { name } = run.suite;
  return [
    uploadFiles({ ...kept, name: scoresArtifactName(name, run.key), files: scores }),
    ...(isOfBase(context)
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

import { problem } from "../../model/refusal.ts";
import type { PlannedRun } from "../artifacts/attempts.ts";
import { concludeStep, type StepConclusion } from "../runner/conclusion.ts";
import type { Settings } from "../runner/inputs.ts";
import { noteOf, type Log } from "../runner/log.ts";
import { artifactOutput, makeOutputs, writeOutputs, type OutputSource } from "../runner/outputs.ts";
import { writeStepSummary } from "../runner/summary.ts";
import { keyText } from "../runner/run-key.ts";
import { tellConclusion, tellEnd } from "../runner/tell.ts";
import { saveSummary, workspaceRoot } from "../runner/workspace.ts";
import { renderSection } from "../../report/comment.ts";
import { link } from "../../report/escape.ts";
import { renderSummary } from "../../report/markdown/markdown.ts";
import type { Tools } from "../../tools.ts";
import { startUploads, type Uploads } from "./artifacts.ts";
import type { Checks } from "./checks.ts";
import { circumstancesOf, type Known } from "./circumstances.ts";
import { suiteOf, viewOf, type StepEnd } from "./ends.ts";
import { tellGroup } from "./merge-queue.ts";
import { publish } from "./publish.ts";
import type { GitHubAccess, Step, StepOutput } from "./step.ts";

interface StepReport {
  readonly settings: Pick<Settings, "failOn" | "comment" | "retentionDays">;
  /** Tools for making the runs' pages; undefined: pages are not wanted. */
  readonly pageTools?: Tools | undefined;
  readonly ends: readonly StepEnd[];
  /** The folder of all runs. */
  readonly folder: string;
  readonly access: GitHubAccess;
  readonly checks: Checks;
  /** The pull request to comment on; undefined: there is none. */
  readonly pull: number | undefined;
  /** Runs that a re-run of this job resumes. */
  readonly keptFor?: readonly PlannedRun[];
  /** True if the pull request's check carries the verdict, instead of this step's conclusion. */
  readonly isByCheck?: boolean;
}

/**
 * Publishes how the suites ended: summary, artifacts, comment, checks, outputs; returns the step's exit code. Nothing
 * here can change the verdict; failures are warnings.
 */
export async function tellAll(report: StepReport, step: Step): Promise<number> {
  const { folder, settings } = report;
  const { failOn, comment } = settings;
  const summaryPath = await tellSummary(report, step);
  const { keptFor = [], pageTools } = report;
  const uploads = startUploads(report.ends, { ...settings, keptFor, pageTools }, step);
  await uploads.soon;
  const ends = await refuseShared(report, await uploads.findShared(), step);
  const all = ends.map((end) => ({
    end,
    artifactId: uploads.ids().get(end),
    pageId: uploads.pages().get(end),
    isUploading: uploads.isUnderWay(end),
  }));
  await tellPages(all, step);
  // The conclusion is made before publishing, so that a job that is cancelled from here on keeps the verdict of its
  // check.
  const conclusion = concludeStep(ends, { failOn, cancelled: step.signal.aborted });
  const urls = await publish(all, { ...report, comment, failOn }, step);
  const artifactIds = idsOf(uploads);
  const groupUrl =
    conclusion.stepCode === 0 ? "" : await tellGroup({ ...report, ends, comment, failOn }, step);
  const commentUrl = urls.commentUrl || groupUrl;
  tellOutputs(
    { ...urls, commentUrl, conclusion, ends, runPath: folder, summaryPath, artifactIds },
    step,
  );
  await uploads.done;
  if (idsOf(uploads).length > artifactIds.length) tellArtifacts(idsOf(uploads), step);
  if (report.isByCheck !== true) tellConclusion(conclusion, failOn, step.log);
  return conclusion.stepCode;
}

/**
 * Refuses suites whose key two jobs or steps of a workflow run share, because both would share one baseline. The page,
 * which already has its verdict, shows the refusal, too.
 */
async function refuseShared(
  { ends, isByCheck, settings }: StepReport,
  shared: ReadonlySet<StepEnd>,
  step: Step,
): Promise<readonly StepEnd[]> {
  // One report may be written to several pull requests, and no later run uses this job's uploads as its baseline.
  if (shared.size === 0 || isByCheck === true) return ends;
  const refused = ends.map((end) => (shared.has(end) ? refusedAsShared(end) : end));
  const { env, log } = step;
  const told = refused.filter((end, i) => end !== ends[i]);
  for (const end of told) tellEnd(end, settings.failOn, log);
  const texts = told.map((end) => summaryOf(end, step, nothingKnown));
  for (const found of await writeStepSummary(env, texts)) log.warning(noteOf(found));
  return refused;
}

/** Adds links to the pages below the summary, which was written before the pages existed. */
async function tellPages(
  all: readonly { readonly end: StepEnd; readonly pageId: number | undefined }[],
  step: Step,
): Promise<void> {
  const { context, env, log } = step;
  const lines = all.flatMap(({ end, pageId }) => {
    const { reportUrl } = circumstancesOf(end, context, { ...nothingKnown, pageId });
    if (reportUrl === undefined) return [];
    return [link(`Report of ${suiteOf(end)}: every case, before and now`, reportUrl)];
  });
  if (lines.length === 0) return;
  for (const found of await writeStepSummary(env, lines)) log.warning(noteOf(found));
}

function refusedAsShared(end: StepEnd): StepEnd {
  if (end.kind !== "finished" || end.run.key === undefined) return end;
  const { manifest, run } = end;
  const suite = run.suite.name;
  const found = problem("same_key", { suite, key: keyText(end.run.key) });
  return { kind: "refused", manifest, suite, problems: [found], exit: 2 };
}

function idsOf(uploads: Uploads): readonly number[] {
  return [...uploads.ids().values()];
}

/** Writes the summary. It comes before slower work, because the run's page shows the artifact anyway. */
async function tellSummary({ ends, folder, settings }: StepReport, step: Step): Promise<string> {
  const { env, log } = step;
  const workspace = workspaceRoot(env);
  const { failOn } = settings;
  const known = { artifactId: undefined, workspace, severalSuites: ends.length > 1, failOn };
  const texts = ends.map((end) => summaryOf(end, step, known));
  for (const found of await writeStepSummary(env, texts)) log.warning(noteOf(found));
  const paths: string[] = [];
  const save = async (where: string, all: readonly string[]): Promise<void> => {
    const { path, problems } = await saveSummary(where, all);
    for (const found of problems) log.warning(noteOf(found));
    paths.push(path);
  };
  // The uploaded run directory has the same text as the page.
  for (const [i, end] of ends.entries())
    if (end.kind === "finished") await save(end.directory, [texts[i] ?? ""]);
  if (ends.length !== 1 || paths.length === 0) await save(folder, texts);
  return paths.at(-1) ?? "";
}

const nothingKnown: Known = { artifactId: undefined, workspace: "", severalSuites: false };

/** The summary of one suite, however it ended. */
export function summaryOf(end: StepEnd, { secrets, context }: Step, known = nothingKnown): string {
  const circumstances = circumstancesOf(end, context, known);
  if (end.kind === "finished") {
    const { run, texts } = end;
    const content = run.suite.publish;
    return secrets.redact(renderSummary({ run, content, ...texts, circumstances })).trimEnd();
  }
  const view = viewOf(end, circumstances);
  // The suite's name may be the unreadable part, and people look for the manifest's path.
  const named = end.kind === "refused" ? { ...view, suite: end.manifest } : view;
  return secrets.redact(renderSection(named)(summaryBytes));
}

const summaryBytes = 100_000;

/** Writes the step's outputs and reports those that can't be written. */
export function tellOutputs(
  source: OutputSource,
  { log, env }: { readonly log: Log; readonly env: Step["env"] },
): void {
  const { values, problems } = makeOutputs(source);
  for (const found of [...problems, ...writeOutputs(env, values)]) log.warning(noteOf(found));
}

/** Writes the ids of artifacts again, because some may have been uploaded after the other outputs were written. */
function tellArtifacts(ids: readonly number[], { log, env }: StepOutput): void {
  for (const found of writeOutputs(env, artifactOutput(ids))) log.warning(noteOf(found));
}

/** Outputs of a step that judged nothing. */
export function tellNothing(
  conclusion: StepConclusion,
  ends: readonly StepEnd[],
  where: StepOutput,
): void {
  const nowhere = { runPath: "", summaryPath: "", artifactIds: [], commentUrl: "", checkUrls: [] };
  tellOutputs({ conclusion, ends, ...nowhere }, where);
}

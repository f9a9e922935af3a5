import { join } from "node:path";
import type { Secrets } from "./domain/secrets.ts";
import { formatProblem, problem, Refusal } from "./domain/refusal.ts";
import { exitCodes } from "./domain/verdict.ts";
import { runSuite } from "./pipeline.ts";
import type { Tools } from "./pipeline/tools.ts";
import { hasArtifactService, uploadRun } from "./platform/artifact.ts";
import { concludeStep, type SuiteEnd } from "./platform/conclusion.ts";
import { loadEvent, type RunEvent } from "./platform/event.ts";
import { readInputs, type Settings } from "./platform/inputs.ts";
import { createLog, noteOf, type Log } from "./platform/log.ts";
import { makeOutputs, writeOutputs, type OutputSource } from "./platform/outputs.ts";
import { createProgress } from "./platform/progress.ts";
import { describeRefusal } from "./platform/refused.ts";
import { writeSummary } from "./platform/summary.ts";
import { findSuites, folderNames } from "./platform/suites.ts";
import { tellBug, tellConclusion, tellEnd } from "./platform/tell.ts";
import { findDirectory, makeRunFolder, saveSummary, workspaceRoot } from "./platform/workspace.ts";
import { codeSpan, escapeLog, escapeMarkdown } from "./report/escape.ts";
import { openSecrets, openTools } from "./wiring.ts";

interface Step {
  readonly log: Log;
  readonly secrets: Secrets;
  readonly signal: AbortSignal;
}

interface Plan {
  readonly settings: Settings;
  readonly event: RunEvent;
  readonly suites: readonly PlannedSuite[];
  /** Holds every run; one suite's run is the folder itself. */
  readonly folder: string;
}

interface PlannedSuite {
  readonly manifest: string;
  /** The run's directory. */
  readonly out: string;
}

await main();

/** The front door of the action. What it exits with is the step's conclusion. */
async function main(): Promise<void> {
  const secrets = openSecrets(process.env);
  const escape = (text: string): string => escapeLog(secrets.redact(text));
  const log = createLog({ escape, workspace: workspaceRoot(process.env) });
  const bug = (cause: unknown): void => leave(stopOnBug(cause, log));
  process.on("uncaughtException", bug);
  process.on("unhandledRejection", bug);
  try {
    leave(await runAction({ log, secrets, signal: listenForCancel(log) }));
  } catch (cause) {
    bug(cause);
  }
}

/** Inputs → suites → runs → summary, artifacts, outputs → the step's exit code. */
async function runAction(step: Step): Promise<number> {
  try {
    const plan = await makePlan(step);
    return await report(plan, await runSuites(plan, step), step);
  } catch (cause) {
    if (!(cause instanceof Refusal)) throw cause;
    return reportRefusal(cause, step);
  }
}

async function makePlan({ log }: Step): Promise<Plan> {
  const read = readInputs(process.env);
  if (read.kind === "problems") throw new Refusal(read.problems);
  const { settings } = read;
  const directory = await findDirectory(workspaceRoot(process.env), settings.workingDirectory);
  // From here on a relative path means what it means to someone who starts the command line there.
  process.chdir(directory);
  const { manifests, skipped } = await findSuites(settings.suites, directory);
  if (skipped.length > 0) log.info(`JSON that is no suite, skipped: ${skipped.join(", ")}`);
  const folder = await makeRunFolder(process.env);
  const names = folderNames(manifests);
  const suites = manifests.map((manifest, i) => ({
    manifest,
    out: manifests.length === 1 ? folder : join(folder, names[i] ?? String(i)),
  }));
  if (suites.length > 1) log.info(`${suites.length} suites: ${manifests.join(", ")}`);
  return { settings, event: await loadEvent(process.env), suites, folder };
}

async function runSuites(plan: Plan, { log, secrets, signal }: Step): Promise<readonly SuiteEnd[]> {
  const { python, sandbox, failOn } = plan.settings;
  const tools = openTools({
    python,
    sandbox,
    report: createProgress(log.info, Date.now),
    secrets,
    signal,
    env: process.env,
    workingDirectory: process.cwd(),
  });
  const ends: SuiteEnd[] = [];
  for (const suite of plan.suites) {
    if (signal.aborted) break;
    const end = await log.group(`Suite ${suite.manifest}`, () => runOne(plan, suite, tools));
    tellEnd(end, failOn, log);
    ends.push(end);
  }
  return ends;
}

async function runOne(
  { settings, event }: Plan,
  { manifest, out }: PlannedSuite,
  tools: Tools,
): Promise<SuiteEnd> {
  const { baseline, candidates, tasks } = settings;
  try {
    const finished = await runSuite(
      {
        manifest,
        out,
        baseline: baseline?.kind === "path" ? baseline.path : baseline?.kind,
        candidates,
        tasks,
        resume: false,
        cache: settings.cache,
        publish: event.publish,
        git: event.git,
      },
      tools,
    );
    return { kind: "finished", manifest, ...finished };
  } catch (cause) {
    if (!(cause instanceof Refusal)) throw cause;
    return { kind: "refused", manifest, problems: cause.problems, exit: cause.exit };
  }
}

/** Nothing in here can change the verdict: what fails on the way is a warning. */
async function report(plan: Plan, ends: readonly SuiteEnd[], step: Step): Promise<number> {
  const { failOn } = plan.settings;
  const summaryPath = await tellSummary(plan, ends, step);
  const artifactIds = await uploadRuns(plan, ends, step);
  const conclusion = concludeStep(ends, { failOn, cancelled: step.signal.aborted });
  tellOutputs({ conclusion, ends, runPath: plan.folder, summaryPath, artifactIds }, step.log);
  tellConclusion(conclusion, failOn, step.log);
  return conclusion.stepCode;
}

/** Refused before the first suite was opened. */
async function reportRefusal(refusal: Refusal, { log, secrets }: Step): Promise<number> {
  const { problems, exit } = refusal;
  const end: SuiteEnd = { kind: "refused", manifest: "The step", problems, exit };
  tellEnd(end, [], log);
  for (const found of await writeSummary(process.env, [summaryOf(end, secrets)]))
    log.warning(noteOf(found));
  const conclusion = concludeStep([end], { failOn: [], cancelled: false });
  tellOutputs({ conclusion, ends: [end], runPath: "", summaryPath: "", artifactIds: [] }, log);
  return conclusion.stepCode;
}

async function tellSummary(
  { folder }: Plan,
  ends: readonly SuiteEnd[],
  { log, secrets }: Step,
): Promise<string> {
  const texts = ends.map((end) => summaryOf(end, secrets));
  for (const found of await writeSummary(process.env, texts)) log.warning(noteOf(found));
  const [first] = ends;
  if (ends.length === 1 && first?.kind === "finished") return join(first.directory, "summary.md");
  const { path, problems } = await saveSummary(folder, texts);
  for (const found of problems) log.warning(noteOf(found));
  return path;
}

function summaryOf(end: SuiteEnd, { redact }: Secrets): string {
  if (end.kind === "finished") return redact(end.summary);
  const { manifest, problems } = end;
  return redact(describeRefusal(manifest, problems, { text: escapeMarkdown, code: codeSpan }));
}

async function uploadRuns(
  { settings }: Plan,
  ends: readonly SuiteEnd[],
  { log, signal }: Step,
): Promise<readonly number[]> {
  const runs = ends.flatMap((end) => (end.kind === "finished" ? [end] : []));
  // A cancelled job has seconds: they belong to what is on disk.
  if (runs.length === 0 || signal.aborted) return [];
  if (!hasArtifactService(process.env)) {
    log.info(formatProblem(problem("artifact_no_service", undefined)));
    return [];
  }
  const ids: number[] = [];
  for (const { directory, run } of runs) {
    const { retentionDays } = settings;
    const request = { directory, suite: run.suite.name, retentionDays, signal };
    const upload = await log.group(`Artifact of ${run.suite.name}`, () => uploadRun(request));
    if (upload.kind === "uploaded") ids.push(upload.id);
    if (upload.kind === "failed") log.warning(noteOf(problem("artifact_failed", upload)));
  }
  return ids;
}

function tellOutputs(source: OutputSource, log: Log): void {
  const { values, problems } = makeOutputs(source);
  for (const found of [...problems, ...writeOutputs(process.env, values)])
    log.warning(noteOf(found));
}

/**
 * A cancelled job: the runner sends SIGINT, 7.5 seconds later SIGTERM, and kills what is left. The
 * first signal ends the run in good order, the second ends the process.
 */
function listenForCancel(log: Log): AbortSignal {
  const cancel = new AbortController();
  const onSignal = (): void => {
    if (cancel.signal.aborted) process.exit(exitCodes.interrupted);
    log.info(formatProblem(problem("interrupted", undefined)));
    cancel.abort();
  };
  process.on("SIGINT", onSignal);
  process.on("SIGTERM", onSignal);
  return cancel.signal;
}

function stopOnBug(cause: unknown, log: Log): number {
  const { GITHUB_SERVER_URL: server, GITHUB_ACTION_REPOSITORY: repository } = process.env;
  const known = server && repository ? `${server}/${repository}/issues` : undefined;
  tellBug(cause, known ?? "the issues of the repository that this action comes from", log);
  const code = exitCodes.bug;
  const conclusion = { verdict: "error", exitCode: code, stepCode: code } as const;
  tellOutputs({ conclusion, ends: [], runPath: "", summaryPath: "", artifactIds: [] }, log);
  return code;
}

/** Ends the process though an abandoned upload may hold a socket open; first what was printed must be out. */
function leave(code: number): void {
  process.exitCode = code;
  process.stdout.write("", () => process.exit(code));
}

import { join, posix } from "node:path";
import { problem, Refusal, type Problem } from "../../model/refusal.ts";
import type { BaseTree } from "../../model/outcomes/policy.ts";
import { exitCodes } from "../../model/outcomes/verdict.ts";
import { runSuite } from "../../runs/run-suite.ts";
import { readSuiteName } from "../../suite/policy/base-manifest.ts";
import { secretsAsked } from "../../suite/secrets-asked.ts";
import type { Tools } from "../../tools.ts";
import type { PullContext } from "../runner/context.ts";
import { readEvent } from "../runner/event.ts";
import { findForeignRun, type ForeignRun } from "../artifacts/fork-find.ts";
import { fetchOutputs, type FoundOutputs } from "./fork-outputs.ts";
import type { GitHub } from "../api/github.ts";
import { noteOf } from "../runner/log.ts";
import { writeStepSummary } from "../runner/summary.ts";
import { readJobKey } from "../runner/run-key.ts";
import { folderNames } from "../runner/suite-names.ts";
import { findSuites } from "../../wiring.ts";
import { tellEnd } from "../runner/tell.ts";
import { readWorkflows } from "../runner/workflow-file.ts";
import { makeRunFolder, workspaceRoot } from "../runner/workspace.ts";
import { escapeMarkdown } from "../../report/escape.ts";
import { openBase, openCi, type CiSite } from "./ci.ts";
import type { StepEnd } from "./ends.ts";
import { gatherChecks } from "./report-checks.ts";
import { pageTools, toolsOf } from "./step-tools.ts";
import type { StepSetup } from "./step-plan.ts";
import type { Step } from "./step.ts";
import { tellAll, tellNothing } from "./tell.ts";

/**
 * `mode: report`, in a `workflow_run`: takes the outputs of a fork's run, grades them again with the base's graders,
 * judges them by the base's policy, and writes comment and check on its pull request. No code of the fork runs here,
 * and none of its claims is trusted: not the pull request, not the commit, not a score, not a verdict.
 *
 * The verdict is the check on the pull request's head. This job's conclusion, which the pull request does not show,
 * only tells whether the job did its work. If the check can't be written, the job fails, because the verdict would
 * otherwise be invisible.
 */
export async function reportMode(setup: StepSetup, step: Step): Promise<number> {
  const { access } = setup;
  if (access.github === undefined) throw refused(problem("report_without_token", undefined));
  if (step.context.event !== "workflow_run")
    throw refused(problem("report_wrong_event", { event: step.context.event }));
  if (setup.settings.results !== undefined) return tellNoReport(notGradedAgain, step);
  const github = await access.github();
  const found = await findForeignRun(step.context, github);
  if (found.kind === "failed") throw new Refusal(found.problem, { exit: 4 });
  if (found.value.kind === "nothing") return tellNoReport(found.value.reason, step);
  const { run } = found.value;
  const checks = gatherChecks(setup.checks);
  const ends: StepEnd[] = [];
  for (const [i, pull] of run.pulls.entries()) {
    if (i === run.pulls.length - 1) checks.tellLast();
    ends.push(...(await reportOn({ pull, run, github, setup: { ...setup, checks } }, step)));
  }
  return endReport(ends, await checks.close(), step);
}

/** The exit code, which tells whether the report was made, whatever the verdict is. */
function endReport(ends: readonly StepEnd[], lost: readonly string[], step: Step): number {
  const { log, signal, context } = step;
  if (signal.aborted) return exitCodes.interrupted;
  for (const suite of lost)
    log.error(noteOf(problem("report_check_lost", { suite, sha: context.checkSha ?? "" })));
  const refusals = ends.flatMap((end) =>
    end.kind === "refused" && !end.problems.every(isOfTheRun) ? [end.exit] : [],
  );
  if (refusals.length > 0) return refusals.includes(2) ? exitCodes.refused : exitCodes.error;
  if (lost.length > 0) return exitCodes.error;
  log.info("The report is done; the verdict is the check's on the pull request.");
  return 0;
}

/** True if the fork's run left nothing that can be judged. The check reports that, and this job has done its work. */
function isOfTheRun({ code }: Problem): boolean {
  return code === "report_no_outputs";
}

const notGradedAgain =
  "Results of another tool can't be graded again here: their scores were given by the fork's own code, and what its job said of them is unverified.";

/**
 * Ends without a report: nobody made a mistake, and there is no pull request to report to. The job is green and logs
 * the reason.
 */
async function tellNoReport(reason: string, step: Step): Promise<number> {
  const { log, env } = step;
  log.info(reason);
  for (const found of await writeStepSummary(env, [`Nothing to report. ${escapeMarkdown(reason)}`]))
    log.warning(noteOf(found));
  tellNothing({ verdict: "neutral", exitCode: 0, stepCode: 0 }, [], step);
  return 0;
}

function refused(found: Problem): Refusal {
  return new Refusal(found);
}

interface Reported {
  readonly pull: PullContext;
  readonly run: ForeignRun;
  readonly github: GitHub;
  readonly setup: StepSetup;
}

async function reportOn(reported: Reported, step: Step): Promise<readonly StepEnd[]> {
  const { pull, run, setup } = reported;
  const { access, settings } = setup;
  const context = { ...step.context, pull, checkSha: pull.headSha };
  const here: Step = { ...step, context };
  const { log, env } = here;
  log.info(`Reports on pull request ${pull.number}, commit ${pull.headSha}: ${run.url}`);
  const base = { sha: pull.baseSha, ref: pull.baseRef };
  const workingDirectory = workspaceRoot(env);
  const tree = await openBase(
    base,
    { access: access, token: settings.token, workingDirectory },
    here,
  );
  try {
    const { ends, folder } = await judgeAll({ ...reported, tree }, here);
    const told = { ...setup, pageTools: pageTools(setup, here), isByCheck: true };
    await tellAll({ ...told, ends, folder, pull: pull.number }, here);
    return ends;
  } finally {
    process.chdir(workingDirectory);
    await tree.close();
  }
}

interface AtBase extends Reported {
  readonly tree: BaseTree;
}

/** Judges every suite of the base by the fork's outputs, or reports that there are none. */
async function judgeAll(
  at: AtBase,
  step: Step,
): Promise<{ readonly ends: readonly StepEnd[]; readonly folder: string }> {
  const { tree, run, pull, setup } = at;
  const { settings, access } = setup;
  await checkWorkflow(tree, run, step);
  const directory = join(tree.root, settings.workingDirectory);
  // The step works in the base's tree, which has the suites, graders and data.
  process.chdir(directory);
  const tools = toolsOf(settings, step);
  const { manifests } = await findSuites(settings.suites, directory);
  const defaultBranch = step.context.defaultBranch ?? pull.baseRef;
  const branches = [...new Set([pull.baseRef, defaultBranch])];
  const start = { at: { kind: "commit", sha: pull.baseSha }, branches } as const;
  const { workflowPath } = run;
  // The suites on the base branch were run by another job than this one.
  const { leg } = readJobKey(step.env);
  const of = { job: undefined, leg };
  const { overrides } = settings;
  const checkout = await openCi(
    { access: access, tools, start, workflowPath, workingDirectory: directory, of, overrides },
    step,
  );
  const folder = await makeRunFolder(step.env);
  const downloads = await makeRunFolder(step.env);
  const names = folderNames(manifests);
  const ends: StepEnd[] = [];
  for (const [i, manifest] of manifests.entries()) {
    if (step.signal.aborted) break;
    const out = manifests.length === 1 ? folder : join(folder, names[i] ?? String(i));
    const work = { ...at, manifest, out, checkout: checkout, tools, downloads };
    const end = await step.log.group(`Suite ${manifest}`, () => judgeOne(work, step));
    // With an empty `failOn` no verdict makes this job red.
    tellEnd(end, [], step.log);
    ends.push(end);
  }
  return { ends, folder };
}

/**
 * Checks that the run's workflow is one of the base's. A fork can bring its own workflow, or give one the name that
 * this workflow listens to. Only the base decides which workflow's runs leave baselines, and so what its outputs are
 * compared with.
 */
async function checkWorkflow(
  { root }: BaseTree,
  { workflowPath }: ForeignRun,
  { context, env }: Step,
): Promise<void> {
  const { path, name } = context.workflow;
  // GitHub takes this workflow from the default branch, which is checked out.
  const here = [...(await readWorkflows(workspaceRoot(env))), ...(await readWorkflows(root))];
  const own = here.find((each) => each.path === path) ?? here.find((each) => each.name === name);
  const names = own?.listensTo ?? [];
  if (names.length === 0)
    throw refused(problem("report_listens_to_nothing", { path: path ?? name }));
  const heard = (await readWorkflows(root)).filter((each) => names.includes(each.name));
  const paths = heard.map((each) => each.path);
  if (!paths.includes(workflowPath))
    throw refused(problem("report_other_workflow", { path: workflowPath, names, paths }));
  if (paths.length > 1) throw refused(problem("report_several_workflows", { names, paths }));
}

interface ToJudge extends AtBase {
  readonly manifest: string;
  readonly out: string;
  readonly checkout: CiSite;
  readonly tools: Tools;
  readonly downloads: string;
}

async function judgeOne(work: ToJudge, step: Step): Promise<StepEnd> {
  const { manifest, out, run, pull, tools, setup, checkout } = work;
  const suite = await readSuiteName(manifest, tools);
  const { id: runId, repository, url: source } = run;
  const { readRun, visitSamples } = tools;
  const key = {
    path: posix.join(setup.settings.workingDirectory, manifest),
    ...readJobKey(step.env),
  };
  const asked = { runId, suite, of: key, folder: work.downloads, readRun, visitSamples };
  const outputs = await fetchOutputs(asked, work.github);
  if (outputs.kind !== "found") return endWithout(outputs, { ...work, suite });
  const { baseline, candidates, tasks, overrides } = setup.settings;
  const { samples } = outputs;
  try {
    const finished = await runSuite(
      {
        manifest,
        out,
        baseline: baseline?.kind === "path" ? baseline.path : baseline?.kind,
        candidates,
        tasks,
        choices: { overrides },
        resume: false,
        cache: false,
        publish: readEvent(step.env, setup.payload).publish,
        git: { sha: pull.headSha, base_sha: pull.baseSha, ref: `refs/pull/${pull.number}/head` },
        // The gate is the base's, so its labels count here as in any pull request.
        ci: checkout.ci,
        ofChange: true,
        key,
        outputsFrom: { samples, candidates: outputs.candidates, repository, source },
      },
      tools,
    );
    return { kind: "finished", manifest, ...finished };
  } catch (cause) {
    if (!(cause instanceof Refusal)) throw cause;
    return { kind: "refused", manifest, problems: cause.problems, exit: cause.exit };
  }
}

/**
 * The end of a suite without outputs. A fork without the secrets that the base's candidates need has run nothing, which
 * is nobody's mistake.
 */
async function endWithout(
  outputs: Exclude<FoundOutputs, { readonly kind: "found" }>,
  { manifest, suite, run, pull, tools, setup }: ToJudge & { readonly suite: string },
): Promise<StepEnd> {
  const { overrides } = setup.settings;
  const missing = outputs.kind === "none" ? await secretsAsked(manifest, { overrides }, tools) : [];
  if (missing.length > 0) {
    const who = pull.isFork ? "fork" : "dependabot";
    return { kind: "not_run", manifest, suite, reason: { kind: "no_secrets", who, missing } };
  }
  const reason = outputs.kind === "none" ? "it left no such artifact" : outputs.reason;
  const code = outputs.kind === "failed" ? "report_outputs_failed" : "report_no_outputs";
  const found = problem(code, { suite, source: run.url, reason });
  return { kind: "refused", manifest, problems: [found], exit: 4 };
}

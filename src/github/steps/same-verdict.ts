import { join } from "node:path";
import { Refusal } from "../../model/refusal.ts";
import type { Run } from "../../model/outcomes/run.ts";
import type { Tools } from "../../tools.ts";
import { downloadArtifact } from "../artifacts/artifact-download.ts";
import { noteRuns } from "../artifacts/attempts.ts";
import { createBaselineApi } from "../baseline/api.ts";
import { chooseArtifact } from "../baseline/choose.ts";
import { concludeStep, type SuiteEnd } from "../runner/conclusion.ts";
import { runPage } from "../runner/context.ts";
import type { GitHub } from "../api/github.ts";
import type { HeadRun } from "../api/head-runs.ts";
import { findLastRun, readQuietEvent, whyNotSame, type QuietEvent } from "../api/last-run.ts";
import { noteOf } from "../runner/log.ts";
import { runBounds } from "../artifacts/own-artifacts.ts";
import { attemptArtifact, wholeRun } from "../artifacts/run-artifacts.ts";
import { writeStepSummary } from "../runner/summary.ts";
import { tellConclusion, tellEnd } from "../runner/tell.ts";
import { makeRunFolder } from "../runner/workspace.ts";
import { readRunJson } from "../../wiring.ts";
import { leaveAlone, lookUpBy } from "./affected.ts";
import type { StepSetup, StepPlan } from "./step-plan.ts";
import { hasReadOnlyToken, type Step } from "./step.ts";
import { tellOutputs } from "./tell.ts";

interface Asked {
  readonly plan: StepPlan;
  readonly setup: StepSetup;
  readonly tools: Tools;
}

/**
 * For events that can't have changed the verdict: ends with the result of the last run for the same commits and policy,
 * and returns the step's exit code. undefined: there is no such run, or it can't be read, so the suites must be judged
 * in full.
 */
export async function endAsBefore(
  { plan, setup, tools }: Asked,
  step: Step,
): Promise<number | undefined> {
  const { context, log, signal } = step;
  const { settings, access } = setup;
  const quiet = readQuietEvent(context, setup.payload);
  if (quiet === undefined || access.github === undefined || signal.aborted) return undefined;
  // The runs of a fork are judged again where the secrets are, each from its own outputs.
  if (hasReadOnlyToken(context) || settings.shard !== undefined || settings.results !== undefined)
    return undefined;
  const github = await access.github();
  const doing = { what: "finding the last run of this commit", permission: "actions: read" };
  const found = await github.attempt(doing, () =>
    findBefore({ plan, setup: setup, tools, quiet, github }, step),
  );
  if (found.kind === "done" && found.value.kind === "found")
    return endLike(found.value.before, setup, step);
  const why = found.kind === "failed" ? found.problem.message : reasonOf(found.value);
  log.info(
    `This event changes neither commits nor approvals. Judged in full all the same: ${why}.`,
  );
  return undefined;
}

/** End of a commit's last run. */
interface Before {
  readonly run: HeadRun;
  readonly ends: readonly SuiteEnd[];
  readonly folder: string;
}

type FoundBefore =
  | { readonly kind: "found"; readonly before: Before }
  /** The reason, as a clause. */
  | { readonly kind: "none"; readonly reason: string };

function reasonOf(found: FoundBefore): string {
  return found.kind === "none" ? found.reason : "";
}

interface Looking extends Asked {
  readonly quiet: QuietEvent;
  readonly github: GitHub;
}

async function findBefore(looking: Looking, step: Step): Promise<FoundBefore> {
  const { plan, github } = looking;
  const { pull, workflow, runId: ownRunId } = step.context;
  if (pull === undefined || workflow.path === undefined)
    return { kind: "none", reason: "the workflow's file is not known" };
  const asked = { headSha: pull.headSha, workflowPath: workflow.path, ownRunId };
  const last = await findLastRun(asked, github);
  if (last.kind === "none") return last;
  const { run } = last;
  const folder = await makeRunFolder(step.env);
  const ends: SuiteEnd[] = [];
  const outs = new Map<string, string>();
  for (const [i, { manifest }] of plan.suites.entries()) {
    const directory = join(folder, String(i));
    const end = await findEnd({ ...looking, run, manifest, directory }, step);
    if (typeof end === "string") return { kind: "none", reason: `${manifest}: ${end}` };
    if (end.kind === "finished") outs.set(manifest, directory);
    ends.push(end);
  }
  const { stepCode } = concludeStep(ends, {
    failOn: looking.setup.settings.failOn,
    cancelled: false,
  });
  // Another job of that run may have failed, or a suite that is not among these.
  if ((stepCode === 0) !== (run.conclusion === "success"))
    return { kind: "none", reason: `run ${run.id} ended as ${run.conclusion ?? "nothing"}` };
  // The files are kept, because the next run of this kind, and a re-run, continue from them.
  const kept = [...outs].map(([manifest, out]) => ({ manifest, out, shard: undefined }));
  for (const each of noteRuns(step.env, kept)) step.log.warning(noteOf(each));
  return { kind: "found", before: { run, ends, folder } };
}

interface Suite extends Looking {
  readonly run: HeadRun;
  readonly manifest: string;
  readonly directory: string;
}

/** The end of a suite in that run, or a clause with the reason why it can't be reused. */
async function findEnd(asked: Suite, step: Step): Promise<SuiteEnd | string> {
  const { plan, setup, tools, manifest, directory, quiet } = asked;
  const { changedOnly } = setup.settings;
  const tree = plan.checkout.policyFrom;
  const alone = await leaveAlone(
    manifest,
    { changedOnly, tree },
    { ...step, lookUp: lookUpBy(tools) },
  );
  if (alone !== undefined) return alone;
  const trouble = await download(asked, step);
  if (trouble !== undefined) return trouble;
  const run = await readBefore(directory);
  if (typeof run === "string") return run;
  const { sha, pull } = step.context;
  const now = { quiet, sha, labels: pull?.labels ?? [], policy: tree && { sha: tree.sha } };
  const reason = whyNotSame(run, now);
  if (reason !== undefined) return reason;
  return { kind: "finished", manifest, run, directory, summary: "", warnings: [] };
}

/** Downloads the artifacts of the same step in that run; returns a clause if that fails. */
async function download(
  { run, manifest, directory, github }: Suite,
  { env }: Step,
): Promise<string | undefined> {
  const name = `${attemptArtifact({ manifest, shard: undefined }, env)}~${run.attempt}`;
  const listed = await createBaselineApi(github).listRunArtifacts(run.id);
  const artifact = chooseArtifact(listed, name);
  if (artifact === undefined) return `run ${run.id} left no ${name} that can still be had`;
  const { mostZipBytes } = wholeRun;
  const asked = { ...artifact, folder: directory, mostZipBytes, bounds: runBounds };
  const got = await downloadArtifact(asked, github);
  return got.kind === "refused" ? `${name}: ${got.reason}` : undefined;
}

async function readBefore(directory: string): Promise<Run | string> {
  try {
    return await readRunJson(directory);
  } catch (cause) {
    if (!(cause instanceof Refusal)) throw cause;
    return cause.problems[0]?.message ?? "it can't be read";
  }
}

async function endLike(
  { run, ends, folder }: Before,
  setup: StepSetup,
  step: Step,
): Promise<number> {
  const { log, env, context, signal } = step;
  const { failOn } = setup.settings;
  const page = runPage(context, run.id);
  const text = `Nothing was judged again: the commits, the policy and the approvals are those of ${page}, whose verdict stands. Re-run this job to add samples to it.`;
  log.info(text);
  for (const end of ends) tellEnd(end, failOn, log);
  for (const found of await writeStepSummary(env, [text])) log.warning(noteOf(found));
  const conclusion = concludeStep(ends, { failOn, cancelled: signal.aborted });
  const nowhere = { summaryPath: "", artifactIds: [], commentUrl: "", checkUrls: [] };
  tellOutputs({ conclusion, ends, runPath: folder, ...nowhere }, step);
  tellConclusion(conclusion, failOn, log);
  return conclusion.stepCode;
}

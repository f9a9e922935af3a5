import type { AttemptAsked } from "../../model/outcomes/attempts.ts";
import { Refusal } from "../../model/refusal.ts";
import { runSuite } from "../../runs/run-suite.ts";
import { readSuiteName } from "../../suite/policy/base-manifest.ts";
import { openJudgingFiles, type JudgingFiles } from "../../run/judging-files.ts";
import type { FinishedRun } from "../../run/finish.ts";
import type { RunRequest } from "../../runs/request.ts";
import type { Tools } from "../../tools.ts";
import { expectUploads } from "../artifacts/artifact.ts";
import { changeOf } from "../runner/context.ts";
import { tellEnd } from "../runner/tell.ts";
import { leaveAlone, lookAtAll, type AffectedContext, type LookUp } from "./affected.ts";
import type { StepEnd } from "./ends.ts";
import { goOn } from "./resume.ts";
import { endOfRefusal } from "./no-secrets.ts";
import { tellJudgedBefore } from "./judged-before.ts";
import { endAsBefore } from "./same-verdict.ts";
import type { Step } from "./step.ts";
import { tellAll } from "./tell.ts";
import {
  type StepSetup,
  type StepPlan,
  type PlannedSuite,
  makePlan,
  resumePlan,
  plannedRuns,
  keyOf,
} from "./step-plan.ts";
import { pageTools, toolsOf, commitOpener } from "./step-tools.ts";

/** `mode: run`: inputs → suites → runs → summary, artifacts, comment, checks, outputs → the step's exit code. */
export async function runMode(given: StepSetup, step: Step): Promise<number> {
  const made = await makePlan(given, step);
  const { setup } = made;
  try {
    const code = await endAsBefore(
      { plan: made, setup: setup, tools: toolsOf(setup.settings, step) },
      step,
    );
    if (code !== undefined) return code;
    await tellJudgedBefore(setup, step);
    const plan = await resumePlan(made, setup, step);
    const ends = await runSuites(plan, setup, step);
    const { folder } = plan;
    const pull = step.context.pull?.number;
    const keptFor = plannedRuns(plan, setup);
    return await tellAll(
      { ...setup, pageTools: pageTools(setup, step), ends, folder, pull, keptFor },
      step,
    );
  } finally {
    await made.checkout.close();
  }
}

async function runSuites(
  plan: StepPlan,
  setup: StepSetup,
  step: Step,
): Promise<readonly StepEnd[]> {
  const { log, signal } = step;
  const tools = { ...toolsOf(setup.settings, step), openCommit: commitOpener(setup, step) };
  const judging = openJudgingFiles(plan.checkout.policyFrom, tools);
  const affected = affectedContext({ plan, setup });
  const manifests = plan.suites.map(({ manifest }) => manifest);
  const together = await namesOf(manifests, tools);
  const lookUp = await lookAtAll(manifests, affected, tools);
  const ends: StepEnd[] = [];
  for (const suite of plan.suites) {
    if (signal.aborted) break;
    const run = (): Promise<StepEnd> =>
      runOne({ plan, suite, setup, step, judging, lookUp, together }, tools);
    const what = setup.settings.results === undefined ? "Suite" : "Results";
    const end = await log.group(`${what} ${suite.manifest}`, run);
    tellEnd(end, setup.settings.failOn, log);
    ends.push(end);
  }
  return ends;
}

interface Running {
  readonly plan: StepPlan;
  readonly suite: PlannedSuite;
  readonly setup: StepSetup;
  readonly step: Step;
  readonly judging: JudgingFiles;
  readonly lookUp: LookUp;
  /** The suites' names. */
  readonly together: readonly string[];
}

/** The names of several suites; none of a suite that is alone. */
async function namesOf(manifests: readonly string[], tools: Tools): Promise<readonly string[]> {
  if (manifests.length === 1) return [];
  return Promise.all(manifests.map((each) => readSuiteName(each, tools)));
}

/** A manifest names the files that a run depends on; results name none, so they are always judged. */
function affectedContext({ plan, setup }: Pick<Running, "plan" | "setup">): AffectedContext {
  const { changedOnly, results } = setup.settings;
  return { changedOnly, tree: results === undefined ? plan.checkout.policyFrom : undefined };
}

async function runOne(running: Running, tools: Tools): Promise<StepEnd> {
  const { plan, suite, setup, step, lookUp } = running;
  const { manifest } = suite;
  const { policyFrom, mayReuseRun } = plan.checkout;
  let begun: string | undefined;
  try {
    const alone = await leaveAlone(manifest, affectedContext(running), { ...step, lookUp });
    if (alone !== undefined) return alone;
    const key = await keyOf(manifest, setup, { ...step, tools });
    const asked = requestOf(running);
    const run = (attempt: AttemptAsked): Promise<FinishedRun> =>
      runSuite(
        {
          ...asked,
          key,
          resume: attempt.before !== undefined,
          attempt,
          starting: (name) => {
            plan.claim(name, manifest);
            begun = name;
            setup.checks.begin(name);
            void expectUploads(step.env);
          },
          // A re-run adds samples, and reusing an earlier run would add none.
          mayReuseRun: mayReuseRun && attempt.before === undefined && attempt.unread === undefined,
        },
        tools,
      );
    return { kind: "finished", manifest, ...(await goOn(suite, run, step)) };
  } catch (cause) {
    if (!(cause instanceof Refusal)) throw cause;
    const base = policyFrom && { ...policyFrom, overrides: setup.settings.overrides };
    const around = { tools, context: step.context, policyFrom: base };
    return endOfRefusal(cause, { manifest, begun }, around);
  }
}

/** The request for a suite's run, from the inputs, the event and the base. */
function requestOf({
  plan,
  suite,
  setup,
  step,
  judging,
  together,
}: Running): Omit<RunRequest, "resume"> {
  const { baseline, candidates, tasks, cache, shard, results, strict } = setup.settings;
  const { maxSamples, overrides } = setup.settings;
  const { ci, policyFrom } = plan.checkout;
  const { path: workflow } = step.context.workflow;
  return {
    manifest: suite.manifest,
    out: suite.out,
    baseline: baseline?.kind === "path" ? baseline.path : baseline?.kind,
    candidates,
    tasks,
    choices: { maxSamples, overrides },
    shard,
    strict,
    cache,
    publish: plan.event.publish,
    git: plan.event.git,
    // A change is responsible for what it broke.
    ofChange: changeOf(step.context) !== undefined,
    ci,
    policyFrom: policyFrom && { ...policyFrom, ...(workflow !== undefined && { workflow }) },
    results,
    judging,
    together,
    ...(results && scoredBy(step.context)),
  };
}

/** The origin of results. A fork's job recorded them with the fork's code, which reports mention. */
function scoredBy({ pull, runUrl }: Step["context"]): Partial<RunRequest> {
  if (pull?.isFork !== true) return {};
  const repository = pull.headRepo ?? "a fork that is gone";
  return { scoredBy: { repository, source: runUrl ?? "", scored: true } };
}

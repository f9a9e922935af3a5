import { problem, Refusal } from "../../model/refusal.ts";
import { mergeShards } from "../../runs/merge-shards.ts";
import { validateSuite } from "../../runs/check-suite.ts";
import type { Tools } from "../../tools.ts";
import { noteOf } from "../runner/log.ts";
import { fetchShards, shardsOf, type FetchedShard } from "../artifacts/shards.ts";
import { tellEnd } from "../runner/tell.ts";
import { makeRunFolder } from "../runner/workspace.ts";
import { leaveAlone, lookUpBy } from "./affected.ts";
import type { StepEnd } from "./ends.ts";
import { endOfRefusal } from "./no-secrets.ts";
import { keyOf, makePlan, type StepSetup, type StepPlan } from "./step-plan.ts";
import { pageTools, toolsOf } from "./step-tools.ts";
import type { Step } from "./step.ts";
import { tellAll } from "./tell.ts";

/**
 * `mode: merge`: merges the shards of this workflow run's other jobs into one run per suite, and publishes like `mode:
 * run`.
 */
export async function mergeMode(setup: StepSetup, step: Step): Promise<number> {
  const plan = await makePlan(setup, step);
  try {
    return await mergeAll(plan, plan.setup, step);
  } finally {
    await plan.checkout.close();
  }
}

async function mergeAll(plan: StepPlan, setup: StepSetup, step: Step): Promise<number> {
  const { log, env } = step;
  const home = await makeRunFolder(env);
  const shards = await log.group("Shards", () => fetchShards(home, env));
  const { settings } = setup;
  const { candidates, tasks, maxSamples, overrides } = settings;
  const chosen = maxSamples ?? overrides;
  if (candidates.length + tasks.length > 0 || chosen !== undefined)
    log.warning(noteOf(problem("merge_chooses_nothing", undefined)));
  const ends: StepEnd[] = [];
  for (const suite of plan.suites) {
    if (step.signal.aborted) break;
    const work = { plan, suite, setup: setup, shards };
    const end = await log.group(`Suite ${suite.manifest}`, () => mergeOne(work, step));
    tellEnd(end, settings.failOn, log);
    ends.push(end);
  }
  const { folder } = plan;
  const pull = step.context.pull?.number;
  return tellAll({ ...setup, pageTools: pageTools(setup, step), ends, folder, pull }, step);
}

interface ToMerge {
  readonly plan: StepPlan;
  readonly suite: StepPlan["suites"][number];
  readonly setup: StepSetup;
  readonly shards: readonly FetchedShard[];
}

async function mergeOne({ plan, suite, setup, shards }: ToMerge, step: Step): Promise<StepEnd> {
  const { manifest, out } = suite;
  const { baseline, changedOnly } = setup.settings;
  const { ci, policyFrom } = plan.checkout;
  const tools = toolsOf(setup.settings, step);
  let begun: string | undefined;
  try {
    const asked = { changedOnly, tree: policyFrom };
    const alone = await leaveAlone(manifest, asked, { ...step, lookUp: lookUpBy(tools) });
    if (alone !== undefined) return alone;
    const finished = await mergeShards(
      {
        manifest,
        out,
        directories: await directoriesOf(manifest, shards, tools),
        baseline: baseline?.kind === "path" ? baseline.path : baseline?.kind,
        publish: plan.event.publish,
        key: await keyOf(manifest, setup, { ...step, tools }),
        starting: (name) => {
          plan.claim(name, manifest);
          begun = name;
          setup.checks.begin(name);
        },
        ci,
        policyFrom,
      },
      tools,
    );
    return { kind: "finished", manifest, ...finished };
  } catch (cause) {
    if (!(cause instanceof Refusal)) throw cause;
    return endOfRefusal(cause, { manifest, begun }, { tools, context: step.context, policyFrom });
  }
}

/**
 * The directories of a suite's shards. If there are none, the refusal explains why the suite can't be run: for a fork,
 * secrets may be missing.
 */
async function directoriesOf(
  manifest: string,
  shards: readonly FetchedShard[],
  tools: Tools,
): Promise<readonly string[]> {
  if (!shards.some((each) => each.manifest === manifest)) {
    const everything = { manifest, baseline: "none", candidates: [], tasks: [] };
    await validateSuite(everything, tools);
  }
  return shardsOf(manifest, shards);
}

import { join } from "node:path";
import { ownPolicyFolder } from "../../model/outcomes/policy.ts";
import { problem, Refusal } from "../../model/refusal.ts";
import { canonicalJson, type JsonObject } from "../../model/json.ts";
import type { Run } from "../../model/outcomes/run.ts";
import type { RunStore } from "../../model/ports/store.ts";
import { noResponseCache } from "../response-cache.ts";
import { choicesIn, type RunChoices } from "../../suite/selection/choices.ts";
import { execute } from "../execute.ts";
import type { Executed, Execution } from "../execute.ts";
import type { OpenedSuite } from "../../suite/policy/open.ts";
import type { PrepareRequest, Prepared } from "../../suite/prepare.ts";
import type { Tools } from "../../tools.ts";
import { collectSamples } from "./collect.ts";
import { hashPlan } from "./part.ts";
import { readShards } from "./read.ts";
import type { ShardRun, ShardRuns } from "./read.ts";

/** The shards' choices of candidates and tasks: the whole run has the same. */
export async function chosenBy(
  shards: ShardRuns,
  tools: Tools,
): Promise<Pick<PrepareRequest, "candidates" | "tasks" | "choices" | "recorded">> {
  const [{ run }] = shards;
  const { not_selected: left } = run.suite;
  return {
    choices: await choicesBy(shards, tools),
    // All candidates if all were run, because the change's own policy may know others. Ids contain no characters with a
    // meaning in globs.
    candidates: left.candidates.length === 0 ? [] : run.candidates.map(({ id }) => id),
    tasks: left.tasks.length === 0 ? [] : Object.keys(run.suite.tasks),
    recorded: true,
  };
}

/**
 * The shards' choices by flags. A run does not distinguish flags from its manifest. If the change alters the policy,
 * choices that both runs of a shard share count as flags; differing ones come from their manifests.
 */
async function choicesBy(
  [{ run, directory }]: ShardRuns,
  { files, readRun }: Tools,
): Promise<RunChoices> {
  const ownDirectory = join(directory, ownPolicyFolder);
  const chosen = choicesIn(run);
  if ((await files.inspectPath(join(ownDirectory, "run.json"))).kind === "missing") return chosen;
  const own = choicesIn((await readRun(ownDirectory)).run);
  const repeats = { ...own.repeats, ...chosen.repeats };
  const alike = Object.entries(repeats).filter(([id, n]) => (own.repeats[id] ?? n) === n);
  const isEqual = (key: "maxSamples" | "metadata"): boolean =>
    canonicalJson(chosen[key] ?? null) === canonicalJson(own[key] ?? null);
  return {
    overrides: chosen.overrides,
    repeats: Object.fromEntries(alike),
    ...(isEqual("maxSamples") && { maxSamples: chosen.maxSamples }),
    ...(isEqual("metadata") && { metadata: chosen.metadata }),
  };
}

/** Refuses a suite that differs from the one that the shards ran. */
export async function checkSuite(
  { prepared, policy }: OpenedSuite,
  [{ run, shard }]: ShardRuns,
  { files }: Tools,
): Promise<void> {
  const theirs = run.policy;
  if (theirs !== undefined && policy === undefined)
    throw new Refusal(problem("merge_policy_needed", { source: theirs.source }));
  if (theirs === undefined && policy !== undefined)
    throw new Refusal(problem("merge_policy_not_run", { source: policy.source }));
  if (theirs?.sha !== policy?.sha) {
    const what = "the commits of the base, whose policy judges,";
    throw new Refusal(problem("merge_other_suite", { what, suite: prepared.suite.path }));
  }
  await checkPlan(prepared, { run, shard }, files);
}

async function checkPlan(
  prepared: Prepared,
  { run, shard }: Pick<ShardRun, "run" | "shard">,
  { hashText }: Tools["files"],
): Promise<void> {
  const { plan } = await hashPlan(prepared, hashText);
  const isSame = prepared.version === run.suite.version;
  if (isSame && plan === shard.plan) return;
  const what = isSame ? "its cases" : "its tasks, data, graders or prompts";
  throw new Refusal(problem("merge_other_suite", { what, suite: prepared.suite.path }));
}

/** A run over the shards' samples. Only batch graders run again, because they now receive all samples. */
export async function executeMerged(
  work: Omit<Execution, "memory"> & { readonly shards: ShardRuns },
  tools: Tools,
): Promise<Executed> {
  const { shards, store } = work;
  const prepared = asTheShards(work.prepared, shards);
  const filled = await collectSamples({ prepared, shards, store }, tools);
  const executed = await execute(
    { ...work, prepared, store: filled, memory: noResponseCache },
    tools,
  );
  const { draft } = executed;
  const timing = timingOf(draft.timing, shards);
  const merged = shards.map(({ run }) => run.id);
  const opened = [...new Set(shards.flatMap(({ run }) => run.opened ?? []))].toSorted();
  const seen = opened.length > 0 && { opened };
  return { ...executed, draft: { ...draft, timing, merged, ...seen } };
}

/** The input hash and the sandbox come from the shards: their candidates and graders ran. */
function asTheShards(prepared: Prepared, shards: ShardRuns): Prepared {
  const { input_hash } = shards[0].run;
  const sandbox = sandboxOf(shards);
  return { ...prepared, inputHash: input_hash, sandbox: () => sandbox };
}

/** If the shards' sandboxes differ, lists each. */
function sandboxOf(shards: ShardRuns): Run["sandbox"] {
  const used = shards.map(({ run }) => run.sandbox).filter(({ level }) => level !== "unused");
  const [first] = used;
  if (first === undefined) return shards[0].run.sandbox;
  const levels = [...new Set(used.map(({ level }) => level))];
  if (levels.length === 1) return first;
  const details: JsonObject = Object.fromEntries(
    shards.map(({ run, shard }) => [`shard ${shard.index}`, run.sandbox.level]),
  );
  return { level: levels.toSorted().join(", "), details };
}

/** Duration of the slowest shard plus this run's; waiting times are summed. */
function timingOf(own: Run["timing"], shards: readonly ShardRun[]): Run["timing"] {
  const slowest = Math.max(...shards.map(({ run }) => run.timing.seconds));
  const graded = shards.reduce((sum, { run }) => sum + run.timing.grade_seconds, 0);
  return {
    seconds: milliseconds(own.seconds + slowest),
    generate_seconds: own.generate_seconds,
    grade_seconds: milliseconds(own.grade_seconds + graded),
  };
}

function milliseconds(seconds: number): number {
  return Math.round(seconds * 1000) / 1000;
}

/** Merges the shards' second runs, by the change's own policy. */
export async function mergeOwn(
  first: Omit<Execution, "memory" | "spent"> & {
    readonly shards: ShardRuns;
    readonly executed: Executed;
    readonly own: Prepared;
  },
  tools: Tools,
): Promise<Executed & { readonly store: RunStore }> {
  const { shards, own, executed, request, baseline } = first;
  const directories = shards.map(({ directory }) => join(directory, ownPolicyFolder));
  const ownShards = await readShards(directories, tools);
  await checkPlan(own, ownShards[0], tools.files);
  const store = await tools.openRunStore({
    directory: join(first.store.directory, ownPolicyFolder),
    resume: false,
    inputHash: ownShards[0].run.input_hash,
    runId: tools.newRunId(),
    createdAt: new Date(tools.now()).toISOString(),
  });
  try {
    const { spent } = executed;
    const work = { request, prepared: own, store, spent, baseline, shards: ownShards };
    return { ...(await executeMerged(work, tools)), store };
  } catch (error) {
    await store.release();
    throw error;
  }
}

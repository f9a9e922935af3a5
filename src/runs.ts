import type { AttemptAsked } from "./model/attempts.ts";
import type { CiContext } from "./model/baseline.ts";
import type { RunPlan } from "./model/plan.ts";
import type { BaseTree } from "./model/policy.ts";
import type { Problem } from "./model/refusal.ts";
import type { ResultsAsked } from "./model/results.ts";
import type { Run, RunKey } from "./model/run.ts";
import type { ShardChoice } from "./model/shard.ts";
import type { PublishContent } from "./model/suite.ts";
import { checkBaseline, findBaseline } from "./verdict/baseline.ts";
import { beyondProof } from "./plan/undetectable.ts";
import type { RunChoices } from "./suite/choices.ts";
import { createResponseCache, mayBelieve, noResponseCache } from "./run/response-cache.ts";
import type { ResponseCache } from "./run/response-cache.ts";
import type { Baseline } from "./verdict/conclude.ts";
import { confirmDrops } from "./run/confirm/confirm.ts";
import { execute } from "./run/execute.ts";
import { openStore } from "./run/open-store.ts";
import type { Executed } from "./run/execute.ts";
import { finish } from "./run/finish.ts";
import { firstRowsOnly } from "./suite/first-rows.ts";
import type { FinishedRun, OpenRun } from "./run/finish.ts";
import type { ForeignOutputs } from "./suite/foreign-outputs.ts";
import { openingTools } from "./suite/opening-tools.ts";
import { openSuite } from "./suite/policy/open.ts";
import type { OpenedSuite, OpenRequest } from "./suite/policy/open.ts";
import { openingsOf, whileWatched, withOpenings } from "./run/watched.ts";
import { runByOwnPolicy } from "./run/own-policy/own-run.ts";
import type { Prepared } from "./suite/prepare.ts";
import { planWith, tellPlan } from "./run/tell-plan.ts";
import { makeBaselines, planRerun } from "./run/rerun/baselines.ts";
import type { Rerunned } from "./run/rerun/rerun.ts";
import { followBaseline } from "./suite/imported/follow.ts";
import { baselineFor, seekBaseline } from "./verdict/seek-baseline.ts";
import { refuseIdle } from "./suite/imported/idle.ts";
import { spentOnAll } from "./run/rerun/side-store.ts";
import { usedBy, withRerun } from "./run/rerun/taken.ts";
import { checkSuite, chosenBy, executeMerged, mergeOwn } from "./run/shard/merge.ts";
import { takeShard } from "./run/shard/part.ts";
import { readShards } from "./run/shard/read.ts";
import type { ShardRuns } from "./run/shard/read.ts";
import { soughtBy } from "./verdict/sought.ts";
import type { Tools } from "./tools.ts";
import { refuseSlips, tellWarnings } from "./suite/strict.ts";
import { findEqual, standIn } from "./run/reuse-run.ts";

export type { FinishedRun } from "./run/finish.ts";

/** A suite, and which parts of it to use. */
export interface SuiteRequest {
  /** The manifest's path. */
  readonly manifest: string;
  /**
   * A run directory, several pooled ones, or `none`. With `auto` or undefined the manifest decides; without a decision
   * there, one is searched for.
   */
  readonly baseline: string | readonly string[] | undefined;
  /** Globs of slot names and of task ids; empty: all. */
  readonly candidates: readonly string[];
  readonly tasks: readonly string[];
  /** Flags that override the manifest's `run`. */
  readonly choices?: RunChoices | undefined;
  /** The tree whose policy judges; undefined: the suite's own policy does. */
  readonly policyFrom?: BaseTree | undefined;
}

export interface RunRequest extends SuiteRequest {
  /** The run directory. undefined: `.regrade/runs/<run id>`. */
  readonly out: string | undefined;
  readonly resume: boolean;
  /** Refuses a suite with an almost certain mistake of its author. */
  readonly strict?: boolean | undefined;
  /** Runs the failed and ungraded samples of the finished run in `out` again, and stores the results there. */
  readonly rerun?: boolean;
  /** Number of the workflow run's attempt, if `resume` may continue an earlier one. */
  readonly attempt?: AttemptAsked | undefined;
  /** Whether answers of earlier runs may be reused. */
  readonly cache: boolean;
  /** Texts of cases that the summary may contain, if the manifest does not say. */
  readonly publish: PublishContent;
  readonly git: Run["git"];
  /** True for a change, which is responsible for the cases that it broke; false for the state of a branch. */
  readonly ofChange?: boolean | undefined;
  /** Key by which later runs find this one; undefined outside of CI. */
  readonly key?: RunKey | undefined;
  /** Runs only this part of the plan, which has no verdict of its own. undefined: all of it. */
  readonly shard?: ShardChoice | undefined;
  /** Access to earlier runs and approvals in CI; undefined: none. */
  readonly ci?: CiContext | undefined;
  /** An earlier run with the same inputs may be reused for this one, which then runs nothing. */
  readonly mayReuseRun?: boolean;
  /**
   * Called with the suite's name when everything except the baseline is known. The first sample does not wait for this
   * call.
   */
  readonly starting?: (suite: string) => void;
  /** Another tool's results, judged by rules without a manifest; `manifest` is their name in messages. */
  readonly results?: ResultsAsked | undefined;
  /** Foreign code that recorded the results, which are then unverified. */
  readonly scoredBy?: Run["outputs_from"];
  /** Outputs of a stranger's run, which are judged instead of running the candidates. */
  readonly outputsFrom?: ForeignOutputs | undefined;
}

/**
 * Runs a suite from its manifest to its verdict. Throws a Refusal, before the first sample, for problems that the user
 * can fix. If the signal stops the run, returns a complete run with the status `cancelled`.
 */
export async function runSuite(request: RunRequest, outside: Tools): Promise<FinishedRun> {
  const tools = await openingTools(request, "all", outside);
  const first = await openPart(request, tools);
  try {
    refuseSlips(request.strict, first.warnings);
    tellWarnings(first.warnings, tools);
    request.starting?.(first.prepared.suite.name);
    const sought = await soughtBy(request, first, tools);
    const asked = { ...request, baseInputs: first.baseInputs, sought };
    // This comes before any question or search, because there may be nothing to run.
    const equal =
      request.mayReuseRun && request.shard === undefined && first.prepared.recorded === undefined
        ? await findEqual({ ...request, sought }, first, tools.now())
        : undefined;
    const found = await seekBaseline(asked, first.prepared, tools);
    const opened = followBaseline(first, found);
    const { prepared, own } = opened;
    const after = found.kind === "sought" ? found.soon : undefined;
    const ownFound = own ? await seekBaseline({ ...asked, after }, own, tools) : found;
    if (equal === undefined && prepared.recorded === undefined)
      await tellPlan(prepared, found, tools);
    const store = await openStore(request, prepared, tools);
    try {
      const { ci } = request;
      if (equal && found.kind !== "rerun") {
        const baseline = found.kind === "sought" ? await found.soon : found;
        return await standIn({ request, opened, baseline, equal }, store, tools);
      }
      const toMake = {
        request: { ...request, directory: store.directory },
        opened,
        found,
        ownFound,
      };
      const made = await makeBaselines(toMake, tools);
      return await runOpened({ request, opened, store, ci, ...made }, tools);
    } finally {
      await store.release();
    }
  } finally {
    await first.close();
  }
}

/** Opens a suite, or the requested part of it. */
async function openPart(request: OpenRequest, tools: Tools): Promise<OpenedSuite> {
  const opened = await openSuite(request, tools);
  await refuseIdle(request, opened);
  const { shard } = request;
  if (shard === undefined) return opened;
  try {
    const { prepared, own } = opened;
    const { hashText } = tools.files;
    const part = await takeShard(prepared, shard, hashText);
    return { ...opened, prepared: part, own: own && (await takeShard(own, shard, hashText)) };
  } catch (error) {
    await opened.close();
    throw error;
  }
}

interface MergeRequest extends Pick<
  RunRequest,
  "out" | "baseline" | "publish" | "policyFrom" | "ci" | "starting" | "key"
> {
  /** The shards' run directories, in any order. */
  readonly directories: readonly string[];
  /** Path of the suite's manifest; undefined: the path that the shards used. */
  readonly manifest: string | undefined;
}

/**
 * Merges the shards of a run, grades what needs all samples, and judges once: the verdict equals that of an undivided
 * run. Throws a Refusal, and judges nothing, if shards are missing or don't belong to one run.
 */
export async function mergeShards(asked: MergeRequest, tools: Tools): Promise<FinishedRun> {
  const shards = await readShards(asked.directories, tools);
  const { git, suite, of_change: ofChange } = shards[0].run;
  const rest = { resume: false, cache: false, git, ofChange };
  const manifest = asked.manifest ?? suite.path;
  const request = { ...asked, ...rest, manifest, ...(await chosenBy(shards, tools)) };
  const opened = await openSuite(request, tools);
  try {
    await checkSuite(opened, shards, tools);
    const { prepared, own } = opened;
    request.starting?.(prepared.suite.name);
    const sought = await soughtBy(request, opened, tools);
    const toFind = { ...request, baseInputs: opened.baseInputs, sought };
    // The shards know their candidates, which are only names here.
    const inputHash = shards[0].run.input_hash;
    const found = await findBaseline(toFind, { ...prepared, inputHash }, tools);
    const ownFound = own ? await findBaseline(toFind, { ...own, inputHash }, tools) : found;
    const store = await openStore(request, { ...prepared, inputHash }, tools);
    try {
      const { ci } = request;
      const spent = spentOnAll(shards.map(({ run }) => run));
      const making = { ...request, directory: store.directory, spent };
      const made = await makeBaselines({ request: making, opened, found, ownFound }, tools);
      const seen = withOpenings(opened, openingsOf(shards));
      return await mergeOpened({ request, opened: seen, store, ci, ...made }, shards, tools);
    } finally {
      await store.release();
    }
  } finally {
    await opened.close();
  }
}

async function mergeOpened(work: Work, shards: ShardRuns, tools: Tools): Promise<FinishedRun> {
  const { request, opened, store, baseline, ownBaseline, rerun } = work;
  const { prepared, own, policy } = opened;
  const first = { request, prepared, store, shards };
  const all = { ...first, ...usedBy(rerun), baseline };
  const executed = withRerun(await executeMerged(all, tools), rerun);
  const isMerged = true;
  const confirming = { request, prepared, executed, store, slots: policy?.slots, isMerged };
  const confirmed = await confirmDrops(confirming, tools);
  if (own === undefined || confirmed.draft.status !== "completed")
    return finish(work, { first: confirmed, second: undefined }, tools);
  const toMerge = { ...first, executed: confirmed, own, baseline: ownBaseline };
  const merged = await mergeOwn(toMerge, tools);
  try {
    const again = { request, prepared: own, executed: merged, store: merged.store, isMerged };
    const second = await confirmDrops({ ...again, slots: undefined }, tools);
    const made = { first: confirmed, second: { ...second, store: merged.store } };
    return await finish(work, made, tools);
  } finally {
    await merged.store.release();
  }
}

export interface ValidateRequest extends SuiteRequest {
  readonly strict?: RunRequest["strict"];
  /**
   * True if a missing baseline that the manifest names is only a warning, because it may be made later. Otherwise it is
   * a problem, as for a run.
   */
  readonly baselineMayLack?: boolean;
}

/**
 * Checks everything that can be checked without running; returns warnings, throws problems. Reads only the first rows of
 * remote data sets.
 */
export async function validateSuite(request: ValidateRequest, outside: Tools): Promise<Prepared> {
  const tools = await openingTools(request, "first", outside);
  const opened = await openSuite({ ...request, checksOnly: true }, tools);
  const { prepared } = opened;
  for (const text of firstRowsOnly(prepared)) tools.report({ kind: "note", text });
  try {
    refuseSlips(request.strict, prepared.warnings);
    if (request.baselineMayLack === true) {
      const warnings = [
        ...(await checkBaseline(request, prepared, tools)),
        ...(await beyondProof(prepared)),
      ];
      return { ...prepared, warnings: [...prepared.warnings, ...warnings] };
    }
    await findBaseline(request, prepared, tools);
    return prepared;
  } finally {
    await opened.close();
  }
}

/**
 * Prepares a suite as for a run, and returns its plan and largest cost; two plans, one per policy, if the change alters
 * how it is judged. Writes only the rows of remote data sets, and asks no candidate.
 */
export async function planSuite(
  request: SuiteRequest & { readonly shard?: ShardChoice | undefined },
  outside: Tools,
): Promise<{ readonly plans: readonly RunPlan[]; readonly warnings: readonly Problem[] }> {
  const tools = await openingTools(request, "all", outside);
  const opened = await openPart(request, tools);
  try {
    const plans: RunPlan[] = [];
    for (const each of opened.own ? [opened.prepared, opened.own] : [opened.prepared]) {
      const found = await baselineFor(request, each, tools);
      plans.push(...(await planRerun({ ...request, found }, each, tools)));
      plans.push(await planWith(each, found, true));
    }
    return { plans, warnings: opened.warnings };
  } finally {
    await opened.close();
  }
}

interface Work extends OpenRun {
  readonly request: RunRequest;
  readonly baseline: Baseline | Promise<Baseline>;
  readonly ownBaseline: Baseline | Promise<Baseline>;
  /** Usage of the base's own run, if it was run for comparison. */
  readonly rerun: Rerunned | undefined;
}

async function runOpened(work: Work, tools: Tools): Promise<FinishedRun> {
  const { request, store, baseline, ownBaseline } = work;
  const inCi = work.ci !== undefined || Boolean(tools.candidateTools.environment["CI"]);
  const { directory } = store;
  const runs = [request.baseline ?? []].flat();
  const place = { opened: work.opened, inCi, directory, runs };
  const executing = whileWatched(place, (onAsked) => executeFirst(work, onAsked, tools), tools);
  const { result: executed, opened } = await executing;
  const watched = { ...work, opened };
  const { prepared, own, policy } = opened;
  const first = { request, prepared, store, baseline };
  const confirming = { request, prepared, executed, store, slots: policy?.slots };
  const confirmed = await confirmDrops(confirming, tools);
  if (own === undefined || confirmed.draft.status !== "completed")
    return finish(watched, { first: confirmed, second: undefined }, tools);
  const memory = await openMemory(work, tools);
  const { resume, attempt } = request;
  const known = { ...first, executed: confirmed, resume, attempt };
  const ran = await runByOwnPolicy(known, { own, memory, baseline: ownBaseline }, tools);
  try {
    const again = { request, prepared: own, executed: ran, store: ran.store, slots: undefined };
    const second = await confirmDrops({ ...again, earlier: confirmed.rounds }, tools);
    const made = { first: confirmed, second: { ...second, store: ran.store } };
    return await finish(watched, made, tools);
  } finally {
    await ran.store.release();
  }
}

/** The run by the first policy, with the budget that running the base has left. */
async function executeFirst(
  work: Work,
  onAsked: () => Promise<unknown>,
  tools: Tools,
): Promise<Executed> {
  const { request, opened, store, baseline, rerun } = work;
  const { prepared } = opened;
  const memory = await openMemory(work, tools);
  const first = { request, prepared, store, baseline, memory, onAsked };
  return withRerun(await execute({ ...first, ...usedBy(rerun) }, tools), rerun);
}

/** Answers of earlier runs; none if they must not be reused. */
async function openMemory(
  { request, opened: { prepared }, store }: Work,
  tools: Tools,
): Promise<ResponseCache> {
  // For samples that are asked again, stored answers are not used: an answer of another run would not be this run's
  // own, and a further attempt needs new evidence.
  const isAgain = store.previous !== undefined || store.earlier !== undefined;
  if (!request.cache || isAgain) return noResponseCache;
  if (request.policyFrom !== undefined && !(await mayBelieve(prepared, tools)))
    return noResponseCache;
  return createResponseCache(tools.openAnswerCache(store.runId), tools.files.hashText);
}

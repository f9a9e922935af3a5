import { confirmDrops } from "../run/confirm/confirm.ts";
import { finish } from "../run/finish.ts";
import type { FinishedRun } from "../run/finish.ts";
import { openStore } from "../run/open-store.ts";
import { makeBaselines } from "../run/rerun/baselines.ts";
import { spentOnAll } from "../run/rerun/side-store.ts";
import { usedBy, withRerun } from "../run/rerun/taken.ts";
import { checkSuite, chosenBy, executeMerged, mergeOwn } from "../run/shard/merge.ts";
import { readShards } from "../run/shard/read.ts";
import type { ShardRuns } from "../run/shard/read.ts";
import { openingsOf, withOpenings } from "../run/watched.ts";
import { openSuite } from "../suite/policy/open.ts";
import type { Tools } from "../tools.ts";
import { findBaseline } from "../verdict/baseline.ts";
import { soughtBy } from "../verdict/sought.ts";
import type { RunRequest } from "./request.ts";
import type { ReadyRun } from "./run-suite.ts";

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

async function mergeOpened(work: ReadyRun, shards: ShardRuns, tools: Tools): Promise<FinishedRun> {
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

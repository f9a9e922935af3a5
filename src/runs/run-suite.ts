import { confirmDrops } from "../run/confirm/confirm.ts";
import { execute } from "../run/execute.ts";
import type { Executed } from "../run/execute.ts";
import { finish } from "../run/finish.ts";
import type { FinishedRun, OpenRun } from "../run/finish.ts";
import { openJudgingFiles } from "../run/judging-files.ts";
import { openStore } from "../run/open-store.ts";
import { runByOwnPolicy } from "../run/own-policy/own-run.ts";
import { makeBaselines } from "../run/rerun/baselines.ts";
import type { Rerunned } from "../run/rerun/rerun.ts";
import { usedBy, withRerun } from "../run/rerun/taken.ts";
import { createResponseCache, mayBelieve, noResponseCache } from "../run/response-cache.ts";
import type { ResponseCache } from "../run/response-cache.ts";
import { findEqual, standIn } from "../run/reuse-run.ts";
import { takeShard } from "../run/shard/part.ts";
import { tellPlan } from "../run/tell-plan.ts";
import { watchCandidates, type CandidateWatch } from "../run/watched.ts";
import { followBaseline } from "../suite/imported/follow.ts";
import { refuseIdle } from "../suite/imported/idle.ts";
import { openingTools } from "../suite/opening-tools.ts";
import { openSuite } from "../suite/policy/open.ts";
import type { OpenedSuite, OpenRequest } from "../suite/policy/open.ts";
import { refuseSlips, tellWarnings } from "../suite/strict.ts";
import type { Tools } from "../tools.ts";
import type { Baseline } from "../verdict/conclude.ts";
import { seekBaseline } from "../verdict/seek-baseline.ts";
import { soughtBy } from "../verdict/sought.ts";
import type { RunRequest } from "./request.ts";

/**
 * Runs a suite from its manifest to its verdict. Throws a Refusal, before the first sample, for problems that the user
 * can fix. If the signal stops the run, returns a complete run with the status `cancelled`.
 */
export async function runSuite(request: RunRequest, outside: Tools): Promise<FinishedRun> {
  const writtenBefore = request.judging?.since();
  const tools = await openingTools({ ...request, writtenBefore }, "all", outside);
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
export async function openPart(request: OpenRequest, tools: Tools): Promise<OpenedSuite> {
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

/** A run whose directory and baselines are open. */
export interface ReadyRun extends OpenRun {
  readonly request: RunRequest;
  readonly baseline: Baseline | Promise<Baseline>;
  readonly ownBaseline: Baseline | Promise<Baseline>;
  /** Usage of the base's own run, if it was run for comparison. */
  readonly rerun: Rerunned | undefined;
}

async function runOpened(work: ReadyRun, tools: Tools): Promise<FinishedRun> {
  const { request, store, opened, ci } = work;
  const inCi = ci !== undefined || Boolean(tools.candidateTools.environment["CI"]);
  const runs = [request.baseline ?? []].flat();
  const judging = request.judging ?? openJudgingFiles(request.policyFrom, tools);
  const watched = { opened, inCi, directory: store.directory, runs, judging };
  const watch = watchCandidates(watched, tools);
  try {
    return await runWatched(work, watch, tools);
  } finally {
    await watch.end();
  }
}

async function runWatched(
  work: ReadyRun,
  { whileAsked, end }: CandidateWatch,
  tools: Tools,
): Promise<FinishedRun> {
  const { request, store, baseline, ownBaseline } = work;
  const { prepared, own, policy } = work.opened;
  const executed = await whileAsked((onAsked) => executeFirst(work, onAsked, tools));
  const first = { request, prepared, store, baseline };
  const confirming = { request, prepared, executed, store, slots: policy?.slots, whileAsked };
  const confirmed = await confirmDrops(confirming, tools);
  if (own === undefined || confirmed.draft.status !== "completed") {
    const made = { first: confirmed, second: undefined };
    return finish({ ...work, opened: await end() }, made, tools);
  }
  const memory = await openMemory(work, tools);
  const { resume, attempt } = request;
  const known = { ...first, executed: confirmed, resume, attempt };
  const ran = await whileAsked((onAsked) =>
    runByOwnPolicy({ ...known, onAsked }, { own, memory, baseline: ownBaseline }, tools),
  );
  try {
    const again = { request, prepared: own, executed: ran, store: ran.store, slots: undefined };
    const rounds = { ...again, earlier: confirmed.rounds, whileAsked };
    const second = await confirmDrops(rounds, tools);
    const made = { first: confirmed, second: { ...second, store: ran.store } };
    return await finish({ ...work, opened: await end() }, made, tools);
  } finally {
    await ran.store.release();
  }
}

/** The run by the first policy, with the budget that running the base has left. */
async function executeFirst(
  work: ReadyRun,
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
  { request, opened: { prepared }, store }: ReadyRun,
  tools: Tools,
): Promise<ResponseCache> {
  // For samples that are asked again, stored answers are not used: an answer of another run would not be this run's
  // own, and a further attempt needs new evidence.
  const isAgain = store.previous !== undefined || store.earlier !== undefined;
  if (!request.cache || isAgain) return noResponseCache;
  if (request.policyFrom !== undefined && !(await mayBelieve(prepared, tools)))
    return noResponseCache;
  const writtenBefore = request.judging?.since();
  return createResponseCache(
    tools.openAnswerCache(store.runId, writtenBefore),
    tools.files.hashText,
  );
}

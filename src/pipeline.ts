import { join } from "node:path";
import type { RunPlan } from "./domain/plan.ts";
import type { BaseTree } from "./domain/policy.ts";
import { formatProblem } from "./domain/refusal.ts";
import type { Problem } from "./domain/refusal.ts";
import type { Run } from "./domain/run.ts";
import type { RunStore } from "./domain/store.ts";
import type { PublishContent } from "./domain/suite.ts";
import { baselineSource, checkBaseline, findBaseline } from "./pipeline/baseline.ts";
import type { FoundBaseline } from "./pipeline/baseline.ts";
import { beyondProof } from "./pipeline/beyond-reach.ts";
import { createMemory, noMemory } from "./pipeline/cache.ts";
import type { Memory } from "./pipeline/cache.ts";
import type { Baseline } from "./pipeline/conclude.ts";
import { confirmDrops } from "./pipeline/confirm/confirm.ts";
import { planConfirmation } from "./pipeline/confirm/plan.ts";
import { diagnose } from "./pipeline/diagnose.ts";
import { planRun } from "./pipeline/estimate.ts";
import { execute } from "./pipeline/execute.ts";
import type { Executed } from "./pipeline/execute.ts";
import { judgeByPolicies } from "./pipeline/policy/judge.ts";
import type { Judgement } from "./pipeline/policy/judge.ts";
import { openSuite } from "./pipeline/policy/open.ts";
import type { Opened } from "./pipeline/policy/open.ts";
import { runByOwnPolicy } from "./pipeline/policy/own-run.ts";
import type { OwnRun } from "./pipeline/policy/own-run.ts";
import type { Prepared } from "./pipeline/prepare.ts";
import { makeBaselines, planRerun } from "./pipeline/rerun/baselines.ts";
import type { Rerunned } from "./pipeline/rerun/rerun.ts";
import { summarize } from "./pipeline/summarize.ts";
import type { Tools } from "./pipeline/tools.ts";
import { addSeconds, addUsage } from "./pipeline/usage.ts";
import { diagnosisLines } from "./report/diagnoses.ts";
import { planSentence } from "./report/plan.ts";

export interface RunRequest {
  /** The manifest's path. */
  readonly manifest: string;
  /** The run directory. undefined: `.regrade/runs/<run id>`. */
  readonly out: string | undefined;
  /** A run directory, several that are taken together, or `none`. undefined: what the manifest says. */
  readonly baseline: string | readonly string[] | undefined;
  /** Globs of slot names and of task ids; empty: all. */
  readonly candidates: readonly string[];
  readonly tasks: readonly string[];
  readonly resume: boolean;
  /** Whether answers of earlier runs may stand for new ones. */
  readonly cache: boolean;
  /** What text goes into the summary where the manifest does not say. */
  readonly publish: PublishContent;
  readonly git: Run["git"];
  /** The tree whose policy judges; undefined: the suite's own does. */
  readonly policyFrom?: BaseTree | undefined;
}

export interface FinishedRun {
  readonly run: Run;
  readonly directory: string;
  /** Markdown, as summary.md has it. */
  readonly summary: string;
  readonly warnings: readonly Problem[];
}

/**
 * Runs a suite from its manifest to its verdict. Throws a Refusal for what the user can mend, before the first
 * sample; where the signal stops it, it returns a whole run with the status `cancelled`.
 */
export async function runSuite(request: RunRequest, tools: Tools): Promise<FinishedRun> {
  const opened = await openSuite(request, tools);
  const { prepared, own } = opened;
  for (const warning of opened.warnings) {
    tools.report({ kind: "warning", text: formatProblem(warning) });
  }
  try {
    const found = await findBaseline(request, prepared, tools);
    const ownFound = own ? await findBaseline(request, own, tools) : found;
    await tellPlan(prepared, found, tools);
    const store = await openStore(request, prepared, tools);
    try {
      const directory = store.directory;
      const work = { request: { ...request, directory }, opened, found, ownFound };
      const made = await makeBaselines(work, tools);
      return await runOpened({ request, opened, store, ...made }, tools);
    } finally {
      await store.release();
    }
  } finally {
    await opened.close();
  }
}

export interface ValidateRequest extends Pick<
  RunRequest,
  "manifest" | "baseline" | "candidates" | "tasks" | "policyFrom"
> {
  /** A baseline that the manifest names is yet to be made: a warning. Otherwise it is a problem, as for a run. */
  readonly baselineMayLack?: boolean;
}

/** Checks everything that can be checked without running; returns the warnings, throws the problems. */
export async function validateSuite(request: ValidateRequest, tools: Tools): Promise<Prepared> {
  const opened = await openSuite(request, tools);
  const { prepared } = opened;
  try {
    if (request.baselineMayLack === true) {
      const warnings = [
        ...(await checkBaseline(request, prepared, tools)),
        ...beyondProof(prepared),
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
 * Prepares a suite as for a run, and says what the run would do and cost at most: a plan, or, where the change alters how it
 * is judged, one for each policy. Writes nothing, and asks nobody.
 */
export async function planSuite(
  request: Pick<RunRequest, "manifest" | "baseline" | "candidates" | "tasks" | "policyFrom">,
  tools: Tools,
): Promise<{ readonly plans: readonly RunPlan[]; readonly warnings: readonly Problem[] }> {
  const opened = await openSuite(request, tools);
  try {
    const plans: RunPlan[] = [];
    for (const each of opened.own ? [opened.prepared, opened.own] : [opened.prepared]) {
      const found = await findBaseline(request, each, tools);
      plans.push(...(await planRerun({ ...request, found }, each, tools)));
      plans.push(await planWith(each, found, true));
    }
    return { plans, warnings: opened.warnings };
  } finally {
    await opened.close();
  }
}

/** Where runs go that nobody gave a place. */
const ownFolder = ".regrade";

interface Work {
  readonly request: RunRequest;
  readonly opened: Opened;
  readonly baseline: Baseline;
  readonly ownBaseline: Baseline;
  readonly store: RunStore;
  /** What the base's own run took, where it was run for comparison. */
  readonly rerun: Rerunned | undefined;
}

async function runOpened(work: Work, tools: Tools): Promise<FinishedRun> {
  const { request, opened, store, baseline, ownBaseline } = work;
  const { prepared, own, policy } = opened;
  const first = { request, prepared, store, baseline };
  const executed = await executeFirst(work, tools);
  const confirming = { request, prepared, executed, store, slots: policy?.slots };
  const confirmed = await confirmDrops(confirming, tools);
  if (own === undefined || confirmed.draft.status !== "completed")
    return finish(work, { first: confirmed, second: undefined }, tools);
  const memory = openMemory(request, store, tools);
  const known = { ...first, executed: confirmed, resume: request.resume };
  const ran = await runByOwnPolicy(known, { own, memory, baseline: ownBaseline }, tools);
  try {
    const again = { request, prepared: own, executed: ran, store: ran.store, slots: undefined };
    const second = await confirmDrops({ ...again, earlier: confirmed.rounds }, tools);
    return await finish(work, { first: confirmed, second: { ...second, store: ran.store } }, tools);
  } finally {
    await ran.store.release();
  }
}

/** The run by the policy that comes first, on what the base's own run has left of the budget. */
async function executeFirst(work: Work, tools: Tools): Promise<Executed> {
  const { request, opened, store, baseline, rerun } = work;
  const { prepared } = opened;
  const memory = openMemory(request, store, tools);
  const first = { request, prepared, store, baseline, memory };
  if (rerun?.run === undefined) return execute(first, tools);
  const { spent, minutes: minutesUsed, run } = rerun;
  const executed = await execute({ ...first, spent, minutesUsed }, tools);
  return { ...executed, draft: addSeconds(addUsage(executed.draft, run), 60 * minutesUsed) };
}

interface Made {
  readonly first: Executed;
  readonly second: OwnRun | undefined;
}

/** Judges what has been made, and writes it down: the whole first, which names the second. */
async function finish(
  { opened, store }: Work,
  { first, second }: Made,
  tools: Tools,
): Promise<FinishedRun> {
  const { prepared, own: ownPrepared, policy, warnings } = opened;
  const judged = judgeByPolicies({ policy, first, second }, tools);
  const side = { run: judged.run, executed: first, prepared, store };
  const { run, summary } = await writeRun(side, tools);
  for (const text of diagnosisLines(run)) tools.report({ kind: "warning", text });
  if (second && ownPrepared && judged.own) {
    const own = { run: judged.own, executed: second, prepared: ownPrepared };
    await writeRun({ ...own, store: second.store }, tools);
  }
  return { run, directory: store.directory, summary, warnings };
}

/** Looks for what is wrong with a run's set-up, and leaves its directory whole. */
async function writeRun(
  side: {
    readonly run: Judgement;
    readonly executed: Executed;
    readonly prepared: Prepared;
    readonly store: RunStore;
  },
  { visitSamples }: Tools,
): Promise<{ readonly run: Run; readonly summary: string }> {
  const { directory } = side.store;
  const { ledger, baseline } = side.executed;
  const tasks = side.prepared.tasks.map((each) => each.spec);
  const diagnoses = await diagnose(side.run, { directory, tasks, ledger, visitSamples });
  const run = { ...side.run, diagnoses };
  const source = baselineSource(baseline);
  const summary = await summarize(run, { directory, baseline: source, ledger, visitSamples });
  const regraded = baseline.kind === "run" ? baseline.regraded?.groups : undefined;
  await side.store.finish({ run, ledger, summary, regraded });
  return { run, summary };
}

/** What a run will do, and what confirming its proven drops may add. */
async function planWith(
  prepared: Prepared,
  found: FoundBaseline,
  exact: boolean,
): Promise<RunPlan> {
  const plan = await planRun({ ...prepared, candidates: prepared.candidateSpecs, exact });
  return { ...plan, confirmation: planConfirmation(plan, prepared, found) };
}

function openMemory(request: RunRequest, store: RunStore, tools: Tools): Memory {
  if (!request.cache) return noMemory;
  return createMemory(tools.openAnswerCache(store.runId), tools.files.hashText);
}

/** An idea of what the run may cost, before the first request; exact where a budget is at stake. */
async function tellPlan(prepared: Prepared, found: FoundBaseline, tools: Tools): Promise<void> {
  const { budget } = prepared.suite;
  const exact = budget.usd !== undefined || budget.tokens !== undefined;
  const plan = await planWith(prepared, found, exact);
  const text = planSentence(plan);
  if (text !== undefined) tools.report({ kind: "note", text });
}

async function openStore(request: RunRequest, prepared: Prepared, tools: Tools): Promise<RunStore> {
  const runId = tools.newRunId();
  const store = await tools.openRunStore({
    directory: request.out ?? join(ownFolder, "runs", runId),
    resume: request.resume,
    inputHash: prepared.inputHash,
    runId,
    createdAt: new Date(tools.now()).toISOString(),
  });
  if (request.out === undefined) await tools.keepOutOfGit(ownFolder);
  return store;
}

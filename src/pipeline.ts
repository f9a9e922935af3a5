import { join } from "node:path";
import type { RunPlan } from "./domain/plan.ts";
import type { BaseTree } from "./domain/policy.ts";
import { formatProblem } from "./domain/refusal.ts";
import type { Problem } from "./domain/refusal.ts";
import type { Run } from "./domain/run.ts";
import type { RunStore } from "./domain/store.ts";
import type { PublishContent } from "./domain/suite.ts";
import { baselineSource, checkBaseline, findBaseline } from "./pipeline/baseline.ts";
import { beyondProof } from "./pipeline/beyond-reach.ts";
import { createMemory, noMemory } from "./pipeline/cache.ts";
import type { Memory } from "./pipeline/cache.ts";
import type { Baseline } from "./pipeline/conclude.ts";
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
import { summarize } from "./pipeline/summarize.ts";
import type { Tools } from "./pipeline/tools.ts";
import { diagnosisLines } from "./report/diagnoses.ts";
import { planSentence } from "./report/plan.ts";

export interface RunRequest {
  /** The manifest's path. */
  readonly manifest: string;
  /** The run directory. undefined: `.regrade/runs/<run id>`. */
  readonly out: string | undefined;
  /** A run directory, or `none`. undefined: what the manifest says. */
  readonly baseline: string | undefined;
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
    const baseline = await findBaseline(request, prepared, tools);
    const ownBaseline = own ? await findBaseline(request, own, tools) : baseline;
    await tellPlan(prepared, tools);
    const store = await openStore(request, prepared, tools);
    try {
      return await runOpened({ request, opened, baseline, ownBaseline, store }, tools);
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
      await findBaseline(request, each, tools);
      plans.push(await planRun({ ...each, candidates: each.candidateSpecs, exact: true }));
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
}

async function runOpened(work: Work, tools: Tools): Promise<FinishedRun> {
  const { request, opened, store } = work;
  const { prepared, own } = opened;
  const first = { request, prepared, store };
  const executed = await execute({ ...first, memory: openMemory(request, store, tools) }, tools);
  if (own === undefined || executed.draft.status !== "completed")
    return finish(work, { first: executed, second: undefined }, tools);
  const memory = openMemory(request, store, tools);
  const known = { ...first, executed, resume: request.resume };
  const second = await runByOwnPolicy(known, { own, memory }, tools);
  try {
    return await finish(work, { first: executed, second }, tools);
  } finally {
    await second.store.release();
  }
}

interface Made {
  readonly first: Executed;
  readonly second: OwnRun | undefined;
}

/** Judges what has been made, and writes it down: the whole first, which names the second. */
async function finish(
  { opened, baseline, ownBaseline, store }: Work,
  { first, second }: Made,
  tools: Tools,
): Promise<FinishedRun> {
  const { prepared, own: ownPrepared, policy, warnings } = opened;
  const judged = judgeByPolicies({ policy, first, baseline, second, ownBaseline }, tools);
  const side = { run: judged.run, executed: first, prepared, baseline, store };
  const { run, summary } = await writeRun(side, tools);
  for (const text of diagnosisLines(run)) tools.report({ kind: "warning", text });
  if (second && ownPrepared && judged.own) {
    const own = { run: judged.own, executed: second, prepared: ownPrepared };
    await writeRun({ ...own, baseline: ownBaseline, store: second.store }, tools);
  }
  return { run, directory: store.directory, summary, warnings };
}

/** Looks for what is wrong with a run's set-up, and leaves its directory whole. */
async function writeRun(
  side: {
    readonly run: Judgement;
    readonly executed: Executed;
    readonly prepared: Prepared;
    readonly baseline: Baseline;
    readonly store: RunStore;
  },
  { visitSamples }: Tools,
): Promise<{ readonly run: Run; readonly summary: string }> {
  const { directory } = side.store;
  const { ledger } = side.executed;
  const tasks = side.prepared.tasks.map((each) => each.spec);
  const diagnoses = await diagnose(side.run, { directory, tasks, ledger, visitSamples });
  const run = { ...side.run, diagnoses };
  const baseline = baselineSource(side.baseline);
  const summary = await summarize(run, { directory, baseline, ledger, visitSamples });
  await side.store.finish({ run, ledger, summary });
  return { run, summary };
}

function openMemory(request: RunRequest, store: RunStore, tools: Tools): Memory {
  if (!request.cache) return noMemory;
  return createMemory(tools.openAnswerCache(store.runId), tools.files.hashText);
}

/** An idea of what the run may cost, before the first request; exact where a budget is at stake. */
async function tellPlan(prepared: Prepared, tools: Tools): Promise<void> {
  const { budget } = prepared.suite;
  const exact = budget.usd !== undefined || budget.tokens !== undefined;
  const plan = await planRun({ ...prepared, candidates: prepared.candidateSpecs, exact });
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

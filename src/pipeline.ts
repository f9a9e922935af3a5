import { join } from "node:path";
import { createLedger } from "./domain/ledger.ts";
import type { RunStore } from "./domain/store.ts";
import type { RunPlan } from "./domain/plan.ts";
import { formatProblem } from "./domain/refusal.ts";
import type { Problem } from "./domain/refusal.ts";
import type { Run } from "./domain/run.ts";
import type { PublishContent } from "./domain/suite.ts";
import { baselineSource, checkBaseline, findBaseline } from "./pipeline/baseline.ts";
import { gradeBatches, setAsideUngraded } from "./pipeline/batch.ts";
import type { BatchesGraded } from "./pipeline/batch.ts";
import { beyondProof } from "./pipeline/beyond-reach.ts";
import { createBrake } from "./pipeline/brake.ts";
import { createMeter, spentBefore, watchMinutes } from "./pipeline/budget.ts";
import { createMemory, noMemory } from "./pipeline/cache.ts";
import type { Memory } from "./pipeline/cache.ts";
import { conclude } from "./pipeline/conclude.ts";
import type { Baseline } from "./pipeline/conclude.ts";
import { describeRun, judgedOf } from "./pipeline/describe.ts";
import { diagnose } from "./pipeline/diagnose.ts";
import { planRun } from "./pipeline/estimate.ts";
import { prepare } from "./pipeline/prepare.ts";
import type { Prepared } from "./pipeline/prepare.ts";
import { runTask } from "./pipeline/run-task.ts";
import type { RunContext } from "./pipeline/run-task.ts";
import { stoppedBecause } from "./pipeline/stop-reason.ts";
import { summarize } from "./pipeline/summarize.ts";
import { createTally } from "./pipeline/tally.ts";
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
  const prepared = await prepare(request, tools);
  for (const warning of prepared.warnings) {
    tools.report({ kind: "warning", text: formatProblem(warning) });
  }
  try {
    const baseline = await findBaseline(request, prepared, tools);
    await tellPlan(prepared, tools);
    const store = await openStore(request, prepared, tools);
    try {
      return await runPrepared({ request, prepared, baseline, store }, tools);
    } finally {
      await store.release();
    }
  } finally {
    await prepared.close();
  }
}

export interface ValidateRequest extends Pick<
  RunRequest,
  "manifest" | "baseline" | "candidates" | "tasks"
> {
  /** A baseline that the manifest names is yet to be made: a warning. Otherwise it is a problem, as for a run. */
  readonly baselineMayLack?: boolean;
}

/** Checks everything that can be checked without running; returns the warnings, throws the problems. */
export async function validateSuite(request: ValidateRequest, tools: Tools): Promise<Prepared> {
  const prepared = await prepare(request, tools);
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
    await prepared.close();
  }
}

/** Prepares a suite as for a run, and says what the run would do and cost at most. Writes nothing, and asks nobody. */
export async function planSuite(
  request: Pick<RunRequest, "manifest" | "baseline" | "candidates" | "tasks">,
  tools: Tools,
): Promise<{ readonly plan: RunPlan; readonly warnings: readonly Problem[] }> {
  const prepared = await prepare(request, tools);
  try {
    await findBaseline(request, prepared, tools);
    const plan = await planRun({ ...prepared, candidates: prepared.candidateSpecs, exact: true });
    return { plan, warnings: prepared.warnings };
  } finally {
    await prepared.close();
  }
}

interface Work {
  readonly request: RunRequest;
  readonly prepared: Prepared;
  readonly baseline: Baseline;
  readonly store: RunStore;
}

/** Where runs go that nobody gave a place. */
const ownFolder = ".regrade";

async function runPrepared(work: Work, tools: Tools): Promise<FinishedRun> {
  const { prepared, baseline, store } = work;
  const started = tools.now();
  const ledger = createLedger();
  const tally = createTally();
  const { candidates, suite } = prepared;
  const brake = createBrake(prepared.traffic.giveUp);
  const spending = {
    budget: suite.budget,
    candidates: prepared.candidateSpecs,
    earlier: spentBefore(store),
  };
  const meter = createMeter(spending, brake);
  prepared.startModels({ brake, meter });
  const { concurrency } = suite;
  const memory = openMemory(work, tools);
  const context = { tools, store, ledger, tally, candidates, concurrency, brake, meter, memory };
  const batches = await runTasks(prepared, context);
  const seconds = (tools.now() - started) / 1000;
  const stopped = stoppedBecause(prepared.tasks, context, batches.pending);
  setAsideUngraded(prepared.tasks, context, batches.records);
  const draft = describeRun({ ...work, tally, seconds, stopped, batches: batches.records }, tools);
  const concluded = { ...draft, ...conclude(judgedOf(draft, ledger), baseline, tools.now()) };
  const { directory } = store;
  const specs = prepared.tasks.map((each) => each.spec);
  const { visitSamples } = tools;
  const diagnoses = await diagnose(concluded, { directory, tasks: specs, ledger, visitSamples });
  const run = { ...concluded, diagnoses };
  for (const text of diagnosisLines(run)) tools.report({ kind: "warning", text });
  const summary = await summarize(run, {
    directory,
    baseline: baselineSource(baseline),
    ledger,
    visitSamples,
  });
  await store.finish({ run, ledger, summary });
  return { run, directory, summary, warnings: prepared.warnings };
}

function openMemory({ request, store }: Work, tools: Tools): Memory {
  if (!request.cache) return noMemory;
  return createMemory(tools.openAnswerCache(store.runId), tools.files.hashText);
}

const noBatches: BatchesGraded = { records: [], pending: true };

/** Runs the tasks and then their batch graders, for as long as the budget's minutes last. */
async function runTasks(prepared: Prepared, context: RunContext): Promise<BatchesGraded> {
  const { tools, store, brake, memory } = context;
  const { sleep } = tools.candidateTools.clock;
  const done = new AbortController();
  const watching = watchMinutes(prepared.suite.budget, { sleep, brake, signal: done.signal });
  try {
    for (const task of prepared.tasks) await runTask(task, context);
    // What is stopped is not whole: its batches wait for the rest.
    const isStopped =
      tools.signal.aborted || stoppedBecause(prepared.tasks, context, false) !== undefined;
    return isStopped ? noBatches : await gradeBatches(prepared.tasks, context);
  } finally {
    done.abort();
    await watching;
    await memory.close();
    await store.seal();
  }
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

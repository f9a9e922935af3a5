import { isRecordedKind, modelOf } from "../model/definition/candidate-kinds.ts";
import type { Candidate } from "../model/models/candidate.ts";
import type { JsonObject } from "../model/json.ts";
import type { Ledger } from "../model/figures/ledger.ts";
import type { RunStore } from "../model/ports/store.ts";
import type { BatchRecord, Run, RunKey, RunTask } from "../model/outcomes/run.ts";
import type { PublishContent, Suite, Task } from "../model/definition/suite.ts";
import type { CandidateSpec } from "../model/definition/candidate-spec.ts";
import { metricsFound } from "./batch-result.ts";
import type { Conclusion, JudgedRun } from "./conclude.ts";
import type { Prepared } from "../suite/prepare.ts";
import type { RunTotals } from "./run-totals.ts";
import type { Tools } from "../tools.ts";

/** A run before its verdict. */
export type Draft = Omit<Run, keyof Conclusion>;

/** Description of a run in run.json, besides numbers and verdict. */
export function describeRun(
  work: {
    readonly request: Asked;
    readonly prepared: Prepared;
    readonly store: Pick<RunStore, "runId" | "createdAt" | "reruns" | "attempts">;
    readonly totals: RunTotals;
    readonly seconds: number;
    readonly batches: readonly BatchRecord[];
    /** Why the run was stopped, unless the user stopped it. */
    readonly stopped: string | undefined;
  },
  tools: Tools,
): Draft {
  const { prepared, store, totals } = work;
  const { request_counts, usage, generateSeconds, gradeSeconds } = totals.totals();
  return {
    format: "regrade.run/1",
    id: store.runId,
    ...statusOf(work.stopped, tools.signal),
    ...(prepared.shard && { shard: prepared.shard }),
    suite: describeSuite(prepared, work),
    input_hash: prepared.inputHash,
    ...madeOf(work.request),
    ...resultsOf(prepared),
    created_at: store.createdAt,
    completed_at: new Date(tools.now()).toISOString(),
    candidates: prepared.suite.candidates.flatMap((spec) => {
      const opened = prepared.candidates.find(({ id }) => id === spec.id);
      return opened === undefined ? [] : [describeCandidate(spec, opened)];
    }),
    ...metadataOf(prepared.suite),
    ...(prepared.suite.overrides && { overrides: prepared.suite.overrides }),
    ...earlierOf(store),
    generation: generationOf(prepared),
    judge_model: prepared.suite.judge_model?.model ?? null,
    embedding_model: prepared.suite.embedding_model?.model ?? null,
    request_counts: { ...request_counts, ...plannedOf(prepared, tools.signal) },
    ...(work.batches.length > 0 && { batches: work.batches }),
    usage,
    timing: {
      seconds: Math.round(work.seconds * 1000) / 1000,
      generate_seconds: generateSeconds,
      grade_seconds: gradeSeconds,
    },
    sandbox: prepared.sandbox() ?? { level: "unused", details: {} },
    environment: { ...tools.machine, python: prepared.pythonVersion },
  };
}

/** Number of planned samples, if the user stopped the run. */
function plannedOf(
  { tasks, candidates }: Prepared,
  signal: AbortSignal,
): Partial<Run["request_counts"]> {
  if (!signal.aborted) return {};
  const each = tasks.map(({ spec, dataset }) => dataset.size * spec.repeats);
  return { planned: each.reduce((sum, size) => sum + size, 0) * candidates.length };
}

interface Asked {
  readonly git: Run["git"];
  readonly ofChange?: boolean | undefined;
  readonly key?: RunKey | undefined;
  readonly publish: PublishContent;
  readonly outputsFrom?: NonNullable<Run["outputs_from"]> | undefined;
}

/** Sources of the run. */
function madeOf({
  git,
  ofChange,
  key,
  outputsFrom: foreign,
}: Asked): Pick<Run, "git" | "of_change" | "key" | "outputs_from"> {
  return {
    git,
    ...(ofChange === true && { of_change: true }),
    ...(key && { key }),
    ...outputsFrom(foreign),
  };
}

function earlierOf({ reruns, attempts }: Pick<RunStore, "reruns" | "attempts">): Partial<Run> {
  return { ...(reruns && { reruns }), ...(attempts && { attempts }) };
}

function outputsFrom(foreign: Run["outputs_from"] | undefined): Partial<Run> {
  if (foreign === undefined) return {};
  const { repository, source, scored } = foreign;
  return { outputs_from: { repository, source, ...(scored && { scored }) } };
}

/** Source of results that were recorded elsewhere. */
function resultsOf({ recorded }: Prepared): Partial<Run> {
  if (recorded === undefined) return {};
  const results = recorded.parts.map(({ taken: { format, tool, files } }) => ({
    format,
    tool,
    files: files.map(({ path }) => path),
    ...(recorded.asked && { asked: recorded.asked }),
  }));
  return { results };
}

/** If the user stopped a run that also stopped itself, it counts as stopped by the user. */
function statusOf(
  stopped: string | undefined,
  signal: AbortSignal,
): Pick<Run, "status" | "stopped"> {
  if (signal.aborted) return { status: "cancelled", stopped: null };
  if (stopped === undefined) return { status: "completed", stopped: null };
  return { status: "failed", stopped };
}

/** A run's own metadata overrides the suite's. */
function metadataOf({ metadata, run_metadata }: Suite): Partial<Run> {
  const all = { ...metadata, ...run_metadata };
  return Object.keys(all).length === 0 ? {} : { metadata: all };
}

/** The settings of the models that were asked, by slot name. */
function generationOf({ suite, candidates }: Prepared): JsonObject {
  const settings: Record<string, JsonObject> = {};
  for (const spec of suite.candidates) {
    const model = modelOf(spec);
    if (model === undefined || !candidates.some(({ id }) => id === spec.id)) continue;
    settings[spec.id] = { ...model.generation };
  }
  return settings;
}

function describeSuite(
  prepared: Prepared,
  { request: { publish }, batches }: Parameters<typeof describeRun>[0],
): Run["suite"] {
  const { suite } = prepared;
  const tasks = describeTasks(prepared.tasks, batches);
  return {
    name: suite.name,
    path: suite.path,
    version: prepared.version,
    schema_version: suite.schema_version,
    gate: suite.gate,
    ...(suite.judge_calibration && { judge_calibration: suite.judge_calibration }),
    tasks,
    not_selected: prepared.notSelected,
    ...(suite.foreign && { foreign: suite.foreign }),
    publish: suite.publish ?? publish,
  };
}

/** Facts about tasks that a comparison needs. */
export function describeTasks(
  prepared: Prepared["tasks"],
  batches: readonly BatchRecord[],
): Readonly<Record<string, RunTask>> {
  const tasks: Record<string, RunTask> = {};
  for (const { spec, fingerprint } of prepared) {
    const { repeats, min_cases } = spec;
    const metrics = metricsFound(spec, batches);
    tasks[spec.id] = { fingerprint, metrics, repeats, min_cases, ...labelsOf(spec) };
  }
  return tasks;
}

function labelsOf({ name, type, metadata }: Task): Pick<RunTask, "name" | "type" | "metadata"> {
  return {
    ...(name !== undefined && { name }),
    ...(type !== undefined && { type }),
    ...(Object.keys(metadata).length > 0 && { metadata }),
  };
}

function describeCandidate(
  candidate: CandidateSpec,
  { fence }: Candidate,
): Run["candidates"][number] {
  const model = "model" in candidate ? candidate.model : undefined;
  const { id, kind } = candidate;
  return { id, kind, model: model ?? null, ...(fence !== undefined && { fence }) };
}

/** Parts of a run that the verdict needs. */
export function judgedOf(run: Draft, ledger: Ledger): JudgedRun {
  return {
    status: run.status,
    stopped: run.stopped ?? undefined,
    gate: run.suite.gate,
    calibration: run.suite.judge_calibration,
    tasks: run.suite.tasks,
    candidates: run.candidates.map((each) => each.id),
    recorded: run.candidates.filter(({ kind }) => isRecordedKind(kind)).map(({ id }) => id),
    leftOut: run.suite.not_selected,
    ledger,
    batches: run.batches ?? [],
    ...(run.reruns && { reruns: run.reruns }),
    attempts: run.attempts,
    outputsFrom: run.outputs_from,
    ofChange: run.of_change === true,
    isOnGitHub: run.key !== undefined,
    isRecorded: run.results !== undefined,
    hasManifest: !(run.results ?? []).some(({ asked }) => asked !== undefined),
  };
}

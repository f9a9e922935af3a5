import { join } from "node:path";
import type { TaskPlace } from "../model/place.ts";
import { outcomeOf, digestSample } from "../model/outcomes/sample.ts";
import type { Sample, SampleDigest } from "../model/outcomes/sample.ts";
import { batchKey } from "../model/ports/store.ts";
import type { Answer, StoredBatch } from "../model/ports/store.ts";
import { problem, Refusal } from "../model/refusal.ts";
import type { Run } from "../model/outcomes/run.ts";
import { readGenerated } from "./generated.ts";
import type { StoredAnswers } from "./generated.ts";
import type { InterruptedRun } from "./interrupted-run.ts";
import { readJsonLines } from "../io/files/json-lines.ts";
import type { StoredLines } from "./encrypted-lines.ts";
import { runFiles } from "./run-files.ts";
import { readRun } from "./run-reader.ts";
import type { RunStart } from "../model/ports/store.ts";
import { loadRunShapes } from "./shapes.ts";
import type { StoredPlan, RerunPlan } from "./shapes.ts";

/**
 * Reads a completed run, to run its failed and ungraded samples again. Refuses a run with other inputs. Answers that
 * only lack a grade are not asked for again. An interrupted rerun is continued as the same rerun; its failed samples
 * are run again too.
 */
export async function readFinishedRun(
  start: RunStart,
  lines: StoredLines,
): Promise<InterruptedRun> {
  const { directory, createdAt: since } = start;
  const { run } = await readRun(directory);
  if (run.input_hash !== start.inputHash)
    throw new Refusal(problem("rerun_other_input", { out: directory }));
  const generated = await readGenerated(directory, lines);
  if (!generated.isOurs) throw foreignJournal(directory);
  const begun = isLeftOver(generated.plan, run) ? undefined : generated;
  const samples = await readSamples(directory, undefined, lines);
  const again = { at: since, samples: samples.previous.size };
  const rerun = { since, ...planOf(run, begun, again) };
  return {
    runId: run.id,
    createdAt: run.created_at,
    ...samples,
    answers: waiting(samples, begun?.answers),
    batches: touched(rerun.batches),
    spent: begun && { counted: begun.spent, again: nothing },
    rerun,
    generatedBytes: begun?.bytes ?? 0,
  };
}

/** The previous attempt's count includes samples that are run again. */
const nothing = { usd: 0, tokens: 0 } as const;

/** `begun`: the data of an interrupted attempt. If that was a rerun already, it counts as the same. */
function planOf(
  run: Run,
  begun: StoredAnswers | undefined,
  again: RerunPlan["reruns"][number],
): Omit<RerunPlan, "since"> {
  const earlier = begun?.plan?.rerun;
  const all = [
    ...(run.batches ?? []),
    ...(begun?.batches.values() ?? []),
    ...(earlier?.batches ?? []),
  ];
  const reruns = earlier?.reruns ?? [...(run.reruns ?? []), again];
  const batches = [...touched(all).values()].map(({ task, candidate }) => ({ task, candidate }));
  return { reruns, batches };
}

/** Resumes an interrupted rerun: its results stand, including those of batch graders. */
export async function readInterruptedRerun(
  directory: string,
  found: StoredAnswers & { readonly plan: StoredPlan; readonly rerun: RerunPlan },
  lines: StoredLines,
): Promise<InterruptedRun> {
  const { plan, rerun } = found;
  const samples = await readSamples(directory, rerun.since, lines);
  return {
    runId: plan.run_id,
    createdAt: plan.created_at,
    ...samples,
    answers: waiting(samples, found.answers),
    batches: new Map([...touched(rerun.batches), ...found.batches]),
    spent: { counted: found.spent, again: nothing },
    rerun,
    generatedBytes: found.bytes,
  };
}

/** True for the journal of a run that was killed after it had written its results, during the clean-up. */
function isLeftOver(plan: StoredPlan | undefined, run: Run): boolean {
  const isSame = (plan?.rerun?.reruns.length ?? 0) === (run.reruns?.length ?? 0);
  return run.status === "completed" && isSame;
}

function foreignJournal(directory: string): Refusal {
  const reason = "it begins like no journal of a run";
  const file = join(directory, runFiles.generated);
  return new Refusal(problem("journal_damaged", { reason }, { file, line: 1 }));
}

/** Batches whose graders' results are outdated: ungraded until the new answers have been graded. */
export function touched(batches: readonly TaskPlace[]): ReadonlyMap<string, StoredBatch> {
  const graded = { kind: "ungraded", type: "run_again", message: "the run was run again" } as const;
  return new Map(
    batches.map(({ task, candidate }) => [
      batchKey({ task, candidate }),
      { task, candidate, given: "", samples: 0, graded },
    ]),
  );
}

/** Answers that need not be requested: those of samples, and those that no sample has yet. */
function waiting(
  { finished, answers }: Found,
  generated: ReadonlyMap<string, Answer> = new Map(),
): ReadonlyMap<string, Answer> {
  return new Map([...answers, ...[...generated].filter(([id]) => !finished.has(id))]);
}

interface Found {
  readonly finished: ReadonlyMap<string, SampleDigest>;
  readonly previous: ReadonlyMap<string, SampleDigest>;
  readonly answers: ReadonlyMap<string, Answer>;
  readonly samplesBytes: number;
}

/** `since`: samples that failed later than this were already run again, and are kept. */
async function readSamples(
  directory: string,
  since: string | undefined,
  { read }: StoredLines,
): Promise<Found> {
  const [finished, previous] = [new Map<string, SampleDigest>(), new Map<string, SampleDigest>()];
  const answers = new Map<string, Answer>();
  let samplesBytes = 0;
  const { sampleShape } = await loadRunShapes();
  const path = join(directory, runFiles.samples);
  for await (const { value, endOffset } of readJsonLines(path, sampleShape, read)) {
    samplesBytes = endOffset;
    for (const map of [finished, previous, answers]) map.delete(value.id);
    const outcome = outcomeOf(value);
    const isRunAgain = since !== undefined && value.completed_at > since;
    const stands =
      outcome === "scored" || outcome === "invalid" || (outcome === "failed" && isRunAgain);
    (stands ? finished : previous).set(value.id, digestSample(value));
    const answer = stands ? undefined : answerIn(value);
    if (answer !== undefined) answers.set(value.id, answer);
  }
  return { finished, previous, answers, samplesBytes };
}

/** The answer of a sample that was not graded. */
export function answerIn(sample: Sample): Answer | undefined {
  const {
    output_text: outputText,
    incomplete,
    transcript,
    response_id: responseId,
    usage,
    workspace,
  } = sample;
  if (outputText === null) return undefined;
  return {
    generated: {
      kind: "answered",
      outputText,
      incomplete,
      transcript,
      responseId,
      usage,
      ...(workspace && { workspace }),
    },
    latencyMs: sample.latency_ms ?? 0,
    createdAt: sample.created_at,
    cached: sample.cached,
  };
}

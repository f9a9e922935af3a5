import { stat } from "node:fs/promises";
import { join } from "node:path";
import type { Answer, RunStore, Spent, StoredBatch } from "../model/ports/store.ts";
import { problem, Refusal } from "../model/refusal.ts";
import { digestSample, outcomeOf } from "../model/outcomes/sample.ts";
import type { Sample, SampleDigest, Usage } from "../model/outcomes/sample.ts";
import { readJsonLines } from "../io/files/json-lines.ts";
import { inspectPath } from "../io/files/files.ts";
import { readBegunAttempt } from "./earlier-attempt.ts";
import { readInterruptedRerun } from "./finished-run.ts";
import { readGenerated } from "./generated.ts";
import type { StoredAnswers } from "./generated.ts";
import type { StoredLines } from "./encrypted-lines.ts";
import { runFiles } from "./run-files.ts";
import type { RunStart } from "../model/ports/store.ts";
import { loadRunShapes } from "./shapes.ts";
import type { AttemptPlan, RerunPlan } from "./shapes.ts";

/** The content of an interrupted run's directory. */
export interface InterruptedRun {
  readonly runId: string;
  readonly createdAt: string;
  readonly finished: ReadonlyMap<string, SampleDigest>;
  readonly answers: ReadonlyMap<string, Answer>;
  readonly batches: ReadonlyMap<string, StoredBatch>;
  /** As in `RunStore`. */
  readonly spent?: RunStore["spent"];
  /** As in `RunStore`: for a completed run. */
  readonly previous?: ReadonlyMap<string, SampleDigest>;
  /** For an interrupted rerun: facts that its next resumption needs. */
  readonly rerun?: RerunPlan | undefined;
  /** As in `RunStore`. */
  readonly earlier?: ReadonlySet<string>;
  /** For a further attempt: facts that its next resumption needs. */
  readonly attempt?: AttemptPlan | undefined;
  /** Offset after the last whole line; a torn line may follow. */
  readonly samplesBytes: number;
  readonly generatedBytes: number;
}

/**
 * Reads the run to resume, which no other process is writing. Refuses a finished run, and one with other inputs.
 * undefined: the run ended before its first line, so that nothing is known of it and nothing is lost.
 */
export async function readInterruptedRun(
  start: RunStart,
  lines: StoredLines,
): Promise<InterruptedRun | undefined> {
  const generated = await readGenerated(start.directory, lines);
  const { plan } = generated;
  if (plan === undefined) return nothingBegun(start.directory, generated);
  if (plan.input_hash !== start.inputHash) {
    throw new Refusal(problem("resume_other_input", { out: start.directory }));
  }
  if (plan.rerun !== undefined)
    return readInterruptedRerun(start.directory, { ...generated, plan, rerun: plan.rerun }, lines);
  if (plan.attempt !== undefined)
    return readBegunAttempt(start, { ...generated, plan, attempt: plan.attempt }, lines);
  const samples = await readFinished(start.directory, lines);
  for (const id of samples.finished.keys()) generated.answers.delete(id);
  return {
    runId: plan.run_id,
    createdAt: plan.created_at,
    finished: samples.finished,
    answers: generated.answers,
    batches: generated.batches,
    spent: { counted: generated.spent, again: samples.again },
    samplesBytes: samples.bytes,
    generatedBytes: generated.bytes,
  };
}

/** Refuses a directory with files that no run of ours can have left: they would be cut off. */
async function nothingBegun(directory: string, { isOurs }: StoredAnswers): Promise<undefined> {
  const isFinished = await hasRun(directory);
  if (!isFinished && isOurs && (await isEmpty(join(directory, runFiles.samples)))) return undefined;
  const code = isFinished ? "resume_finished" : "resume_nothing";
  throw new Refusal(problem(code, { out: directory }));
}

/**
 * Whether a file is empty. Samples come after the plan's line: if that line is incomplete, there are none, not even a
 * torn one.
 */
async function isEmpty(path: string): Promise<boolean> {
  const { kind, real } = await inspectPath(path);
  return kind === "missing" || (await stat(real)).size === 0;
}

async function hasRun(directory: string): Promise<boolean> {
  return (await inspectPath(join(directory, runFiles.run))).kind !== "missing";
}

/** Samples that an infrastructure fault left ungraded are retried; all others are kept. */
async function readFinished(
  directory: string,
  { read }: StoredLines,
): Promise<{ finished: Map<string, SampleDigest>; again: Spent; bytes: number }> {
  const { sampleShape } = await loadRunShapes();
  const finished = new Map<string, SampleDigest>();
  let [bytes, usd, tokens] = [0, 0, 0];
  const path = join(directory, runFiles.samples);
  for await (const { value, endOffset } of readJsonLines(path, sampleShape, read)) {
    bytes = endOffset;
    if (outcomeOf(value) !== "ungraded") finished.set(value.id, digestSample(value));
    else {
      finished.delete(value.id);
      for (const paid of paidFor(value)) {
        usd += paid.usd ?? 0;
        tokens += paid.input_tokens + paid.output_tokens;
      }
    }
  }
  return { finished, again: { usd, tokens }, bytes };
}

/** Usage of a sample that is run again. An answer that only waits for its grade is kept with its own usage. */
function paidFor(sample: Sample): readonly Usage[] {
  const { usage, judgeUsage, cached } = digestSample(sample);
  const isKept = cached || sample.error?.stage !== "generate";
  return [isKept ? null : usage, judgeUsage].filter((each) => each !== null);
}

import { join } from "node:path";
import { outcomeOf, digestSample } from "../domain/sample.ts";
import type { Sample, SampleDigest } from "../domain/sample.ts";
import { batchKey } from "../domain/store.ts";
import type { Answer, StoredBatch } from "../domain/store.ts";
import { problem, Refusal } from "../domain/refusal.ts";
import type { InterruptedRun } from "./interrupted-run.ts";
import { readJsonLines } from "./json-lines.ts";
import { runFiles } from "./run-files.ts";
import { readRun } from "./run-reader.ts";
import type { RunStart } from "./run-store.ts";
import { loadRunShapes } from "./shapes.ts";

/**
 * Reads a run that had come to its end, to run what failed or could not be graded again. Refuses one with other inputs.
 * Answers that are there and only wait for a grade are not asked for again.
 */
export async function readFinishedRun(start: RunStart): Promise<InterruptedRun> {
  const { run } = await readRun(start.directory);
  if (run.input_hash !== start.inputHash)
    throw new Refusal(problem("rerun_other_input", { out: start.directory }));
  const samples = await readSamples(start.directory);
  const again = { at: start.createdAt, samples: samples.previous.size };
  return {
    runId: run.id,
    createdAt: run.created_at,
    ...samples,
    batches: new Map((run.batches ?? []).map((batch) => [batchKey(batch), asked(batch)])),
    reruns: [...(run.reruns ?? []), again],
    generatedBytes: 0,
  };
}

/** What the batch grader said of all samples holds no more, and stands in some of them. */
function asked({ task, candidate }: Pick<StoredBatch, "task" | "candidate">): StoredBatch {
  const graded = { kind: "ungraded", type: "run_again", message: "the run was run again" } as const;
  return { task, candidate, given: "", samples: 0, graded };
}

interface Found {
  readonly finished: ReadonlyMap<string, SampleDigest>;
  readonly previous: ReadonlyMap<string, SampleDigest>;
  readonly answers: ReadonlyMap<string, Answer>;
  readonly samplesBytes: number;
}

async function readSamples(directory: string): Promise<Found> {
  const [finished, previous] = [new Map<string, SampleDigest>(), new Map<string, SampleDigest>()];
  const answers = new Map<string, Answer>();
  let samplesBytes = 0;
  const { sampleShape } = await loadRunShapes();
  const path = join(directory, runFiles.samples);
  for await (const { value, endOffset } of readJsonLines(path, sampleShape)) {
    samplesBytes = endOffset;
    for (const map of [finished, previous, answers]) map.delete(value.id);
    const outcome = outcomeOf(value);
    const isGood = outcome === "scored" || outcome === "invalid";
    (isGood ? finished : previous).set(value.id, digestSample(value));
    const answer = isGood ? undefined : answerIn(value);
    if (answer !== undefined) answers.set(value.id, answer);
  }
  return { finished, previous, answers, samplesBytes };
}

function answerIn(sample: Sample): Answer | undefined {
  const {
    output_text: outputText,
    incomplete,
    transcript,
    response_id: responseId,
    usage,
  } = sample;
  if (outputText === null) return undefined;
  return {
    generated: { kind: "answered", outputText, incomplete, transcript, responseId, usage },
    latencyMs: sample.latency_ms ?? 0,
    createdAt: sample.created_at,
    cached: sample.cached,
  };
}

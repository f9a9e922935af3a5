import { join } from "node:path";
import type { Answer } from "../domain/ports.ts";
import { problem, Refusal } from "../domain/refusal.ts";
import { digestSample, outcomeOf } from "../domain/sample.ts";
import type { SampleDigest } from "../domain/sample.ts";
import { readJsonLines } from "./json-lines.ts";
import { inspectPath } from "./files.ts";
import { runFiles } from "./run-files.ts";
import type { RunStart } from "./run-store.ts";
import { generatedShape, sampleShape } from "./shapes.ts";
import type { Plan } from "./shapes.ts";

/** What an interrupted run left behind. */
export interface InterruptedRun {
  readonly runId: string;
  readonly createdAt: string;
  readonly finished: ReadonlyMap<string, SampleDigest>;
  readonly answers: ReadonlyMap<string, Answer>;
  /** Where the whole lines end: what comes after is torn. */
  readonly samplesBytes: number;
  readonly generatedBytes: number;
}

/** Reads the run to resume; refuses a finished one, one with other inputs, and one that is being written. */
export async function readInterruptedRun(start: RunStart): Promise<InterruptedRun> {
  const generated = await readGenerated(start.directory);
  if (generated.plan === undefined) throw await nothingToResume(start.directory);
  refuseOther(start, generated.plan);
  const samples = await readFinished(start.directory);
  for (const id of samples.finished.keys()) generated.answers.delete(id);
  return {
    runId: generated.plan.run_id,
    createdAt: generated.plan.created_at,
    finished: samples.finished,
    answers: generated.answers,
    samplesBytes: samples.bytes,
    generatedBytes: generated.bytes,
  };
}

async function readGenerated(directory: string): Promise<{
  plan: Plan | undefined;
  answers: Map<string, Answer>;
  bytes: number;
}> {
  const path = join(directory, runFiles.generated);
  const answers = new Map<string, Answer>();
  let plan: Plan | undefined;
  let bytes = 0;
  for await (const { value, endOffset } of readJsonLines(path, generatedShape)) {
    bytes = endOffset;
    if ("object" in value) plan = value;
    else answers.set(value.sample_id, value);
  }
  return { plan, answers, bytes };
}

function refuseOther(start: RunStart, plan: Plan): void {
  if (plan.input_hash !== start.inputHash) {
    throw new Refusal(problem("resume_other_input", { out: start.directory }));
  }
  if (isRunning(plan.pid)) {
    throw new Refusal(problem("out_busy", { out: start.directory, pid: plan.pid }));
  }
}

/** A pid may have been given to another program since; then the user is told to wait, and loses nothing. */
function isRunning(pid: number): boolean {
  if (pid === process.pid) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

async function nothingToResume(directory: string): Promise<Refusal> {
  const found = await inspectPath(join(directory, runFiles.run));
  const code = found.kind === "missing" ? "resume_nothing" : "resume_finished";
  return new Refusal(problem(code, { out: directory }));
}

/** Samples that an infrastructure fault left ungraded are tried again; all others stand. */
async function readFinished(
  directory: string,
): Promise<{ finished: Map<string, SampleDigest>; bytes: number }> {
  const finished = new Map<string, SampleDigest>();
  let bytes = 0;
  const path = join(directory, runFiles.samples);
  for await (const { value, endOffset } of readJsonLines(path, sampleShape)) {
    bytes = endOffset;
    if (outcomeOf(value) === "ungraded") finished.delete(value.id);
    else finished.set(value.id, digestSample(value));
  }
  return { finished, bytes };
}

import { rm } from "node:fs/promises";
import { join } from "node:path";
import {
  goOnWith,
  attemptQuestion,
  type AttemptAsked,
  type RunAttempts,
} from "../model/outcomes/attempts.ts";
import { problem, Refusal } from "../model/refusal.ts";
import { digestSample, outcomeOf, type SampleDigest } from "../model/outcomes/sample.ts";
import type { Run } from "../model/outcomes/run.ts";
import { runIdentity } from "../model/outcomes/shard.ts";
import type { Answer } from "../model/ports/store.ts";
import { inspectPath } from "../io/files/files.ts";
import { answerIn, touched } from "./finished-run.ts";
import { readGenerated, type StoredAnswers } from "./generated.ts";
import type { InterruptedRun } from "./interrupted-run.ts";
import { readJsonLines } from "../io/files/json-lines.ts";
import type { StoredLines } from "./encrypted-lines.ts";
import { pathsIn, runFiles } from "./run-files.ts";
import { readRunJson } from "./run-reader.ts";
import type { RunStart } from "../model/ports/store.ts";
import { loadRunShapes, type AttemptPlan, type StoredPlan } from "./shapes.ts";

/** The attempt of a run, if it is a re-run: its number, and the facts about earlier ones. */
export function attemptsOf(asked: AttemptAsked | undefined): RunAttempts | undefined {
  if (asked === undefined || asked.number === 1) return undefined;
  return { number: asked.number, earlier: [], unread: asked.unread ?? null, decided: [] };
}

/**
 * Reads a complete run of an earlier attempt of this workflow run, to make a further attempt of it. Graded samples
 * stay; ungraded ones are asked again. undefined: the run did not complete, and must be resumed. Refuses a run with
 * other inputs.
 */
export async function readEarlierAttempt(
  start: RunStart,
  lines: StoredLines,
): Promise<InterruptedRun | undefined> {
  const { directory, attempt } = start;
  if (attempt?.before === undefined || !(await isWhole(directory, lines))) return undefined;
  const run = await readRunJson(directory);
  if (identityOf(run) !== start.inputHash)
    throw new Refusal(problem("resume_other_input", { out: directory }));
  const isSame = run.results !== undefined && run.input_hash === start.resultsHash;
  const batches = (run.batches ?? []).map(({ task, candidate }) => ({ task, candidate }));
  const plan = { taken: goOnWith(run, attempt, isSame), batches };
  const samples = await readSamples(directory, isSame ? run.id : start.runId, lines);
  return {
    runId: start.runId,
    createdAt: start.createdAt,
    ...samples,
    attempt: plan,
    batches: touched(plan.batches),
    generatedBytes: 0,
  };
}

function identityOf({ input_hash, shard, results, suite, candidates }: Run): string {
  if (results === undefined) return runIdentity(input_hash, shard);
  const tasks = Object.entries(suite.tasks).map(([id, { repeats }]) => [id, repeats] as const);
  return attemptQuestion({
    version: suite.version,
    tasks,
    candidates: candidates.map(({ id }) => id),
  });
}

/** Reads an attempt that was started and is resumed, possibly by a still later attempt. */
export async function readBegunAttempt(
  start: RunStart,
  found: StoredAnswers & { readonly plan: StoredPlan; readonly attempt: AttemptPlan },
  lines: StoredLines,
): Promise<InterruptedRun> {
  const { plan, attempt } = found;
  const samples = await readSamples(start.directory, plan.run_id, lines);
  const { number = attempt.taken.number, unread } = start.attempt ?? {};
  const taken = { ...attempt.taken, number, unread: unread ?? attempt.taken.unread };
  const answers = [...found.answers].filter(([id]) => !samples.finished.has(id));
  return {
    runId: plan.run_id,
    createdAt: plan.created_at,
    ...samples,
    answers: new Map([...samples.answers, ...answers]),
    attempt: { ...attempt, taken },
    batches: new Map([...touched(attempt.batches), ...found.batches]),
    spent: { counted: found.spent, again: { usd: 0, tokens: 0 } },
    generatedBytes: found.bytes,
  };
}

/** Removes the earlier attempt's results: from here on the directory contains a run in progress. */
export async function clearResults(directory: string): Promise<void> {
  const { run, scores, regraded, summary } = pathsIn(directory);
  for (const path of [run, scores, regraded, summary]) await rm(path, { force: true });
}

/**
 * Whether the run is complete. A run that was killed after it had written its results, during the clean-up, is complete
 * too.
 */
async function isWhole(directory: string, lines: StoredLines): Promise<boolean> {
  if ((await inspectPath(join(directory, runFiles.run))).kind === "missing") return false;
  const { plan } = await readGenerated(directory, lines);
  if (plan === undefined) return true;
  const { id, status } = await readRunJson(directory);
  return status === "completed" && id === plan.run_id;
}

interface Found {
  readonly finished: ReadonlyMap<string, SampleDigest>;
  readonly earlier: ReadonlySet<string>;
  readonly answers: ReadonlyMap<string, Answer>;
  readonly samplesBytes: number;
}

/** An answer that only lacks a grade is kept, because asking again would draw another answer. */
async function readSamples(
  directory: string,
  runId: string,
  { read }: StoredLines,
): Promise<Found> {
  const { sampleShape } = await loadRunShapes();
  const finished = new Map<string, SampleDigest>();
  const answers = new Map<string, Answer>();
  const earlier = new Set<string>();
  let samplesBytes = 0;
  const path = join(directory, runFiles.samples);
  for await (const { value, endOffset } of readJsonLines(path, sampleShape, read)) {
    samplesBytes = endOffset;
    const { id } = value;
    finished.delete(id);
    answers.delete(id);
    earlier.delete(id);
    if (outcomeOf(value) !== "ungraded") {
      finished.set(id, digestSample(value));
      if (value.run_id !== runId) earlier.add(id);
      continue;
    }
    const answer = answerIn(value);
    if (answer !== undefined) answers.set(id, answer);
  }
  return { finished, earlier, answers, samplesBytes };
}

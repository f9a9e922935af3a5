import type { TaskPlace } from "../model/place.ts";
import type { RunAttempts } from "../model/outcomes/attempts.ts";
import { isJsonObject } from "../model/json.ts";
import type { BatchGraded, SampleUpdate } from "../model/grading.ts";
import type { Answer, Spent } from "../model/ports/store.ts";
import type { Run } from "../model/outcomes/run.ts";
import type { Sample, ScoreRow } from "../model/outcomes/sample.ts";
import type { LineShape } from "../io/files/json-lines.ts";
import type { ShapeError } from "./run-schemas.generated.mjs";

/** The first line of `generated.jsonl`, which a resumed run must match. */
export interface StoredPlan {
  readonly object: "regrade.plan/1";
  readonly run_id: string;
  readonly input_hash: string;
  readonly created_at: string;
  /** Set if lines are encrypted while the run is under way: what their key is made from, beside the data sets. */
  readonly held?: string;
  /** Set if failed and ungraded samples of a finished run are run again. */
  readonly rerun?: RerunPlan;
  /** Set if earlier attempts of the same workflow run are continued. */
  readonly attempt?: AttemptPlan;
}

/** Facts about the previous attempt that a further one needs after its run.json is deleted. */
export interface AttemptPlan {
  readonly taken: RunAttempts;
  /** As in RerunPlan. */
  readonly batches: RerunPlan["batches"];
}

/**
 * Facts about the original run of a rerun, for resuming the rerun: by then its samples are mixed with others, and its
 * run.json may be deleted.
 */
export interface RerunPlan {
  /** ISO 8601, UTC. Samples that were finished later have been run again already. */
  readonly since: string;
  /** The reruns as in run.json, including this one. */
  readonly reruns: NonNullable<Run["reruns"]>;
  /** Set if batch graders had graded: their results for all samples are stored in some of them, and are outdated. */
  readonly batches: readonly TaskPlace[];
}

/**
 * A batch grader's result over several lines, because lines have a length limit: pieces of its updates, and then the
 * rest. Without the last line, the pieces belong to a process that was killed while writing.
 */
export type BatchLine = {
  readonly object: "regrade.batch/1";
  readonly task: string;
  readonly candidate: string;
} & (
  | { readonly updates: readonly SampleUpdate[] }
  | { readonly given: string; readonly samples: number; readonly graded: BatchGraded }
);

/** A later line with the run's spending so far. The last one counts. */
interface SpentLine extends Spent {
  readonly object: "regrade.spent/1";
}

/** A later line with an answer that waits for its grade. */
type AnswerLine = { readonly sample_id: string } & Answer;

/** The files of a run directory, as their schemas have them. */
interface RunShapes {
  /** run.json */
  readonly runShape: LineShape<Run>;
  /** A line of samples.jsonl. */
  readonly sampleShape: LineShape<Sample>;
  /** A line of scores.jsonl. */
  readonly scoreShape: LineShape<ScoreRow>;
}

/** A separate file in dist/, loaded with the first run directory: large, and not needed by a run without a baseline. */
export async function loadRunShapes(): Promise<RunShapes> {
  const { isRun, isSample, isScore } = await import("./run-schemas.generated.mjs");
  return {
    runShape: { is: isRun, complaint: () => complaintOf(isRun.errors) },
    sampleShape: { is: isSample, complaint: () => complaintOf(isSample.errors) },
    scoreShape: { is: isScore, complaint: () => complaintOf(isScore.errors) },
  };
}

/** A line of generated.jsonl. */
export const generatedShape: LineShape<StoredPlan | AnswerLine | BatchLine | SpentLine> = {
  is: (value) => isPlan(value) || isAnswerLine(value) || isBatchLine(value) || isSpent(value),
  complaint: () =>
    "it is neither a plan nor an answer nor what a batch grader gave nor what was spent",
};

function complaintOf(errors: readonly ShapeError[] | null | undefined): string {
  const [first] = errors ?? [];
  if (!first) return "it has another shape";
  return `${first.instancePath || "the value"} ${first.message ?? "has another shape"}`;
}

function isPlan(value: unknown): value is StoredPlan {
  return (
    isJsonObject(value) &&
    value["object"] === "regrade.plan/1" &&
    typeof value["run_id"] === "string" &&
    typeof value["input_hash"] === "string" &&
    typeof value["created_at"] === "string" &&
    (value["held"] === undefined || typeof value["held"] === "string") &&
    (value["rerun"] === undefined || isRerunPlan(value["rerun"])) &&
    (value["attempt"] === undefined || isAttemptPlan(value["attempt"]))
  );
}

function isRerunPlan(value: unknown): boolean {
  if (!isJsonObject(value) || typeof value["since"] !== "string") return false;
  const { reruns, batches } = value;
  return (
    Array.isArray(reruns) &&
    reruns.every(
      (each) =>
        isJsonObject(each) && typeof each["at"] === "string" && typeof each["samples"] === "number",
    ) &&
    areBatches(batches)
  );
}

function areBatches(batches: unknown): boolean {
  return (
    Array.isArray(batches) &&
    batches.every(
      (each) =>
        isJsonObject(each) &&
        typeof each["task"] === "string" &&
        typeof each["candidate"] === "string",
    )
  );
}

function isAttemptPlan(value: unknown): boolean {
  if (!isJsonObject(value) || !isJsonObject(value["taken"])) return false;
  const { number, earlier, unread, decided } = value["taken"];
  const areRead = Array.isArray(earlier) && earlier.every(isJsonObject);
  const areDecided =
    Array.isArray(decided) &&
    decided.every((each) => isJsonObject(each) && isJsonObject(each["rule"]));
  const isRead = unread === null || typeof unread === "string";
  return (
    typeof number === "number" && areRead && areDecided && isRead && areBatches(value["batches"])
  );
}

function isBatchLine(value: unknown): value is BatchLine {
  if (!isJsonObject(value) || value["object"] !== "regrade.batch/1") return false;
  if (typeof value["task"] !== "string" || typeof value["candidate"] !== "string") return false;
  const { updates, given, samples, graded } = value;
  if (updates !== undefined) return Array.isArray(updates) && updates.every(isUpdate);
  return typeof given === "string" && typeof samples === "number" && isBatchGraded(graded);
}

function isSpent(value: unknown): value is SpentLine {
  if (!isJsonObject(value) || value["object"] !== "regrade.spent/1") return false;
  return typeof value["usd"] === "number" && typeof value["tokens"] === "number";
}

function isBatchGraded(value: unknown): boolean {
  if (!isJsonObject(value)) return false;
  const { kind, metrics, notes, type, message } = value;
  if (kind === "graded") return isJsonObject(metrics) && Array.isArray(notes);
  return kind === "invalid" && typeof type === "string" && typeof message === "string";
}

function isUpdate(value: unknown): value is SampleUpdate {
  return isJsonObject(value) && typeof value["sample_id"] === "string";
}

function isAnswerLine(value: unknown): value is AnswerLine {
  return (
    isJsonObject(value) &&
    typeof value["sample_id"] === "string" &&
    typeof value["latencyMs"] === "number" &&
    typeof value["createdAt"] === "string" &&
    isJsonObject(value["generated"]) &&
    value["generated"]["kind"] === "answered" &&
    typeof value["generated"]["outputText"] === "string"
  );
}

import { isJsonObject } from "../domain/json.ts";
import type { Answer } from "../domain/ports.ts";
import type { Run } from "../domain/run.ts";
import type { Sample, ScoreRow } from "../domain/sample.ts";
import type { Shape } from "./json-lines.ts";
import { isRun, isSample, isScore } from "./run-schemas.generated.mjs";
import type { ShapeError } from "./run-schemas.generated.mjs";

/** The first line of `generated.jsonl`: what a resumption must agree with. */
export interface Plan {
  readonly object: "regrade.plan/1";
  readonly run_id: string;
  readonly input_hash: string;
  readonly created_at: string;
}

/** A later line: an answer that waits to be graded. */
export type AnswerLine = { readonly sample_id: string } & Answer;

/** run.json */
export const runShape: Shape<Run> = { is: isRun, complaint: () => complain(isRun.errors) };
/** A line of samples.jsonl. */
export const sampleShape: Shape<Sample> = {
  is: isSample,
  complaint: () => complain(isSample.errors),
};
/** A line of scores.jsonl. */
export const scoreShape: Shape<ScoreRow> = {
  is: isScore,
  complaint: () => complain(isScore.errors),
};
/** A line of generated.jsonl. */
export const generatedShape: Shape<Plan | AnswerLine> = {
  is: (value) => isPlan(value) || isAnswerLine(value),
  complaint: () => "it is neither a plan nor an answer",
};

function complain(errors: readonly ShapeError[] | null | undefined): string {
  const [first] = errors ?? [];
  if (!first) return "it has another shape";
  return `${first.instancePath || "the value"} ${first.message ?? "has another shape"}`;
}

function isPlan(value: unknown): value is Plan {
  return (
    isJsonObject(value) &&
    value["object"] === "regrade.plan/1" &&
    typeof value["run_id"] === "string" &&
    typeof value["input_hash"] === "string" &&
    typeof value["created_at"] === "string"
  );
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

import { isJsonObject, type Json, type JsonObject } from "../../model/json.ts";
import { clip } from "../escape.ts";
import type { WazaOutcome, WazaTaskText } from "./waza-texts.ts";

/** An outcome in waza's format as its texts show it; a missing figure is 0, as in waza. */
export function outcomeText(outcome: JsonObject, tasks: readonly WazaTaskText[]): WazaOutcome {
  const { config, summary } = outcome;
  return {
    skill: textIn(outcome, "skill"),
    eval_name: textIn(outcome, "eval_name"),
    timestamp: textIn(outcome, "timestamp"),
    config: { model_id: textIn(config, "model_id"), engine_type: textIn(config, "engine_type") },
    summary: {
      total_tests: numberOf(summary, "total_tests"),
      succeeded: numberOf(summary, "succeeded"),
      failed: numberOf(summary, "failed"),
      errors: numberOf(summary, "errors"),
      skipped: numberOf(summary, "skipped"),
      success_rate: numberOf(summary, "success_rate"),
      aggregate_score: numberOf(summary, "aggregate_score"),
      weighted_score: numberOf(summary, "weighted_score"),
      min_score: numberOf(summary, "min_score"),
      max_score: numberOf(summary, "max_score"),
      std_dev: numberOf(summary, "std_dev"),
      duration_ms: numberOf(summary, "duration_ms"),
    },
    tasks,
  };
}

/** A task without the parts that no text shows: answers, transcripts, and the grades of later runs that passed. */
export function taskText(task: JsonObject): WazaTaskText {
  const { stats } = task;
  return {
    display_name: textIn(task, "display_name"),
    status: textIn(task, "status"),
    ...(isJsonObject(stats) && { stats: statsText(stats) }),
    runs: objectsIn(task["runs"]).map((run, i) => {
      const status = textIn(run, "status");
      const isShown = i === 0 || status !== "passed";
      return {
        status,
        error_msg: textIn(run, "error_msg"),
        validations: isShown ? gradesText(run["validations"]) : [],
      };
    }),
  };
}

function statsText(stats: JsonObject): NonNullable<WazaTaskText["stats"]> {
  return {
    pass_rate: numberOf(stats, "pass_rate"),
    avg_score: numberOf(stats, "avg_score"),
    std_dev_score: numberOf(stats, "std_dev_score"),
    flaky: stats["flaky"] === true,
    avg_duration_ms: numberOf(stats, "avg_duration_ms"),
  };
}

/** Limit, in characters, of a grader's feedback in a text. */
const mostFeedback = 1000;

function gradesText(validations: Json | undefined): WazaTaskText["runs"][number]["validations"] {
  const grades = isJsonObject(validations) ? Object.values(validations) : [];
  return grades.filter(isJsonObject).map((grade) => ({
    identifier: textIn(grade, "identifier"),
    type: textIn(grade, "type"),
    score: numberOf(grade, "score"),
    passed: grade["passed"] === true,
    feedback: clip(textIn(grade, "feedback"), mostFeedback),
  }));
}

function objectsIn(value: Json | undefined): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}

function textIn(value: Json | undefined, key: string): string {
  const text = isJsonObject(value) ? value[key] : undefined;
  return typeof text === "string" ? text : "";
}

function numberOf(value: Json | undefined, key: string): number {
  const number = isJsonObject(value) ? value[key] : undefined;
  return typeof number === "number" ? number : 0;
}

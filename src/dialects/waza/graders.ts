import { ownValue } from "../../model/own-value.ts";
import { nearest } from "../../base/nearest.ts";
import { at, numberOf, type Part, placeOf } from "../../base/part.ts";
import type { JsonObject } from "../../model/json.ts";
import { problem } from "../../model/refusal.ts";
import {
  refuseValue,
  isGiven,
  mappingOf,
  mappingList,
  fullScalar,
  fullText,
  refuseBecause,
  tellIdle,
  spotOf,
  type WazaEval,
} from "./eval.ts";
import { codeCheck, jsonSchemaCheck } from "./kinds/answer.ts";
import { actionSequenceCheck, behaviorCheck, skillInvocationCheck } from "./kinds/behavior.ts";
import { diffCheck, fileCheck } from "./kinds/files.ts";
import type { GraderEntry, ReadKind } from "./kinds/kind.ts";
import { llmCheck, llmComparisonCheck, promptCheck } from "./kinds/judge.ts";
import { programCheck, scriptCheck } from "./kinds/program.ts";
import { keywordCheck, regexCheck, textCheck } from "./kinds/text.ts";
import { triggerCheck } from "./kinds/trigger.ts";
import { toolCallsCheck, toolConstraintCheck } from "./kinds/tools.ts";

/** A grader, translated to a check of rows. */
export interface WazaCheck {
  /** The grader's name in the file. */
  readonly wazaName: string;
  readonly check: JsonObject;
  readonly part: Part;
}

const keysOfEntry = ["type", "name", "weight", "config", "script", "rubric", "model", "assertions"];

/** Reads the graders of the file, or of a task. Each must check something, or it is refused. */
export async function readGraders(list: Part, file: WazaEval): Promise<readonly WazaCheck[]> {
  const checks: WazaCheck[] = [];
  for (const part of mappingList(list, file)) {
    const check = await readGrader(part, file);
    if (check !== undefined) checks.push(check);
  }
  return checks;
}

async function readGrader(part: Part, file: WazaEval): Promise<WazaCheck | undefined> {
  mappingOf(part, { known: keysOfEntry, what: "a grader" }, file);
  const name = fullScalar(at(part, "name"), file) ?? "";
  const type = fullText(at(part, "type"), file);
  if (type === undefined) return undefined;
  // The first version has the path of a script here.
  const idle = ["script", "rubric", "model"].filter((key) => key !== type);
  for (const key of idle)
    if (isGiven(at(part, key))) tellIdle(at(part, key), "waza reads it in `config` alone", file);
  const read = ownValue(kinds, type);
  if (read === undefined) return unknownKind(at(part, "type"), type, file);
  refuseAssertions(part, type, file);
  const entry: GraderEntry = { name, part, config: at(part, "config") };
  const options = await read(entry, file);
  if (options === undefined) return undefined;
  const weight = weightOf(at(part, "weight"), file);
  return {
    wazaName: name,
    check: { ...options, name: metricName(name), ...(weight !== undefined && { weight }) },
    part,
  };
}

/** Refuses `assertions` at the top level of a grader, where only code graders may have them. */
function refuseAssertions(part: Part, type: string, file: WazaEval): void {
  const assertions = at(part, "assertions");
  if (isGiven(assertions) && type !== "code")
    refuseValue(assertions, "left out: only graders of the type code have assertions", file);
}

/** The weight of a grader. As in waza, a weight of 0 or less counts as 1. */
function weightOf(part: Part, file: WazaEval): number | undefined {
  if (!isGiven(part)) return undefined;
  const weight = numberOf(part);
  if (weight === undefined) return refuseValue(part, "a number", file);
  return weight > 0 ? weight : 1;
}

/** Makes a metric's name: letters, digits, _ and -. */
export function metricName(name: string): string {
  const slug = name.replaceAll(/[^A-Za-z0-9_-]+/g, "_").slice(0, 64);
  return ["score", "passed", "", "_"].includes(slug) ? `grader_${slug}` : slug;
}

/** Refuses two graders with the same name. `others`: graders that the task has in any case. */
export function refuseSameNames(
  own: readonly WazaCheck[],
  others: readonly WazaCheck[],
  file: WazaEval,
): void {
  const seen = new Set(others.map(({ check }) => check["name"]));
  for (const { check, wazaName, part } of own) {
    if (seen.has(check["name"]))
      file.refuse(problem("waza_name_taken", { name: wazaName }, spotOf(at(part, "name"))));
    seen.add(check["name"]);
  }
}

/** Types that can't be run here, with an alternative for each. */
const elsewhere: Readonly<Record<string, string>> = {
  human:
    "Nobody can answer in CI. `regrade show RUN CASE` shows an answer whole, and a judge takes the place of people once `regrade calibrate` has compared it with them (docs/graders.md).",
  human_calibration:
    "`regrade calibrate RUN` compares a judge with what people said: docs/graders.md, on judges.",
};

function unknownKind(part: Part, type: string, file: WazaEval): undefined {
  const way = ownValue(elsewhere, type);
  if (way !== undefined)
    return refuseBecause(part, { what: `a grader of the type ${type}`, way }, file);
  const known = Object.keys(kinds);
  const found = { type, known, suggestion: nearest(type, [...known, ...Object.keys(elsewhere)]) };
  return file.refuse(problem("waza_grader_unknown", found, placeOf(part)));
}

/** Readers by type of grader. */
const kinds: Readonly<Record<string, ReadKind>> = {
  action_sequence: actionSequenceCheck,
  behavior: behaviorCheck,
  code: codeCheck,
  diff: diffCheck,
  file: fileCheck,
  json_schema: jsonSchemaCheck,
  keyword: keywordCheck,
  llm: llmCheck,
  llm_comparison: llmComparisonCheck,
  program: programCheck,
  prompt: promptCheck,
  regex: regexCheck,
  script: scriptCheck,
  skill_invocation: skillInvocationCheck,
  text: textCheck,
  tool_calls: toolCallsCheck,
  tool_constraint: toolConstraintCheck,
  trigger: triggerCheck,
};

import { posix } from "node:path";
import { ownValue } from "../../model/own-value.ts";
import type { Environment } from "../../model/ports/processes.ts";
import { inputsOfSteps, type JudgingJob, type StepInputs } from "./workflow-steps.ts";

/** Inputs that decide what is judged and how, with their defaults. base-judges.ts deals with the inputs for models. */
const judgingInputs: Readonly<Record<string, string>> = {
  suite: "evals/*.{yaml,yml,json}",
  results: "",
  format: "auto",
  "max-drop": "",
  min: "",
  metric: "",
  name: "",
  baseline: "",
  "policy-from": "auto",
  comment: "changes",
  "fail-on": "fail,error,inconclusive",
  candidates: "",
  tasks: "",
  "max-samples": "",
  "changed-only": "false",
  strict: "false",
  python: "",
  sandbox: "auto",
  cache: "true",
  "working-directory": ".",
};

/** The texts of a workflow's file. */
interface WorkflowTexts {
  readonly base: string;
  /** undefined: it is not checked out. */
  readonly head: string | undefined;
}

/**
 * The judging inputs of a step in which the change's workflow differs from the base's, with the base's values. Empty if
 * every step of the base still exists unchanged: then this step is one of them, or an additional one. An expression
 * can't be evaluated here, so it stays as given. Pure.
 */
export function inputsOfBase(
  { base, head }: WorkflowTexts,
  job: Omit<JudgingJob, "workflow">,
  env: Environment,
): Readonly<Record<string, string>> {
  const before = inputsOfSteps(base, job);
  const left = head === undefined ? [] : [...inputsOfSteps(head, job)];
  const lost = before.filter((step) => {
    const at = left.findIndex((other) => isSame(step, other));
    if (at >= 0) left.splice(at, 1);
    return at < 0;
  });
  const given = (name: string): string => textOf(env[`INPUT_${name.toUpperCase()}`], name);
  const isWritten = (name: string): boolean =>
    [...before, ...left].some((step) => Object.hasOwn(step, name));
  const names = Object.keys(judgingInputs).filter((name) => head === undefined || isWritten(name));
  const isGiven = (step: StepInputs): boolean =>
    names.every((name) => isExpression(step[name]) || textOf(step[name], name) === given(name));
  // This step is one of the base's, whatever happened to the others.
  if (lost.length === 0 || before.some(isGiven)) return {};
  const agreed = names.flatMap((name) => {
    const values = [...new Set(lost.map((step) => textOf(step[name], name)))];
    const [value] = values;
    const isKnown = values.length === 1 && !lost.some((step) => isExpression(step[name]));
    return value === undefined || !isKnown || value === given(name) ? [] : [[name, value] as const];
  });
  return together(Object.fromEntries(agreed), given);
}

/** True if only the change's workflow has an empty token, without which no earlier run is found. Pure. */
export function takesToken(
  { base, head }: WorkflowTexts,
  job: Omit<JudgingJob, "workflow">,
): boolean {
  const has = (text: string): boolean =>
    inputsOfSteps(text, job).some((step) => Object.hasOwn(step, "token") && isEmpty(step["token"]));
  return (head === undefined || has(head)) && !has(base);
}

function isEmpty(value: unknown): boolean {
  return value === null || value === "";
}

/**
 * The base's values, together with the change's where both can apply: the change's suites are judged, too, and its
 * verdicts also fail the step.
 */
function together(
  base: Readonly<Record<string, string>>,
  given: (name: string) => string,
): Readonly<Record<string, string>> {
  const { suite, "fail-on": failOn, "working-directory": directory, ...rest } = base;
  const isMoved = directory !== undefined;
  const from = isMoved ? posix.relative(given("working-directory"), directory) : "";
  const suites = suite ?? (isMoved ? given("suite") : undefined);
  const inPlace = suites?.split("\n").map((line) => posix.join(from, line.trim()));
  return {
    ...rest,
    ...(inPlace && { suite: [...inPlace, given("suite")].join("\n") }),
    ...(failOn !== undefined && { "fail-on": strictest(failOn, given("fail-on")) }),
  };
}

function strictest(one: string, other: string): string {
  const words = [one, other].flatMap((text) => text.split(/[\s,]+/)).filter((word) => word !== "");
  const verdicts = [...new Set(words)].filter((word) => word !== "never");
  return verdicts.length === 0 ? "never" : verdicts.join(",");
}

function isSame(one: StepInputs, other: StepInputs): boolean {
  return Object.keys(judgingInputs).every(
    (name) => textOf(one[name], name) === textOf(other[name], name),
  );
}

function isExpression(value: unknown): boolean {
  return typeof value === "string" && value.includes("${{");
}

/** The text that the runner passes; an empty input has its default. */
function textOf(value: unknown, name: string): string {
  const isText = ["string", "number", "boolean"].includes(typeof value);
  const text = isText ? String(value).trim() : "";
  return text === "" ? (ownValue(judgingInputs, name) ?? "") : text;
}

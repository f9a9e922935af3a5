import type { Graded, Grader, OpenGrader } from "../model/grading.ts";
import {
  batchGraders,
  isAggregate,
  isMetricOf,
  metricIdOf,
  type NamedGrader,
  type SeveralGraders,
  type SingleGrader,
} from "../model/definition/graders.ts";
import { weightedId } from "../model/definition/metric.ts";
import { canonicalJson, type JsonObject } from "../model/json.ts";
import type { HashText } from "../model/ports/files.ts";
import type { Scores } from "../model/outcomes/sample.ts";
import { gradeSeveralBatches } from "./several-batches.ts";
import { withView } from "./view.ts";
import { weigh, type OpenedOne } from "./weighing.ts";

/** Opens all graders of a task as one that gives the scores of each under its name, and their weighted `score`. */
export async function openSeveral(
  { graders }: SeveralGraders,
  openOne: (grader: SingleGrader, index: number) => ReturnType<OpenGrader>,
  hashText: HashText,
): ReturnType<OpenGrader> {
  const results = await Promise.all(graders.map(({ grader }, i) => openOne(grader, i)));
  const opened = graders.flatMap((named, i): readonly OpenedOne[] => {
    const result = results[i];
    return result !== undefined && "grader" in result
      ? [{ named, grader: withView(result.grader, { target: targetNameOf(named) }) }]
      : [];
  });
  const close = async (): Promise<void> => {
    for (const { grader } of opened) await grader.close();
  };
  const problems = results.flatMap((each) => ("problems" in each ? each.problems : []));
  if (opened.length < graders.length) {
    await close();
    return { problems };
  }
  const identity = opened.map(({ named: { name, weight }, grader }) => [name, weight, grader.hash]);
  const warnings = opened.flatMap(({ grader }) => grader.warnings);
  return { grader: { ...asOne(opened), hash: hashText(canonicalJson(identity)), warnings, close } };
}

function targetNameOf({ name, target_template }: NamedGrader): string | undefined {
  return target_template === undefined ? undefined : name;
}

function asOne(
  all: readonly OpenedOne[],
): Pick<Grader, "grade" | "hurry" | "gradeBatch" | "batchPart"> {
  const each = all.filter(({ named }) => !isAggregate(named.grader));
  const batches = all.filter(({ named }) => isAggregate(named.grader));
  const isWeighedLater = batches.some(({ named }) => named.weight > 0);
  const grade: Grader["grade"] = async (...given) => {
    const parts = await Promise.all(each.map((one) => gradeOne(one, given)));
    return merge(parts, isWeighedLater);
  };
  const hurry = (): void => {
    for (const { grader } of each) grader.hurry();
  };
  if (batches.length === 0) return { grade, hurry };
  const graders = all.map(({ named }) => named);
  const owners = batchGraders({ type: "several", graders });
  return {
    grade,
    hurry,
    gradeBatch: (about, samples) => gradeSeveralBatches({ batches, all: graders }, about, samples),
    ...(each.length > 0 && {
      batchPart: {
        scores: (id) =>
          owners.some((owner) => isMetricOf(owner, id)) || (isWeighedLater && id === weightedId),
        judge: (key) => owners.some(({ name }) => name === key),
      },
    }),
  };
}

interface Part {
  readonly named: NamedGrader;
  readonly graded: Graded;
}

async function gradeOne(
  { named, grader }: OpenedOne,
  given: Parameters<Grader["grade"]>,
): Promise<Part> {
  return { named, graded: await grader.grade(...given) };
}

/**
 * Merges the results of several graders for one sample. If one can't be reached the sample is ungraded, because `score`
 * would be incomplete. An invalid result costs only its own metrics, and counts as 0 in `score`; if all are invalid, the
 * sample is invalid.
 */
function merge(parts: readonly Part[], isWeighedLater: boolean): Graded {
  const calls = parts.flatMap(({ graded }) => graded.modelCalls ?? []);
  const modelCalls = calls.length === 0 ? {} : { modelCalls: calls };
  const lost = parts.find(({ graded }) => graded.kind === "ungraded");
  if (lost?.graded.kind === "ungraded") {
    const { kind, type, message } = lost.graded;
    return { kind, type, message: `${lost.named.name}: ${message}`, ...modelCalls };
  }
  const judge = judgeOf(parts);
  const printed = printedBy(parts);
  const invalid = parts.find(({ graded }) => graded.kind === "invalid");
  const isNoneValid = parts.length > 0 && parts.every(({ graded }) => graded.kind === "invalid");
  if (isNoneValid && invalid?.graded.kind === "invalid") {
    const { kind, type, message } = invalid.graded;
    const said = `${invalid.named.name}: ${message}`;
    return {
      kind,
      type,
      message: said,
      judge: { ...judge, invalid: true },
      printed,
      ...modelCalls,
    };
  }
  const own = Object.fromEntries(parts.flatMap(scoresOf));
  const scores = isWeighedLater ? own : { ...weighted(parts, own), ...own };
  return { kind: "scored", scores, judge: isEmpty(judge) ? null : judge, printed, ...modelCalls };
}

function scoresOf({ named, graded }: Part): readonly (readonly [string, number])[] {
  if (graded.kind !== "scored") return [];
  return Object.entries(graded.scores).map(([key, score]) => [metricIdOf(named, key), score]);
}

function weighted(parts: readonly Part[], own: Scores): Scores {
  const weighed = parts.map(({ named, graded }) => ({ named, invalid: graded.kind === "invalid" }));
  const score = weigh(weighed, own);
  return score === undefined ? {} : { [weightedId]: score };
}

/** Details of each grader under its name; a weighted grader without a main score is marked. */
function judgeOf(parts: readonly Part[]): JsonObject {
  const said = parts.flatMap(({ named, graded }): readonly (readonly [string, JsonObject])[] => {
    if (graded.kind === "ungraded" || graded.judge === null) return [];
    const isInvalid = graded.kind === "invalid" && { invalid: true, error: errorOf(graded) };
    return [[named.name, { ...graded.judge, ...isInvalid }]];
  });
  return Object.fromEntries(said);
}

function errorOf({ type, message }: Extract<Graded, { kind: "invalid" }>): JsonObject {
  return { type, message };
}

function printedBy(parts: readonly Part[]): string | null {
  const printed = parts.flatMap(({ named, graded }) =>
    graded.kind === "ungraded" || graded.printed === null || graded.printed === ""
      ? []
      : [`[${named.name}] ${graded.printed}`],
  );
  return printed.length === 0 ? null : printed.join("\n");
}

function isEmpty(judge: JsonObject): boolean {
  return Object.keys(judge).length === 0;
}

import { ownValue } from "../model/own-value.ts";
import { parseAnswer } from "../base/answer-json.ts";
import { canonicalJson, isJsonObject, type Json, type JsonObject } from "../model/json.ts";
import type { AnswerOf, Graded, Grader } from "../model/grading.ts";
import type { HashText } from "../model/ports/files.ts";
import type { GraderItem, GraderSample, Scores } from "../model/outcomes/sample.ts";
import type { CallModel } from "../model/ports/bridge.ts";
import { type CheckOpened, type CheckResult, gradedOf } from "./checks/checked.ts";
import { type AskJudge, openJudgeCalls } from "./judge-calls.ts";
import { checkFault, isCheckHere, openCheckHere } from "./checks/open.ts";
import { brokenOf } from "./held/grader.ts";
import { isHeldCheck } from "./held/spec.ts";
import type { RowPrograms } from "./row-programs.ts";
import { type OwnCheck, ownCheckOf, readOwnChecks } from "./checks/own-check.ts";

/** The options of `row_checks`: the fields with rows' checks, and the checks of every row. */
interface RowCheckOptions {
  readonly field: string;
  /** The checks of every row, as the manifest has them. */
  readonly also: readonly JsonObject[];
}

function rowCheckOptions({ field, also }: JsonObject): RowCheckOptions {
  return {
    field: typeof field === "string" ? field : "",
    also: Array.isArray(also) ? also.filter(isJsonObject) : [],
  };
}

/** The options, with only those checks that Python runs. */
export function withPythonChecks(options: JsonObject): JsonObject {
  const { also } = rowCheckOptions(options);
  return { ...options, also: also.filter((check) => !isCheckHere(check) && !isHeldCheck(check)) };
}

/** Why checks of `also` that run here can't be used. */
export function faultsOfAlso(options: JsonObject): readonly string[] {
  return rowCheckOptions(options).also.flatMap((check, i) => {
    if (!isCheckHere(check)) return [];
    const { type, options: own } = ownCheckOf(check, "");
    const fault = checkFault(own, type);
    return fault === undefined ? [] : [`also[${i}]: ${fault}`];
  });
}

/** Result of a check of a sample. */
interface Done {
  readonly check: OwnCheck;
  readonly result: CheckResult;
}

interface MixedParts {
  readonly options: JsonObject;
  readonly hashText: HashText;
  /** Asks a judge; undefined if no check may ask one. */
  readonly call: CallModel | undefined;
}

interface RowCheckParts extends MixedParts {
  readonly held: RowPrograms;
}

/** A grader of rows that carry checks: `python` runs its own, and the others are run in this process. */
export function mixedRowChecks(
  python: Grader,
  { options, hashText, call, held }: RowCheckParts,
): Grader {
  const { field, also } = rowCheckOptions(options);
  const alsoHere = also.map((check, i) => ownCheckOf(check, `also[${i}]`)).filter(isHere);
  const hasPython = alsoHere.length < also.length;
  const openedOf = openedOnce();
  const own = alsoHere.map(({ written }) => written);
  return {
    ...python,
    hash: hashText(canonicalJson({ python: python.hash, version: 1, also: own, ...filesOf(held) })),
    grade: async (sample, item, answerOf) => {
      const rows = ownChecksIn(item, field);
      if ("fault" in rows) return invalid(rows.fault);
      const here = [...rows.checks, ...alsoHere].filter(isHere);
      const others = rows.checks.filter((check) => !isHere(check));
      if (here.length === 0) return python.grade(sample, item);
      const done: Done[] = [];
      const ask = askOf(sample, call);
      for (const check of here) {
        const seen = seenBy(check, sample);
        const end = isHeldCheck(check.written)
          ? await byProgram(check, held, [seen, item])
          : check.type === "judge_calls"
            ? await judged(check, { sample: seen, ask, answerOf, hashText })
            : checked(check, openedOf(check), () => [seen, item]);
        if (!("result" in end)) return end;
        done.push({ check, result: end.result });
      }
      if (!hasPython && others.length === 0) return merged(done, undefined);
      const rest = { ...item, [field]: others.map(({ written }) => written) };
      return merged(done, await python.grade(sample, rest));
    },
  };
}

type Ended = { readonly result: CheckResult } | Graded;

function checked(
  { label }: OwnCheck,
  opened: CheckOpened,
  given: () => readonly [GraderSample, GraderItem],
): Ended {
  if ("fault" in opened) return invalid(`${label}: ${opened.fault}`);
  return { result: opened.check(...given()) };
}

/** Present only if there are any, so that hashes of other suites stay the same. */
function filesOf({ files }: RowPrograms): JsonObject {
  const named = files.map(({ path, sha256 }) => [path, sha256]);
  return named.length === 0 ? {} : { programs: named };
}

/** A program that did not judge has failed, as in waza; a negated check does not pass because of that. */
async function byProgram(
  check: OwnCheck,
  held: RowPrograms,
  [sample, item]: readonly [GraderSample, GraderItem],
): Promise<Ended> {
  const { name, label, type, isTurned, extractedField } = check;
  const end = await held.check(check, { sample, item, readsField: extractedField !== undefined });
  if (end.kind === "ungraded") return { ...end, message: `${name ?? label}: ${end.message}` };
  const { result, broken } = end;
  const mayCount = broken === undefined || (type === "program" && !isTurned);
  return mayCount ? { result } : brokenOf(result, broken);
}

/** Numbers the questions about a sample: an answer belongs to one. */
function askOf({ sample_id: subject }: GraderSample, call: CallModel | undefined): AskJudge {
  let index = -1;
  return async (request) => {
    index += 1;
    const asked = { subject, index, helper: "responses_create", request } as const;
    return call === undefined ? nobody : call(asked);
  };
}

const nobody = {
  kind: "refused",
  message: "no judge may be asked: set judge_calls of row_checks to how often one may be",
} as const;

interface JudgeParts {
  readonly sample: GraderSample;
  readonly ask: AskJudge;
  readonly answerOf: AnswerOf | undefined;
  readonly hashText: HashText;
}

async function judged(
  check: OwnCheck,
  { sample, ask, answerOf, hashText }: JudgeParts,
): Promise<Ended> {
  const end = await openJudgeCalls(check.options, hashText).judge(sample, ask, answerOf);
  if (end.kind === "judged") return { result: end.result };
  const { type, message } = end;
  return { kind: "ungraded", type, message: `${check.name ?? check.label}: ${message}` };
}

function isHere({ written }: OwnCheck): boolean {
  return isCheckHere(written) || isHeldCheck(written);
}

function ownChecksIn(
  item: GraderItem,
  field: string,
): { readonly checks: readonly OwnCheck[] } | { readonly fault: string } {
  const written = ownValue(item, field);
  if (typeof written !== "string" || written.trim() === "") return readOwnChecks(written, field);
  // A column of a CSV file is text that holds JSON.
  const read = parseAnswer(written);
  return read.kind === "malformed"
    ? { fault: `'${field}' is no JSON: ${read.reason}` }
    : readOwnChecks(read.value, field);
}

function seenBy({ extractedField }: OwnCheck, sample: GraderSample): GraderSample {
  if (extractedField === undefined) return sample;
  return { ...sample, extracted_output: sample.extracted_fields?.[extractedField] ?? null };
}

/** Limit of compiled checks in memory: patterns of equal checks are compiled once. */
const mostRemembered = 5000;

function openedOnce(): (check: OwnCheck) => ReturnType<typeof openCheckHere> {
  const known = new Map<string, ReturnType<typeof openCheckHere>>();
  return ({ type, options }) => {
    const key = JSON.stringify([type, options]);
    const found = known.get(key);
    if (found !== undefined) return found;
    const opened = openCheckHere(options, type);
    if (known.size < mostRemembered) known.set(key, opened);
    return opened;
  };
}

function invalid(message: string): Graded {
  const type = "ValueError";
  return {
    kind: "invalid",
    type,
    message,
    judge: { invalid: true, error: { type, message } },
    printed: null,
  };
}

/** Merges the results of Python's checks, in their order, with those made here. */
function merged(done: readonly Done[], python: Graded | undefined): Graded {
  if (python !== undefined && python.kind !== "scored") return python;
  const own = done.map(toldHere);
  const others = python === undefined ? [] : toldByPython(python);
  const all = [...own, ...others];
  const total = all.reduce((sum, { weight }) => sum + weight, 0);
  if (total <= 0) return invalid("all checks of this row weigh 0");
  const scores: Scores = {
    ...python?.scores,
    ...Object.fromEntries(
      own.flatMap(({ name, score }) => (name === undefined ? [] : [[name, score]])),
    ),
    score: all.reduce((sum, { weight, score }) => sum + weight * score, 0) / total,
    passed: all.every(({ passed }) => passed) ? 1 : 0,
  };
  const judge = { checks: all.map(({ told }) => told) };
  return { kind: "scored", scores, judge, printed: python?.printed ?? null, ...callsOf(python) };
}

function callsOf(python: Graded | undefined): Pick<Graded, "modelCalls"> {
  return python?.modelCalls === undefined ? {} : { modelCalls: python.modelCalls };
}

interface Told {
  readonly name: string | undefined;
  readonly weight: number;
  readonly score: number;
  readonly passed: boolean;
  readonly told: JsonObject;
}

function toldHere({ check, result }: Done): Told {
  const { name, label, weight, type, least, isTurned } = check;
  const score = isTurned ? 1 - result.score : result.score;
  // Some checks need more than their score to pass: the order of calls, for example.
  const passed =
    least === undefined && !isTurned ? result.passed : score >= (least ?? 1) - rounding;
  const { feedback, details = {} } = result;
  const judge = { feedback, ...details };
  const told = { check: name ?? `${label} ${type}`, type, weight, score, passed, judge };
  return { name, weight, score, passed, told };
}

/** Scores are sums of fractions: 0.1 + 0.2 reaches 0.3. */
const rounding = 1e-9;

function toldByPython({ judge }: Extract<Graded, { kind: "scored" }>): readonly Told[] {
  const checks: Json = judge?.["checks"] ?? [];
  return (Array.isArray(checks) ? checks : []).filter(isJsonObject).map((told) => {
    const { score, passed, weight } = told;
    return {
      name: undefined,
      weight: typeof weight === "number" ? weight : 1,
      score: typeof score === "number" ? score : 0,
      passed: passed === true,
      told,
    };
  });
}

/** A judge that gives its verdicts by calls, as a grader. */
export function judgeGrader({ options, hashText, call }: MixedParts): Omit<Grader, "hash"> {
  const { judge } = openJudgeCalls(options, hashText);
  return {
    grade: async (sample, _item, answerOf) => {
      const end = await judge(sample, askOf(sample, call), answerOf);
      return end.kind === "judged" ? gradedOf("judge_calls", end.result) : end;
    },
    hurry: () => undefined,
    warnings: [],
    close: async () => undefined,
  };
}

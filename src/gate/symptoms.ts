import { ownValue } from "../model/own-value.ts";
import { nearest } from "../base/nearest.ts";
import type { MetricSpec } from "../model/definition/suite.ts";
import type { Symptom, UnexpectedScore } from "../model/outcomes/symptom.ts";

/** Observations about the samples of a task and candidate that were inspected. */
export interface Evidence {
  /** Number of inspected samples; every count below refers to these. */
  readonly looked: number;
  readonly answered: number;
  /** Samples without an answer of the candidate; null if all have one. */
  readonly unanswered: CountedMessage | null;
  readonly nothingExtracted: number;
  /** Answers that do not have the requested form; absent if all have it. */
  readonly formatUnmet?: CountedMessage | undefined;
  /** Samples without a target though the task has a `target_template`. */
  readonly targetsEmpty: number;
  /** How often each field that the prompt uses was empty. */
  readonly emptyFields: Readonly<Record<string, number>>;
  /**
   * Number of samples that scored 0 in the first metric although the answer differs from the target only in case.
   * `sameNumber`: the same, for equal numbers.
   */
  readonly otherCase: number;
  readonly sameNumber: number;
  readonly failures: readonly GraderFailure[];
  /** Samples in which one of several graders found no valid result, by its name; absent if there are none. */
  readonly parts?: Readonly<Record<string, CountedMessage>> | undefined;
  /** Samples that have a score although a model call of their grader was refused; absent if there are none. */
  readonly scoredUnanswered?: CountedMessage | undefined;
}

export interface CountedMessage {
  readonly count: number;
  /** The message of the first one. It may contain texts of the sample. */
  readonly message: string;
}

/** Samples whose grading failed in the same way. */
export interface GraderFailure {
  readonly type: string;
  /** `infra`: not the grader's mistake, and there is no score. */
  readonly fault: "grader" | "infra";
  readonly count: number;
  /** The message of the first one. It may contain texts of the sample. */
  readonly message: string;
}

interface ScoreCounts {
  readonly scored: number;
  readonly zeros: number;
  readonly low: number;
  readonly high: number;
}

/** Facts about a task and candidate at the end of a run. */
export interface TaskFacts {
  readonly task: string;
  readonly candidate: string;
  readonly grader: string;
  /** The function of the grader's code that is called. */
  readonly calls: "grade" | "grade_batch";
  readonly extraction: string;
  readonly declared: readonly MetricSpec[];
  /** For each metric with scores: number of samples with a score, and number of those with 0. */
  readonly scores: Readonly<Record<string, ScoreCounts>>;
  readonly strays: readonly UnexpectedScore[];
  readonly evidence: Evidence;
}

/** Fewer zeros than this may be chance. */
const manyZeros = 5;
/** Share of samples that counts as almost all. */
const almostAll = 0.9;
/** Share of near misses above which they are no accident. */
const noAccident = 0.05;
/** Share of samples without an answer above which the figures are misleading. */
const largePart = 0.1;
/** Share of a range's width by which rounding errors may exceed it, as a cosine of 1.0000000000000002 does. */
const rounding = 1e-9;

/**
 * Likely causes by the facts, the most likely first. Metrics that are always 0 are reported only if nothing else
 * explains them.
 */
export function findSymptoms(facts: TaskFacts): readonly Symptom[] {
  const causes = [...targetSymptoms(facts), ...answerSymptoms(facts), ...failureSymptoms(facts)];
  return [
    ...candidateSymptoms(facts),
    ...partSymptoms(facts),
    ...undeclaredSymptoms(facts),
    ...facts.strays.map((stray) => ({ kind: "score_out_of_bounds" as const, stray })),
    ...formatSymptoms(facts),
    ...causes,
    ...(causes.length > 0 ? [] : zeroSymptoms(facts)),
    // This comes last, because a field may be empty on purpose.
    ...fieldSymptoms(facts),
  ];
}

/** Scores outside the metric's range; if there are none, scores that contradict its scale. */
export function findUnexpectedScores(
  { id, range, scale }: Pick<MetricSpec, "id" | "range" | "scale">,
  scores: readonly number[],
): UnexpectedScore | undefined {
  const beyond = range === null ? [] : scores.filter((score) => !isWithin(score, range));
  const isBeyond = beyond.length > 0;
  const stray = isBeyond || scale !== "binary" ? beyond : scores.filter((each) => !isBit(each));
  const [first] = stray;
  if (first === undefined) return undefined;
  const alike = stray.every((each) => each === first);
  return { metric: id, range: isBeyond ? range : null, first, alike, count: stray.length };
}

function isWithin(score: number, [low, high]: readonly [number, number]): boolean {
  const slack = rounding * (high - low);
  return score >= low - slack && score <= high + slack;
}

function isBit(score: number): boolean {
  return score === 0 || score === 1;
}

function candidateSymptoms({ evidence }: TaskFacts): readonly Symptom[] {
  const { looked, unanswered } = evidence;
  if (unanswered === null) return [];
  const { count, message } = unanswered;
  const isLarge = count === looked || (count > 1 && count >= largePart * looked);
  const share = { count, of: looked };
  return isLarge ? [{ kind: "candidate_failed", share, detail: message }] : [];
}

function targetSymptoms({ evidence }: TaskFacts): readonly Symptom[] {
  const { looked, targetsEmpty } = evidence;
  if (looked === 0 || targetsEmpty < looked) return [];
  return [{ kind: "target_empty", share: { count: targetsEmpty, of: looked } }];
}

function fieldSymptoms({ evidence }: TaskFacts): readonly Symptom[] {
  const { looked, emptyFields } = evidence;
  return Object.entries(emptyFields)
    .filter(([, count]) => count === looked)
    .map(([field, count]) => ({ kind: "field_empty", field, share: { count, of: looked } }));
}

function formatSymptoms({ evidence }: TaskFacts): readonly Symptom[] {
  const { answered, formatUnmet } = evidence;
  if (formatUnmet === undefined) return [];
  const { count, message: detail } = formatUnmet;
  return [{ kind: "format_unmet", share: { count, of: answered }, detail }];
}

function answerSymptoms({ evidence, extraction, grader }: TaskFacts): readonly Symptom[] {
  const { answered, nothingExtracted, otherCase, sameNumber, looked } = evidence;
  const isNoAccident = (count: number): boolean => count > 1 && count >= noAccident * looked;
  const found: Symptom[] = [];
  if (nothingExtracted > 1 && nothingExtracted >= almostAll * answered) {
    const share = { count: nothingExtracted, of: answered };
    found.push({ kind: "nothing_extracted", extraction, share });
  }
  if (grader !== "exact_match") return found;
  if (isNoAccident(otherCase))
    found.push({ kind: "other_case", share: { count: otherCase, of: looked } });
  if (isNoAccident(sameNumber))
    found.push({ kind: "same_number", share: { count: sameNumber, of: looked } });
  return found;
}

function failureSymptoms({ evidence, scores, calls }: TaskFacts): readonly Symptom[] {
  const found = evidence.failures.map((failure) => failureSymptom(failure, evidence.looked));
  const known = [...found.filter((each) => each !== undefined), ...ignoredRefusals(evidence)];
  const [first] = evidence.failures;
  if (known.length > 0 || first === undefined || Object.keys(scores).length > 0) return known;
  const raised = first.type === "exception";
  const all = evidence.failures.reduce((sum, each) => sum + each.count, 0);
  const share = { count: raised ? first.count : all, of: evidence.looked };
  return [{ kind: "never_scored", calls, raised, share, detail: first.message }];
}

function failureSymptom(
  { type, fault, count, message: detail }: GraderFailure,
  looked: number,
): Symptom | undefined {
  const share = { count, of: looked };
  if (type === "timeout") return { kind: "timeouts", share };
  if (type === "model_timeout" || type === "judge_timeout")
    return { kind: "model_silent", slow: true, share, detail };
  if (type.startsWith("judge_")) {
    const unasked = type === "judge_unreachable";
    return { kind: "judge_failed", unasked, share, detail };
  }
  if (fault === "infra" && !type.startsWith("host_"))
    return { kind: "model_silent", slow: false, share, detail };
  // A call with wrong arguments raises a TypeError of Python.
  const isRefused = type === "model_refused" || /ctx\.(?:responses|embeddings)_create/.test(detail);
  return isRefused ? { kind: "model_refused", scored: false, share, detail } : undefined;
}

/** Warns of a grader that counts a refused model call as a wrong answer. */
function ignoredRefusals({ scoredUnanswered, looked }: Evidence): readonly Symptom[] {
  if (scoredUnanswered === undefined) return [];
  const { count, message: detail } = scoredUnanswered;
  return [{ kind: "model_refused", scored: true, share: { count, of: looked }, detail }];
}

/** Graders of several that scored no sample at all: their metrics are no misspelt ones. */
function partSymptoms({ scores, evidence }: TaskFacts): readonly Symptom[] {
  return Object.entries(evidence.parts ?? {}).flatMap(([grader, { count, message: detail }]) => {
    const isScored = Object.keys(scores).some((id) => isOfPart(id, grader));
    const share = { count, of: evidence.looked };
    return isScored ? [] : [{ kind: "part_never_scored" as const, grader, share, detail }];
  });
}

function isOfPart(metric: string, grader: string): boolean {
  return metric === grader || metric.startsWith(`${grader}.`);
}

/** Declared metrics without any score. Usually the grader returns them under another, undeclared name. */
function undeclaredSymptoms(facts: TaskFacts): readonly Symptom[] {
  const { declared, scores, grader } = facts;
  const failed = Object.keys(facts.evidence.parts ?? {});
  const ids = new Set(declared.map(({ id }) => id));
  const given = Object.keys(scores).filter((id) => !ids.has(id));
  const lacking = declared
    .map(({ id }) => id)
    .filter((id) => !Object.hasOwn(scores, id) && !failed.some((part) => isOfPart(id, part)));
  const [missing] = lacking;
  if (missing === undefined || Object.keys(scores).length === 0) return [];
  const likely = nearest(missing, given) ?? given[0];
  // A built-in grader may have nothing to measure, such as the error of an answer that is not a number.
  if (likely === undefined)
    return grader === "python" ? [{ kind: "never_given", missing: lacking }] : [];
  const { low = 0, high = 1 } = ownValue(scores, likely) ?? {};
  return [{ kind: "undeclared", likely, given, isUnit: low >= 0 && high <= 1, missing }];
}

function zeroSymptoms({ declared, scores }: TaskFacts): readonly Symptom[] {
  return declared.flatMap(({ id, higher_is_better: isGood }) => {
    const found = ownValue(scores, id);
    const { scored = 0, zeros = 0 } = found ?? {};
    if (!isGood || scored < manyZeros || zeros < scored) return [];
    return [{ kind: "always_zero" as const, metric: id, scored }];
  });
}

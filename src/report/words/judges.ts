import type {
  CorrectionMethod,
  Figure,
  JudgedValue,
  PeoplesDifference,
} from "../../model/figures/judge-calibration.ts";
import type { Run } from "../../model/outcomes/run.ts";
import type { RuleResult } from "../../model/outcomes/rule-result.ts";
import {
  count,
  counted,
  difference,
  differenceRange,
  distance,
  figure,
  figureRange,
  percentName,
  unitOf,
} from "./figures.ts";
import { ruleName } from "./rules.ts";
import type { MetricUnit } from "../../model/definition/metric.ts";

/** A judged metric together with what people would give, in words. */
interface JudgeWords {
  /** `task/metric`. */
  readonly name: string;
  readonly candidate: string;
  /** The metric by the judge's scores alone, with its interval. */
  readonly judge: string;
  /** The metric as people would score it; "–" if the labels can't say. */
  readonly people: string;
  readonly method: string;
  /** Cohen's kappa, or Krippendorff's alpha if there is none. */
  readonly chance: string;
  /** `52 of 60`. */
  readonly alike: string;
  readonly labels: string;
}

const methods: Readonly<Record<CorrectionMethod, string>> = {
  prediction_powered: "prediction-powered",
  rogan_gladen: "Rogan–Gladen",
};

/** The judged metrics of a run with a calibration that applies. */
export function judgesOf(run: Run): readonly JudgeWords[] {
  return (run.judges ?? []).flatMap((one) =>
    one.kind === "calibrated" ? [judgeWords(one, unitOf(run, one))] : [],
  );
}

/** A judged metric as texts; `unit` is the metric's unit. */
export function judgeWords(
  one: Extract<JudgedValue, { kind: "calibrated" }>,
  unit: MetricUnit,
): JudgeWords {
  const { task, metric, candidate, judge, corrected, kappa, alpha, agreement, labels } = one;
  return {
    name: `${task}/${metric}`,
    candidate,
    judge: ranged(judge, unit),
    people: corrected === null ? "–" : ranged(corrected, unit),
    method: corrected === null ? "" : methods[corrected.method],
    chance: chanceWords(kappa, alpha),
    alike: `${count(agreement.count)} of ${count(agreement.of)}`,
    labels: counted(labels, "label"),
  };
}

/** `86.0% (80.1% to 91.0%)`. */
function ranged({ value, ci }: Figure, unit: MetricUnit): string {
  return ci === null ? figure(value, unit) : `${figure(value, unit)} (${figureRange(ci, unit)})`;
}

function chanceWords(kappa: Figure | null, alpha: Figure | null): string {
  if (kappa !== null) return `kappa ${ranged(kappa, "number")}`;
  return alpha === null ? "" : `alpha ${ranged(alpha, "number")}`;
}

/** One line of a judged metric. */
export function judgeLine(words: JudgeWords): string {
  const people =
    words.people === "–"
      ? "what people would give is not known"
      : `${words.people} as people would give it, ${words.method}`;
  const beside = [`the same score ${words.alike}`, words.chance].filter((part) => part !== "");
  return `${words.name}, ${words.candidate}: ${words.judge} by the judge; ${people} (${words.labels}: ${beside.join(", ")})`;
}

/** Why calibrations don't apply to this run, one sentence each. */
export function voidLines({ judges = [] }: Run): readonly string[] {
  return judges.flatMap((one) => (one.kind === "void" ? [voidLine(one)] : []));
}

function voidLine({
  task,
  metric,
  labels,
  reason,
}: Extract<JudgedValue, { kind: "void" }>): string {
  return `${task}/${metric}: the calibration by ${counted(labels, "label")} is void, as ${reason}`;
}

/** The differences of rules in people's scores, one sentence each. */
export function peopleLines(run: Run): readonly string[] {
  return run.gate.rules.flatMap((rule) => {
    const { people } = rule;
    return people === undefined ? [] : [peopleLine(run, rule, people)];
  });
}

function peopleLine(run: Run, rule: RuleResult, people: PeoplesDifference): string {
  const unit = unitOf(run, rule);
  const { delta, delta_ci: ci, slope, margin } = people;
  const level = rule.ci_level === null ? "" : `${percentName(rule.ci_level)} interval `;
  const range = ci === null ? "" : ` (${level}${differenceRange(ci, unit)})`;
  const seen = `it shows ${ranged(slope, "number")} of a difference`;
  const theirs =
    delta === null || rule.delta === null
      ? `the labels don't show that the judge sees a difference as people do (${seen})`
      : `${difference(rule.delta, unit)} by the judge is ${difference(delta, unit)}${range} in people's scores: ${seen}`;
  const asked =
    margin === null
      ? ""
      : `; no drop of ${distance(rule.limit, unit)} in theirs is none of ${distance(margin, unit)} in its own`;
  return `${ruleName(run, rule)}, ${rule.candidate}: ${theirs}${asked}`;
}

import type { Proportion } from "./calibration.ts";
import type { Fingerprint } from "./run.ts";

/** A figure with its 95 % interval; null where the labels give none. */
export interface Figure {
  readonly value: number;
  readonly ci: readonly [number, number] | null;
}

/** Calibrations of the judges of a run, from people's labels. */
export interface JudgeCalibration {
  readonly format: "regrade.judge-calibration/1";
  readonly suite: string;
  readonly run: { readonly id: string; readonly directory: string };
  readonly metrics: readonly JudgedMetric[];
  /** Limits of these figures, one sentence each. */
  readonly notes: readonly string[];
}

/** How well a judge agrees with people on a metric of a task. */
interface JudgeFigures {
  readonly task: string;
  readonly metric: string;
  /** Samples with a label and a score. */
  readonly labels: number;
  /** Judge and people say the same. */
  readonly agreement: Proportion;
  /** Cohen's, over the kinds of scores; null where there are more than ten, or all are alike. */
  readonly kappa: Figure | null;
  /** Krippendorff's, of judge and people. */
  readonly alpha: Figure | null;
  /** The judge's mean less that of people, over the labelled samples. */
  readonly bias: Figure;
  /** How much of a difference between people's scores the judge's own show: the slope of its scores over theirs. null where people's are all alike. */
  readonly slope: Figure | null;
}

/** A metric of which people labelled some samples: the part that later runs need. */
interface BoundFigures extends JudgeFigures {
  /** It applies to these hashes: of the grader with its rubric, and of the judge's model. With others it has to be made again. */
  readonly bound: Pick<Fingerprint, "grader" | "judge">;
}

/** One metric of a task, of which people labelled some samples. */
export interface JudgedMetric extends BoundFigures {
  /** Why samples with a label don't count. */
  readonly left_out: { readonly unjudged: number; readonly ties: number };
  /** Krippendorff's, of people among themselves, where several labelled a sample. */
  readonly alpha_people: Figure | null;
  readonly slices: readonly SliceBias[];
  /** How often people said the one and the judge the other, by people's score; null where there are more than ten kinds. */
  readonly confusion: readonly ConfusionCell[] | null;
  readonly means: readonly CorrectedMean[];
}

interface SliceBias {
  readonly slice: string;
  readonly labels: number;
  readonly bias: Figure;
}

interface ConfusionCell {
  readonly people: number;
  readonly judge: number;
  readonly count: number;
}

/** The mean of a candidate: as the judge has it, and as people would, by two ways. */
export interface CorrectedMean {
  readonly candidate: string;
  readonly samples: number;
  readonly labels: number;
  readonly judge: Figure;
  readonly prediction_powered: Figure | null;
  /** Of a judge of 0 and 1. */
  readonly rogan_gladen: Figure | null;
  /** The judge's mean less that of people, over the labelled samples of this candidate. */
  readonly bias: Figure;
}

/** The means of another run, by an earlier calibration of the same rubric and model. */
export interface JudgeApplied {
  readonly format: "regrade.judge-applied/1";
  readonly suite: string;
  readonly run: JudgeCalibration["run"];
  readonly metrics: readonly JudgedValue[];
  readonly notes: readonly string[];
}

/** The part of a kept calibration that later runs need. */
export interface KnownJudge extends BoundFigures {
  /** For a judge of 0 and 1: its scores of answers that people call right, and wrong. */
  readonly bits: JudgedBits | null;
}

/** Labels of a judge of 0 and 1. */
export interface JudgedBits {
  readonly rights: number;
  /** Right answers that the judge calls right. */
  readonly rights_seen: number;
  readonly wrongs: number;
  /** Wrong answers that the judge calls wrong. */
  readonly wrongs_seen: number;
}

/** The calibration that a suite's manifest names. */
export interface UsedCalibration {
  /** As the manifest has it. */
  readonly path: string;
  readonly metrics: readonly KnownJudge[];
}

/** A judged metric of a run beside what people would give; or why the suite's calibration says nothing of it. */
export type JudgedValue =
  | (JudgeFigures & {
      readonly kind: "calibrated";
      readonly candidate: string;
      /** The metric as it is: by the judge alone. */
      readonly judge: Figure;
      /** null where its aggregation or reducer is no mean, and where the judge tells right from wrong no better than a coin. */
      readonly corrected: (Figure & { readonly method: CorrectionMethod }) | null;
    })
  | {
      readonly kind: "void";
      readonly task: string;
      readonly metric: string;
      readonly labels: number;
      /** A clause. */
      readonly reason: string;
    };

/** The difference of a rule in people's scores, of a metric whose judge was calibrated. */
export interface PeoplesDifference {
  readonly slope: Figure;
  /** delta / slope, with an interval at the rule's level; null where the labels don't show that the judge tells right from wrong. */
  readonly delta: number | null;
  readonly delta_ci: readonly [number, number] | null;
  /** For `prove: no_drop`: what of the limit the judge's own scores had to show. */
  readonly margin: number | null;
}

export type CorrectionMethod = "prediction_powered" | "rogan_gladen";

/** Why a calibration says nothing of a judge: a clause; undefined where it holds. */
export function whyVoid(bound: KnownJudge["bound"], now: KnownJudge["bound"]): string | undefined {
  const changed = [
    ...(now.grader === bound.grader ? [] : ["the grader with its rubric"]),
    ...(now.judge === bound.judge ? [] : ["the judge model"]),
  ];
  return changed.length === 0 ? undefined : `${changed.join(" and ")} changed since`;
}

import type { Proportion } from "./calibration.ts";
import type { Fingerprint } from "../outcomes/run.ts";

/** A figure with its 95 % interval; null if the labels give none. */
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
  /** Share of samples for which judge and people agree. */
  readonly agreement: Proportion;
  /** Cohen's kappa over the values of the scores; null if there are more than ten values, or if all scores are alike. */
  readonly kappa: Figure | null;
  /** Krippendorff's alpha between judge and people. */
  readonly alpha: Figure | null;
  /** The judge's mean minus people's mean, over the labelled samples. */
  readonly bias: Figure;
  /**
   * How much of a difference in people's scores appears in the judge's: the slope of its scores over theirs. null if
   * people's are all alike.
   */
  readonly slope: Figure | null;
}

/** A metric for which people labelled some samples: the part that later runs need. */
interface BoundFigures extends JudgeFigures {
  /**
   * The hashes of the grader with its rubric, and of the judge's model. With others the calibration has to be made
   * again.
   */
  readonly bound: Pick<Fingerprint, "grader" | "judge">;
}

/** One metric of a task for which people labelled some samples. */
export interface JudgedMetric extends BoundFigures {
  /** Numbers of labelled samples that don't count, by reason. */
  readonly left_out: { readonly unjudged: number; readonly ties: number };
  /** Krippendorff's alpha between people, if several labelled a sample. */
  readonly alpha_people: Figure | null;
  readonly slices: readonly SliceBias[];
  /** How often people gave one score and the judge another, by people's score; null if there are more than ten values. */
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

/** The mean of a candidate: by the judge's scores, and as people would score it, estimated in two ways. */
export interface CorrectedMean {
  readonly candidate: string;
  readonly samples: number;
  readonly labels: number;
  readonly judge: Figure;
  readonly prediction_powered: Figure | null;
  /** Only for a judge that scores 0 or 1. */
  readonly rogan_gladen: Figure | null;
  /** The judge's mean minus people's mean, over the labelled samples of this candidate. */
  readonly bias: Figure;
}

/** The means of another run, corrected by an earlier calibration of the same rubric and model. */
export interface JudgeApplied {
  readonly format: "regrade.judge-applied/1";
  readonly suite: string;
  readonly run: JudgeCalibration["run"];
  readonly metrics: readonly JudgedValue[];
  readonly notes: readonly string[];
}

/** The part of a stored calibration that later runs need. */
export interface KnownJudge extends BoundFigures {
  /**
   * Only for a judge that scores 0 or 1: its scores of answers that people call right, and of those that they call
   * wrong.
   */
  readonly bits: JudgedBits | null;
}

/** Counts of the labels for a judge that scores 0 or 1. */
export interface JudgedBits {
  readonly rights: number;
  /** Number of right answers that the judge calls right. */
  readonly rights_seen: number;
  readonly wrongs: number;
  /** Number of wrong answers that the judge calls wrong. */
  readonly wrongs_seen: number;
}

/** The calibration that a suite's manifest names. */
export interface UsedCalibration {
  /** The path as the manifest has it. */
  readonly path: string;
  readonly metrics: readonly KnownJudge[];
}

/** A judged metric of a run together with what people would give; or why the suite's calibration does not apply. */
export type JudgedValue =
  | (JudgeFigures & {
      readonly kind: "calibrated";
      readonly candidate: string;
      /** The metric by the judge's scores alone. */
      readonly judge: Figure;
      /** null if its aggregation or reducer is not a mean, or if the judge tells right from wrong no better than chance. */
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

/** The difference of a rule in terms of people's scores, if the judge of its metric was calibrated. */
export interface PeoplesDifference {
  readonly slope: Figure;
  /**
   * delta / slope, with an interval at the rule's level; null if the labels don't show that the judge tells right from
   * wrong.
   */
  readonly delta: number | null;
  readonly delta_ci: readonly [number, number] | null;
  /** For `prove: no_drop`: the part of the limit that the judge's own scores had to show. */
  readonly margin: number | null;
}

export type CorrectionMethod = "prediction_powered" | "rogan_gladen";

/** Why a calibration does not apply to a judge: a clause; undefined if it applies. */
export function whyVoid(bound: KnownJudge["bound"], now: KnownJudge["bound"]): string | undefined {
  const changed = [
    ...(now.grader === bound.grader ? [] : ["the grader with its rubric"]),
    ...(now.judge === bound.judge ? [] : ["the judge model"]),
  ];
  return changed.length === 0 ? undefined : `${changed.join(" and ")} changed since`;
}

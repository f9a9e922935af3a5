import type { Proportion } from "./calibration.ts";
import type { Fingerprint } from "./run.ts";

/** A figure with its 95 % interval; null where the labels give none. */
interface Figure {
  readonly value: number;
  readonly ci: readonly [number, number] | null;
}

/** What people's labels say of the judges of a run. */
export interface JudgeCalibration {
  readonly format: "regrade.judge-calibration/1";
  readonly suite: string;
  readonly run: { readonly id: string; readonly directory: string };
  readonly metrics: readonly JudgedMetric[];
  /** Limits of these figures, one sentence each. */
  readonly notes: readonly string[];
}

/** One metric of a task, of which people labelled some samples. */
export interface JudgedMetric {
  readonly task: string;
  readonly metric: string;
  /** What it holds for: the hash of the grader with its rubric, and that of the model that judges. Another one has to be calibrated anew. */
  readonly bound: Pick<Fingerprint, "grader" | "judge">;
  /** Samples with a label and a score, and why others don't count. */
  readonly labels: number;
  readonly left_out: { readonly unjudged: number; readonly ties: number };
  /** Judge and people say the same. */
  readonly agreement: Proportion;
  /** Cohen's, over the kinds of scores; null where there are more than ten, or all are alike. */
  readonly kappa: Figure | null;
  /** Krippendorff's, of judge and people, and of people among themselves where several labelled a sample. */
  readonly alpha: Figure | null;
  readonly alpha_people: Figure | null;
  /** The judge's mean less that of people, over the labelled samples. */
  readonly bias: Figure;
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
interface CorrectedMean {
  readonly candidate: string;
  readonly samples: number;
  readonly labels: number;
  readonly judge: Figure;
  readonly prediction_powered: Figure | null;
  /** Of a judge of 0 and 1. */
  readonly rogan_gladen: Figure | null;
}

/** The means of another run, by an earlier calibration of the same rubric and model. */
export interface JudgeApplied {
  readonly format: "regrade.judge-applied/1";
  readonly suite: string;
  readonly run: JudgeCalibration["run"];
  readonly means: readonly (CorrectedMean & Pick<JudgedMetric, "task" | "metric">)[];
  readonly notes: readonly string[];
}

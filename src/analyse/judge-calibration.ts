import { extname } from "node:path";
import { ownValue } from "../model/own-value.ts";
import { calibrationFormat } from "../manifest/task-graders/judge-calibration.ts";
import type {
  CorrectedMean,
  JudgeApplied,
  JudgeCalibration,
  JudgedBits,
  JudgedMetric,
} from "../model/figures/judge-calibration.ts";
import type { LedgerGroup } from "../model/figures/ledger.ts";
import { problem, Refusal, type Problem } from "../model/refusal.ts";
import type { StoredRun } from "../model/ports/store.ts";
import {
  cohenKappa,
  krippendorffAlpha,
  predictionPowered,
  roganGladen,
} from "../stats/aggregates/agreement.ts";
import { judgeSlope } from "../stats/inference/judge-error.ts";
import { statistics } from "../stats/statistics.ts";
import type { Tools } from "../tools.ts";
import { proportionOf } from "./calibrate/rules.ts";
import { judgeScore } from "../verdict/judged-values.ts";
import { applyCalibration } from "./judge-applied.ts";
import { biasOf, type Labelled, biasBySlice } from "./judge-bias.ts";
import { badLabel, type JudgeLabel, type LabelsFound, readLabels } from "./judge-labels.ts";

/**
 * Compares the scores of a finished run with people's labels. Throws a Refusal if a label names no sample of the run,
 * or if no labelled sample has a score.
 */
export async function calibrateJudge(
  directory: string,
  labelsPath: string,
  tools: Tools,
): Promise<JudgeCalibration | JudgeApplied> {
  const stored = await tools.readRun(directory);
  const { run } = stored;
  if (run.status !== "completed")
    throw new Refusal(problem("calibrate_unfinished", { directory, status: run.status }));
  // Labels are JSON lines or CSV; a `.json` file is the result of an earlier calibration.
  if (extname(labelsPath).toLowerCase() === ".json")
    return applyCalibration(stored, {
      path: labelsPath,
      text: await tools.files.readText(labelsPath),
    });
  const rated = rateAll(stored, await readLabels(labelsPath, run, tools));
  const byMetric = Map.groupBy(rated, ({ label }) => JSON.stringify([label.task, label.metric]));
  const metrics = [...byMetric.values()].map((each) => judgedMetric(stored, each));
  return {
    format: calibrationFormat,
    suite: run.suite.name,
    run: { id: run.id, directory },
    metrics,
    notes: notesOn(stored, metrics),
  };
}

/** A label, and the score that the run has for its sample; undefined if it has none. */
interface Rated {
  readonly label: JudgeLabel;
  readonly judge: number | undefined;
  readonly slices: Readonly<Record<string, string>>;
}

function rateAll(
  { ledger }: StoredRun,
  { labels, problems: found }: LabelsFound,
): readonly Rated[] {
  const indexes = new Map<string, ReadonlyMap<string, number>>();
  const problems: Problem[] = [...found];
  const rated = labels.flatMap((label): readonly Rated[] => {
    const group = ledger.group(label.task, label.candidate);
    const key = JSON.stringify([label.task, label.candidate]);
    const index = indexes.get(key) ?? indexOf(group);
    indexes.set(key, index);
    const at = index.get(sampleKey(label.caseId, label.repeat));
    if (group === undefined || at === undefined) {
      problems.push(badLabel(unknownSample(label), label.place));
      return [];
    }
    const judge = judgeScore(group, at, label.metric);
    return [{ label, judge, slices: group.slices(at) }];
  });
  if (problems.length > 0) throw new Refusal(problems.toSorted(byLine));
  return rated;
}

function byLine(one: Problem, other: Problem): number {
  return (one.place?.line ?? 0) - (other.place?.line ?? 0);
}

function unknownSample({ caseId, repeat, candidate }: JudgeLabel): string {
  const which = repeat === 0 ? "" : `, repeat ${repeat}`;
  return `is of the case ${JSON.stringify(caseId)}${which}, which the run does not have of ${JSON.stringify(candidate)}`;
}

function sampleKey(caseId: string, repeat: number): string {
  return JSON.stringify([caseId, repeat]);
}

function indexOf(group: LedgerGroup | undefined): ReadonlyMap<string, number> {
  const index = new Map<string, number>();
  if (group === undefined) return index;
  for (let i = 0; i < group.size; i += 1) index.set(sampleKey(group.caseId(i), group.repeat(i)), i);
  return index;
}

/** Limit of different scores for which the table of agreement is made. */
const mostKinds = 10;

function judgedMetric(stored: StoredRun, rated: readonly Rated[]): JudgedMetric {
  const [{ label: { task, metric } } = noLabel] = rated;
  const isBits = isOfBits(stored, task, metric);
  const width = widthOfRange(stored, task, metric);
  const samples = [...Map.groupBy(rated, ({ label }) => sampleOf(label)).values()];
  const judged = samples.filter(([one]) => one?.judge !== undefined);
  const labelled = judged.flatMap((labels) => putTogether(labels, isBits) ?? []);
  if (labelled.length === 0) throw new Refusal(problem("judge_labels_unjudged", { task, metric }));
  const alike = labelled.filter(({ judge, people }) => Math.abs(judge - people) <= 1e-9).length;
  const kinds = new Set(labelled.flatMap(({ judge, people }) => [judge, people])).size;
  const { fingerprint } = ownValue(stored.run.suite.tasks, task) ?? {};
  return {
    task,
    metric,
    bound: { grader: fingerprint?.grader ?? "", judge: fingerprint?.judge ?? null },
    labels: labelled.length,
    left_out: {
      unjudged: samples.length - judged.length,
      ties: judged.length - labelled.length,
    },
    agreement: proportionOf(alike, labelled.length),
    kappa: (kinds <= mostKinds && cohenKappa(labelled)) || null,
    alpha: krippendorffAlpha(labelled.map(({ judge, people }) => [judge, people])) ?? null,
    alpha_people:
      krippendorffAlpha(samples.map((labels) => labels.map(({ label }) => label.value))) ?? null,
    bias: biasOf(labelled, width),
    slope: judgeSlope(labelled, isBits ? bitsOf(labelled) : null) ?? null,
    slices: biasBySlice(labelled, width),
    confusion: kinds <= mostKinds ? confusionOf(labelled) : null,
    means: correctedMeans(stored, { task, metric, isBits, width, labelled }),
  };
}

const noLabel = { label: { task: "", metric: "" } };

function sampleOf({ candidate, caseId, repeat }: JudgeLabel): string {
  return JSON.stringify([candidate, caseId, repeat]);
}

/** Highest − lowest possible score; undefined if the metric has no range. */
function widthOfRange({ run }: StoredRun, task: string, metric: string): number | undefined {
  const spec = ownValue(run.suite.tasks, task)?.metrics.find(({ id }) => id === metric);
  return spec?.range ? spec.range[1] - spec.range[0] : undefined;
}

function isOfBits({ run }: StoredRun, task: string, metric: string): boolean {
  const found = run.metrics.find((value) => value.task === task && value.metric === metric);
  return found?.scale === "binary";
}

/**
 * Combines several people's labels of one sample: their mean, or for 0/1 scores the majority; undefined if they are
 * split.
 */
function putTogether(labels: readonly Rated[], isBits: boolean): Labelled | undefined {
  const [first] = labels;
  if (first?.judge === undefined) return undefined;
  const all = labels.map(({ label }) => label.value);
  const mean = statistics.mean(all);
  if (isBits && mean === 0.5) return undefined;
  const people = isBits ? Math.round(mean) : mean;
  const { candidate, caseId } = first.label;
  return { judge: first.judge, people, candidate, caseId, slices: first.slices };
}

const level = 0.95;

function bitsOf(labelled: readonly Labelled[]): JudgedBits {
  const [rights = [], wrongs = []] = [1, 0].map((kind) =>
    labelled.filter(({ people }) => people === kind),
  );
  return {
    rights: rights.length,
    rights_seen: rights.filter(({ judge }) => judge === 1).length,
    wrongs: wrongs.length,
    wrongs_seen: wrongs.filter(({ judge }) => judge === 0).length,
  };
}

function confusionOf(labelled: readonly Labelled[]): NonNullable<JudgedMetric["confusion"]> {
  const cells = Map.groupBy(labelled, ({ people, judge }) => JSON.stringify([people, judge]));
  return [...cells.values()]
    .flatMap((found) => {
      const [first] = found;
      return first ? [{ people: first.people, judge: first.judge, count: found.length }] : [];
    })
    .toSorted((one, other) => one.people - other.people || one.judge - other.judge);
}

interface Corrected {
  readonly task: string;
  readonly metric: string;
  readonly isBits: boolean;
  readonly width: number | undefined;
  readonly labelled: readonly Labelled[];
}

/** Corrected means, only of candidates that have labels. */
function correctedMeans(
  { ledger }: StoredRun,
  { task, metric, isBits, width, labelled }: Corrected,
): JudgedMetric["means"] {
  return [...Map.groupBy(labelled, ({ candidate }) => candidate)].flatMap(([candidate, pairs]) => {
    const group = ledger.group(task, candidate);
    if (group === undefined) return [];
    const all = ownScores(group, metric);
    const { mean, interval } = statistics.pairedT(all, level);
    const judged = { all, pairs };
    const bias = biasOf(pairs, width);
    return {
      candidate,
      samples: all.length,
      labels: pairs.length,
      judge: {
        value: mean,
        ci: interval === undefined ? null : ([interval.lower, interval.upper] as const),
      },
      prediction_powered: poweredBy(judged, bias),
      rogan_gladen: (isBits && roganGladen(judged)) || null,
      bias,
    };
  });
}

/**
 * Prediction-powered mean of a candidate. Labels that all differ from the judge by the same amount do not prove that
 * there is no other error, so the interval is then widened by that of the bias.
 */
function poweredBy(
  judged: Parameters<typeof predictionPowered>[0],
  { ci }: JudgedMetric["bias"],
): CorrectedMean["prediction_powered"] {
  const found = predictionPowered(judged);
  if (found === undefined) return null;
  const [first, ...others] = judged.pairs.map(({ judge, people }) => judge - people);
  if (others.some((each) => each !== first) || found.ci === null) return found;
  if (ci === null) return { value: found.value, ci: null };
  const reach = Math.hypot(widthOf(found.ci) / 2, widthOf(ci) / 2);
  return { value: found.value, ci: [found.value - reach, found.value + reach] };
}

/** Notes on pairs of candidates whose bias differs: comparing them also measures the judge's preference. */
function apartNotes({ task, metric, means }: JudgedMetric): readonly string[] {
  return means.flatMap((one, i) =>
    means.slice(i + 1).flatMap((other) => {
      if (one.bias.ci === null || other.bias.ci === null) return [];
      const apart = other.bias.value - one.bias.value;
      const reach = Math.hypot(widthOf(one.bias.ci), widthOf(other.bias.ci)) / 2;
      if (Math.abs(apart) <= reach) return [];
      return [
        `The judge of ${task}/${metric} does not treat both candidates alike: compared with people, it gives ${other.candidate} ${Math.abs(apart).toFixed(3)} ${apart > 0 ? "more" : "less"} than ${one.candidate} (95% interval ${(apart - reach).toFixed(3)} to ${(apart + reach).toFixed(3)}). A comparison of the two includes this difference.`,
      ];
    }),
  );
}

function widthOf([lower, upper]: readonly [number, number]): number {
  return upper - lower;
}

/** Number of labels below which intervals are rough. */
const fewLabels = 30;

function notesOn({ run }: StoredRun, metrics: readonly JudgedMetric[]): readonly string[] {
  const isFew = metrics.some(({ labels }) => labels < fewLabels);
  const repeats = metrics.some(({ task }) => (ownValue(run.suite.tasks, task)?.repeats ?? 1) > 1);
  const differs = metrics.some(({ bias: { ci } }) => ci !== null && (ci[0] > 0 || ci[1] < 0));
  return [
    "The corrected means hold if the labelled samples were chosen at random: labels of only the worst answers say little about the others.",
    ...(isFew ? [`With fewer than ${fewLabels} labels intervals are rough.`] : []),
    ...metrics.flatMap(apartNotes),
    ...(repeats ? ["The intervals of the means treat a case's repeats as independent."] : []),
    ...(differs
      ? [
          "A bias that is the same on both sides of a comparison does not change the difference, so a drop is proven on the judge's own scores.",
        ]
      : []),
    "All of this holds only for this rubric and this judge model; after a change of either, compare the labels with a new run.",
  ];
}

/** The judge's own scores of all samples of a task and candidate. */
function ownScores(group: LedgerGroup, metric: string): readonly number[] {
  const all: number[] = [];
  for (let i = 0; i < group.size; i += 1) {
    const score = judgeScore(group, i, metric);
    if (score !== undefined) all.push(score);
  }
  return all;
}

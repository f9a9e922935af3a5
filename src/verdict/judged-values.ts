import { ownValue } from "../model/own-value.ts";
import {
  type JudgedBits,
  type JudgedValue,
  type KnownJudge,
  type UsedCalibration,
  whyVoid,
} from "../model/figures/judge-calibration.ts";
import type { LedgerGroup, LedgerReader } from "../model/figures/ledger.ts";
import type { MetricValue, RunTask } from "../model/outcomes/run.ts";
import { trueShare, withoutBias } from "../stats/inference/judge-error.ts";

/** The parts of a run that a calibration needs: the fingerprints must match. */
interface JudgedRun {
  readonly tasks: Readonly<Record<string, RunTask>>;
  readonly ledger: LedgerReader;
  readonly metrics: readonly MetricValue[];
}

/**
 * The judged metrics of a run together with what people would give, in the order of the calibration; none for tasks
 * that were not run.
 */
export function judgedValues(
  run: JudgedRun,
  calibration: Pick<UsedCalibration, "metrics"> | undefined,
): readonly JudgedValue[] {
  return (calibration?.metrics ?? []).flatMap((known): readonly JudgedValue[] => {
    const { task, metric, labels } = known;
    const now = ownValue(run.tasks, task);
    if (now === undefined) return [];
    const reason = whyVoid(known.bound, now.fingerprint);
    if (reason !== undefined) return [{ kind: "void", task, metric, labels, reason }];
    const values = run.metrics.filter(
      (value) => value.task === task && value.metric === metric && value.slice === null,
    );
    return values.flatMap((value) => judgedValue(known, value, run));
  });
}

/** The judges of a calibration that apply to the tasks as they are now. */
export function judgesThatHold(
  tasks: JudgedRun["tasks"],
  calibration: UsedCalibration | undefined,
): readonly KnownJudge[] {
  return (calibration?.metrics ?? []).filter(({ task, bound }) => {
    const now = ownValue(tasks, task);
    return now !== undefined && whyVoid(bound, now.fingerprint) === undefined;
  });
}

function judgedValue(
  known: KnownJudge,
  value: MetricValue,
  run: JudgedRun,
): readonly JudgedValue[] {
  if (value.value === null) return [];
  const { bits: _bits, bound: _bound, ...figures } = known;
  const judge = { value: value.value, ci: value.ci };
  const corrected = correct(known, value, run);
  const { candidate } = value;
  return [{ kind: "calibrated", candidate, ...figures, judge, corrected }];
}

type Corrected = Extract<JudgedValue, { kind: "calibrated" }>["corrected"];

function correct(known: KnownJudge, found: MetricValue, run: JudgedRun): Corrected {
  const spec = ownValue(run.tasks, found.task)?.metrics.find(({ id }) => id === found.metric);
  const isMean = found.aggregation === "mean" && (spec?.reducer?.kind ?? "mean") === "mean";
  const group = run.ledger.group(found.task, found.candidate);
  if (!isMean || found.value === null || group === undefined) return null;
  const { share, sum } = judgedPart(group, found.metric);
  if (share === 0) return null;
  const { value, stderr, n } = found;
  if (found.scale === "binary" && tellsApart(known))
    return correctShare({ value, stderr, n, share, sum }, known.bits);
  const powered = withoutBias({ value, ci: found.ci }, known.bias, share);
  return { ...powered, method: "prediction_powered" };
}

/** Whether the labels show that the judge tells right from wrong; otherwise its errors can't be corrected by division. */
function tellsApart(known: KnownJudge): known is KnownJudge & { readonly bits: JudgedBits } {
  return known.bits !== null && (known.slope?.ci?.[0] ?? 0) > 0;
}

/** A mean of 0/1 scores, and the judge's part of it. */
interface PartlyJudged {
  readonly value: number;
  readonly stderr: number | null;
  readonly n: number;
  readonly share: number;
  readonly sum: number;
}

/** Corrects the judge's part of a mean; samples that the judge did not score count unchanged. */
function correctShare({ value, stderr, n, share, sum }: PartlyJudged, bits: JudgedBits): Corrected {
  const own = { value: sum / share, stderr: stderr === null ? null : stderr / share, n };
  const right = trueShare(own, bits);
  if (right === undefined) return null;
  const rest = share < 1 ? value - sum : 0;
  const whole = (part: number): number => rest + share * part;
  const ci = right.ci && ([whole(right.ci[0]), whole(right.ci[1])] as const);
  return { value: whole(right.value), ci, method: "rogan_gladen" };
}

/** The judge's part of a mean: its share of each case's samples, and its contribution to the mean. */
function judgedPart(
  group: LedgerGroup,
  metric: string,
): { readonly share: number; readonly sum: number } {
  const counted = new Map<number, { samples: number; judged: number; sum: number }>();
  for (let i = 0; i < group.size; i += 1) {
    if (group.outcome(i) === "ungraded") continue;
    const at = group.caseAt(i);
    const of = counted.get(at) ?? { samples: 0, judged: 0, sum: 0 };
    const score = judgeScore(group, i, metric);
    of.samples += 1;
    of.judged += score === undefined ? 0 : 1;
    of.sum += score ?? 0;
    counted.set(at, of);
  }
  let [share, sum] = [0, 0];
  for (const of of counted.values()) {
    share += of.judged / of.samples / counted.size;
    sum += of.sum / of.samples / counted.size;
  }
  return { share, sum };
}

/** The judge's own score of a sample; a failed sample has none. */
export function judgeScore(group: LedgerGroup, i: number, metric: string): number | undefined {
  const score = group.outcome(i) === "scored" ? group.score(i, metric) : undefined;
  return score !== undefined && Number.isFinite(score) ? score : undefined;
}

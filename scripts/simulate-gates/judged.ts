import type { JudgedBits } from "../../src/model/figures/judge-calibration.ts";
import { judgeSlope, trueShare } from "../../src/stats/inference/judge-error.ts";
import { wilsonInterval } from "../../src/stats/inference/proportion.ts";
import { sfc32, type Random } from "../../src/stats/distributions/sfc32.ts";
import { statistics } from "../../src/stats/statistics.ts";
import { simulateAll, type Simulation } from "./cell.ts";
import { uniform } from "./worlds.ts";

/**
 * The effect of a judge of 0 and 1 on intervals and rules, with and without correction of its errors. All but the first
 * three fields are shares of the runs.
 */
export interface JudgedCell {
  readonly sensitivity: number;
  readonly specificity: number;
  readonly labels: number;
  /**
   * Share of 95 % intervals that contain the mean which people would give: of the judge's own, and of the corrected
   * ones.
   */
  readonly mean: number;
  readonly mean_corrected: number;
  /** Share of 90 % intervals that contain the loss of 10 points which people would see. */
  readonly loss: number;
  readonly loss_corrected: number;
  /**
   * Share of changes neutral to people that are blocked: with an ordinary judge, and with one that takes 5 points of
   * the new right answers for wrong.
   */
  readonly neutral: number;
  readonly stricter: number;
  /**
   * Share of losses of 10 points that `prove: no_drop` with a limit of 10 points passes: by the limit itself, and by
   * the part of it that the judge shows.
   */
  readonly passed: number;
  readonly passed_counted: number;
}

export interface Judged {
  /** Number of seeded runs behind each figure. */
  readonly runs: number;
  readonly cells: readonly JudgedCell[];
}

const cases = 400;
const right = 0.8;
const lost = 0.1;
/** Share of the cases with changed answers that people find as good. */
const others = 0.2;
const alpha = 0.05;

const judges = [
  [0.97, 0.93],
  [0.9, 0.75],
] as const;

export const judgedCells: readonly Simulation<JudgedCell>[] = judges.flatMap(
  ([sensitivity, specificity], row) =>
    [100, 300].map((labels) => ({
      name: `judged, ${labels} labels: ${100 * sensitivity} %, ${100 * specificity} %`,
      simulate: (runs) =>
        cellOf({ sensitivity, specificity, labels }, { runs, random: sfc32([row, labels, 29]) }),
    })),
);

/** Simulates all cells. */
export function simulateJudged(runs: number): Judged {
  return { runs, cells: simulateAll(judgedCells, runs) };
}

interface Setting {
  readonly sensitivity: number;
  readonly specificity: number;
  readonly labels: number;
}

type Judge = Pick<Setting, "sensitivity" | "specificity">;

function cellOf(
  setting: Setting,
  { runs, random }: { readonly runs: number; readonly random: Random },
): JudgedCell {
  const counts = {
    mean: 0,
    mean_corrected: 0,
    loss: 0,
    loss_corrected: 0,
    neutral: 0,
    stricter: 0,
    passed: 0,
    passed_counted: 0,
  };
  for (let run = 0; run < runs; run += 1) {
    const seen = oneRun(setting, random);
    for (const [name, is] of Object.entries(seen)) if (is) counts[name as keyof typeof counts] += 1;
  }
  const share = (count: number): number => Math.round((count / runs) * 1e4) / 1e4;
  const shares = Object.entries(counts).map(([name, count]) => [name, share(count)]);
  return { ...setting, ...Object.fromEntries(shares) };
}

function oneRun(
  setting: Setting,
  random: Random,
): Readonly<Record<Exclude<keyof JudgedCell, keyof Setting>, boolean>> {
  const stricter = { ...setting, sensitivity: setting.sensitivity - 0.05 };
  const bits = labelled(setting, random);
  const base = Array.from({ length: cases }, () => answer(right, setting, random));
  const neutral = base.map((one) =>
    uniform(random) < others ? answer(right, setting, random) : one,
  );
  const strict = base.map((one) =>
    uniform(random) < others ? answer(right, stricter, random) : one,
  );
  const worse = base.map((one) =>
    one.people === 1 && uniform(random) < lost / right ? rated(0, setting, random) : one,
  );
  return {
    ...meansHold(base, bits),
    ...lossHolds(base, worse, bits),
    neutral: blocks(base, neutral),
    stricter: blocks(base, strict),
  };
}

interface Rated {
  readonly people: number;
  readonly judge: number;
}

function answer(share: number, judge: Judge, random: Random): Rated {
  return rated(uniform(random) < share ? 1 : 0, judge, random);
}

function rated(people: number, { sensitivity, specificity }: Judge, random: Random): Rated {
  const agrees = uniform(random) < (people === 1 ? sensitivity : specificity);
  return { people, judge: agrees ? people : 1 - people };
}

function labelled(setting: Setting, random: Random): JudgedBits {
  const all = Array.from({ length: setting.labels }, () => answer(right, setting, random));
  const count = (people: number, judge: number): number =>
    all.filter((one) => one.people === people && one.judge === judge).length;
  const [seen, unseen] = [count(1, 1), count(0, 0)];
  return {
    rights: seen + count(1, 0),
    rights_seen: seen,
    wrongs: unseen + count(0, 1),
    wrongs_seen: unseen,
  };
}

function meansHold(
  base: readonly Rated[],
  bits: JudgedBits,
): { readonly mean: boolean; readonly mean_corrected: boolean } {
  const seen = base.filter(({ judge }) => judge === 1).length;
  const value = seen / cases;
  const own = wilsonInterval(seen, cases, 0.95);
  const stderr = Math.sqrt((value * (1 - value)) / cases);
  const { ci } = trueShare({ value, stderr, n: cases }, bits) ?? { ci: [0, 1] as const };
  return {
    mean: own.lower <= right && right <= own.upper,
    mean_corrected: ci !== null && ci[0] <= right && right <= ci[1],
  };
}

function lossHolds(
  base: readonly Rated[],
  worse: readonly Rated[],
  bits: JudgedBits,
): Pick<
  Record<keyof JudgedCell, boolean>,
  "loss" | "loss_corrected" | "passed" | "passed_counted"
> {
  const { broke, fixed } = changesOf(base, worse);
  const counts = { broke, fixed, n: cases };
  const interval = statistics.tangoInterval(counts, 1 - 2 * alpha);
  const delta = (fixed - broke) / cases;
  const slope = judgeSlope([], bits) ?? { value: 0, ci: [-1, 1] as const };
  const people = statistics.peoplesDifference({ delta, interval, level: 1 - 2 * alpha }, slope);
  const shows = statistics.judgedMargin({ limit: lost, alpha }, slope) ?? { margin: 0, alpha };
  const shown = (asked: { readonly margin: number; readonly alpha: number }): boolean =>
    asked.margin > 0 && statistics.noninferiorityTango(counts, asked).shown;
  const ci = people?.ci ?? [-1, 1];
  return {
    loss: interval.lower <= -lost && -lost <= interval.upper,
    loss_corrected: ci[0] <= -lost && -lost <= ci[1],
    passed: shown({ margin: lost, alpha }),
    passed_counted: shown(shows),
  };
}

function changesOf(
  base: readonly Rated[],
  head: readonly Rated[],
): { readonly broke: number; readonly fixed: number } {
  let [broke, fixed] = [0, 0];
  for (const [i, { judge }] of base.entries()) {
    const now = head[i]?.judge ?? judge;
    if (now < judge) broke += 1;
    if (now > judge) fixed += 1;
  }
  return { broke, fixed };
}

function blocks(base: readonly Rated[], head: readonly Rated[]): boolean {
  const differences = base.map(({ judge }, i) => (head[i]?.judge ?? judge) - judge);
  return statistics.mean(differences) <= -0.02 && statistics.dropTest(differences).p < alpha;
}

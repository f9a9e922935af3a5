import { createLedger } from "../../src/ledger/ledger.ts";
import { confirmAlpha } from "../../src/model/outcomes/confirmation.ts";
import type { MetricSpec } from "../../src/model/definition/suite.ts";
import { judge } from "../../src/gate/judge.ts";
import type { Side } from "../../src/gate/pairing/sides.ts";
import { statistics } from "../../src/stats/statistics.ts";
import {
  fewerThan,
  type Kind,
  kindsOf,
  meanOver,
  not,
  type Polynomial,
  times,
  trinomial,
} from "./chances.ts";

/** Counts with a smaller chance change no digit that is printed. */
const negligible = 1e-12;

export const metric: MetricSpec = {
  id: "right",
  aggregation: "mean",
  higher_is_better: true,
  range: [0, 1],
  scale: "binary",
};

/** Shares of the pull requests that each rule blocks. */
export interface Blocked {
  readonly below_baseline: number;
  readonly below_mean: number;
  readonly two_points: number;
  readonly gate: number;
  readonly confirmed: number;
}

/** The smallest number of broken cases that the gate blocks, by the number of fixed ones. */
export type Thresholds = (fixed: number) => number;

/** Finds the thresholds by asking the gate itself, by bisection: more broken cases never make it block less. */
export function gateThresholds(n: number): Thresholds {
  const known = new Map<number, number>();
  return (fixed) => {
    const found = known.get(fixed) ?? firstTrue(n - fixed, (broke) => blocks(n, broke, fixed));
    known.set(fixed, found);
    return found;
  };
}

/** The smallest number from 0 to `most` for which `holds`; `most` + 1 if there is none. */
function firstTrue(most: number, holds: (count: number) => boolean): number {
  let [no, yes] = [-1, most + 1];
  while (yes - no > 1) {
    const middle = (no + yes) >> 1;
    if (holds(middle)) yes = middle;
    else no = middle;
  }
  return yes;
}

/** The verdict on a run of n cases against a baseline, with these numbers of broken and fixed cases. */
export function blocks(n: number, broke: number, fixed: number): boolean {
  const before = side(n, (i) => i < broke || i >= broke + fixed);
  const after = side(n, (i) => i >= broke);
  const input = { gate: {}, head: after, baseline: { kind: "run" as const, ...before } };
  return judge(input, statistics).result.verdict === "fail";
}

function side(n: number, isRight: (i: number) => boolean): Side {
  const ledger = createLedger();
  const row = { task: "t", candidate: "c", content: "", repeat: 0, cluster: null, slices: {} };
  for (let i = 0; i < n; i += 1) {
    const scores = { right: isRight(i) ? 1 : 0 };
    ledger.add({ ...row, case_id: String(i), outcome: "scored", scores });
  }
  const same = {
    dataset: "",
    preprocess: null,
    prompt: "",
    extraction: "",
    grader: "",
    judge: null,
  };
  const task = { fingerprint: same, metrics: [metric], repeats: 1, min_cases: 1 };
  return { ledger, tasks: { t: task }, candidates: ["c"] };
}

/** Exact: the verdict depends on the numbers of broken and fixed cases, which are trinomial. */
export function exactly(n: number, loss: number, threshold: Thresholds): Blocked {
  const kinds = kindsOf(loss);
  const chance = trinomial(n, {
    breaks: meanOver(kinds, breaking),
    fixes: meanOver(kinds, fixing),
  });
  const isTwoPoints = (broke: number, fixed: number): boolean => (broke - fixed) / n >= 0.02 - 1e-9;
  const sum = (isBlocked: (broke: number, fixed: number) => boolean): number => {
    let total = 0;
    for (let fixed = 0; fixed <= n; fixed += 1)
      for (let broke = 0; broke <= n - fixed; broke += 1)
        if (isBlocked(broke, fixed)) total += chance(broke, fixed);
    return total;
  };
  const likely = likelyUpTo(chance, n);
  return {
    below_baseline: sum((broke, fixed) => broke > fixed),
    below_mean: fewerThan(
      Math.round(0.8 * n),
      n,
      meanOver(kinds, ({ head }) => head),
    ),
    two_points: sum(isTwoPoints),
    gate: sum((broke, fixed) => fixed <= likely.fixed && broke >= threshold(fixed)),
    confirmed: confirmed({ chance, kinds, likely }, threshold),
  };
}

function breaking({ base, head }: Kind): Polynomial {
  return times(base, not(head));
}

function fixing({ base, head }: Kind): Polynomial {
  return times(not(base), head);
}

/** The largest counts that are likely enough to be printed. */
function likelyUpTo(chance: Seen["chance"], n: number): Seen["likely"] {
  const likely = { broke: 0, fixed: 0 };
  for (let fixed = 0; fixed <= n; fixed += 1)
    for (let broke = 0; broke <= n - fixed; broke += 1)
      if (chance(broke, fixed) > negligible) {
        likely.fixed = fixed;
        likely.broke = Math.max(likely.broke, broke);
      }
  return likely;
}

interface Seen {
  readonly chance: (broke: number, fixed: number) => number;
  readonly kinds: readonly Kind[];
  readonly likely: { readonly broke: number; readonly fixed: number };
}

/** Probabilities that a differing case breaks, or is fixed, when both sides run again. */
type Again = readonly [breaks: number, fixes: number];

/**
 * The shares blocked with confirmation, exact as well: the fresh counts of broken and fixed cases, added up case by
 * case.
 */
function confirmed({ chance, kinds, likely }: Seen, threshold: Thresholds): number {
  const again = (first: (kind: Kind) => Polynomial): Again => [
    meanOver(kinds, (kind) => times(first(kind), breaking(kind))) / meanOver(kinds, first),
    meanOver(kinds, (kind) => times(first(kind), fixing(kind))) / meanOver(kinds, first),
  ];
  const [ofBroken, ofFixed] = [again(breaking), again(fixing)];
  let total = 0;
  let byFixed = new Fresh([1], 0);
  for (let fixed = 0; fixed <= likely.fixed; fixed += 1) {
    let fresh = byFixed;
    for (let broke = 0; broke <= likely.broke; broke += 1) {
      const probability = chance(broke, fixed);
      if (broke >= threshold(fixed) && probability > negligible)
        total += probability * fresh.dropShare();
      fresh = fresh.plus(ofBroken);
    }
    byFixed = byFixed.plus(ofFixed);
  }
  return total;
}

/** Probability of each pair of fresh counts after a number of cases. */
class Fresh {
  readonly #chances: ArrayLike<number>;
  readonly #cases: number;

  constructor(chances: ArrayLike<number>, cases: number) {
    this.#chances = chances;
    this.#cases = cases;
  }

  /** The probabilities after one more case. */
  plus([breaks, fixes]: Again): Fresh {
    const [from, to] = [this.#cases + 1, this.#cases + 2];
    const next = new Float64Array(to * to);
    for (let broke = 0; broke < from; broke += 1) {
      for (let fixed = 0; fixed < from - broke; fixed += 1) {
        const chance = this.#chances[broke * from + fixed] ?? 0;
        const at = broke * to + fixed;
        next[at] = (next[at] ?? 0) + chance * (1 - breaks - fixes);
        next[at + to] = (next[at + to] ?? 0) + chance * breaks;
        next[at + 1] = (next[at + 1] ?? 0) + chance * fixes;
      }
    }
    return new Fresh(next, this.#cases + 1);
  }

  /** Probability that the fresh counts alone show a drop. */
  dropShare(): number {
    const width = this.#cases + 1;
    let share = 0;
    for (let broke = 0; broke < width; broke += 1)
      for (let fixed = 0; fixed < width - broke; fixed += 1)
        if (isFreshDrop(broke, fixed)) share += this.#chances[broke * width + fixed] ?? 0;
    return share;
  }
}

const freshDrops = new Map<number, boolean>();

function isFreshDrop(broke: number, fixed: number): boolean {
  const key = broke * 4096 + fixed;
  const found = freshDrops.get(key) ?? statistics.mcnemarMidP(broke, fixed) < confirmAlpha;
  freshDrops.set(key, found);
  return found;
}

import { describe, expect, it } from "vitest";
import { binomialProbability } from "../../src/stats/distributions/binomial.ts";
import { statistics } from "../../src/stats/statistics.ts";
import { formatProblem } from "../../src/model/refusal.ts";
import { isBeyondReach, reachProblem, roundUp } from "../../src/model/figures/detectable.ts";
import type { Noise } from "../../src/model/figures/statistics.ts";
import {
  casesToPass,
  fewestBroken,
  passingChance,
  smallestSeen,
} from "../../src/plan/detectable.ts";
import { casesFor, repeated, smallestRepeated } from "../../src/stats/sizing/reach.ts";

const bits: Noise = { n: 100, variance: 0.12, bits: true, lost: 1, clusters: null, design: 1 };

describe("how often prove: no_drop passes a run that changed nothing", () => {
  it.each([
    [100, 0.12, 0.05],
    [300, 0.12, 0.05],
    [600, 0.12, 0.05],
    [1000, 0.12, 0.02],
    [75, 0.12, 0.1],
    [400, 0.03, 0.02],
  ])(
    "%d cases of which %d changed, within %d, is as the gate's own test has it",
    (n, psi, limit) => {
      const unchanged = { n, variance: psi, alpha: 0.05 };
      const chance = passingChance(limit, unchanged) ?? Number.NaN;
      expect(Math.abs(chance - shownExactly(n, psi, limit))).toBeLessThan(0.08);
    },
  );

  it.each([
    [0.12, 0.02, 1855],
    [0.12, 0.05, 297],
    [0.12, 0.1, 75],
    [0.024, 0.02, 371],
  ])("is 80 %% from so many cases on: %d changed, within %d: %d", (variance, limit, cases) => {
    expect(casesToPass(limit, { variance, alpha: 0.05 })).toBe(cases);
    expect(passingChance(limit, { n: cases, variance, alpha: 0.05 })).toBeCloseTo(0.8, 2);
  });

  it.each([
    [0.024, 0.1, 29],
    [0.0025, 0.02, 149],
    [0, 0.05, 59],
  ])("no fewer than the exact bound asks for: %d changed, within %d: %d", (variance, limit, n) => {
    expect(casesToPass(limit, { variance, alpha: 0.05 })).toBe(n);
    expect(passingChance(limit, { n: n - 1, variance, alpha: 0.05 })).toBeUndefined();
    // A mark from 0 to 5 has as far to fall.
    const wide = { variance: 25 * variance, alpha: 0.05, width: 5 };
    expect(casesToPass(5 * limit, wide)).toBe(n);
  });
});

/** Over all ways in which cases of an unchanged run break and are fixed. */
function shownExactly(n: number, psi: number, margin: number): number {
  let sum = 0;
  for (let changed = 0; changed <= n; changed += 1) {
    const likely = binomialProbability(changed, { trials: n, probability: psi });
    if (likely < 1e-6) continue;
    for (let broke = 0; broke <= changed; broke += 1) {
      const split =
        changed === 0 ? 1 : binomialProbability(broke, { trials: changed, probability: 0.5 });
      const pairs = { broke, fixed: changed - broke, n };
      if (split > 1e-6 && statistics.noninferiorityTango(pairs, { margin, alpha: 0.05 }).shown)
        sum += likely * split;
    }
  }
  return sum;
}

it("the cases needed for a drop do prove it, and one fewer would not", () => {
  for (const drop of [0.02, 0.05, 0.1]) {
    for (const noise of [bits, { ...bits, bits: false, lost: 0, variance: 0.3 }]) {
      const n = casesFor(drop, { noise, alpha: 0.05 });
      expect(statistics.provingChance(drop, { ...noise, n }, 0.05)).toBeGreaterThanOrEqual(0.8);
      const fewer = statistics.provingChance(drop, { ...noise, n: n - 1 }, 0.05);
      expect(fewer).toBeLessThan(0.8);
    }
  }
});

it("the cases needed are in as many more clusters", () => {
  const few = { ...bits, bits: false, clusters: { count: 3, effective: 3 } };
  const n = casesFor(0.5, { noise: few, alpha: 0.05 });
  expect(n).toBeGreaterThan(150);
});

it("a rule without a test sees a drop of its limit and of what noise takes away", () => {
  expect(smallestSeen({ ...bits, lost: 0 }, 0.1)).toBeCloseTo(
    0.1 + 0.8416 * Math.sqrt(0.12 / 100),
    4,
  );
  expect(smallestSeen({ ...bits, lost: 0, variance: 0 }, 0.02)).toBeCloseTo(0.02, 6);
});

it("repeats take their part of the noise away, and 0/1 scores with it", () => {
  const one = { noise: bits, alpha: 0.05 };
  const five = repeated(one, 1, 5);
  expect(five.noise).toMatchObject({ bits: false, variance: 0.12 / 5 });
  expect(repeated(five, 5, 1).noise).toEqual(bits);
});

it("so many broken cases are the least that is a proof", () => {
  expect([0.05, 0.025, 0.01].map(fewestBroken)).toEqual([4, 5, 6]);
});

const withoutRepeats = () => ({ needed: 1561, repeated: undefined });

describe("the warning that a rule asks for more than its cases can show", () => {
  const asked = {
    rule: "`qa/em`",
    kind: "max_drop",
    limit: 0.02,
    detects: 0.051,
    cases: 240,
    unit: "share",
    ways: () => ({ needed: 1561, repeated: 0.023 }),
  } as const;

  it("has the numbers, and every way out", () => {
    const found = reachProblem(asked);
    expect(found && formatProblem(found)).toBe(
      "`qa/em` asks to hold 2.0 points, but 240 cases prove a loss only from about 5.1 points on (4 times in 5); what lies between mostly passes as not proven\n" +
        "  2.0 points would take about 1,561 cases; `repeats: 5` would come down to 2.3 points at best; `max_drop: 0.051` is what is held now; `must_pass` holds single cases. `regrade power` has the table.",
    );
  });

  it("does not propose the repeats that there are", () => {
    expect(smallestRepeated({ noise: bits, alpha: 0.05 }, 5)).toBeUndefined();
    expect(reachProblem({ ...asked, ways: withoutRepeats })?.hint).not.toContain("repeats");
  });

  it.each([
    [0.02, 0.039, false],
    [0.02, 0.04, true],
    [0, 0.5, false],
  ])("of a limit of %d and %d seen: %s", (limit, detects, told) => {
    expect(isBeyondReach({ limit, detects })).toBe(told);
    expect(reachProblem({ ...asked, limit, detects }) !== undefined).toBe(told);
  });

  it.each([
    [0.0513, 0.052],
    [0.05, 0.05],
    [0.999, 1],
    [123.4, 130],
  ])("rounds %d up to %d", (value, rounded) => {
    expect(roundUp(value)).toBe(rounded);
  });
});

import { describe, expect, it } from "vitest";
import { binomialProbability } from "../../src/metrics/binomial.ts";
import { statistics } from "../../src/metrics/statistics.ts";
import { formatProblem } from "../../src/domain/refusal.ts";
import { isBeyondReach, reachProblem, roundUp } from "../../src/domain/reach.ts";
import {
  blockingChance,
  casesFor,
  casesToPass,
  fewestBroken,
  passingChance,
  smallestDrop,
  type Reach,
} from "../../src/pipeline/reach.ts";

const bits: Reach = { n: 100, variance: 0.12, alpha: 0.05, limit: 0.02, scores: "bits" };
const graded: Reach = { n: 100, variance: 0.04, alpha: 0.05, limit: 0, scores: "graded" };

describe("how often a rule blocks", () => {
  it.each([
    // The simulation of docs/statistics.md says 5 %, 34 % and 73 %.
    [0.05, 100, 0.34],
    [0.1, 100, 0.73],
    [0.05, 200, 0.55],
    [0.1, 200, 0.94],
    [0.05, 500, 0.87],
  ])("a drop of %d with %d cases is as simulated", (drop, n, simulated) => {
    expect(Math.abs(blockingChance(drop, { ...bits, n }) - simulated)).toBeLessThan(0.04);
  });

  it("a drop of just its limit is at most half the time", () => {
    expect(blockingChance(0.2, { ...graded, limit: 0.2 })).toBeCloseTo(0.5);
    expect(blockingChance(0.02, { ...bits, n: 5000 })).toBeLessThanOrEqual(0.5);
  });

  it("nothing is where nothing dropped, or where so few cases prove nothing", () => {
    expect(blockingChance(0, bits)).toBe(0);
    expect(blockingChance(0.5, { ...bits, n: 3 })).toBe(0);
    expect(blockingChance(0.5, { ...graded, n: 4 })).toBe(0);
  });

  it("goes on smoothly where enumeration gives way to the normal approximation", () => {
    const [below, above] = [2000, 2001].map((n) => blockingChance(0.02, { ...bits, n, limit: 0 }));
    expect(Math.abs((below ?? 0) - (above ?? 1))).toBeLessThan(0.02);
  });
});

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
      expect(Math.abs(passingChance(limit, unchanged) - shownExactly(n, psi, limit))).toBeLessThan(
        0.08,
      );
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

describe("the smallest drop", () => {
  it.each([
    ["0/1 scores", bits],
    ["means of repeats", { ...bits, variance: 0.024, scores: "shares" as const }],
    ["graded scores", graded],
    ["graded scores with a limit", { ...graded, limit: 0.1 }],
  ])("of %s is blocked 4 times in 5", (_, reach) => {
    const drop = smallestDrop(reach) ?? 0;
    expect(blockingChance(drop, reach)).toBeCloseTo(0.8, 2);
  });

  it("of graded scores is (z₁₋α + z₀.₈)·√(variance / n), and no less than the limit and z₀.₈ on top", () => {
    expect(smallestDrop(graded)).toBeCloseTo(2.4865 * 0.02, 3);
    expect(smallestDrop({ ...graded, limit: 0.1 })).toBeCloseTo(0.1 + 0.8416 * 0.02, 3);
  });

  it("is none where not even a total loss would be proven", () => {
    expect(smallestDrop({ ...bits, n: 3 })).toBeUndefined();
    expect(smallestDrop({ ...graded, variance: 0 })).toBeUndefined();
  });
});

it("the cases needed for a drop do prove it", () => {
  for (const drop of [0.02, 0.05, 0.1]) {
    for (const reach of [bits, { ...graded, variance: 0.3 }]) {
      const n = casesFor(drop, reach);
      expect(blockingChance(drop, { ...reach, n, limit: 0 })).toBeGreaterThan(0.775);
    }
  }
});

it("so many broken cases are the least that is a proof", () => {
  expect([0.05, 0.025, 0.01].map(fewestBroken)).toEqual([4, 5, 6]);
});

describe("the warning that a rule asks for more than its cases can show", () => {
  const asked = {
    rule: "`qa/em`",
    kind: "max_drop",
    limit: 0.02,
    detects: 0.051,
    cases: 240,
    repeats: 1,
    unit: "share",
  } as const;

  it("has the numbers, and every way out", () => {
    const found = reachProblem(asked);
    expect(found && formatProblem(found)).toBe(
      "`qa/em` asks to hold 2.0 pp, but 240 cases prove a loss only from about 5.1 pp on (4 times in 5); what lies between mostly passes as not proven\n" +
        "  2.0 pp would take about 1,561 cases; `repeats: 5` would come down to 2.3 pp at best; `max_drop: 0.051` is what is held now; `must_pass` holds single cases. `regrade power` has the table.",
    );
  });

  it("does not propose the repeats that there are", () => {
    expect(reachProblem({ ...asked, repeats: 5 })?.hint).not.toContain("repeats");
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

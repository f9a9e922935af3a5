import { describe, expect, it } from "vitest";
import type { PowerPlace } from "../../src/model/figures/power.ts";
import { Refusal } from "../../src/model/refusal.ts";
import type { MetricValue } from "../../src/model/outcomes/run.ts";
import { powerOfRun } from "../../src/analyse/power.ts";
import { renderPower } from "../../src/report/terminal/power.ts";
import { exampleRule } from "../github/example-run.ts";
import { storedRun, unchangedRuns, type RunParts } from "../support/runs.ts";

const usual: Parameters<typeof powerOfRun>[1] = { drops: [], power: 0.8 };

const value: MetricValue = {
  task: "qa",
  candidate: "main",
  metric: "em",
  slice: null,
  aggregation: "mean",
  higher_is_better: true,
  range: [0, 1],
  scale: "binary",
  value: 0.8,
  n: 200,
  stderr: null,
  ci: null,
  ci_method: null,
};

const compared = exampleRule({
  metric: "em",
  limit: 0.02,
  test: "mcnemar_midp",
  ci_level: 0.9,
  n: 200,
  broke: 14,
  fixed: 10,
  mde: 0.06,
});

function placeOf(parts: Partial<RunParts>, request = usual): PowerPlace {
  const stored = storedRun({ id: "r", scores: Array.from({ length: 200 }, () => 1), ...parts });
  const { places } = powerOfRun(stored, request);
  const [place] = places;
  if (place === undefined || places.length > 1) throw new RangeError("not one place");
  return place;
}

function withRules(...rules: readonly ReturnType<typeof exampleRule>[]): Partial<RunParts> {
  return { run: { metrics: [value], gate: { verdict: "pass", reasons: [], rules } } };
}

describe("the power of a run directory", () => {
  it("rests on the noise between its repeats, where it has some", () => {
    const [run] = unchangedRuns({ cases: 200, runs: 1, repeats: 5 });
    if (run === undefined) throw new RangeError("no run");
    const stored = { ...run, run: { ...run.run, metrics: [value] } };
    const place = powerOfRun(stored, usual).places[0];
    expect(place?.noise.from).toBe("repeats");
    // Two unchanged runs with one repeat disagree on 12 %; with five the variance is a fifth.
    expect(place?.noise.variance).toBeGreaterThan(0.018);
    expect(place?.noise.variance).toBeLessThan(0.032);
    expect(place?.rows[0]?.cases.map(({ repeats }) => repeats)).toEqual([1, 3, 5, 10]);
  });

  it("else on the cases that changed since the baseline", () => {
    const place = placeOf(withRules(compared));
    expect(place).toMatchObject({ cases: 200, repeats: 1, alpha: 0.05, comparisons: 1 });
    expect(place.noise).toMatchObject({ from: "pairs", variance: 0.12 });
    expect(place.noise.words).toContain("24 of 200 cases changed since the baseline: 12.0%");
    const [, , five, ten] = place.rows;
    expect(five).toMatchObject({ drop: 0.05 });
    expect(five?.now).toBeCloseTo(0.56, 1);
    expect(ten?.now).toBeCloseTo(0.94, 1);
    // Connor's formula, with ψ = 0.17 and D = 0.05, says 419.
    expect(five?.cases[0]).toEqual({ repeats: 1, cases: 416 });
  });

  it("takes what the verdict took for noise, though there are repeats, unless a drop is proven", () => {
    const scores = Array.from({ length: 200 }, (_, i) => (i % 4 === 0 ? [1, 0] : [1, 1]));
    const noise = { n: 200, variance: 0.05, bits: false, lost: 0.9, clusters: null, design: 1 };
    const rule = { ...compared, noise, test: "sign_flip_exact" } as const;
    const place = placeOf({ scores, ...withRules(rule) });
    expect(place).toMatchObject({ repeats: 2, noise: { from: "pairs", variance: 0.05 } });
    const dropped = placeOf({ scores, ...withRules({ ...rule, code: "drop_proven" }) });
    expect(dropped.noise.from).toBe("repeats");
  });

  it("knows the clusters of a first run, of all cases and of a slice", () => {
    const unmeasured = exampleRule({ metric: "em", outcome: "unmeasured", code: "no_baseline" });
    const clusters = Array.from({ length: 200 }, (_, i) => `d${Math.floor(i / 10)}`);
    const apart = placeOf(withRules(unmeasured));
    const together = placeOf({ clusters, ...withRules(unmeasured) });
    expect(together.detects).toBeGreaterThan(1.5 * (apart.detects ?? Infinity));
  });

  it("of a first run has alpha shared as it will be in the next", () => {
    const unmeasured = exampleRule({ metric: "em", outcome: "unmeasured", code: "no_baseline" });
    const stored = storedRun({ id: "r", scores: [1, 0], ...withRules(unmeasured, unmeasured) });
    expect(powerOfRun(stored, usual).places.map(({ alpha }) => alpha)).toEqual([0.025, 0.025]);
  });

  it("takes no more than the smaller side for noise where a drop was proven", () => {
    const place = placeOf(
      withRules(exampleRule({ ...compared, broke: 30, fixed: 4, code: "drop_proven" })),
    );
    expect(place.noise.variance).toBeCloseTo(8 / 200);
  });

  it("else on an assumption that it states", () => {
    const place = placeOf({ run: { metrics: [value] } });
    expect(place.noise).toMatchObject({ from: "assumption", variance: 0.12 });
    expect(place.noise.words).toContain("assumed: two unchanged runs disagree on 12%");
  });

  it("shares alpha between the blocking comparisons, and not with those that only warn", () => {
    const warned = exampleRule({ ...compared, level: "warn" });
    const stored = storedRun({ id: "r", scores: [1, 0], ...withRules(compared, warned, compared) });
    const { places } = powerOfRun(stored, usual);
    expect(places.map(({ alpha }) => alpha)).toEqual([0.025, 0.05, 0.025]);
  });

  it("takes the drops and the power that are asked for", () => {
    const half = placeOf(withRules(compared), { drops: [0.03], power: 0.5 });
    const nine = placeOf(withRules(compared), { drops: [0.03], power: 0.9 });
    expect(half.rows.map(({ drop }) => drop)).toEqual([0.03]);
    expect(nine.rows[0]?.cases[0]?.cases).toBeGreaterThan(2 * (half.rows[0]?.cases[0]?.cases ?? 0));
  });

  it("says how many repeats would do for the cases that there are, if any", () => {
    const { rows } = placeOf(withRules(compared));
    expect(rows.map(({ repeats }) => repeats)).toEqual([null, null, 4, 1]);
  });

  it("says what further calls buy, the best first, by the figure that a run of that size would have", () => {
    const { spend = [] } = placeOf(withRules(compared), { ...usual, spend: 400 });
    expect(spend.map(({ kind, to, calls }) => ({ kind, to, calls }))).toEqual([
      { kind: "cases", to: 600, calls: 400 },
      { kind: "repeats", to: 3, calls: 400 },
      { kind: "earlier_runs", to: 3, calls: 400 },
    ]);
    const sizes = spend.map(({ detects }) => detects ?? 0);
    expect(sizes).toEqual(sizes.toSorted((x, y) => x - y));
    expect(sizes[2]).toBeLessThan(placeOf(withRules(compared)).detects ?? 0);
  });

  it("says that calls for less than a case buy nothing, and offers no repeats where a reducer uses them up", () => {
    const [run] = unchangedRuns({ cases: 50, runs: 1, repeats: 5 });
    if (run === undefined) throw new RangeError("no run");
    const stored = { ...run, run: { ...run.run, metrics: [{ ...value, n: 50 }] } };
    const few = powerOfRun(stored, { ...usual, spend: 4 });
    expect(few.places[0]?.spend).toEqual([]);
    expect(renderPower(few, 120)).toContain("so few further calls buy nothing");
    const more = powerOfRun(stored, { ...usual, spend: 60 });
    expect(more.places[0]?.spend?.map(({ kind }) => kind).toSorted()).toEqual(["cases", "repeats"]);
    expect(renderPower(more, 120)).toMatch(/further calls tell most as (62 cases|repeats: 6): ≥ /);
    expect(placeOf(withRules(compared)).spend).toBeUndefined();
  });

  it("is not told of a number that grade_batch returned for all cases together", () => {
    const metrics = [{ ...value, aggregation: "returned" as const }];
    const gate = { verdict: "pass" as const, reasons: [], rules: [compared] };
    const scores = [1, 0];
    const stored = storedRun({ id: "r", scores, given: { em: 0.5 }, run: { metrics, gate } });
    expect(() => powerOfRun(stored, usual)).toThrow(Refusal);
  });

  it.each([5, 1.01])("refuses a drop of %d, for which a metric of [0, 1] has no room", (drop) => {
    const work = (): PowerPlace => placeOf(withRules(compared), { ...usual, drops: [0.05, drop] });
    expect(work).toThrow(`a drop of ${drop} is wider than the range`);
    expect(work).toThrow("Give a size above 0 and up to 1; 5 points are 0.05.");
  });

  it("takes a drop as wide as the range, and any of a metric without one", () => {
    const metric = { range: [0.1, 0.3] as const, scale: "graded" as const };
    const ranged = { metric, run: { metrics: [{ ...value, ...metric }] } };
    expect(placeOf(ranged, { ...usual, drops: [0.2] }).rows).toHaveLength(1);
    const sum = { metric: { aggregation: "sum" as const }, ...withRules(compared) };
    expect(placeOf(sum, { ...usual, drops: [5] }).rows).toHaveLength(1);
  });

  it("names no drop where nothing varied and no range says how large one is", () => {
    const rule = { ...compared, test: "sign_flip_exact" as const, broke: 0, fixed: 0 };
    const noise = { n: 200, variance: 0, bits: false, lost: 0, clusters: null, design: 1 };
    const flat = { ...value, range: null, scale: "graded" as const };
    const run = (rules: object) => ({
      metric: { range: null, scale: "graded" as const },
      run: {
        metrics: [flat],
        gate: { verdict: "pass" as const, reasons: [], rules: [{ ...rule, ...rules }] },
      },
    });
    const stored = storedRun({ id: "r", scores: [1], ...run({ noise }) });
    const report = powerOfRun(stored, { ...usual, spend: 50 });
    expect(report.places[0]?.rows).toEqual([]);
    const text = renderPower(report, 120);
    expect(text).toContain("which drop it could detect is not known: nothing varied");
    expect(text).not.toMatch(/true drop +proven|further calls tell/);
    // A median without an interval has unknown noise, and not none.
    const median = run({ noise, test: "side_swap_seeded", delta_ci: null });
    expect(() => powerOfRun(storedRun({ id: "r", scores: [1], ...median }), usual)).toThrow(
      Refusal,
    );
  });

  it("is refused where nothing can be reckoned with", () => {
    const stored = storedRun({
      id: "r",
      scores: [3, 4],
      metric: { range: null, scale: "graded" },
      run: { metrics: [{ ...value, range: null, scale: "graded" }] },
    });
    expect(() => powerOfRun(stored, usual)).toThrow(Refusal);
  });
});

/** What is printed of a run with two repeats. */
function printed(metric: RunParts["metric"] = {}): string {
  const scores = Array.from({ length: 200 }, () => [1, 0]);
  const stored = storedRun({ id: "r", scores, metric, run: { metrics: [value] } });
  return renderPower(powerOfRun(stored, usual), 160);
}

it("sends a run whose reducer uses all repeats up to a baseline or to calibrate", () => {
  const reduced = printed({ reducer: { kind: "pass_at_k", k: 2, pass: 1 } });
  expect(reduced).toContain("by assumption: the metric's reducer uses all repeats up; a baseline");
  expect(reduced).not.toContain("a run with repeats");
  expect(printed()).toContain("by what the run shows");
});

it("is printed as a table with what it rests on", () => {
  const stored = storedRun({ id: "r", scores: [1], ...withRules(compared) });
  const text = renderPower(powerOfRun(stored, usual), 120);
  expect(text).toContain("qa: what proves a drop 80% of the time, by what the run shows.");
  expect(text).toContain("qa/em: 200 cases, 1 repeat, one-sided alpha 0.05\n  24 of 200 cases");
  expect(text).toMatch(/^ +5\.0 points +\d+% +416 /m);
  expect(text).toContain("Note: ");
});

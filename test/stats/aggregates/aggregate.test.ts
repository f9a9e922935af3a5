import { describe, expect, it } from "vitest";
import { createLedger } from "../../../src/ledger/ledger.ts";
import type { Ledger } from "../../../src/model/figures/ledger.ts";
import type { MetricValue } from "../../../src/model/outcomes/run.ts";
import type { ScoreRow } from "../../../src/model/outcomes/sample.ts";
import type { MetricSpec } from "../../../src/model/definition/suite.ts";
import { aggregate, type MeasuredTask } from "../../../src/stats/aggregates/aggregate.ts";
import { expectWithin } from "../../support/patience.ts";

function row(caseId: string, score: number | undefined, rest: Partial<ScoreRow> = {}): ScoreRow {
  return {
    task: "qa",
    case_id: caseId,
    content: "c",
    candidate: "main",
    repeat: 0,
    outcome: score === undefined ? "ungraded" : "scored",
    scores: score === undefined ? {} : { right: score },
    cluster: null,
    slices: {},
    ...rest,
  };
}

function ledgerOf(rows: readonly ScoreRow[]): Ledger {
  const ledger = createLedger();
  for (const one of rows) ledger.add(one);
  return ledger;
}

function metric(rest: Partial<MetricSpec> = {}): MetricSpec {
  return {
    id: "right",
    aggregation: "mean",
    higher_is_better: true,
    range: null,
    scale: null,
    ...rest,
  };
}

function task(rest: Partial<MeasuredTask> = {}): MeasuredTask {
  return { id: "qa", metrics: [metric()], slices: [], ...rest };
}

/** The metric over all cases. */
function overall(rows: readonly ScoreRow[], spec: MetricSpec = metric()): MetricValue {
  const [value] = aggregate(ledgerOf(rows), [task({ metrics: [spec] })]);
  if (value === undefined) throw new Error("no metric");
  return value;
}

const scores = (values: readonly number[]): ScoreRow[] =>
  values.map((value, i) => row(`case-${i}`, value));

describe("aggregate", () => {
  it("gives a 0/1 metric its proportion with Wilson's interval", () => {
    const value = overall(scores(Array.from({ length: 240 }, (_, i) => (i < 201 ? 1 : 0))));
    expect(value).toMatchObject({
      task: "qa",
      candidate: "main",
      metric: "right",
      slice: null,
      aggregation: "mean",
      higher_is_better: true,
      range: null,
      scale: "binary",
      value: 0.8375,
      n: 240,
      ci_method: "wilson",
    });
    expect(value.stderr).toBeCloseTo(0.0239, 4);
    expect(value.ci?.[0]).toBeCloseTo(0.7856, 3);
    expect(value.ci?.[1]).toBeCloseTo(0.8789, 3);
  });

  it("gives a graded metric Student's interval", () => {
    const value = overall(scores([0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0, 2]));
    expect(value).toMatchObject({ scale: "graded", n: 10, ci_method: "t" });
    expect(value.value).toBeCloseTo(0.75, 14);
    expect(value.ci?.[0]).toBeCloseTo(-0.5298, 4);
  });

  it.each([
    ["declared binary, all 1", { values: [1, 1, 1], declared: "binary" }, ["binary", "wilson"]],
    [
      "declared graded, though all came 0 or 1",
      { values: [0, 1, 1], declared: "graded" },
      ["graded", "t"],
    ],
    [
      "declared binary, but one half came",
      { values: [0, 0.5, 1], declared: "binary" },
      ["binary", "t"],
    ],
    ["undeclared, all 0 or 1", { values: [0, 1, 1], declared: null }, ["binary", "wilson"]],
    ["undeclared, one half", { values: [0, 0.5, 1], declared: null }, ["graded", "t"]],
  ] as const)("reads the scale: %s", (_, { values, declared }, found) => {
    const value = overall(scores(values), metric({ scale: declared }));
    expect([value.scale, value.ci_method]).toEqual(found);
  });

  it("takes the case for the unit: repeats are averaged within it, and Wilson's is off", () => {
    const rows = [
      row("a", 1),
      row("b", 0),
      row("a", 0, { repeat: 1 }),
      row("b", 0, { repeat: 1 }),
      row("a", 1, { repeat: 2 }),
    ];
    const value = overall(rows);
    expect(value.value).toBeCloseTo(1 / 3, 15);
    expect(value).toMatchObject({ n: 2, scale: "binary", ci_method: "t" });
  });

  it("counts what failed as the worst, what is invalid as 0, and leaves out what is ungraded", () => {
    const rows = [
      row("a", 5),
      row("b", 3),
      row("c", undefined, { outcome: "invalid" }),
      row("d", undefined, { outcome: "failed" }),
      row("e", undefined),
    ];
    expect(overall(rows, metric({ range: [1, 5] }))).toMatchObject({ value: 9 / 4, n: 4 });
    const lower = metric({ range: [1, 5], higher_is_better: false });
    expect(overall(rows, lower)).toMatchObject({ value: 18 / 4, n: 4 });
  });

  it("reads a repeat that is ungraded as a gap, not as 0", () => {
    const rows = [row("a", 1), row("a", undefined, { repeat: 1 }), row("b", 0.5)];
    expect(overall(rows)).toMatchObject({ value: 0.75, n: 2 });
  });

  it("has no value where no case has a score, and no spread for one case", () => {
    const gap = { stderr: null, ci: null, ci_method: null };
    expect(overall([row("a", undefined)])).toMatchObject({ value: null, n: 0, ...gap });
    expect(overall([row("a", 0.25)])).toMatchObject({ value: 0.25, n: 1, ...gap });
    expect(overall([row("a", 1)])).toMatchObject({
      value: 1,
      n: 1,
      stderr: null,
      ci_method: "wilson",
    });
  });

  it("takes equal scores for a result: an interval of width 0", () => {
    expect(overall(scores([0.3, 0.3, 0.3]))).toMatchObject({
      value: 0.3,
      stderr: 0,
      ci: [0.3, 0.3],
      ci_method: "t",
    });
  });

  it("stays finite for huge scores", () => {
    const { value, stderr, ci } = overall(scores([Number.MAX_VALUE, -Number.MAX_VALUE]));
    for (const number of [value, stderr, ...(ci ?? [])]) expect(number).toSatisfy(Number.isFinite);
  });

  it("aggregates as declared: percentiles between two of the scores, sums of as many cases", () => {
    const rows = scores(Array.from({ length: 100 }, (_, i) => ((i * 37) % 100) + 1));
    const of = (aggregation: MetricSpec["aggregation"]): MetricValue =>
      overall(rows, metric({ aggregation }));
    expect(of("median")).toMatchObject({
      aggregation: "median",
      value: 50.5,
      n: 100,
      stderr: null,
      ci: [40, 61],
      ci_method: "order_statistic",
    });
    expect(of("p90").value).toBeCloseTo(90.1, 12);
    expect(of("p95").ci).toEqual([90, 100]);
    const { value, stderr, ci, ci_method } = of("sum");
    const mean = of("mean");
    expect([value, ci_method]).toEqual([5050, "t"]);
    expect(stderr).toBeCloseTo(100 * (mean.stderr ?? 0), 10);
    expect(ci?.[0]).toBeCloseTo(100 * (mean.ci?.[0] ?? 0), 8);
    const spread = of("stddev");
    expect(spread.value).toBeCloseTo(Math.sqrt((100 * 101) / 12), 12);
    expect(spread.ci_method).toBe("bootstrap");
    expect(spread.ci?.[0]).toBeLessThan(spread.value ?? 0);
    expect(spread.ci?.[1]).toBeGreaterThan(spread.value ?? 0);
    expect(of("stddev")).toEqual(spread);
  });

  it("claims no interval that a few cases can't give", () => {
    const few = scores([3, 1, 2]);
    for (const aggregation of ["median", "p95", "stddev"] as const) {
      const value = overall(few, metric({ aggregation }));
      expect(value).toMatchObject({ ci: null, ci_method: null });
      expect(value.value).toBeGreaterThan(0);
    }
    expect(overall(scores([3]), metric({ aggregation: "stddev" })).value).toBeNull();
    const none = aggregate(ledgerOf(few), [task({ metrics: [metric({ aggregation: "none" })] })]);
    expect(none).toEqual([]);
  });

  it("changes over to a formula for thousands of cases without a jump", () => {
    const all = scores(Array.from({ length: 20_000 }, (_, i) => Math.sin(i * i) ** 2));
    const spec = metric({ aggregation: "stddev" });
    const [small, large] = [overall(all.slice(0, 1250), spec), overall(all, spec)];
    expect([small.ci_method, large.ci_method]).toEqual(["bootstrap", "large_sample"]);
    expect((small.stderr ?? 0) / (large.stderr ?? 1)).toBeCloseTo(4, 0);
    expect(((large.ci?.[0] ?? 0) + (large.ci?.[1] ?? 0)) / 2).toBeCloseTo(large.value ?? 0, 10);
  });

  it("gives cases that are not independent the wider interval of their clusters", () => {
    const rows = Array.from({ length: 120 }, (_, i) =>
      row(`case-${i}`, Math.floor(i / 4) % 3 === 0 ? 0 : 1, {
        cluster: `page-${Math.floor(i / 4)}`,
      }),
    );
    const plain = overall(rows.map((each) => ({ ...each, cluster: null })));
    const clustered = overall(rows);
    expect(plain.ci_method).toBe("wilson");
    expect(clustered).toMatchObject({ value: plain.value, n: 120, ci_method: "cluster_t" });
    // Four equal cases a cluster: twice the standard error, nearly.
    expect((clustered.stderr ?? 0) / (plain.stderr ?? 1)).toBeCloseTo(2, 1);
    expect(overall(rows, metric({ aggregation: "p50" })).ci_method).toBe("bootstrap");
  });

  it("reduces repeats as declared, and leaves out a case with too few of them", () => {
    const rows = [
      ...[1, 0, 0].map((score, repeat) => row("a", score, { repeat })),
      ...[1, 1, 0].map((score, repeat) => row("b", score, { repeat })),
      ...[0, 1, undefined].map((score, repeat) => row("c", score, { repeat })),
    ];
    const of = (reducer: MetricSpec["reducer"]): MetricValue =>
      overall(rows, metric(reducer && { reducer }));
    expect(of(undefined).value).toBeCloseTo((1 / 3 + 2 / 3 + 1 / 2) / 3, 14);
    expect(of({ kind: "max" })).toMatchObject({ value: 1, ci_method: "wilson" });
    expect(of({ kind: "mode" }).value).toBeCloseTo((0 + 1 + 0.5) / 3, 14);
    expect(of({ kind: "pass_at_k", k: 2, pass: 1 }).value).toBeCloseTo((2 / 3 + 1 + 1) / 3, 14);
    expect(of({ kind: "pass_hat_k", k: 3, pass: 1 })).toMatchObject({
      value: 0,
      n: 2,
      ci_method: "wilson",
    });
    const once = overall(
      scores([0.4, 0.6]),
      metric({ reducer: { kind: "at_least_k", k: 1, pass: 0.5 } }),
    );
    expect(once).toMatchObject({ value: 0.5, n: 2, ci_method: "wilson" });
  });

  it("reports seconds, tokens and dollars where they are known, and says nothing where they are not", () => {
    const rows = [
      row("a", 1, { measured: { latency_seconds: 2 } }),
      row("b", undefined, { outcome: "invalid", measured: { latency_seconds: 4 } }),
      row("c", 1, { candidate: "recorded" }),
    ];
    const metrics = [metric(), metric({ id: "latency_seconds", higher_is_better: false })];
    const values = aggregate(ledgerOf(rows), [task({ metrics })]);
    expect(values.map(({ candidate, metric: id, value }) => [candidate, id, value])).toEqual([
      ["main", "right", 0.5],
      ["main", "latency_seconds", 3],
      ["recorded", "right", 1],
    ]);
  });

  it("reports each slice, sorted, and leaves a case without the field out of it", () => {
    const rows = [
      row("a", 1, { slices: { language: "fr", level: "2" } }),
      row("b", 0, { slices: { language: "de", other: "x" } }),
      row("c", 1, { slices: { language: "de", level: "10" } }),
      row("d", undefined, { slices: { level: "7" } }),
      row("e", 1),
    ];
    const values = aggregate(ledgerOf(rows), [task({ slices: ["level", "language", "toString"] })]);
    expect(values.map(({ slice, value, n }) => [slice, value, n])).toEqual([
      [null, 0.75, 4],
      ["language=de", 0.5, 2],
      ["language=fr", 1, 1],
      ["level=10", 1, 1],
      ["level=2", 1, 1],
      ["level=7", null, 0],
    ]);
    // One scale for the metric, whatever happened to come in a slice.
    expect(new Set(values.map(({ scale }) => scale))).toEqual(new Set(["binary"]));
  });

  it("goes through tasks and metrics as declared, and through candidates sorted", () => {
    const rows = [
      row("a", 1, { candidate: "zeta", scores: { right: 1, speed: 2 } }),
      row("a", 1, { task: "sum", candidate: "alpha" }),
      row("a", 0, { candidate: "alpha" }),
    ];
    const metrics = [
      metric({ id: "speed" }),
      metric(),
      metric({ id: "batch", aggregation: "none" }),
    ];
    const tasks = [task({ id: "sum" }), task({ metrics }), task({ id: "not run" })];
    const values = aggregate(ledgerOf(rows), tasks);
    expect(values.map((v) => [v.task, v.candidate, v.metric])).toEqual([
      ["sum", "alpha", "right"],
      ["qa", "alpha", "speed"],
      ["qa", "alpha", "right"],
      ["qa", "zeta", "speed"],
      ["qa", "zeta", "right"],
    ]);
  });

  it("finds one scale for a metric over all candidates", () => {
    const rows = [row("a", 1), row("a", 0.5, { candidate: "other" })];
    const values = aggregate(ledgerOf(rows), [task()]);
    expect(values.map(({ scale }) => scale)).toEqual(["graded", "graded"]);
  });

  it("gives the same bytes in whatever order the samples finished", () => {
    const rows = Array.from({ length: 300 }, (_, i) =>
      row(`case-${i % 100}`, Math.sin(i) / 3, {
        repeat: Math.floor(i / 100),
        slices: { parity: String(i % 2) },
      }),
    );
    const tasks = [task({ slices: ["parity"] })];
    const there = JSON.stringify(aggregate(ledgerOf(rows), tasks));
    const back = JSON.stringify(aggregate(ledgerOf(rows.toReversed()), tasks));
    const mixed = rows.toSorted((a, b) => Math.sin(a.scores["right"] ?? 0) - Math.cos(b.repeat));
    expect(back).toBe(there);
    expect(JSON.stringify(aggregate(ledgerOf(mixed), tasks))).toBe(there);
  });

  it("keeps up with a hundred thousand cases", async () => {
    const ledger = createLedger();
    for (let i = 0; i < 100_000; i += 1) {
      ledger.add(row(`sha256:${i}`, i % 3 ? 1 : 0, { slices: { language: `l${i % 10}` } }));
    }
    // Some 60 ms.
    await expectWithin(1, () => aggregate(ledger, [task({ slices: ["language"] })]));
  });
});

describe("an interval", () => {
  it("of repeated or clustered 0/1 cases that are all right leaves room, as so many single ones would", () => {
    const twice = scores([1, 1, 1]).flatMap((one) => [one, { ...one, repeat: 1 }]);
    const single = overall(scores([1, 1, 1]));
    expect(overall(twice)).toMatchObject({ value: 1, ci: single.ci, ci_method: "wilson" });
    const clustered = ["a", "a", "b", "b"].map((cluster, i) => row(`case-${i}`, 0, { cluster }));
    expect(overall(clustered)).toMatchObject({
      ci: overall(scores([0, 0])).ci,
      ci_method: "wilson",
    });
  });

  it("of a time does not reach below zero", () => {
    const spec = metric({ id: "latency_seconds", higher_is_better: false, scale: "graded" });
    const times = [0.1, 0.1, 9].map((seconds, i) =>
      row(`case-${i}`, 1, { measured: { latency_seconds: seconds } }),
    );
    expect(overall(times, spec).ci?.[0]).toBe(0);
  });
});

import { expect, it } from "vitest";
import type { Gate } from "../../src/model/definition/gate.ts";
import type { Side } from "../../src/gate/pairing/sides.ts";
import { judgeInWords } from "./situation.ts";
import { baseline, em, noBaseline, pairs, qa, side, times, type Case } from "./sides.ts";

type GateInput = Parameters<typeof judgeInWords>[0];

interface Scene {
  readonly title: string;
  readonly base?: Side;
  readonly head: Side;
  readonly gate?: Gate;
  readonly leftOut?: GateInput["leftOut"];
}

const [before, after] = pairs({ broke: 18, fixed: 6, right: 195, wrong: 21 });
const [mildBefore, mildAfter] = pairs({ broke: 14, fixed: 10, right: 195, wrong: 21 });
const [fewBefore, fewAfter] = pairs({ broke: 3, fixed: 1, right: 20, wrong: 6 });
const perfect = times(20, 1);
const graded = { metrics: [{ scale: "graded" as const }] };
const seconds = {
  metrics: [{ id: "em", higher_is_better: false, range: null, scale: "graded" as const }],
};
const latencies = (factor: number): Case[] =>
  Array.from({ length: 40 }, (_, i) => factor * (1.2345 + (i % 7) / 100 + (factor * (i % 3)) / 50));

/** 200 German and 200 English cases; so many of the German ones are wrong. */
const sliced = (wrong: number): Case[] =>
  Array.from({ length: 400 }, (_, i) => ({
    slices: { language: i < 200 ? "de" : "en" },
    is: i < wrong ? 0 : 1,
  }));
/** 24 passages with 5 cases each; so many of them are wrong. */
const clustered = (wrong: number): Case[] =>
  Array.from({ length: 120 }, (_, i) => {
    const passage = Math.floor(i / 5);
    return {
      cluster: `p${passage}`,
      is: { em: passage < wrong ? 0 : 1, em2: passage < wrong ? 0 : 0.5 + (i % 7) / 14 },
    };
  });

/** 10 passages with 5 cases each: seven of them lose so much, the others gain as much. */
const tenClusters = (loss: number): Case[] =>
  Array.from({ length: 50 }, (_, i) => {
    const passage = Math.floor(i / 5);
    return { cluster: `p${passage}`, is: 0.5 + ((i * 7) % 10) / 40 + (passage < 7 ? -loss : loss) };
  });
const median = { metrics: [{ aggregation: "median" as const, scale: "graded" as const }] };

const scenes: readonly Scene[] = [
  { title: "a proven drop", base: qa(before), head: qa(after) },
  {
    title: "a proven drop among three comparisons",
    base: qa(
      before.map((cell) => ({ is: { em: Number(cell), b: 1, c: 1 } })),
      { metrics: [em, { id: "b" }, { id: "c" }] },
    ),
    head: qa(
      after.map((cell) => ({ is: { em: Number(cell), b: 1, c: 1 } })),
      { metrics: [em, { id: "b" }, { id: "c" }] },
    ),
    gate: { rules: [{ metric: "qa/*", max_drop: 0.02 }] },
  },
  {
    title: "seen, not proven",
    base: qa(mildBefore),
    head: qa(mildAfter),
    gate: { max_drop: 0.01 },
  },
  { title: "seen, not proven, few cases", base: qa(fewBefore), head: qa(fewAfter) },
  {
    title: "seen, not proven, few cases with five repeats",
    base: qa(times(4, times(5, 1)), { repeats: 5 }),
    head: qa([[0, 0, 0, 0, 1], ...times(3, times(5, 1))], { repeats: 5 }),
  },
  { title: "seen, one case", base: qa([1]), head: qa([0]) },
  { title: "smaller than the limit", base: qa(mildBefore), head: qa(mildAfter) },
  {
    title: "proven and smaller than the limit",
    base: qa(before),
    head: qa(after),
    gate: { max_drop: 0.1 },
  },
  {
    title: "one case of three thousand, whose loss no rounding hides",
    base: qa(times(3000, 1)),
    head: qa([0, ...times(2999, 1)]),
  },
  { title: "better", base: qa(after), head: qa(before) },
  { title: "nothing changed", base: qa(before), head: qa(before) },
  { title: "better in two cases of three", base: qa([0, 0, 1]), head: qa([1, 1, 1]) },
  ...([0.05, -0.05] as const).map((loss): Scene => ({
    title: `a median of fewer than 20 clusters, ${loss > 0 ? "lower" : "higher"}`,
    base: qa(tenClusters(0), median),
    head: qa(tenClusters(loss), median),
    gate: { rules: [{ metric: "em", max_drop: 0.01 }] },
  })),
  { title: "all better alike", base: qa(times(9, 0.5), graded), head: qa(times(9, 0.75), graded) },
  {
    title: "slower",
    base: qa(latencies(1), seconds),
    head: qa(latencies(2), seconds),
    gate: { rules: [{ metric: "em", max_rise: 0.5 }] },
  },
  {
    title: "a little slower, as a warning and without proof",
    base: qa(latencies(1), seconds),
    head: qa(latencies(1.1), seconds),
    gate: {
      rules: [
        { metric: "em", max_rise: 0.1, level: "warn" },
        { metric: "em", max_rise: 0.5, prove: "nothing" },
        { metric: "em", max_rise: 0.05, prove: "nothing", level: "info" },
      ],
    },
  },
  {
    title: "0/1 by the baseline, and fractions here",
    base: qa(times(60, 1), { metrics: [{ scale: null }] }),
    head: qa([...times(9, 0.5), ...times(51, 1)], { metrics: [{ scale: null }] }),
  },
  {
    title: "minimum and maximum",
    head: qa([1, 1, 1, 0]),
    gate: {
      rules: [
        { metric: "em", min: 0.8 },
        { metric: "em", min: 0.7 },
        { metric: "em", max: 0.7 },
        { metric: "em", max: 0.8, level: "warn" },
      ],
    },
  },
  {
    title: "minimum and maximum without a range",
    head: qa([-1234.5, 0.000_012_3], { metrics: [{ range: null, scale: "graded" }] }),
    gate: {
      rules: [
        { metric: "em", min: -0.5 },
        { metric: "em", max: 0 },
      ],
    },
  },
  { title: "no baseline", head: qa(perfect) },
  { title: "gate: none", base: qa(perfect), head: qa(perfect.slice(3)), gate: "none" },
  {
    title: "nothing to gate",
    base: qa(perfect, { metrics: [{ range: null }] }),
    head: qa(perfect, { metrics: [{ range: null }] }),
  },
  {
    title: "one task without a rule",
    base: side({
      qa: { cases: { main: perfect } },
      free: { metrics: [{ range: [0, 5] }], cases: { main: perfect } },
    }),
    head: side({
      qa: { cases: { main: perfect } },
      free: { metrics: [{ range: [0, 5] }], cases: { main: perfect } },
    }),
  },
  {
    title: "warnings only",
    head: qa(perfect),
    gate: {
      rules: [
        { metric: "em", max: 0.5, level: "warn" },
        { metric: "f1", min: 0.5, level: "info" },
      ],
    },
  },
  {
    title: "a metric nobody has",
    head: qa(perfect),
    gate: { rules: [{ metric: "qa/f1", min: 0.5 }] },
  },
  {
    title: "a metric without a score",
    head: qa(perfect, { metrics: [em, { id: "f1" }] }),
    gate: { rules: [{ metric: "f1", min: 0.5 }] },
  },
  {
    title: "a metric under another name",
    head: qa(times(20, { lable: 1 })),
  },
  {
    title: "scores left out of some samples, and in a metric without a rule",
    base: qa(times(40, { em: 1, f1: 1 }), { metrics: [em, { id: "f1" }] }),
    head: qa([...times(2, { f2: 1 }), ...times(38, { em: 1, f2: 1 })], {
      metrics: [em, { id: "f1" }, { id: "note", aggregation: "none" }],
    }),
  },
  {
    title: "a score left out of one repeat",
    head: qa([[1, {}, 1], ...times(4, [1, 1, 1])], { repeats: 3 }),
    gate: { rules: [{ metric: "em", min: 0.5 }] },
  },
  {
    title: "a loss that reaches its limit, and any loss",
    base: qa(times(50, 1)),
    head: qa([0, ...times(49, 1)]),
    gate: {
      rules: [
        { metric: "em", max_drop: 0.02, prove: "nothing" },
        { metric: "em", max_drop: 0, prove: "nothing", level: "warn" },
      ],
    },
  },
  {
    title: "a new metric",
    base: qa(perfect),
    head: qa(times(20, { em: 1, f1: 1 }), { metrics: [em, { id: "f1" }] }),
    gate: { rules: [{ metric: "f1", max_drop: 0.02 }] },
  },
  {
    title: "grader and extraction changed",
    base: qa(perfect),
    head: qa(perfect, { fingerprint: { grader: "other", extraction: "other" } }),
  },
  {
    title: "the direction changed",
    base: qa(perfect),
    head: qa(perfect, { metrics: [{ higher_is_better: false }] }),
  },
  {
    title: "no pairs",
    base: qa(perfect),
    head: qa(
      perfect.map((is) => ({ is, content: "another" })),
      { fingerprint: { dataset: "other" } },
    ),
  },
  {
    title: "cases dropped, added, changed, invalid, ungraded",
    base: qa([...times(8, 1), "invalid", "ungraded"], { repeats: 1 }),
    head: qa(
      [
        { id: "c0000", content: "another", is: 1 },
        { id: "c0001", is: "invalid" },
        { id: "c0002", is: "ungraded" },
        ...["c0008", "c0009", "new one", "new two"].map((id) => ({ id, is: 1 })),
      ],
      { fingerprint: { dataset: "other", prompt: "other" } },
    ),
    gate: { max_error_rate: 0.3 },
  },
  {
    title: "many cases dropped",
    base: qa(perfect),
    head: qa(perfect.slice(0, 12)),
  },
  {
    title: "everything gone",
    base: side({
      qa: {
        metrics: [em, { id: "f1" }],
        cases: { a: times(3, { em: 1, f1: 1 }), b: times(3, { em: 1, f1: 1 }) },
      },
      old: { cases: { a: [1], b: [1] } },
    }),
    head: side({ qa: { cases: { a: times(3, 1) } }, young: { cases: { a: [1] } } }),
  },
  {
    title: "another candidate, other repeats",
    base: side({ qa: { repeats: 3, cases: { "gpt-4": times(20, [1, 1, 1]) } } }),
    head: side({ qa: { cases: { "gpt-5": perfect } } }),
  },
  { title: "no cases", head: qa([]), gate: { rules: [{ metric: "em", min: 0 }] } },
  { title: "nothing ran", head: side({}) },
  { title: "too few cases", head: qa(perfect, { min_cases: 50 }) },
  { title: "all failed", head: qa(["failed", "failed", "invalid"]) },
  { title: "too many ungraded", head: qa([...times(3, "ungraded"), ...perfect]) },
  {
    title: "ungraded samples decide",
    base: qa(times(100, 1)),
    head: qa([...times(4, "ungraded"), ...times(96, 1)]),
  },
  {
    title: "shown not to have dropped, and not shown",
    base: qa(before),
    head: qa(before),
    gate: {
      rules: [
        { metric: "em", max_drop: 0.05, prove: "no_drop" },
        { metric: "em", max_drop: 0.01, prove: "no_drop" },
      ],
    },
  },
  {
    title: "cases that must pass",
    head: qa([1, 0, 0.5, 1, "ungraded"], graded),
    gate: {
      rules: [
        { metric: "em", must_pass: ["c0000", "c0003"] },
        { metric: "em", must_pass: ["c0001"] },
        { metric: "em", must_pass: ["c000[0-2]", "gone", "c0004"], min: 0.7 },
        { metric: "em", must_pass: ["c0004"], level: "warn" },
      ],
    },
  },
  {
    title: "slices",
    base: qa(sliced(0)),
    head: qa(sliced(7)),
    gate: {
      rules: [
        { metric: "em", max_drop: 0.02 },
        { metric: "em", max_drop: 0.02, slice: "language=en" },
        { metric: "em", max_drop: 0.02, slice: "language=fr", level: "warn" },
      ],
    },
  },
  {
    title: "clusters, aggregations, reducers",
    base: qa(clustered(0), { metrics: [em, { id: "em2", aggregation: "p90", scale: "graded" }] }),
    head: qa(clustered(2), { metrics: [em, { id: "em2", aggregation: "p90", scale: "graded" }] }),
    gate: { rules: [{ metric: "em*", max_drop: 0.02 }] },
  },
  {
    title: "more repeats than the baseline has",
    base: qa(times(40, 1)),
    head: qa(times(40, [1, 1, 1]), {
      repeats: 3,
      metrics: [{ reducer: { kind: "pass_at_k", k: 3, pass: 1 } }],
    }),
  },
  {
    title: "a spread of one case",
    head: qa([1], { metrics: [{ aggregation: "stddev", scale: "graded" }] }),
    gate: { rules: [{ metric: "em", max: 1 }] },
  },
  {
    title: "renamed cases of a changed dataset",
    base: qa([{ id: "a", content: "x", is: 1 }, ...perfect]),
    head: qa([{ id: "b", content: "x", is: 1 }, ...perfect], { fingerprint: { dataset: "d2" } }),
  },
  {
    title: "what grade_batch returned for all cases together",
    base: qa(times(60, {}), { given: { em: 0.9 } }),
    head: qa(times(60, {}), { given: { em: 0.85 } }),
    gate: {
      rules: [
        { metric: "em", max_drop: 0.02 },
        { metric: "em", max_drop: 0.1 },
        { metric: "em", max_drop: 0.1, prove: "no_drop" },
        { metric: "em", max_drop: 0.02, prove: "nothing" },
        { metric: "em", must_pass: ["c0000"] },
      ],
    },
  },
  {
    title: "what grade_batch returned for other cases",
    base: qa(times(59, {}), { given: { em: 0.9 } }),
    head: qa(times(60, {}), { given: { em: 0.9 } }),
  },
  {
    title: "what only one side's grade_batch returned",
    base: qa(times(60, 1)),
    head: qa(times(60, {}), { given: { em: 0.9 } }),
  },
  {
    title: "numbers too large",
    base: qa(times(4, -1.7e308), { metrics: [{ range: null, scale: "graded" }] }),
    head: qa(times(4, 1.7e308), { metrics: [{ range: null, scale: "graded" }] }),
    gate: { rules: [{ metric: "em", max_drop: 1 }] },
  },
];

function tell({ title, base, head, gate, leftOut }: Scene): string {
  const against = base === undefined ? noBaseline : baseline(base);
  const input = { gate: gate ?? {}, head, baseline: against };
  const { result, notes } = judgeInWords(leftOut === undefined ? input : { ...input, leftOut });
  return [
    `# ${title}`,
    result.verdict,
    ...result.reasons.map((reason) => `- ${reason}`),
    ...notes.map((note) => `  note: ${note}`),
  ].join("\n");
}

it("says what was found in the sentences that people know", async () => {
  await expect(`${scenes.map(tell).join("\n\n")}\n`).toMatchFileSnapshot("reasons.golden.txt");
});

it("never says that there was no regression, only that none was detected", () => {
  const said = scenes.map(tell).join("\n");
  expect(said.match(/no regression(?! detected)/g)).toBeNull();
});

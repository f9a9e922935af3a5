import { describe, expect, it } from "vitest";

import type { Run } from "../../../src/model/outcomes/run.ts";
import { renderSummary } from "../../../src/report/markdown/markdown.ts";
import * as examples from "../examples.ts";
import { hostileRun } from "../hostile-run.ts";
import { expectSound } from "../sound.ts";
import { itSome } from "../../support/rows.ts";

const { brokenCases: broken, errors } = examples;
/** Of 1 MiB that GitHub takes. */
const markdownLimitBytes = 1_000_000;

const goldens: Readonly<Record<string, Parameters<typeof renderSummary>[0]>> = {
  fail: { run: examples.failed, content: "ids", broken, errors },
  "fail-with-texts": {
    run: examples.failed,
    content: "failures",
    broken,
    errors,
    directories: { run: ".regrade/runs/run_4f2c9e1a", baseline: "evals/baseline" },
  },
  "fail-short-of-room": {
    run: examples.failed,
    content: "full",
    broken,
    errors,
    limitBytes: 3500,
  },
  pass: { run: examples.passed, content: "ids" },
  "pass-grey": { run: examples.grey, content: "ids" },
  "pass-grey-few-cases": { run: fewCases(examples.grey), content: "ids" },
  "pass-without-baseline": { run: examples.first, content: "ids" },
  inconclusive: { run: examples.inconclusive, content: "ids" },
  error: { run: examples.errored, content: "ids", errors },
  neutral: { run: examples.neutral, content: "ids" },
  "gate-none": { run: examples.ungated, content: "ids" },
  cancelled: { run: examples.cancelled, content: "ids" },
};

describe("the summary", () => {
  it.each(Object.entries(goldens))("%s reads as agreed", async (name, input) => {
    await expect(renderSummary(input)).toMatchFileSnapshot(`../../golden/report/${name}.md`);
  });

  it.each(Object.entries(goldens))("%s never claims that there is no regression", (_, input) => {
    expect(renderSummary(input)).not.toMatch(/no regression(?! detected)/i);
  });

  it("says difference, interval, limit, cases in the first sentence of a failure", () => {
    const sentence = renderSummary({ run: examples.failed, content: "ids" }).split("\n")[2] ?? "";
    for (const fact of [
      "88.8% → **83.8%**",
      "−5.0 points",
      "−8.6 to −1.7 points",
      "blocks from 2.0 points",
      "240 cases",
    ]) {
      expect(sentence).toContain(fact);
    }
  });

  it("shows no text of a case where only ids may be published", () => {
    const text = renderSummary({ run: examples.failed, content: "ids", broken, errors });
    expect(text).toContain("refund-001");
    expect(text).not.toMatch(/14 days|30 days|KeyError|Bestellnummer|returned True/);
  });

  it("never shows a passing mark where the verdict is open or bad", () => {
    for (const run of [examples.inconclusive, examples.errored, examples.cancelled]) {
      const [title] = renderSummary({ run, content: "ids" }).split("\n");
      expect(title).toMatch(/^### (?:⚠️|➖) /u);
    }
  });

  it("names a case once, though two rules name it", () => {
    const [drop] = examples.failed.gate.rules;
    const rules = drop ? [drop, { ...drop, kind: "min" as const }] : [];
    const run = { ...examples.failed, gate: { ...examples.failed.gate, rules } };
    const text = renderSummary({ run, content: "ids" });
    expect(text).toContain("18 broken cases in ");
    expect(text.match(/^\| `refund-001` \|/gm)).toHaveLength(1);
  });

  it("gives commands that run nothing that a name holds", () => {
    const suite = { ...examples.failed.suite, path: "evals/$(curl evil)'; rm -rf ~ #.yaml" };
    const text = renderSummary({ run: { ...examples.failed, suite }, content: "ids" });
    expect(text).toContain(
      String.raw`regrade run 'evals/$(curl evil)'\''; rm -rf ~ #.yaml' --task`,
    );
  });
});

describe("the summary under a limit", () => {
  const limits = [0, 10, 40, 200, 400, 700, 1200, 2500, 5000, 20_000, 100_000, markdownLimitBytes];

  itSome(limits)("of %i bytes keeps to it, and keeps its form", (limitBytes) => {
    const text = renderSummary({ run: huge, content: "full", broken: hugeBroken, limitBytes });
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(limitBytes);
    expectSound(text);
  });

  it("says what is left out, and keeps the verdict and the gate longest", () => {
    const text = renderSummary({
      run: huge,
      content: "full",
      broken: hugeBroken,
      limitBytes: 8000,
    });
    expect(text).toMatch(
      /Left out to stay under the size limit: .*texts of broken cases \(\d+ of 50/,
    );
    expect(text).toMatch(/^### ❌ support-bot: 50 of 240 cases broke, the gate fails/);
    expect(text).toContain("| Metric | Baseline");
  });

  it("shows all where all fits", () => {
    const text = renderSummary({ run: examples.failed, content: "full", broken, errors });
    expect(text).not.toContain("Left out");
    expect(text).toContain("refund-018");
  });

  it.each([1, 2, 3])("holds for 10 MB of hostile text (seed %i)", { tags: "long" }, (seed) => {
    const { run, texts } = hostileRun(seed);
    for (const limitBytes of [300, 3000, 30_000, markdownLimitBytes]) {
      const text = renderSummary({
        run,
        content: "full",
        broken: texts,
        errors: examples.errors.map((group) => ({ ...group, type: texts[0]?.caseId ?? "" })),
        limitBytes,
      });
      expect(Buffer.byteLength(text)).toBeLessThanOrEqual(limitBytes);
      expectSound(text);
    }
  });
});

function fewCases(run: Run): Run {
  const rules = run.gate.rules.map((rule) => ({
    ...rule,
    slice: "language=de",
    n: 34,
    value: 31 / 34,
    baseline: 32 / 34,
    delta: -1 / 34,
    delta_ci: [-0.125, 0.062] as const,
    broke: 2,
    fixed: 1,
    mde: 0.232,
    noise: { n: 34, variance: 3.25 / 34, bits: true, lost: 1, clusters: null, design: 1 },
    changed: { broke: examples.ids("refund", 2, 1), fixed: examples.ids("parcel", 1, 0) },
  }));
  const reasons = rules.map(({ reason }) => `qa/exact_match, main, language=de: ${reason}`);
  return { ...run, gate: { ...run.gate, reasons, rules } };
}

const huge: Run = {
  ...examples.failed,
  metrics: Array.from({ length: 3000 }, (_, i) => examples.value({ slice: `page=${i}` })),
  gate: {
    ...examples.failed.gate,
    rules: Array.from({ length: 400 }, (_, i) =>
      examples.rule({
        slice: i === 0 ? null : `page=${i}`,
        changed: { broke: examples.ids("refund", 50, 1), fixed: examples.ids("parcel", 50, 0) },
      }),
    ),
  },
};

const hugeBroken = examples.ids("refund", 50, 1).map(({ case_id: caseId }) => ({
  task: "qa",
  candidate: "main",
  metric: "exact_match",
  caseId,
  slices: { language: "de" },
  before: { score: 1, output: "🙂".repeat(50_000) },
  after: { score: 0, output: "```\n".repeat(50_000), judge: { reason: "| <b> ".repeat(9000) } },
}));

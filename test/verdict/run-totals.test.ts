import { describe, expect, it } from "vitest";
import type { SampleDigest } from "../../src/model/outcomes/sample.ts";
import { createRunTotals } from "../../src/verdict/run-totals.ts";

const digest = (usd: number | null, more: Partial<SampleDigest> = {}): SampleDigest => ({
  outcome: "scored",
  scores: {},
  usage: { input_tokens: 10, output_tokens: 2, cached_tokens: 0, reasoning_tokens: 0, usd },
  judgeUsage: null,
  cached: false,
  latencyMs: 100,
  ...more,
});

const judged = { cached_tokens: 0, reasoning_tokens: 0 };

const unpriced = (each: SampleDigest) => totals([each]).usage.unpriced;

function totals(digests: readonly SampleDigest[]) {
  const counting = createRunTotals();
  for (const each of digests) counting.add(each);
  return counting.totals();
}

describe("what a run adds up", () => {
  it("is what it paid and waited for: an answer of an earlier run is counted, not charged", () => {
    const { usage, generateSeconds, request_counts } = totals([
      digest(0.5),
      digest(0.5, { cached: true }),
      digest(null, { usage: null, cached: true }),
      digest(null, { outcome: "failed" }),
    ]);
    expect(usage).toEqual({
      input_tokens: 20,
      output_tokens: 4,
      usd: 0.5,
      unpriced: true,
      judge_usd: 0,
      judge_input_tokens: 0,
      judge_output_tokens: 0,
      cached: 2,
    });
    expect(generateSeconds).toBe(0.2);
    expect(request_counts).toEqual({ total: 4, completed: 3, failed: 1 });
  });

  it("is what graders asked of models, apart, whoever gave the answers", () => {
    const judgeUsage = { ...judged, input_tokens: 7, output_tokens: 3, usd: 0.1 };
    const counting = createRunTotals();
    counting.add(digest(0.5, { judgeUsage }));
    counting.add(digest(0.5, { judgeUsage, cached: true }));
    counting.addJudgeUsage(judgeUsage);
    counting.addJudgeUsage(null);
    expect(counting.totals().usage).toEqual({
      input_tokens: 10,
      output_tokens: 2,
      usd: 0.5,
      judge_usd: 0.3,
      judge_input_tokens: 21,
      judge_output_tokens: 9,
      cached: 1,
    });
  });

  it("says where tokens have no known price, the judges' too, and not of what nobody counted", () => {
    const judgeUsage = { ...judged, input_tokens: 7, output_tokens: 3, usd: null };
    expect(unpriced(digest(null))).toBe(true);
    expect(unpriced(digest(0.5, { judgeUsage }))).toBe(true);
    expect(unpriced(digest(0.5))).toBeUndefined();
    expect(unpriced(digest(null, { usage: null }))).toBeUndefined();
    expect(unpriced(digest(null, { cached: true }))).toBeUndefined();
  });

  it("does not depend on which sample finished first", () => {
    const digests = Array.from({ length: 300 }, (_, i) => digest(0.1 + i * 0.000_37));
    expect(totals(digests.toReversed()).usage).toEqual(totals(digests).usage);
    expect(totals([digest(0.1), digest(0.2)]).usage.usd).toBe(0.3);
  });
});

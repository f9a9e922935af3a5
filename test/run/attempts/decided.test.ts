import { describe, expect, it } from "vitest";
import { goOnWith } from "../../../src/model/outcomes/attempts.ts";
import type { Run } from "../../../src/model/outcomes/run.ts";
import type { RuleResult } from "../../../src/model/outcomes/rule-result.ts";
import type { SampleDigest } from "../../../src/model/outcomes/sample.ts";
import type { StoredRun } from "../../../src/model/ports/store.ts";
import { spentBefore } from "../../../src/run/budget.ts";
import { conclude, type Conclusion } from "../../../src/verdict/conclude.ts";
import { judgedOf } from "../../../src/verdict/describe.ts";
import { storedRun } from "../../support/runs.ts";

const gate = { max_drop: 0.02 };
const right = Array.from({ length: 60 }, () => 1);
const dropped = right.map((score, i) => (i < 20 ? 0 : score));

const baseOf = (sha: string): StoredRun => {
  const stored = storedRun({ id: `base-${sha}`, scores: right, gate });
  return { ...stored, run: { ...stored.run, git: { ...stored.run.git, sha } } };
};

function judged(scores: readonly number[], sha: string, attempts?: Run["attempts"]): Conclusion {
  const head = storedRun({ id: "head", scores, gate });
  const baseline = { kind: "run", source: "base", stored: baseOf(sha) } as const;
  return conclude({ ...judgedOf(head.run, head.ledger), attempts }, baseline, 0);
}

/** The first attempt, whose drop was confirmed or not. */
function first(outcome: "confirmed" | "undecided" | "not_run"): Run {
  const { run } = storedRun({ id: "first", scores: dropped, gate });
  const { gate: result, ...rest } = judged(dropped, "a");
  const confirmation = {
    outcome,
    cases: 20,
    n: 20,
    broke: 20,
    fixed: 0,
    p: 0.01,
    p_adjusted: 0.01,
  };
  const rules = result.rules.map((rule): RuleResult => Object.assign({}, rule, { confirmation }));
  return { ...run, ...rest, gate: { ...result, rules } };
}

const asked = { number: 2, before: 1, unread: undefined };

describe("what an attempt takes over", () => {
  it.each([
    { name: "a confirmed drop stands", outcome: "confirmed", sha: "a", verdict: "fail" },
    {
      name: "one against another baseline does not",
      outcome: "confirmed",
      sha: "b",
      verdict: "pass",
    },
    {
      name: "one that could not be run again does not",
      outcome: "not_run",
      sha: "a",
      verdict: "pass",
    },
    { name: "one that is undecided does not", outcome: "undecided", sha: "a", verdict: "pass" },
  ] as const)("$name", ({ outcome, sha, verdict }) => {
    const taken = goOnWith(first(outcome), asked);
    const { gate: result } = judged(right, sha, taken);
    expect(result.verdict).toBe(verdict);
    const isSaid = result.reasons.join("\n").includes("attempt 1 of this workflow run confirmed");
    expect(isSaid).toBe(verdict === "fail");
  });

  it("goes on from attempt to attempt, and is decided once", () => {
    const second = { ...first("confirmed"), attempts: goOnWith(first("confirmed"), asked) };
    const { gate: result } = judged(right, "a", second.attempts);
    const third = goOnWith(
      { ...second, gate: result },
      { number: 3, before: 2, unread: undefined },
    );
    expect(third.earlier.map(({ number }) => number)).toEqual([1, 2]);
    expect(third.decided.map(({ attempt }) => attempt)).toEqual([1]);
  });
});

describe("the budget of an attempt", () => {
  it("is its own: what earlier attempts paid for is not counted again", () => {
    const usage = {
      input_tokens: 10,
      output_tokens: 5,
      cached_tokens: 0,
      reasoning_tokens: 0,
      usd: 1,
    };
    const digest: SampleDigest = {
      outcome: "scored",
      scores: {},
      usage,
      judgeUsage: null,
      cached: false,
      latencyMs: 1,
    };
    const finished = new Map([
      ["earlier", digest],
      ["own", digest],
    ]);
    const store = { finished, answers: new Map(), earlier: new Set(["earlier"]) };
    expect(spentBefore(store)).toEqual({ usd: 1, tokens: 15 });
  });
});

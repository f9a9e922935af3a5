import { describe, expect, it } from "vitest";
import type { Run } from "../../../src/model/outcomes/run.ts";
import type { RuleResult } from "../../../src/model/outcomes/rule-result.ts";
import { missedBefore } from "../../../src/report/words/sentences.ts";
import { renderSection } from "../../../src/report/comment.ts";
import { renderSummary } from "../../../src/report/markdown/markdown.ts";
import { here } from "../comment-examples.ts";
import * as examples from "../examples.ts";

const place = { task: "qa", candidate: "main", metric: "exact_match", slice: null };

/** A run whose accuracy is 0.84, at least `limit` being asked, after a baseline with another one. */
function short(before: number, asked: Partial<RuleResult> = {}): Run {
  const { failed, rule } = examples;
  const changed = { broke: [], fixed: [] };
  const limit = { kind: "min", limit: 0.9, outcome: "missed", code: "beyond_limit" } as const;
  const base = failed.baseline;
  if (base === null) throw new Error("no baseline");
  const history = [{ sha: "a", values: [{ ...place, value: before }] }];
  return {
    ...failed,
    baseline: { ...base, history, comparable: { qa: true } },
    gate: { ...failed.gate, rules: [rule({ ...place, ...limit, changed, ...asked })] },
  };
}

const old = (run: Run): number | undefined => {
  const [rule] = run.gate.rules;
  return rule && missedBefore(run, rule);
};

describe("a limit that the baseline missed too", () => {
  it("is known by the baseline's own value", () => {
    expect(old(short(0.85))).toBe(0.85);
    expect(old(short(0.9))).toBeUndefined();
    expect(old(short(0.95))).toBeUndefined();
    expect(old(short(0.95, { kind: "max" }))).toBe(0.95);
    expect(old(short(0.85, { outcome: "met" }))).toBeUndefined();
    expect(old(short(0.85, { metric: "other" }))).toBeUndefined();
    expect(old({ ...short(0.85), baseline: null })).toBeUndefined();
  });

  it("is not known where the two sides were measured by different graders", () => {
    const run = short(0.85);
    if (run.baseline === null) throw new Error("no baseline");
    expect(old({ ...run, baseline: { ...run.baseline, comparable: { qa: false } } })).toBe(
      undefined,
    );
  });

  it("is said to be failing already, with the branch's name", () => {
    const view = { kind: "run", run: short(0.85), content: "ids", circumstances: here } as const;
    const text = renderSection(view)(60_000);
    expect(text).toContain(", already failing in the baseline, at 85.0%");
    expect(text).toContain("already failing on main");
    expect(renderSummary({ run: short(0.95), content: "ids" })).not.toContain("already failing");
  });
});

describe("cases that failed before", () => {
  it("are counted and named, and are not among the broken ones", () => {
    const text = renderSummary({ run: examples.failed, content: "ids" });
    const folded =
      /<summary>21 cases already failing in the baseline in <code>qa\/exact&#95;match<\/code><\/summary>([^]*?)<\/details>/;
    const [, block = ""] = folded.exec(text) ?? [];
    expect(block.match(/`label-/g)).toHaveLength(21);
    expect(block).not.toContain("refund");
  });

  it("are said to be more than are named", () => {
    const [first, ...others] = examples.failed.gate.rules;
    if (first === undefined) throw new Error("no rule");
    const failing = { count: 60, cases: ["a", "b"] };
    const rules = [{ ...first, changed: { ...first.changed, failing } }, ...others];
    const run = { ...examples.failed, gate: { ...examples.failed.gate, rules } };
    const text = renderSummary({ run, content: "ids", circumstances: here });
    expect(text).toContain(
      "60 cases already failing on <code>main</code> in <code>qa/exact&#95;match</code> (2 are listed)",
    );
  });
});

import { describe, expect, it } from "vitest";

import { trendOf } from "../../src/report/sparkline.ts";
import type { RuleResult } from "../../src/model/outcomes/rule-result.ts";
import { rule } from "./examples.ts";

const of = { task: "qa", candidate: "main", metric: "exact_match", slice: null };

/** The last of the values is that of this run. */
function sparkline(
  values: readonly (number | undefined)[],
  unit: Parameters<typeof trendOf>[1]["unit"],
): string {
  const history = values.slice(0, -1).map((value) => ({
    sha: null,
    values: value === undefined ? [] : [{ ...of, value }],
  }));
  const value: RuleResult["value"] = values.at(-1) ?? null;
  return trendOf(rule({ value }), { history, unit });
}

/** A run of the past; `mark`: what its scores mean. */
function marked(value: number, mark?: string) {
  const meaning = mark === undefined ? {} : { meaning: { qa: mark } };
  return { sha: null, values: [{ ...of, value }], ...meaning };
}

describe("a sparkline", () => {
  it.each([
    ["a fall", [0.9, 0.9, 0.5], "██ ▁"],
    ["a climb", [1, 2, 3, 4, 5, 6, 7, 8], "▁▂▃▄▅▆▇ █"],
    ["a gap", [1, undefined, 1, 8], "▁·▁ █"],
    ["one value over and over", [0.88, 0.88, 0.88], "▅▅ ▅"],
    ["zeros", [0, 0, 0], "▅▅ ▅"],
    ["nothing", [], ""],
  ])("shows %s", (_, values, line) => {
    expect(sparkline(values, "number")).toBe(line);
  });

  it("is broken where the grader, the data set or the judge was another, and not where nobody knows", () => {
    const history = [marked(0.9), marked(0.9, "a"), marked(0.9), marked(0.5, "b")];
    const drawn = (mark: string) =>
      trendOf(rule({ value: 0.5 }), { history, unit: "share", meaning: { qa: mark } });
    expect(drawn("b")).toBe("███╎▁ ▁");
    expect(drawn("c")).toBe("███╎▁ ╎▁");
  });

  it("is not drawn of cases that must pass, whose number is no mean", () => {
    const history = [0.9, 0.9].map((value) => ({ sha: null, values: [{ ...of, value }] }));
    expect(trendOf(rule({ kind: "must_pass" }), { history, unit: "share" })).toBe("");
  });

  it("does not make a fall of a tremble", () => {
    expect(sparkline([0.88, 0.885, 0.88], "share")).toMatch(/^([▄▅]){2} [▄▅]$/u);
  });

  it("shows the runs that have the metric, and this one apart", () => {
    const point = (value: number) => ({ sha: null, values: [{ ...of, value }] });
    const other = { sha: null, values: [{ ...of, slice: "language=de", value: 0.1 }] };
    const history = [point(0.9), other, point(0.9)];
    expect(trendOf(rule({ value: 0.5 }), { history, unit: "share" })).toBe("█·█ ▁");
    expect(trendOf(rule({}), { history: [point(0.9), other], unit: "share" })).toBe("");
    expect(trendOf(rule({}), { history: undefined, unit: "share" })).toBe("");
    expect(trendOf(rule({ value: null }), { history, unit: "share" })).toBe("");
  });
});

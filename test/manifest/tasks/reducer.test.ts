import { describe, expect, it } from "vitest";
import type { Json } from "../../../src/model/json.ts";
import type { MetricSpec } from "../../../src/model/definition/suite.ts";
import { brief, problemsOf, resolveText, shortForm } from "../resolve-text.ts";

const python = { type: "python", source: "x" };

async function metricsOf(
  changes: Readonly<Record<string, Json>>,
): Promise<readonly MetricSpec[] | undefined> {
  const resolved = await resolveText(shortForm({ grader: python, ...changes }));
  return resolved.kind === "resolved" ? resolved.suite.tasks[0]?.metrics : undefined;
}

describe("a metric's reducer", () => {
  const binary = { id: "right", scale: "binary" };
  it.each<[string, MetricSpec["reducer"]]>([
    ["mean", undefined],
    ["mode", { kind: "mode" }],
    ["max", { kind: "max" }],
    ["pass@3", { kind: "pass_at_k", k: 3, pass: 1 }],
    ["pass^5", { kind: "pass_hat_k", k: 5, pass: 1 }],
    ["at_least_2", { kind: "at_least_k", k: 2, pass: 1 }],
  ])("%s", async (reducer, expected) => {
    const found = await metricsOf({ repeats: 5, metrics: [{ ...binary, reducer }] });
    expect(found?.[0]?.reducer).toEqual(expected);
  });

  it("leaves the number of repeats to recorded results, which have their own", async () => {
    const text = shortForm({
      dataset: undefined,
      prompt_template: undefined,
      target_template: undefined,
      grader: undefined,
      candidates: undefined,
      from: { path: "out.jsonl" },
      metrics: [{ ...binary, reducer: "pass^2" }],
    });
    expect(brief(await problemsOf(text))).toEqual([]);
  });

  it("takes the upper end of the range for a pass where scores are graded", async () => {
    const metrics = [{ id: "stars", range: [1, 5], reducer: "pass@2" }];
    expect((await metricsOf({ repeats: 2, metrics }))?.[0]?.reducer).toMatchObject({ pass: 5 });
  });

  it.each<[Readonly<Record<string, Json>>, string]>([
    [{ metrics: [{ ...binary, reducer: "pass@3" }] }, "reducer_repeats metrics[0].reducer"],
    [
      { repeats: 3, metrics: [{ id: "stars", reducer: "pass@3" }] },
      "reducer_no_pass metrics[0].reducer",
    ],
    [
      { repeats: 3, metrics: [{ ...binary, higher_is_better: false, reducer: "at_least_2" }] },
      "reducer_no_pass metrics[0].reducer",
    ],
    [{ metrics: [{ ...binary, reducer: "pass@k" }] }, "value_characters metrics[0].reducer"],
    [{ metrics: [{ ...binary, reducer: "pass@0" }] }, "value_characters metrics[0].reducer"],
  ])("is refused where it can't be computed: %j", async (changes, expected) => {
    expect(brief(await problemsOf(shortForm({ grader: python, ...changes })))).toEqual([expected]);
  });
});

describe("what Regrade measures itself", () => {
  it("can be declared with another aggregation, of which less is better", async () => {
    const found = await metricsOf({
      grader: "exact_match",
      metrics: [{ id: "latency_seconds", aggregation: "p95" }],
    });
    expect(found?.map(({ id, aggregation }) => `${id} ${aggregation}`)).toEqual([
      "exact_match mean",
      "latency_seconds p95",
    ]);
    expect(found?.[1]).toMatchObject({ higher_is_better: false, range: null });
  });
});

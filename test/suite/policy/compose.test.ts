import { describe, expect, it } from "vitest";
import type { Task } from "../../../src/model/suite.ts";
import { composeSuite } from "../../../src/suite/policy/compose.ts";
import { modelRef, slot, suiteOf, taskSpec } from "./suites.ts";

const elsewhere = { path: "easy.jsonl", absolute: "/head/easy.jsonl" };

/** What a change may try with a task, each with what it would gain. */
const tries: readonly Partial<Task>[] = [
  { dataset: { file: elsewhere, format: "jsonl", id_field: null } },
  {
    preprocess: {
      contract: "row",
      source: { kind: "inline", text: "" },
      timeout_seconds: 1,
      allow_read: [],
    },
  },
  { target_template: "" },
  { choices: ["a"] },
  { output_extraction: { type: "take_first", lines: 1 } },
  { grader: { type: "contains", options: {}, models: undefined } },
  { metrics: [] },
  { repeats: 5 },
  { slices: ["language"] },
  { cluster_by: "passage" },
  { min_cases: 0 },
];

describe("the composed suite has from the base", () => {
  it.each(tries.map((change) => [Object.keys(change)[0], change]))("%s", (_, change) => {
    const base = suiteOf();
    const { suite } = composeSuite(base, suiteOf({ tasks: [taskSpec(change)] }));
    expect(suite.tasks).toEqual(base.tasks);
  });

  it("the gate and the models that judge", () => {
    const base = suiteOf({ judge_model: modelRef("strict"), embedding_model: modelRef("e") });
    const { suite } = composeSuite(base, suiteOf({ gate: "none", judge_model: modelRef("kind") }));
    expect(suite).toMatchObject({
      gate: { max_drop: 0.02 },
      judge_model: { name: "strict" },
      embedding_model: { name: "e" },
    });
  });

  it("the name, so that a change keeps its place among the results", () => {
    expect(composeSuite(suiteOf(), suiteOf({ name: "other" })).suite.name).toBe("qa");
  });

  it("tasks that the change dropped, and none that it brings", () => {
    const base = suiteOf({ tasks: [taskSpec(), taskSpec({ id: "hard" })] });
    const head = suiteOf({ tasks: [taskSpec(), taskSpec({ id: "easy" })] });
    const { suite, counterparts } = composeSuite(base, head);
    expect(suite.tasks).toEqual(base.tasks);
    expect(counterparts.get("hard")).toBeUndefined();
  });
});

describe("the composed suite has from the change", () => {
  it("prompts, candidates, and how the run is run", () => {
    const tasks = [taskSpec({ prompt_template: "Think: {{q}}" })];
    const budget = { usd: 5, tokens: undefined, minutes: undefined };
    const head = suiteOf({ tasks, budget, candidates: [slot("app", "other")], concurrency: 3 });
    const { suite } = composeSuite(suiteOf({ directory: "/base/evals", root: "/base" }), head);
    expect(suite.tasks).toEqual(tasks);
    expect(suite).toMatchObject({
      budget,
      concurrency: 3,
      candidates: head.candidates,
      directory: "/head/evals",
      root: "/head",
    });
  });

  it("few-shot examples, whether it adds some or takes them out", () => {
    const fewshot = {
      key: "num_fewshot",
      count: 2,
      dataset: undefined,
      prompt_template: "{{q}}",
      target_template: "{{a}}",
      example_template: "{{prompt}}{{target}}",
      separator: "",
      strategy: "first",
      seed: 0,
    } as const;
    const [plain, shown] = [suiteOf(), suiteOf({ tasks: [taskSpec({ fewshot })] })];
    expect(composeSuite(plain, shown).suite.tasks).toEqual(shown.tasks);
    expect(composeSuite(shown, plain).suite.tasks).toEqual(plain.tasks);
    expect(
      composeSuite(shown, suiteOf({ tasks: [taskSpec({ id: "a" }), taskSpec({ id: "b" })] })).suite
        .tasks,
    ).toEqual(shown.tasks);
  });

  it("the prompt of its only task, whatever that is called now", () => {
    const head = suiteOf({ tasks: [taskSpec({ id: "new", prompt_template: "Think: {{q}}" })] });
    const { suite } = composeSuite(suiteOf(), head);
    expect(suite.tasks).toMatchObject([{ id: "qa", prompt_template: "Think: {{q}}" }]);
  });
});

describe("candidate slots", () => {
  it.each([
    { base: ["a"], head: ["a"], fresh: [], missing: [], order: ["a"] },
    { base: ["a"], head: ["b"], fresh: [], missing: [], order: ["b"] },
    { base: ["a", "b"], head: ["b"], fresh: [], missing: ["a"], order: ["b"] },
    { base: ["a", "b"], head: ["c", "b", "a"], fresh: ["c"], missing: [], order: ["a", "b", "c"] },
    { base: ["a"], head: ["b", "c"], fresh: ["b", "c"], missing: ["a"], order: ["b", "c"] },
  ])("$base against $head: $fresh new, $missing missing", (each) => {
    const composed = composeSuite(
      suiteOf({ candidates: each.base.map((id) => slot(id)) }),
      suiteOf({ candidates: each.head.map((id) => slot(id)) }),
    );
    expect(composed.slots).toEqual({ new: each.fresh, missing: each.missing });
    expect(composed.suite.candidates.map(({ id }) => id)).toEqual(each.order);
  });
});

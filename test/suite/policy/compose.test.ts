import { describe, expect, it } from "vitest";
import type { FenceWish } from "../../../src/model/ports/fence.ts";
import type { Suite, Task } from "../../../src/model/definition/suite.ts";
import { composeSuite, keepFences } from "../../../src/suite/policy/compose.ts";
import { withBaseTaskIds } from "../../../src/suite/policy/task-names.ts";
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

  it("rules on its only slot, which are on the change's only slot whatever that is called", () => {
    const rules = [
      { metric: "*", min: 0.8, candidate: "app" },
      { metric: "*", min: 0.9, candidate: "a*" },
      { metric: "*", min: 0.7 },
    ];
    const renamed = suiteOf({ candidates: [slot("bot")] });
    expect(composeSuite(suiteOf({ gate: { rules } }), renamed).suite.gate).toEqual({
      rules: [{ ...rules[0], candidate: "bot" }, { ...rules[1], candidate: "bot" }, rules[2]],
    });
    const several = suiteOf({ candidates: [slot("bot"), slot("app2")] });
    expect(composeSuite(suiteOf({ gate: { rules } }), several).suite.gate).toEqual({ rules });
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
    const { suite } = composeSuite(suiteOf(), withBaseTaskIds(suiteOf(), head).suite);
    expect(suite.tasks).toMatchObject([{ id: "qa", prompt_template: "Think: {{q}}" }]);
  });
});

function tasksOf(...tasks: readonly [string, Partial<Task>?][]): Suite {
  return suiteOf({ tasks: tasks.map(([id, more]) => taskSpec({ id, ...more })) });
}

describe("tasks that a change renames", () => {
  const other = {
    file: { path: "b.jsonl", absolute: "/b.jsonl" },
    format: "jsonl",
    id_field: undefined,
  } as const;
  it.each<[string, Suite, Suite, readonly string[]]>([
    ["the only one", tasksOf(["qa"]), tasksOf(["new", { dataset: other }]), ["qa"]],
    ["one of two, by its data", tasksOf(["a"], ["b"]), tasksOf(["a"], ["c"]), ["a", "b"]],
    [
      "none of other data",
      tasksOf(["a"], ["b"]),
      tasksOf(["a"], ["c", { dataset: other }]),
      ["a", "c"],
    ],
    [
      "none of another target",
      tasksOf(["a"], ["b"]),
      tasksOf(["a"], ["c", { target_template: "x" }]),
      ["a", "c"],
    ],
    ["none that has the name of another", tasksOf(["a"], ["b"]), tasksOf(["b"], ["c"]), ["b", "a"]],
    [
      "one of two that could be it",
      tasksOf(["a"], ["b"]),
      tasksOf(["c"], ["d"], ["b"]),
      ["a", "d", "b"],
    ],
  ])("have the base's ids: %s", (...[, base, head, ids]) => {
    expect(withBaseTaskIds(base, head).suite.tasks.map(({ id }) => id)).toEqual(ids);
  });

  it("have them in the rules too", () => {
    const head = {
      ...tasksOf(["new"]),
      gate: {
        rules: [
          { metric: "new/em", min: 0.5 },
          { metric: "new", min: 0.5 },
        ],
      },
    };
    const { suite: named, renamed } = withBaseTaskIds(suiteOf(), head);
    expect(named.gate).toMatchObject({ rules: [{ metric: "qa/em" }, { metric: "new" }] });
    expect([...renamed]).toEqual([["qa", "new"]]);
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

const program = (id: string, fence?: FenceWish) => ({
  id,
  kind: "command" as const,
  command: ["app"],
  inputs: [],
  env: [],
  pass: [],
  timeout_seconds: 1,
  ...(fence && { fence }),
});

describe("a fence", () => {
  it.each([
    [
      "is kept",
      [program("a", "required"), program("b")],
      [program("a"), program("b")],
      ["required", undefined],
    ],
    ["is not made milder", [program("a", "required")], [program("a", "auto")], ["required"]],
    [
      "may be put up",
      [program("a"), program("b")],
      [program("a", "auto"), program("b")],
      ["auto", undefined],
    ],
    ["may be made stricter", [program("a", "auto")], [program("a", "required")], ["required"]],
    [
      "is kept by the only slot, whatever it is called",
      [program("a", "auto")],
      [program("b")],
      ["auto"],
    ],
    [
      "is around a new program, too, if all of the base's programs have one: the mildest",
      [program("a", "required"), program("b", "auto")],
      [program("a"), program("b"), program("c")],
      ["required", "auto", "auto"],
    ],
    [
      "is not around a new program, if one of the base's has none",
      [program("a", "required"), program("b")],
      [program("a"), program("c")],
      ["required", undefined],
    ],
  ])("%s", (...[, base, head, wanted]) => {
    const kept = keepFences(base, head).map((each) => ("fence" in each ? each.fence : undefined));
    expect(kept).toEqual(wanted);
  });
});

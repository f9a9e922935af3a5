import { describe, expect, it } from "vitest";
import type { Json } from "../../src/model/json.ts";
import { brief, problemsOf, shortForm, suiteOf } from "./resolve-text.ts";

const code = { type: "python", source: "x" };

function suite(graders: Json, changes: Readonly<Record<string, Json | undefined>> = {}): string {
  return shortForm({ grader: undefined, graders, gate: "none", ...changes });
}

async function taskOf(graders: Json, changes: Readonly<Record<string, Json | undefined>> = {}) {
  const { suite: resolved } = await suiteOf(suite(graders, changes));
  const [task] = resolved.tasks;
  if (task === undefined) throw new Error("no task");
  return task;
}

async function metricsOf(graders: Json, changes: Readonly<Record<string, Json | undefined>> = {}) {
  const { metrics } = await taskOf(graders, changes);
  return metrics.map(({ id, range }) => `${id}${range === null ? "" : ` ${range.join("..")}`}`);
}

function gated(metric: string): Readonly<Record<string, Json>> {
  return { gate: { rules: [{ metric, min: 0.1 }] } };
}

describe("graders", () => {
  it("have names and weights by default", async () => {
    const { grader } = await taskOf([
      "exact_match",
      { type: "numeric", weight: 2 },
      { type: "python", file: "graders/my rules.py" },
      code,
      { ...code, name: "all", contract: "batch" },
    ]);
    if (grader.type !== "several") throw new Error("one");
    expect(grader.graders.map(({ name, weight }) => [name, weight])).toEqual([
      ["exact_match", 1],
      ["numeric", 2],
      ["my_rules", 1],
      ["python", 1],
      ["all", 0],
    ]);
  });

  it("have a target of their own, which the one grader of a task has not", async () => {
    const own = { type: "exact_match", target_template: "{{city}}" };
    const { grader } = await taskOf([own, "json_valid"], { target_template: undefined });
    expect(grader).toMatchObject({ graders: [{ target_template: "{{city}}" }, {}] });
    expect(brief(await problemsOf(shortForm({ grader: own })))).toEqual([
      "key_misplaced grader.target_template",
    ]);
  });

  it("are one grader where there is one and it has neither", async () => {
    expect((await taskOf(["exact_match"])).grader).toMatchObject({ type: "exact_match" });
    expect((await taskOf([{ type: "contains", name: "a" }])).grader.type).toBe("several");
  });

  it("give a weighted score first, then each its own", async () => {
    expect(await metricsOf(["exact_match", { type: "numeric", name: "n" }])).toEqual([
      "score 0..1",
      "exact_match 0..1",
      "n 0..1",
      "n.absolute_error",
    ]);
    expect(await metricsOf([code, "contains"])).toEqual(["score", "python", "contains 0..1"]);
    expect(await metricsOf([{ ...code, weight: 0 }, "contains"])).toEqual([
      "score 0..1",
      "python",
      "contains 0..1",
    ]);
    expect(
      await metricsOf([
        { ...code, contract: "batch" },
        { ...code, name: "b", weight: 0 },
      ]),
    ).toEqual(["b"]);
  });

  it("take a declared range into the score's", async () => {
    const metrics = [{ id: "score" }, { id: "j", range: [1, 5] }, { id: "j.other" }];
    expect(await metricsOf([{ ...code, name: "j", weight: 3 }, "contains"], { metrics })).toEqual([
      "score 0.75..4",
      "j 1..5",
      "j.other",
    ]);
  });

  it("may be gated by any metric, one of a batch grader's that nobody knows yet among them", async () => {
    const graders = ["contains", { ...code, name: "all", contract: "batch" }];
    for (const metric of ["short/score", "contains", "short/all.f1", "all", "short/all*"])
      expect(await problemsOf(suite(graders, gated(metric)))).toEqual([]);
    expect(brief(await problemsOf(suite(graders, gated("short/f1"))))).toEqual([
      "rule_metric_unknown gate.rules[0].metric",
    ]);
  });

  it.each([
    ["both keys", ["contains"], { grader: "contains" }, "keys_exclusive graders"],
    ["the same name twice", ["contains", "contains"], {}, "grader_name_taken graders[1]"],
    [
      "the same name written",
      [code, { ...code, name: "python" }],
      {},
      "grader_name_taken graders[1].name",
    ],
    [
      "a field that the extraction does not name",
      [{ type: "contains", name: "a", extracted_field: "town" }],
      { output_extraction: { type: "json", fields: { city: "/city" } } },
      "extracted_field_unknown graders[0].extracted_field",
    ],
    [
      "a check of every row without a target",
      [{ type: "row_checks", field: "c", also: [{ type: "contains" }] }],
      { target_template: undefined },
      "row_check_target graders[0].also[0]",
    ],
    [
      "embeddings without a model for them",
      ["answer_relevance", "contains"],
      { run: { judge_model: "openai:j" } },
      "embedding_model_missing graders[0]",
    ],
    [
      "contexts in a field that the extraction does not name",
      [{ type: "faithfulness", name: "f", contexts: "extracted.sorces" }],
      {
        run: { judge_model: "openai:j" },
        output_extraction: { type: "json", fields: { sources: "/sources" } },
      },
      "extracted_field_unknown graders[0].contexts",
    ],
    [
      "a field of the judge that there is not",
      [{ type: "judge", rubric: "r", name: "j", fields: ["a"] }],
      { run: { judge_model: "openai:j" } },
      "extracted_field_unknown graders[0].fields[0]",
    ],
    ["score", [{ ...code, name: "score" }], {}, "grader_name_reserved graders[0].name"],
    ["usd", [{ ...code, name: "usd" }], {}, "grader_name_reserved graders[0].name"],
    ["a dot", [{ ...code, name: "a.b" }], {}, "value_characters graders[0].name"],
    ["a negative weight", [{ ...code, weight: -1 }], {}, "value_range graders[0].weight"],
    ["none", [], {}, "value_count graders"],
    [
      "a metric that nobody gives",
      ["contains", { ...code, name: "j" }],
      { metrics: [{ id: "k" }] },
      "metric_not_given metrics[0].id",
    ],
    [
      "a weight where less is better",
      [{ ...code, name: "j" }, "contains"],
      { metrics: [{ id: "j", higher_is_better: false }] },
      "grader_weight_direction graders",
    ],
    [
      "a missing target, where it is needed",
      [code, "contains"],
      { target_template: undefined },
      "target_missing graders[1]",
    ],
    [
      "a missing judge model",
      ["contains", { type: "judge", rubric: "r" }],
      {},
      "judge_model_missing graders[1]",
    ],
  ])("refuse %s", async (...[, graders, changes, expected]) => {
    expect(brief(await problemsOf(suite(graders, changes)))).toEqual([expected]);
  });

  it("tell how the metrics of their code are named", async () => {
    const graders = ["contains", { ...code, name: "macro", contract: "batch" }];
    const [found] = await problemsOf(suite(graders, { metrics: [{ id: "macro_f1" }] }));
    expect(found?.message).toContain("it gives score, contains, macro.METRIC for a METRIC that");
  });
});

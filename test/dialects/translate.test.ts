import { describe, expect, it } from "vitest";
import { dialectOf } from "../../src/dialects/recognise.ts";
import type { Translated } from "../../src/base/foreign.ts";
import { parseManifest } from "../../src/manifest/syntax/parse.ts";

const task = `data_config:
  source: { type: hf, repo_id: google/simpleqa-verified, config_name: simpleqa_verified, split: eval }
graph_config:
  nodes:
    ask:
      node_type: llm
      prompt: [{ system: Be brief. }, { user: "{problem} as {{json}}" }]
      output_keys: answer
      model: { name: "openai:gpt-4.1-mini", parameters: { max_tokens: 9 } }
    units:
      node_type: lambda
      lambda: tasks.eval.utils.UnitMetrics
      golden_key: golden
      predicted_key: answer
      unit_metrics_map:
        - { name: exact_match, params: { key: text, case_sensitive: "yes" } }
        - { name: fuzzy_match, params: { threshold: "0.9" } }
      output_keys: [exact_match, fuzzy_match]
output_config:
  output_map: { same: { from: exact_match }, fuzzy_match: { from: fuzzy_match } }
graph_post_process:
  - processor: tasks.eval.utils.MetricCollatorPostProcessor
    params:
      aggregator_metrics_map:
        - { name: accuracy, params: { key: text }, unit_metrics_results: [same, fuzzy_match] }
        - { name: "pass@k", params: { k: 3 }, unit_metrics_results: [same] }
        - { name: "pass@k", params: { k: 5 }, unit_metrics_results: [same] }
regrade:
  gate: { rules: [{ metric: exact_match, min: 0.5 }] }
`;

async function translate(text: string): Promise<Translated | undefined> {
  const parsed = parseManifest(text, "graph_config.yaml");
  if (parsed.kind === "refused") return parsed;
  return dialectOf({ value: parsed.value, path: [], locate: parsed.locate })?.(
    { value: parsed.value, path: [], locate: parsed.locate },
    {
      directory: "/repo/tasks/eval/x",
      root: "/repo",
      environment: {},
      readText: nothing,
      isThere: async () => false,
      documentDirectory: "/repo/tasks/eval/x",
      ownKeys: undefined,
      filesOf: async () => [],
      hashFile: async () => undefined,
      pythonFiles: async () => [],
      parse: () => undefined,
    },
  );
}

describe("a task of SyGra as a manifest", () => {
  it("has each part of it, and every field is a result of its own", async () => {
    const found = await translate(task);
    expect(found).toMatchObject({
      kind: "translated",
      value: {
        name: "x",
        dataset: {
          source: "huggingface",
          path: "google/simpleqa-verified",
          name: "simpleqa_verified",
          split: "eval",
        },
        prompt_template: "{{problem}} as {json}",
        target_template: "{{golden}}",
        candidates: {
          model: { model: "openai:gpt-4.1-mini", instructions: "Be brief.", max_output_tokens: 9 },
        },
        gate: { rules: [{ metric: "exact_match", min: 0.5 }] },
        graders: [
          { type: "unit_metric", name: "exact_match", case_sensitive: true },
          { type: "unit_metric", name: "fuzzy_match", threshold: 0.9 },
          { name: "same-accuracy", aggregator: "accuracy", source: "exact_match" },
          { name: "fuzzy_match-accuracy", aggregator: "accuracy", source: "fuzzy_match" },
          { name: "same-pass_at_k", k: 3 },
          { name: "same-pass_at_k-2", k: 5 },
        ],
      },
    });
  });

  it("keeps the place of each value in the user's file", async () => {
    const found = await translate(task);
    if (found?.kind !== "translated") throw new Error("it was refused");
    expect(found.locate(["graders", 1, "threshold"])).toMatchObject({
      file: "graph_config.yaml",
      line: 17,
    });
    expect(found.locate(["gate", "rules", 0, "min"])).toMatchObject({ line: 29 });
    expect(found.locate(["graders", 1, "no", "such"])).toMatchObject({ line: 17 });
  });

  it("says everything that stands in the way at once", async () => {
    const text = task
      .replace("type: hf", "type: servicenow")
      .replace("max_tokens", "seed")
      .replace("params: { key: text }, unit", "params: {}, use: 1, unit")
      .replace("[same, fuzzy_match]", "[other]")
      .replace("lambda: tasks.eval.utils.UnitMetrics", "lambda: tasks.x.Y");
    const found = await translate(text);
    expect(found?.kind === "refused" && found.problems.map(({ code }) => code).toSorted()).toEqual([
      "sygra_class_missing",
      "sygra_key_unsupported",
      "sygra_parameter_unknown",
      "sygra_results_unknown",
      "sygra_results_unknown",
      "sygra_results_unknown",
      "sygra_source_unknown",
    ]);
  });

  it("is told apart from a manifest of our own", () => {
    const parsed = parseManifest("dataset: a.jsonl\ngraph_config: {}\n", "s.yaml");
    if (parsed.kind === "refused") throw new Error("it was refused");
    expect(dialectOf({ value: parsed.value, path: [], locate: parsed.locate })).toBeUndefined();
  });
});

async function nothing(): Promise<undefined> {
  return undefined;
}

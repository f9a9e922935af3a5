import { describe, expect, it } from "vitest";
import { singleGraders } from "../../../src/model/definition/graders.ts";
import type { Json } from "../../../src/model/json.ts";
import { brief, imagine, problemsOf, shortForm, suiteOf } from "../resolve-text.ts";

const python = { type: "python", source: "x" };
const judge = { ...python, contract: "model_backed" };
const run = { judge_model: "openai:gpt-4.1-mini" };

async function graderOf(grader: Json, more: Readonly<Record<string, Json>> = {}) {
  const { suite, warnings } = await suiteOf(shortForm({ grader, ...more }));
  const told = brief(warnings).filter((each) => !each.startsWith("task_ungated"));
  return { grader: suite.tasks[0]?.grader, task: suite.tasks[0], warnings: told };
}

describe("numbers that are written otherwise", () => {
  const numbers = { type: "number", decimal: "," };
  it.each<[Json, Json, readonly string[]]>([
    [numbers, { type: "numeric", decimal: "," }, []],
    [numbers, "numeric", ["decimal_differs grader"]],
    [{ type: "number" }, { type: "numeric", decimal: "," }, ["decimal_differs grader"]],
    [{ type: "none" }, { type: "numeric", decimal: "," }, []],
    [{ type: "number", decimal: ";" }, "numeric", ["value_unknown output_extraction.decimal"]],
  ])("%j with %j: %j", async (output_extraction, grader, expected) => {
    const found = await problemsOf(shortForm({ output_extraction, grader }));
    expect(brief(found)).toEqual(expected);
  });
});

describe("contracts of a Python grader", () => {
  it.each([
    ["sample", {}, { execution: "per_sample", calls: undefined }],
    ["sample", { model_access: "mka1" }, { execution: "per_sample", calls: 64 }],
    ["batch", { contract: "batch" }, { execution: "aggregate", calls: undefined }],
    ["batch", { contract: "batch", model_access: "mka1" }, { execution: "aggregate", calls: 64 }],
    ["model_backed", { contract: "model_backed" }, { execution: "per_sample", calls: 64 }],
    [
      "model_backed",
      { contract: "model_backed", execution: "aggregate" },
      { execution: "aggregate", calls: 64 },
    ],
    [
      "model_backed",
      { contract: "model_backed", source: "def grade_batch(samples, ctx):\n    return {}\n" },
      { execution: "aggregate", calls: 64 },
    ],
    [
      "model_backed",
      {
        contract: "model_backed",
        source: "def grade_batch(samples):\n    pass\n\nasync def grade(sample, item):\n    pass\n",
      },
      { execution: "per_sample", calls: 64 },
    ],
    [
      "model_backed",
      { contract: "model_backed", max_model_calls: 0 },
      { execution: "per_sample", calls: 0 },
    ],
    [
      "model_backed",
      { contract: "model_backed", max_model_calls: 500 },
      { execution: "per_sample", calls: 500 },
    ],
  ])("%s %j: %j", async (contract, changes, { execution, calls }) => {
    const { grader, warnings } = await graderOf({ ...python, ...changes }, { run });
    expect(grader).toMatchObject({ contract, execution, isolation: undefined, allow_read: [] });
    expect(grader && singleGraders(grader)[0]?.models?.max_calls).toBe(calls);
    expect(warnings.filter((each) => !each.startsWith("setting_idle run."))).toEqual([]);
  });

  it("takes all that is told of models and files", async () => {
    const { grader } = await graderOf(
      {
        ...judge,
        allow_models: ["openai:o3"],
        allow_tools: true,
        allow_urls: true,
        allow_read: ["data/words.txt", "../shared"],
        isolation: "sample",
        timeout_seconds: 600,
      },
      { run },
    );
    expect(grader).toMatchObject({
      isolation: "sample",
      timeout_seconds: 600,
      allow_read: [
        { path: "data/words.txt", absolute: "/repo/evals/data/words.txt" },
        { path: "../shared", absolute: "/repo/shared" },
      ],
      models: {
        allow_models: [{ model: "openai:o3", name: "o3", provider: { id: "openai" } }],
        allow_tools: true,
        allow_urls: true,
      },
    });
  });

  it("leaves them open, too, where only what Regrade measures is declared", async () => {
    const changes = {
      metrics: [{ id: "usd", aggregation: "sum" }],
      gate: { rules: [{ metric: "macro_f1", min: 0.5 }] },
    };
    const { task, warnings } = await graderOf({ ...python, contract: "batch" }, changes);
    expect(task?.metrics.map(({ id }) => id)).toEqual(["usd"]);
    expect(warnings).toEqual([]);
    const plain = await graderOf({ ...python, contract: "batch" }, { metrics: changes.metrics });
    expect(plain.warnings).toEqual([]);
  });

  it("leaves the metrics of a batch open where none is declared, rules on them too", async () => {
    const rules = { rules: [{ metric: "macro_f1", min: 0.5 }] };
    const { task } = await graderOf({ ...python, contract: "batch" }, { gate: rules });
    expect(task?.metrics).toEqual([]);
    const other = { rules: [{ metric: "other/macro_f1", min: 0.5 }] };
    const text = shortForm({ grader: { ...python, contract: "batch" }, gate: other });
    expect(brief(await problemsOf(text))).toEqual(["rule_metric_unknown gate.rules[0].metric"]);
  });

  it("keeps the models of the run", async () => {
    const both = { ...run, embedding_model: "openai:text-embedding-3-small" };
    const { suite } = await suiteOf(shortForm({ grader: judge, run: both }));
    expect(suite).toMatchObject({
      judge_model: { model: "openai:gpt-4.1-mini", name: "gpt-4.1-mini" },
      embedding_model: { model: "openai:text-embedding-3-small" },
    });
  });
});

describe("mistakes that are told and change nothing", () => {
  const cases: [string, Readonly<Record<string, Json>>, readonly string[]][] = [
    [
      "calls without access",
      { grader: { ...python, max_model_calls: 3 } },
      ["setting_idle grader.max_model_calls"],
    ],
    [
      "allowances without access",
      {
        grader: { ...python, allow_models: ["openai:a"], allow_tools: true, allow_urls: false },
      },
      [
        "setting_idle grader.allow_models",
        "setting_idle grader.allow_tools",
        "setting_idle grader.allow_urls",
      ],
    ],
    [
      "a model that nobody asks",
      { grader: python, run: { ...run, embedding_model: "openai:e" } },
      ["setting_idle run.judge_model", "setting_idle run.embedding_model"],
    ],
    ["nobody to ask", { grader: judge }, ["models_missing grader"]],
    ["no calls at all", { grader: { ...judge, max_model_calls: 0 } }, []],
    [
      "model_backed without models",
      { grader: { ...judge, model_access: "none" } },
      ["contract_without_models grader.model_access"],
    ],
    [
      "aggregate for sample",
      { grader: { ...python, execution: "aggregate" } },
      ["execution_unlike_contract grader.execution"],
    ],
    [
      "per_sample for batch",
      { grader: { ...python, contract: "batch", execution: "per_sample" } },
      ["execution_unlike_contract grader.execution"],
    ],
    [
      "isolation of a batch",
      { grader: { ...python, contract: "batch", isolation: "sample" } },
      ["setting_idle grader.isolation"],
    ],
  ];
  it.each(cases)("%s", async (_, { grader = python, ...more }, expected) => {
    expect((await graderOf(grader, more)).warnings).toEqual(expected);
  });
});

describe("mistakes that are refused", () => {
  const cases: [string, Json, string][] = [
    ["too many calls", { ...judge, max_model_calls: 501 }, "value_range grader.max_model_calls"],
    ["less than none", { ...judge, max_model_calls: -1 }, "value_range grader.max_model_calls"],
    ["half a call", { ...judge, max_model_calls: 1.5 }, "value_type grader.max_model_calls"],
    ["no time", { ...python, timeout_seconds: 0 }, "value_range grader.timeout_seconds"],
    ["too much time", { ...python, timeout_seconds: 601 }, "value_range grader.timeout_seconds"],
    ["a contract", { ...python, contract: "samples" }, "value_unknown grader.contract"],
    ["an execution", { ...python, execution: "all" }, "value_unknown grader.execution"],
    ["an access", { ...python, model_access: "openai" }, "value_unknown grader.model_access"],
    ["an isolation", { ...python, isolation: "process" }, "value_unknown grader.isolation"],
    ["a metric id", { ...python, metric_id: "a b" }, "value_characters grader.metric_id"],
    [
      "a bare model",
      { ...judge, allow_models: ["gpt"] },
      "model_without_provider grader.allow_models[0]",
    ],
    ["the repository", { ...python, allow_read: [".."] }, "path_shows_git grader.allow_read[0]"],
    [
      "git's folder",
      { ...python, allow_read: ["../.git/config"] },
      "path_shows_git grader.allow_read[0]",
    ],
    ["out of it", { ...python, allow_read: ["../../.."] }, "path_outside grader.allow_read[0]"],
    ["an absolute path", { ...python, allow_read: ["/etc"] }, "path_absolute grader.allow_read[0]"],
    ["two sources", { ...python, file: "g.py" }, "keys_exclusive grader.file"],
    [
      "a judge whose own provider is misspelt",
      { type: "judge", rubric: "x", model: "opnai:o3" },
      "provider_unknown grader.model",
    ],
    ["a judge without a model", { type: "judge", rubric: "x" }, "judge_model_missing grader"],
  ];
  it.each(cases)("%s", async (_, grader, expected) => {
    const problems = await problemsOf(shortForm({ grader }), imagine({ "/repo": "directory" }));
    expect(brief(problems)).toEqual([expected]);
    expect(problems[0]?.place?.line).toBeGreaterThan(1);
  });

  it("a judge model without its provider", async () => {
    const text = shortForm({ grader: judge, run: { judge_model: "gpt-4.1-mini" } });
    expect(brief(await problemsOf(text))).toEqual(["model_without_provider run.judge_model"]);
  });
});

describe("preprocessors", () => {
  it("have the hosted product's defaults", async () => {
    const { suite } = await suiteOf(shortForm({ preprocess: python }));
    expect(suite.tasks[0]?.preprocess).toEqual({
      contract: "row",
      source: { kind: "inline", text: "x" },
      timeout_seconds: 120,
      allow_read: [],
    });
  });

  it("come from a file, for all rows, with what they read", async () => {
    const preprocess = {
      type: "python",
      contract: "batch",
      file: "rows.py",
      timeout_seconds: 5,
      allow_read: ["data"],
    };
    const { suite } = await suiteOf(shortForm({ preprocess }));
    expect(suite.tasks[0]?.preprocess).toMatchObject({
      contract: "batch",
      source: { kind: "file", file: { path: "rows.py", absolute: "/repo/evals/rows.py" } },
      timeout_seconds: 5,
      allow_read: [{ path: "data" }],
    });
  });

  it.each<[string, Json, string]>([
    ["no source", { type: "python" }, "keys_none preprocess"],
    ["a misspelt contract", { ...python, contract: "rows" }, "value_unknown preprocess.contract"],
    [
      "too much time",
      { ...python, timeout_seconds: 1000 },
      "value_range preprocess.timeout_seconds",
    ],
    [
      "an id that is unknown",
      { type: "python", file_id: "f" },
      "file_id_unknown preprocess.file_id",
    ],
  ])("are refused for %s", async (_, preprocess, expected) => {
    expect(brief(await problemsOf(shortForm({ preprocess })))).toEqual([expected]);
  });
});

it("a run's judge that is refused is one mistake, not a judge that is missing too", async () => {
  const grader = { type: "judge", rubric: "x" };
  const misspelt = shortForm({ grader, run: { judge_model: "opnai:gpt-4.1-mini" } });
  expect(brief(await problemsOf(misspelt))).toEqual(["provider_unknown run.judge_model"]);
});

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { createFixture, type FsFixture } from "fs-fixture";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readRunDirectory, regrade } from "../support/cli.ts";
import { makeChange } from "../support/change.ts";
import { startProvider, type Provider } from "../support/provider/server.ts";

const seeds = "../shared/seeds/";
const answers: Readonly<Record<string, string>> = {
  "Who sang?": "music",
  "Who ruled?": "Art",
  "Which show?": "TV shows",
  "Who painted?": "Art",
};
const rows = [
  { task_id: 1, problem: "Who sang?", topic: "Music" },
  { task_id: 2, problem: "Who ruled?", topic: "Politics" },
  { task_id: 3, problem: "Which show?", topic: "TV shows" },
  { task_id: 4, problem: "Who painted?", topic: "Art" },
];

/** A task as SyGra has them; `graph` replaces parts of its text. */
function task(graph: (text: string) => string = (text) => text): string {
  return graph(`data_config:
  source:
    type: disk
    file_path: data/topics.json
    file_format: json
    transformations:
      - transform: sygra.processors.data_transform.RenameFieldsTransform
        params: { mapping: { task_id: original_index }, overwrite: false }
graph_config:
  nodes:
    generate_taxonomy:
      node_type: llm
      prompt:
        - system: Name the topic.
        - user: "{problem}"
      output_keys: [predicted_topic]
      post_process: tasks.eval.topics.task_executor.GenerateTopicPostProcessor
      model:
        name: eval_model
        parameters: { temperature: 0.1 }
        structured_output: { schema: { fields: { predicted_topic: { type: str } } } }
    unit_metrics:
      node_type: lambda
      lambda: tasks.eval.utils.UnitMetrics
      golden_key: topic
      predicted_key: predicted_topic
      unit_metrics_map:
        - name: exact_match
          params: { key: text }
      output_keys: [exact_match]
  edges:
    - { from: START, to: generate_taxonomy }
    - { from: generate_taxonomy, to: unit_metrics }
    - { from: unit_metrics, to: END }
output_config:
  output_map:
    original_index: { from: original_index }
    topic: { from: topic }
    predicted_topic: { from: predicted_topic }
    exact_match: { from: exact_match }
graph_post_process:
  - processor: tasks.eval.utils.MetricCollatorPostProcessor
    params:
      aggregator_metrics_map:
        - { name: accuracy, params: { key: text }, unit_metrics_results: [exact_match] }
        - { name: f1_score, params: { predicted_key: text, golden_key: text }, unit_metrics_results: [exact_match] }
        - { name: "pass@k", params: { k: "2" }, unit_metrics_results: exact_match }
`);
}

let model: Provider;
beforeAll(async () => {
  model = await startProvider({
    answer: ({ prompt }) => JSON.stringify({ predicted_topic: answers[prompt.trim()] ?? "Other" }),
  });
});
afterAll(() => model.close());

function project(files: Readonly<Record<string, string>>): Promise<FsFixture> {
  return createFixture({
    ".git/HEAD": "ref: refs/heads/main\n",
    "data/topics.json": JSON.stringify(rows, null, 1),
    ...files,
  });
}

function start(fixture: FsFixture): { readonly in: string; readonly env: Record<string, string> } {
  return {
    in: fixture.path,
    env: { SYGRA_EVAL_MODEL_URL: model.url, SYGRA_EVAL_MODEL_TOKEN: "key-1234" },
  };
}

const home = "tasks/eval/topics";

describe("a task of SyGra", () => {
  it("runs from its graph_config.yaml under each of its names, and its reports have SyGra's names and shapes", async () => {
    await using fixture = await project({ [`${home}/graph_config.yaml`]: task() });
    const end = await regrade(["run", "eval/topics", "--out", "run"], start(fixture));
    expect(end.code, end.stderr + end.stdout).toBe(0);
    const { run, samples } = await readRunDirectory(join(fixture.path, "run"));
    const value = (metric: string): unknown =>
      run.metrics.find((each) => each.metric === metric)?.value;
    expect(value("exact_match-accuracy")).toBe(0.75);
    expect(value("exact_match-f1_score.TV_shows")).toBe(1);
    expect(value("exact_match-pass_at_k.pass_at_1")).toBe(0.75);
    expect(samples[0]?.judge?.["exact_match"]).toMatchObject({
      golden: { text: expect.any(String) },
      metadata: { validator: "exact_match" },
    });

    const summary = await readFile(join(fixture.path, "run/summary.md"), "utf8");
    expect(summary).toContain(
      "Confusion matrix of classification.topics, model: exact\\_match".replace(
        "classification.",
        "",
      ),
    );

    const names = ["tasks.eval.topics", home, `${home}/graph_config.yaml`];
    const checked = await regrade(["validate", ...names], start(fixture));
    expect(checked.code, checked.stderr).toBe(0);

    await regrade(["report", "run", "--as", "sygra", "--out", "results"], start(fixture));
    const files = await readdir(join(fixture.path, "results"));
    expect(files.toSorted().map((name) => name.replace(/_\d.*\./, "_*."))).toEqual([
      "MetricCollatorPostProcessor_*.json",
      "output_*.json",
    ]);
    const read = async (name: RegExp): Promise<unknown> =>
      JSON.parse(
        await readFile(
          join(fixture.path, "results", files.find((file) => name.test(file)) ?? ""),
          "utf8",
        ),
      );
    expect(await read(/^Metric/)).toMatchObject([
      {
        evaluation_summary: {
          total_records: 4,
          status: "success",
          timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/),
        },
        results: {
          "exact_match-accuracy": { accuracy: 0.75 },
          "exact_match-pass@k": { "pass@1": 0.75, "pass@2": 1 },
        },
      },
    ]);
    const records = await read(/^output/);
    expect(records).toHaveLength(4);
    expect(records).toContainEqual({
      original_index: 3,
      topic: "TV shows",
      predicted_topic: "TV shows",
      exact_match: expect.objectContaining({ correct: true }),
    });
  });

  it.each([
    [
      "a unit metric that output_map lacks",
      (text: string) => text.replace("    exact_match: { from: exact_match }\n", ""),
      "'exact_match' not found in output columns",
    ],
    [
      "results that no node gives",
      (text: string) =>
        text.replaceAll(
          "unit_metrics_results: [exact_match]",
          "unit_metrics_results: [exact_mach]",
        ),
      "unit_metrics_results field 'exact_mach' not found",
    ],
    [
      "a unit metric that nobody knows",
      (text: string) => text.replaceAll("exact_match", "exact_macth"),
      "Did you mean exact_match?",
    ],
    [
      "an aggregator that nobody knows",
      (text: string) => text.replace("name: f1_score", "name: f1_scor"),
      "Did you mean f1_score?",
    ],
    [
      "one unit metric twice",
      (text: string) =>
        text.replace(
          "        - name: exact_match\n",
          "        - name: exact_match\n        - name: exact_match\n",
        ),
      "the unit metric exact_match is there twice",
    ],
    [
      "data that are not there",
      (text: string) => text.replace("data/topics.json", "data/topic.json"),
      "no such file: data/topic.json\n  The path starts at the folder that holds `tasks`",
    ],
    [
      "another kind of node",
      (text: string) =>
        text.replace(
          "    unit_metrics:\n      node_type: lambda",
          "    sampler:\n      node_type: weighted_sampler\n    unit_metrics:\n      node_type: lambda",
        ),
      '"sampler" is weighted_sampler',
    ],
    [
      "a branch",
      (text: string) => text.replace("to: unit_metrics }", "condition: x.Y, path_map: { a: b } }"),
      'branches after the node "generate_taxonomy"',
    ],
    [
      "a class that is not there",
      (text: string) =>
        text.replace(
          "lambda: tasks.eval.utils.UnitMetrics",
          "lambda: tasks.eval.topics.mine.Custom",
        ),
      "there is no file mine.py",
    ],
    [
      "a misspelt option",
      (text: string) => text.replace("{ key: text }\n      output", "{ keyy: text }\n      output"),
      "keyy",
    ],
  ])("refuses %s, in the user's own file", async (_, graph, words) => {
    await using fixture = await project({ [`${home}/graph_config.yaml`]: task(graph) });
    const end = await regrade(["validate", home], start(fixture));
    expect(end.code).toBe(2);
    expect(end.stderr).toContain(words);
    expect(end.stderr).toMatch(/^tasks\/eval\/topics\/graph_config\.yaml:\d+:\d+: /m);
  });
});

const custom = (text: string): string => text.replaceAll("exact_match", "mine");

describe("classes of a task of SyGra", () => {
  const unit = `from .words import same
from sygra.core.eval.metrics.unit_metrics.base_unit_metric import BaseUnitMetric
from sygra.core.eval.metrics.unit_metrics.unit_metric_registry import unit_metric
from sygra.core.eval.metrics.unit_metrics.unit_metric_result import UnitMetricResult

@unit_metric("mine")
class Mine(BaseUnitMetric):
    def evaluate(self, golden, predicted):
        print('{"id": 1}')
        return [UnitMetricResult(same(g, p), g, p, {}) for g, p in zip(golden, predicted)]
`;
  const words = "def same(g, p):\n    return g['text'].lower() == p['text'].lower()\n";

  it.each([
    ["beside the task", home],
    ["in SyGra's folder of metrics", "sygra/core/eval/metrics/unit_metrics"],
  ])("import their neighbours %s, may print, and are gated without a rule", async (_, folder) => {
    await using fixture = await project({
      [`${home}/graph_config.yaml`]: task(custom),
      [`${folder}/mine.py`]: unit,
      [`${folder}/words.py`]: words,
    });
    const end = await regrade(["run", home, "--out", "run"], start(fixture));
    expect(end.code, end.stderr + end.stdout).toBe(0);
    const { run } = await readRunDirectory(join(fixture.path, "run"));
    expect(run.metrics.find(({ metric }) => metric === "mine")?.value).toBe(0.75);
    expect(run.gate.rules[0]).toMatchObject({ metric: "mine" });
  });

  it("that are registered twice are told, and which one is used", async () => {
    await using fixture = await project({
      [`${home}/graph_config.yaml`]: task(custom),
      [`${home}/mine.py`]: unit,
      [`${home}/mine2.py`]: unit,
      [`${home}/words.py`]: words,
    });
    const end = await regrade(["validate", home], start(fixture));
    expect(end.stderr).toContain("several files register mine: mine.py, mine2.py; the first");
  });
});

describe("a pull request that changes a task of SyGra", () => {
  it("is judged by the base's unit metrics, output_map and targets, with its own prompt", async () => {
    const changed = task((text) =>
      text
        .replace("params: { key: text }", "params: { key: nothing }")
        .replace("    original_index: { from: original_index }\n", "")
        .replace("golden_key: topic", "golden_key: predicted")
        .replace("Name the topic.", "Name one topic."),
    );
    await using fixture = await makeChange({
      base: { "data/topics.json": JSON.stringify(rows), [`${home}/graph_config.yaml`]: task() },
      head: { [`${home}/graph_config.yaml`]: changed },
    });
    const before = model.requests.length;
    const argv = ["run", home, "--out", "run", "--policy-from", "main"];
    const end = await regrade(argv, start(fixture));
    expect(end.code, end.stderr + end.stdout).toBe(0);
    const { run } = await readRunDirectory(join(fixture.path, "run"));
    expect(run.policy?.source).toBe("main");
    expect(run.metrics.find(({ metric }) => metric === "exact_match")?.value).toBe(0.75);
    const asked = JSON.stringify(model.requests.slice(before).map(({ body }) => body));
    expect(asked).toContain("Name one topic.");
    expect(asked).not.toContain("Name the topic.");
    expect(JSON.stringify(run.suite.foreign)).toContain("original_index");
  });
});

describe.skipIf(!existsSync(seeds))(
  "the document's four classes (../shared/seeds, skipped where absent)",
  () => {
    const document = existsSync(seeds)
      ? readFileSync(
          seeds + (readdirSync(seeds).find((name) => name.startsWith("004_")) ?? ""),
          "utf8",
        )
      : "";

    /** An example as it stands, with what it leaves to its reader filled in: each by name. */
    function example(
      first: string,
      last: string,
      filled: Readonly<Record<string, string>>,
    ): string {
      const from = document.indexOf(first);
      let text = document.slice(from, document.indexOf(last, from));
      for (const [gap, code] of Object.entries(filled)) {
        expect(text, gap).toContain(gap);
        text = text.replace(gap, code);
      }
      return text;
    }

    it("run as they are written, and the numbers of their reports are metrics", async () => {
      const unit = example(
        "from sygra.core.eval.metrics.unit_metrics.base_unit_metric",
        "  1. Use in graph config",
        { "# your logic": "g['text'].lower() == p['text'].lower()" },
      );
      const aggregator = example(
        "from sygra.core.eval.metrics.aggregator_metrics.base",
        "  1. Use in graph config",
        {
          '{"my_metric": value}':
            '{"my_metric": sum(1 for each in unit_metric_results if each.correct) / len(unit_metric_results)}',
        },
      );
      const lambda = example(
        "# tasks/eval/my_task/custom_evaluator.py",
        "Use in graph config:",
        {},
      );
      const processor = example(
        "# tasks/eval/my_task/custom_aggregator.py",
        "Use in graph config:",
        {},
      );

      const graph = task((text) =>
        text
          .replace(
            "      unit_metrics_map:\n",
            "      unit_metrics_map:\n        - name: my_custom_metric\n",
          )
          .replace(
            "output_keys: [exact_match]\n",
            "output_keys: [exact_match, my_custom_metric]\n    custom:\n      node_type: lambda\n      lambda: tasks.eval.my_task.custom_evaluator.CustomUnitMetricsLambda\n      golden_key: topic\n      predicted_key: predicted_topic\n      output_keys: [custom_metric]\n",
          )
          .replace(
            "    exact_match: { from: exact_match }\n",
            "    exact_match: { from: exact_match }\n    my_custom_metric: { from: my_custom_metric }\n    custom_metric: { from: custom_metric }\n",
          )
          .replace(
            "        - { name: accuracy,",
            "        - { name: my_aggregator, unit_metrics_results: [my_custom_metric] }\n        - { name: accuracy,",
          )
          .concat(
            "  - processor: tasks.eval.my_task.custom_aggregator.CustomMetricAggregator\n    params: { threshold: 0.85 }\n",
          ),
      );
      const folder = "tasks/eval/my_task";
      await using fixture = await project({
        [`${folder}/graph_config.yaml`]: graph,
        [`${folder}/custom_evaluator.py`]:
          lambda +
          missing([
            "def _check_correctness(self, golden, predicted):\n        return golden.lower() == predicted.lower()",
            "def _calculate_confidence(self, predicted):\n        return 0.9 if predicted == 'Art' else 0.5",
          ]),
        [`${folder}/custom_aggregator.py`]:
          processor +
          missing([
            "def _calculate_distribution(self, results):\n        return {'n': len(results)}",
            "def _calculate_confidence_stats(self, results):\n        return {}",
          ]),
        "sygra/core/eval/metrics/unit_metrics/my_custom_metric.py": unit,
        "sygra/core/eval/metrics/aggregator_metrics/my_aggregator.py": aggregator,
      });
      const end = await regrade(["run", folder, "--out", "run"], start(fixture));
      expect(end.code, end.stderr + end.stdout).toBe(0);
      const { run, samples } = await readRunDirectory(join(fixture.path, "run"));
      expect(samples.map(({ error }) => error)).toEqual([null, null, null, null]);
      const values = Object.fromEntries(run.metrics.map(({ metric, value }) => [metric, value]));
      expect(values).toMatchObject({
        my_custom_metric: 0.75,
        custom_metric: 0.75,
        "my_custom_metric-my_aggregator": 0.75,
        "CustomMetricAggregator.accuracy": 0.75,
        "CustomMetricAggregator.high_confidence_rate": 0.5,
      });
      await regrade(["report", "run", "--as", "sygra", "--out", "results"], start(fixture));
      const files = await readdir(join(fixture.path, "results"));
      const own = files.find((file) => file.startsWith("CustomMetricAggregator_")) ?? "";
      expect(JSON.parse(await readFile(join(fixture.path, "results", own), "utf8"))).toMatchObject({
        evaluation_summary: { total_records: 4, correct_predictions: 3, status: "success" },
        custom_analysis: { distribution: { n: 4 } },
      });
    });
  },
);

/** Methods that an example leaves to its reader. */
function missing(methods: readonly string[]): string {
  return methods.map((method) => `\n    ${method}\n`).join("");
}

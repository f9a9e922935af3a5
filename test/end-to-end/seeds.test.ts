import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createFixture } from "fs-fixture";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { isJsonObject, type JsonObject } from "../../src/model/json.ts";
import { jsonLines, readRunDirectory, regrade, repository } from "../support/cli.ts";
import { startProvider, type Provider } from "../support/provider/server.ts";
import { manifestsIn, seeds } from "../support/seed-manifests.ts";

/** Those of Hugging Face need another service. */
const examples = existsSync(seeds)
  ? readdirSync(seeds)
      .filter((name) => name.startsWith("001_"))
      .flatMap((name) => manifestsIn(readFileSync(join(seeds, name), "utf8")))
      .filter((manifest) => !/"huggingface"|"data_files"/.test(JSON.stringify(manifest)))
  : [];

const rows = [
  { question: " 2+2? ", answer: "4", context: "sums", difficulty: "easy" },
  { question: "Capital of France?", answer: "Paris", context: "places", difficulty: "easy" },
  { question: "A half of 7?", answer: "3.5", context: "sums", difficulty: "hard" },
];

const exact =
  "def grade(sample, item):\n    return {'scores': {'exact_match': 1.0 if sample['extracted_output'] == item['target'] else 0.0, 'score': 0.5}}\n";

let model: Provider;
beforeAll(async () => {
  model = await startProvider({
    answer: ({ prompt }) =>
      rows.find(({ question }) => prompt.trimEnd().includes(question.trim()))?.answer ?? "?",
  });
});
afterAll(() => model.close());

/** The example as it stands, its file ids mapped and its candidate a model on the loopback. */
function project(manifest: JsonObject) {
  const files = { file_dataset123: "eval.jsonl", file_grader123: "grader.py" };
  const whole = {
    ...manifest,
    files,
    providers: { local: { base_url: model.url, api: "responses" } },
    models: ["local:m"],
    gate: "none",
  };
  return {
    "suite.json": JSON.stringify(whole, undefined, 2),
    "eval.jsonl": jsonLines(rows),
    "grader.py": exact,
  };
}

async function runOf(manifest: JsonObject) {
  const fixture = await createFixture(project(manifest));
  const argv = ["run", "suite.json", "--out", "run"];
  const end = await regrade(argv, { in: fixture.path });
  return { fixture, end };
}

describe.skipIf(examples.length === 0)(
  "the hosted product's example manifests (../shared/seeds, skipped where absent)",
  () => {
    it("are found", () => {
      expect(examples.length).toBeGreaterThanOrEqual(8);
    });

    it.each(examples.map((example, i) => [keysOf(example), i, example] as const))(
      "with %s (%i) run to a graded end",
      async (...[, , manifest]) => {
        const { fixture, end } = await runOf(manifest);
        await using _ = fixture;
        expect(end.code, end.stderr + end.stdout).toBe(0);
        const { run, samples } = await readRunDirectory(fixture.getPath("run"));
        expect(run.status).toBe("completed");
        expect(samples).toHaveLength(rows.length);
        expect(samples.map(({ error }) => error)).toEqual(rows.map(() => null));
      },
    );

    it("gives the whole one its metric and its target", { tags: "smoke" }, async () => {
      const whole = examples.find(
        (each) => Array.isArray(each["tasks"]) && "schema_version" in each,
      );
      expect(whole).toBeDefined();
      const { fixture, end } = await runOf(whole ?? {});
      await using _ = fixture;
      expect(end.code, end.stderr + end.stdout).toBe(0);
      const { run, samples } = await readRunDirectory(fixture.getPath("run"));
      expect(run.metrics.find(({ metric }) => metric === "exact_match")?.value).toBe(1);
      expect(run.metadata).toEqual({ project: "model-quality" });
      const prompts = samples.map(({ prompt }) => prompt);
      expect(prompts).toContain(
        "Answer with only the final answer.\n\nQuestion: Capital of France?",
      );
    });
  },
);

/** What of a task the example is about. */
function keysOf(manifest: JsonObject): string {
  const { tasks } = manifest;
  const task: unknown = Array.isArray(tasks) ? tasks[0] : manifest;
  const shown = ["fewshot", "num_fewshot", "preprocess", "output_extraction", "metrics", "run"];
  const has = isJsonObject(task) ? shown.filter((key) => key in task) : [];
  return has.length === 0 ? "a task" : has.join(", ");
}

const data = join(repository, "../shared/data");

describe.skipIf(!existsSync(data))("real data (../shared/data, skipped where absent)", () => {
  it("svamp: a target of 51.0 is the answer 51, to numeric and not to exact_match", async () => {
    const all = readFileSync(join(data, "svamp/svamp.jsonl"), "utf8").trim().split("\n");
    const cases = all.slice(0, 200).map((line): { id: string; answer: number } => JSON.parse(line));
    await using fixture = await createFixture({
      "svamp.jsonl": `${all.slice(0, 200).join("\n")}\n`,
      "recorded.jsonl": jsonLines(
        cases.map(({ id, answer }) => ({ case_id: id, output_text: `It is ${answer}.` })),
      ),
      "suite.json": JSON.stringify({
        dataset: "svamp.jsonl",
        prompt_template: "{{body}} {{question}}",
        target_template: "{{answer}}",
        output_extraction: { type: "number" },
        graders: [
          { type: "numeric", name: "right" },
          { type: "exact_match", weight: 0 },
        ],
        candidates: { app: { replay: "recorded.jsonl" } },
        gate: { rules: [{ metric: "score", min: 1 }] },
      }),
    });
    const end = await regrade(["run", "suite.json", "--out", "run"], { in: fixture.path });
    expect(end.code, end.stderr + end.stdout).toBe(0);
    const { run, samples } = await readRunDirectory(fixture.getPath("run"));
    const value = (id: string) => run.metrics.find(({ metric }) => metric === id)?.value;
    expect(samples.find(({ case_id }) => case_id === "chal-1")?.target).toBe("51.0");
    expect([value("score"), value("right")]).toEqual([1, 1]);
    expect(value("exact_match")).toBeLessThan(0.1);
  });

  it("gsm8k: five seeded examples before each prompt, the answer by a regex", async () => {
    const lines = readFileSync(join(data, "gsm8k/test.jsonl"), "utf8");
    await using fixture = await createFixture({
      "test.jsonl": lines,
      "prep.py":
        "import re\ndef transform(row):\n    row['final'] = re.search(r'#### (.*)', row['answer']).group(1).replace(',', '')\n    return row\n",
      // Knows all answers, and gives that of the last question that it is shown.
      "app.py": [
        "import json, sys",
        "known = {r['question']: r['answer'] for r in map(json.loads, open('test.jsonl'))}",
        "for line in sys.stdin:",
        "    asked = json.loads(line)",
        "    question = asked['prompt'].rsplit('Question: ', 1)[1].removesuffix('\\nAnswer:')",
        "    print(json.dumps({'id': asked['id'], 'output_text': known[question]}), flush=True)",
      ].join("\n"),
      "suite.json": JSON.stringify({
        dataset: "test.jsonl",
        preprocess: { type: "python", file: "prep.py" },
        prompt_template: "Question: {{question}}\nAnswer:",
        target_template: "{{final}}",
        fewshot: {
          count: 5,
          strategy: "random",
          seed: 7,
          target_template: "{{answer}}",
          example_template: "{{prompt}} {{target}}",
        },
        output_extraction: { type: "regex", pattern: "#### (-?[\\d,.]+)" },
        grader: "numeric",
        candidates: { app: { worker: ["python3", "-S", "app.py"] } },
        gate: { rules: [{ metric: "numeric_match", min: 1 }] },
      }),
    });
    const argv = ["run", "suite.json", "--out", "run", "--max-samples", "60"];
    const end = await regrade(argv, { in: fixture.path });
    expect(end.code, end.stderr + end.stdout).toBe(0);
    const { run, samples } = await readRunDirectory(fixture.getPath("run"));
    expect(run.cases.declared).toBe(60);
    expect(run.suite.not_selected.cases).toMatchObject([{ selected: 60, of: 1319 }]);
    const shown = samples.map(({ prompt }) => prompt.split("Question: ").length - 1);
    expect(new Set(shown)).toEqual(new Set([6]));
  });
});

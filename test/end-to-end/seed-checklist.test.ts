import { createFixture } from "fs-fixture";
import { describe, expect, it } from "vitest";
import type { Run } from "../../src/model/outcomes/run.ts";
import type { Sample } from "../../src/model/outcomes/sample.ts";
import { jsonLines, readRunDirectory, regrade } from "../support/cli.ts";

/** What the two documents that the product grew from promise of manifests and of Python graders, a sentence and a suite each. */

interface Promised {
  /** Keys of the task that are other than usual. */
  readonly task?: Readonly<Record<string, unknown>>;
  /** Keys of the suite. */
  readonly suite?: Readonly<Record<string, unknown>>;
  readonly rows?: readonly object[];
  /** What the candidate answers, whatever it is asked. */
  readonly answer?: string;
  readonly expected: (left: { readonly samples: readonly Sample[]; readonly run: Run }) => unknown;
  readonly toBe: unknown;
}

const usual = [{ id: "a", question: "2+2?", answer: "4", nested: { field: "deep" }, list: [1, 2] }];
const python = (source: string, more: object = {}): object => ({
  type: "python",
  source,
  ...more,
});
const returns = (value: string): object =>
  python(`def grade(sample, item):\n    return ${value}\n`);
const first = ({ samples }: { readonly samples: readonly Sample[] }): Sample => {
  const [found] = samples;
  if (found === undefined) throw new Error("no sample");
  return found;
};
const score = (left: Parameters<typeof first>[0]): unknown => first(left).scores;
const prompt = (left: Parameters<typeof first>[0]): unknown => first(left).prompt;
const extracted = (left: Parameters<typeof first>[0]): unknown => first(left).extracted_output;
const outcome = (left: Parameters<typeof first>[0]): unknown => {
  const { scores, judge, error } = first(left);
  return [scores, judge?.["invalid"], error?.fault];
};
const invalid = [{ score: 0 }, true, "grader"];
const prompts = ({ samples }: { readonly samples: readonly Sample[] }): unknown =>
  samples.toSorted((a, b) => a.sample_index - b.sample_index).map((sample) => sample.prompt);
const metric =
  (id: string) =>
  ({ run }: { readonly run: Run }): unknown =>
    run.metrics.find((each) => each.metric === id)?.value;

const three = ["x", "y", "z"].map((question) => ({ question, answer: `${question}!` }));

const promises: Readonly<Record<string, Promised>> = {
  // Templates
  "{{field}} reads a top-level row field": {
    task: { prompt_template: "Q {{question}}" },
    expected: prompt,
    toBe: "Q 2+2?",
  },
  "{{nested.field}} reads a nested object field": {
    task: { prompt_template: "{{nested.field}}" },
    expected: prompt,
    toBe: "deep",
  },
  "{{row}} inserts the full row as JSON": {
    task: { prompt_template: "{{row}}" },
    rows: [{ id: "a", answer: "4" }],
    expected: prompt,
    toBe: '{"id":"a","answer":"4"}',
  },
  "{{choices}} inserts the choices as JSON, {{choice_list}} joined by newlines": {
    task: { prompt_template: "{{choices}} {{choice_list}}", choices: ["A", "B"] },
    expected: prompt,
    toBe: '["A","B"] A\nB',
  },
  "a row's own choices serve where the task declares none, in the forms that data sets have": {
    task: {
      prompt_template: "{{choices}} {{choice_list}}",
      grader: returns("float(len(item['choices']))"),
    },
    rows: [
      { answer: "4", choices: ["a", "b"] },
      { answer: "4", choices: { label: ["A", "B"], text: ["a", "b"] } },
      {
        answer: "4",
        choices: [
          { label: "A", text: "a" },
          { label: "B", text: "b" },
        ],
      },
      { answer: "4", choices: { A: "a", B: "b" } },
    ],
    expected: (left) => [
      [...new Set(prompts(left) as string[])],
      left.samples.map(({ scores }) => scores["score"]),
    ],
    toBe: [['["a","b"] a\nb'], [2, 2, 2, 2]],
  },
  "missing values render as an empty string, objects and arrays as JSON": {
    task: { prompt_template: "[{{nothing}}] {{nested}} {{list}}" },
    expected: prompt,
    toBe: '[] {"field":"deep"} [1,2]',
  },
  // Few-shot examples
  "num_fewshot prepends examples, without the current row": {
    rows: three,
    task: { prompt_template: "{{question}}", num_fewshot: 1 },
    expected: prompts,
    toBe: ["y\ny!\n\nx", "x\nx!\n\ny", "x\nx!\n\nz"],
  },
  "fewshot has templates of its own, and a separator": {
    rows: three,
    task: {
      fewshot: {
        count: 2,
        example_template: "{{prompt}} -> {{target}}",
        prompt_template: "Q {{question}}",
        target_template: "A {{answer}}",
        separator: " | ",
      },
      prompt_template: "{{question}}",
    },
    expected: (left) => prompts(left),
    toBe: [
      "Q y -> A y! | Q z -> A z! | x",
      "Q x -> A x! | Q z -> A z! | y",
      "Q x -> A x! | Q y -> A y! | z",
    ],
  },
  // Preprocessors
  "a row preprocessor may be called transform_row, transform or process_doc": {
    task: {
      preprocess: {
        ...python("def process_doc(row):\n    row['question'] = 'new'\n    return row\n"),
        contract: "row",
      },
    },
    expected: prompt,
    toBe: "new",
  },
  "a preprocessor may return a list, and None for no row": {
    rows: three,
    task: {
      preprocess: python(
        "def transform(row):\n    return None if row['question'] == 'y' else [row, dict(row, question='again')]\n",
      ),
    },
    expected: prompts,
    toBe: ["x", "again", "z", "again"],
  },
  "a batch preprocessor filters, duplicates or joins rows": {
    rows: three,
    task: {
      preprocess: {
        ...python(
          "def process_docs(rows):\n    return [r for r in rows if r['question'] != 'x'] * 2\n",
        ),
        contract: "batch",
      },
    },
    expected: prompts,
    toBe: ["y", "z", "y", "z"],
  },
  // Extraction
  "none trims white space": { answer: "  4 \n", expected: extracted, toBe: "4" },
  "take_first takes the first non-empty line or lines": {
    task: { output_extraction: { type: "take_first", lines: 2 } },
    answer: "\n one\n\n two\nthree",
    expected: extracted,
    toBe: "one\ntwo",
  },
  "regex returns the first match's group, with flags": {
    task: {
      output_extraction: { type: "regex", pattern: "answer:\\s*([A-D])", group: 1, flags: "i" },
    },
    answer: "Answer: B, ANSWER: C",
    expected: extracted,
    toBe: "B",
  },
  "regex_last returns the last one": {
    task: { output_extraction: { type: "regex_last", pattern: "([A-D])" } },
    answer: "A then C",
    expected: extracted,
    toBe: "C",
  },
  "label_set returns the first matching label, in any case by default": {
    task: { output_extraction: { type: "label_set", labels: ["positive", "negative"] } },
    answer: "Not Negative, POSITIVE",
    expected: extracted,
    toBe: "negative",
  },
  "number extracts a numeric value": {
    task: { output_extraction: { type: "number" } },
    answer: "It is 42.",
    expected: extracted,
    toBe: "42",
  },
  // Graders
  "a float is stored under metric_id, which is score by default": {
    task: { grader: returns("0.5") },
    expected: score,
    toBe: { score: 0.5 },
  },
  "metric_id names it": {
    task: { grader: { ...returns("1"), metric_id: "exact" } },
    expected: score,
    toBe: { exact: 1 },
  },
  "a dict has scores and a judge that is kept": {
    task: { grader: returns("{'scores': {'a': 1.0, 'b': 0.5}, 'judge': {'why': 'x'}}") },
    expected: (left) => [score(left), first(left).judge],
    toBe: [{ a: 1, b: 0.5 }, { why: "x" }],
  },
  "sample and item have the documented keys": {
    task: {
      grader: python(
        "def grade(sample, item, ctx):\n    keys = ['output_text', 'extracted_output', 'model', 'prompt', 'task_id', 'run_id', 'sample_id']\n    own = ['question', 'answer', 'prompt', 'target', 'reference_answer', 'choices', 'task_id']\n    return 1.0 if all(k in sample for k in keys) and all(k in item for k in own) else 0.0\n",
      ),
    },
    expected: score,
    toBe: { score: 1 },
  },
  "an exception is invalid and scores zero": {
    task: { grader: returns("1 / 0") },
    expected: outcome,
    toBe: invalid,
  },
  "so is NaN": { task: { grader: returns("float('nan')") }, expected: outcome, toBe: invalid },
  "so is a bool": { task: { grader: returns("True") }, expected: outcome, toBe: invalid },
  "so is a text": { task: { grader: returns("'1.0'") }, expected: outcome, toBe: invalid },
  "so is a dict without any finite numeric score": {
    task: { grader: returns("{'scores': {'a': float('inf')}}") },
    expected: outcome,
    toBe: invalid,
  },
  // Batch graders
  "grade_batch returns metrics of the whole": {
    rows: three,
    task: {
      grader: python(
        "def grade_batch(samples):\n    return {'metrics': {'n': float(len(samples))}}\n",
        { contract: "batch" },
      ),
    },
    expected: metric("n"),
    toBe: 3,
  },
  "and updates of samples: scores are merged, judge replaced, extracted_output replaced": {
    task: {
      grader: python(
        "def grade_batch(samples):\n    s = samples[0]\n    return {'samples': [{'sample_id': s['sample_id'], 'scores': {'c': 1.0}, 'judge': {'b': True}, 'extracted_output': 'new'}]}\n",
        { contract: "batch" },
      ),
    },
    expected: (left) => [score(left), first(left).judge, extracted(left)],
    toBe: [{ c: 1 }, { b: true }, "new"],
  },
  "unexpected batch metrics are dropped where the task declares metrics": {
    task: {
      grader: python(
        "def grade_batch(samples):\n    return {'metrics': {'f1': 0.5, 'drift': 1.0}}\n",
        { contract: "batch" },
      ),
      metrics: [{ id: "f1" }],
    },
    expected: (left) => [metric("f1")(left), metric("drift")(left)],
    toBe: [0.5, undefined],
  },
  "model_backed may define grade_batch": {
    task: {
      grader: python("def grade_batch(samples, ctx):\n    return {'metrics': {'n': 1.0}}\n", {
        contract: "model_backed",
      }),
    },
    expected: metric("n"),
    toBe: 1,
  },
  "without contract model_backed there are no models": {
    task: {
      grader: python("def grade(sample, item, ctx):\n    return ctx.responses_create(input='x')\n"),
    },
    expected: outcome,
    toBe: invalid,
  },
  "a number of grade_batch stands as it is, whatever the metric's aggregation": {
    task: {
      grader: python("def grade_batch(samples):\n    return {'metrics': {'f1': 0.5}}\n", {
        contract: "batch",
      }),
      metrics: [{ id: "f1", aggregation: "none" }],
    },
    suite: { gate: { rules: [{ metric: "f1", min: 0.4 }] } },
    expected: (left) => [metric("f1")(left), left.run.gate.verdict],
    toBe: [0.5, "pass"],
  },
  // Metrics and labels
  "a metric that the grader never gives has no value, and the gate fails": {
    task: { grader: returns("{'scores': {'other': 1.0}}"), metrics: [{ id: "f1" }] },
    suite: { gate: { rules: [{ metric: "f1", min: 0 }] } },
    expected: (left) => [metric("f1")(left), left.run.gate.verdict],
    toBe: [null, "fail"],
  },
  "aggregation none keeps the scores and aggregates none of them": {
    task: { grader: returns("1.0"), metrics: [{ id: "score", aggregation: "none" }] },
    expected: (left) => [score(left), metric("score")(left)],
    toBe: [{ score: 1 }, undefined],
  },
  "name, type and metadata label a task, and metadata the suite": {
    task: { name: "QA", type: "qa", metadata: { source: "x" } },
    suite: { metadata: { project: "p" } },
    expected: ({ run }) => {
      const { name, type, metadata } = run.suite.tasks["t"] ?? {};
      return [name, type, metadata, run.metadata];
    },
    toBe: ["QA", "qa", { source: "x" }, { project: "p" }],
  },
  // Data sets
  "a table with tabs is one too": {
    task: { dataset: "rows.tsv", prompt_template: "{{question}} {{n}}" },
    expected: prompt,
    toBe: "a, b 01",
  },
  "CSV files use the first row as headers": {
    suite: { files: { file_d: "rows.csv" } },
    task: { dataset: { file_id: "file_d", format: "csv" }, prompt_template: "{{question}} {{n}}" },
    expected: prompt,
    toBe: "a, b 01",
  },
};

async function play({ task = {}, suite = {}, rows = usual, answer = "4" }: Promised) {
  const whole = {
    schema_version: "2026-05-27",
    tasks: [
      {
        id: "t",
        dataset: "rows.jsonl",
        prompt_template: "{{question}}",
        target_template: "{{answer}}",
        grader: "exact_match",
        ...task,
      },
    ],
    candidates: { app: { worker: ["python3", "-S", "app.py"] } },
    gate: "none",
    ...suite,
  };
  await using fixture = await createFixture({
    "suite.json": JSON.stringify(whole),
    "rows.jsonl": jsonLines(rows),
    "rows.csv": 'question,answer,n\n"a, b",4,01\n',
    "rows.tsv": "question\tanswer\tn\na, b\t4\t01\n",
    "app.py": `import json, sys\nfor line in sys.stdin:\n    print(json.dumps({"id": json.loads(line)["id"], "output_text": ${JSON.stringify(answer)}}), flush=True)\n`,
  });
  const end = await regrade(["run", "suite.json", "--out", "out"], { in: fixture.path });
  expect(end.code, end.stderr).toBeLessThan(5);
  return await readRunDirectory(fixture.getPath("out"));
}

describe("the documents' promises", () => {
  it.each(Object.entries(promises))("%s", async (_, promised) => {
    expect(promised.expected(await play(promised))).toEqual(promised.toBe);
  });
});

it("validate says that scores of samples alone are no metric of a batch grader that declares none", async () => {
  const source =
    "def grade_batch(samples):\n    return {'samples': [{'sample_id': s['sample_id'], 'scores': {'c': 1.0}} for s in samples]}\n";
  await using fixture = await createFixture({
    "suite.json": JSON.stringify({
      dataset: { rows: usual },
      prompt_template: "{{question}}",
      grader: python(source, { contract: "batch" }),
      candidates: { app: { command: ["true"] } },
      gate: "none",
    }),
  });
  const end = await regrade(["validate", "suite.json"], { in: fixture.path });
  expect([end.code, end.stderr]).toEqual([0, expect.stringContaining("nothing is measured")]);
  const strict = await regrade(["validate", "--strict", "suite.json"], { in: fixture.path });
  expect(strict.code).toBe(2);
});

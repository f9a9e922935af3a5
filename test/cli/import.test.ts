import { createFixture, type FsFixture } from "fs-fixture";
import { readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { jsonLines, readRunDirectory, regrade } from "../support/cli.ts";

const rows = [
  { question: "2+2?", answer: "4" },
  { question: "Capital?", answer: "Paris" },
  { question: "A half?", answer: 0.5 },
];

const manifest = {
  schema_version: "2026-05-27",
  tasks: [
    {
      id: "qa",
      type: "qa",
      dataset: { file_id: "file_d", format: "jsonl" },
      prompt_template: "{{question}}",
      target_template: "{{answer}}",
      metrics: [{ id: "exact_match", range: [0, 1] }],
      grader: { type: "python", contract: "sample", file_id: "file_g" },
    },
  ],
  metadata: { project: "p" },
};

function hosted(i: number, change: object = {}): object {
  const row = rows[i];
  return {
    id: `eval_sample_${i}`,
    object: "eval.sample",
    run_id: "eval_run_1",
    task_id: "qa",
    model: "openai:gpt-4.1-mini",
    sample_index: i,
    dataset_row: row,
    prompt: row?.question,
    target: String(row?.answer),
    response_id: `resp_${i}`,
    output_text: String(row?.answer),
    extracted_output: String(row?.answer),
    scores: { exact_match: 1 },
    judge: { seen: true },
    status: "completed",
    error: null,
    usage: { input_tokens: 5, output_tokens: 1 },
    latency_ms: 12,
    ...change,
  };
}

const files = {
  "version.json": JSON.stringify({ id: "v1", name: "My QA", manifest }),
  "data/qa.jsonl": jsonLines(rows),
  "g.py":
    "def grade(sample, item):\n    return {'scores': {'exact_match': 1.0 if sample['extracted_output'] == item['target'] else 0.0}}\n",
  "answers.jsonl": "",
};

const mapped = ["--file", "file_d=data/qa.jsonl", "--file", "file_g=g.py"];

async function textAt(fixture: FsFixture, path: string): Promise<string> {
  return readFile(fixture.getPath(path), "utf8");
}

describe("regrade import", () => {
  it("writes a manifest and a run that a run here is compared with, case by case", async () => {
    const failed = { status: "failed", output_text: null, error: "no answer", scores: {} };
    const samples = jsonLines([hosted(2), hosted(0), hosted(1, failed)]);
    await using fixture = await createFixture({ ...files, "samples.jsonl": samples });
    const argv = ["import", "version.json", "--samples", "samples.jsonl", ...mapped];
    const end = await regrade(argv, { in: fixture.path });
    expect(end.code, end.stderr).toBe(0);
    expect(end.stderr).toMatch(/Compare with it: .+ run My-QA\.json --baseline runs\/My-QA\n/);
    const written: unknown = JSON.parse(await textAt(fixture, "My-QA.json"));
    expect(written).toEqual({
      name: "My-QA",
      files: { file_d: "data/qa.jsonl", file_g: "g.py" },
      models: ["openai:gpt-4.1-mini"],
      ...manifest,
    });
    const { run, samples: kept } = await readRunDirectory(fixture.getPath("runs/My-QA"));
    expect(run.candidates).toEqual([
      { id: "openai:gpt-4.1-mini", kind: "model", model: "openai:gpt-4.1-mini" },
    ]);
    expect(run.request_counts).toEqual({ total: 3, completed: 2, failed: 1 });
    expect(kept.map(({ scores, judge }) => [scores, judge])).toContainEqual([
      { exact_match: 1 },
      { seen: true },
    ]);
    const candidates = { app: { command: ["python3", "-c", "print(4)"] } };
    const { models: _, ...rest } = JSON.parse(await textAt(fixture, "My-QA.json"));
    await fixture.writeFile("My-QA.json", JSON.stringify({ ...rest, candidates }));
    const compare = ["run", "My-QA.json", "--baseline", "runs/My-QA", "--out", "head"];
    const compared = await regrade(compare, { in: fixture.path });
    expect(compared.stderr).not.toContain("missing");
    const head = await readRunDirectory(fixture.getPath("head"));
    expect(head.run.cases).toMatchObject({ paired: 2, new: 0, missing: 0, renamed: 0 });
    expect(head.run.gate.rules[0]).toMatchObject({ baseline: 1, value: 0.5 });
  });

  it("takes a bare manifest, and says what then lacks", async () => {
    await using fixture = await createFixture({
      ...files,
      "version.json": JSON.stringify(manifest),
    });
    const argv = ["import", "version.json", "--out", "evals.json", ...mapped];
    const end = await regrade(argv, { in: fixture.path });
    expect(end.code, end.stderr).toBe(0);
    expect(end.stderr).toContain("add what is to be judged under `candidates`");
    const again = await regrade(argv, { in: fixture.path });
    expect(again.code).toBe(2);
    expect(again.stderr).toContain("evals.json is there already");
  });

  it("says of rows that the dataset has not that they are not its cases", async () => {
    const strange = hosted(1, { dataset_row: { question: "Other?", answer: "x" } });
    const samples = jsonLines([hosted(0), strange]);
    await using fixture = await createFixture({ ...files, "samples.jsonl": samples });
    const argv = ["import", "version.json", "--samples", "samples.jsonl", ...mapped];
    const end = await regrade(argv, { in: fixture.path });
    expect(end.stderr).toContain("1 sample of it is of rows that the dataset does not have");
  });

  it.each([
    [
      "file ids without a path",
      [],
      {},
      /file_d, file_g\n {2}.*--file file_d=PATH --file file_g=PATH/,
    ],
    [
      "no suite",
      mapped,
      { "version.json": "[]" },
      /version\.json: this is no suite of the hosted product/,
    ],
    ["no JSON", mapped, { "version.json": "{" }, /version\.json: not valid JSON/],
    [
      "no samples",
      [...mapped, "--samples", "samples.jsonl"],
      { "samples.jsonl": '{"id": "x"}\n' },
      /samples\.jsonl:1: the line is no sample of the hosted product/,
    ],
  ] as const)("refuses %s", async (...[, flags, changed, said]) => {
    await using fixture = await createFixture({ ...files, ...changed });
    const end = await regrade(["import", "version.json", ...flags], { in: fixture.path });
    expect(end.code).toBe(2);
    expect(end.stderr).toMatch(said);
  });
});

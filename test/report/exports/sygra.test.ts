import { describe, expect, it } from "vitest";
import { sygraFiles } from "../../../src/report/exports/sygra.ts";
import type { BatchRecord, Run } from "../../../src/model/outcomes/run.ts";
import type { Sample } from "../../../src/model/outcomes/sample.ts";
import { sample } from "../../support/evidence-samples.ts";
import { storedRun } from "../../support/runs.ts";

const about = {
  tool: "sygra",
  predicted: "answer",
  output_map: {
    id: { from: "id" },
    answer: { from: "answer" },
    fixed: { value: 1 },
    gone: { from: "no" },
  },
  reports: [
    {
      class: "MetricCollatorPostProcessor",
      entries: [
        { key: "match-accuracy", grader: "match-accuracy" },
        { key: "match-pass@k", grader: "match-pass_at_k" },
      ],
    },
  ],
};

async function written(run: Run, samples: readonly Sample[]): Promise<ReadonlyMap<string, string>> {
  const files = new Map<string, string>();
  async function* read(): AsyncGenerator<Sample> {
    yield* samples;
  }
  for await (const { name, pieces } of sygraFiles({ run, samples: read })) {
    let text = "";
    for await (const piece of pieces) text += piece;
    files.set(name.replace(/_\d.*\./, "_*."), text);
  }
  return files;
}

function exampleSample(i: number): Sample {
  return {
    ...sample,
    model: "main",
    case_id: `case-${i}`,
    dataset_row: {},
    output_text: "Art",
    judge: null,
  };
}

function runWith(details: NonNullable<BatchRecord["details"]>): Run {
  const { run } = storedRun({ id: "run_1", scores: [1] });
  const batch: BatchRecord = {
    task: "qa",
    candidate: "main",
    outcome: "scored",
    samples: 1,
    metrics: {},
    dropped: [],
    notes: [],
    error: null,
    judge: null,
    printed: null,
    model_calls: null,
    details,
  };
  const candidates = [{ id: "main", kind: "model", model: "x" }] as const;
  return { ...run, candidates, suite: { ...run.suite, foreign: about }, batches: [batch] };
}

describe("a run in SyGra's files", () => {
  it("has the results of the other aggregators where one of them gave none", async () => {
    const run = runWith({
      "match-accuracy": { report: { accuracy: 1 } },
      "match-pass_at_k": {
        error: { type: "KeyError", message: "KeyError: 'correct' at mine.py:7" },
      },
    });
    const files = await written(run, [exampleSample(0)]);
    expect(JSON.parse(files.get("MetricCollatorPostProcessor_*.json") ?? "")).toMatchObject([
      {
        evaluation_summary: {
          total_records: 1,
          status: "fatal_error",
          error: "no result of match-pass@k (KeyError: 'correct' at mine.py:7)",
        },
        results: { "match-accuracy": { accuracy: 1 } },
      },
    ]);
    expect(JSON.parse(files.get("output_*.json") ?? "")).toEqual([
      { id: "case-0", answer: "Art", fixed: 1, gone: null },
    ]);
  });

  it("says no_data without a record, and an empty list is a list", async () => {
    const files = await written(runWith({}), []);
    expect(JSON.parse(files.get("output_*.json") ?? "")).toEqual([]);
    expect(JSON.parse(files.get("MetricCollatorPostProcessor_*.json") ?? "")).toEqual([
      { evaluation_summary: { total_records: 0, status: "no_data" }, results: {} },
    ]);
  });

  it("is lines of JSON beyond 25,000 records", async () => {
    const samples = Array.from({ length: 25_001 }, (_, i) => exampleSample(i));
    const files = await written(runWith({}), samples);
    expect([...files.keys()]).toContain("output_*.jsonl");
    expect(files.get("output_*.jsonl")?.trim().split("\n")).toHaveLength(25_001);
  });
});

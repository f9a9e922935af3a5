import { createFixture } from "fs-fixture";
import { readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import type { StoredBatch } from "../../src/model/ports/store.ts";
import type { Sample } from "../../src/model/outcomes/sample.ts";
import { batchLines, createBatchPieces } from "../../src/store/batch-lines.ts";
import { openSampleReader } from "../../src/store/sample-reader.ts";
import { openScratch } from "../../src/io/files/scratch.ts";
import { generatedShape } from "../../src/store/shapes.ts";

function sample(id: string, text = "x"): Sample {
  return {
    id,
    object: "eval.sample",
    run_id: "run_1",
    task_id: "t",
    model: "a",
    case_id: id,
    sample_index: 0,
    repeat: 0,
    dataset_row: { q: text },
    prompt: text,
    target: null,
    response_id: null,
    output_text: text,
    incomplete: false,
    transcript: null,
    extracted_output: text,
    scores: {},
    judge: null,
    printed: null,
    model_calls: null,
    status: "completed",
    error: null,
    usage: null,
    cached: false,
    latency_ms: 12.345,
    created_at: "2026-11-22T00:00:00.000Z",
    completed_at: "2026-11-22T00:00:00.000Z",
  };
}

const idOf = (i: number): string => `sample_${i.toString(16).padStart(24, "0")}`;
const line = (value: Sample): string => `${JSON.stringify(value)}\n`;

describe("samples read back from a journal", () => {
  it("are the last whole line of an id, in any order, across pieces of the file", async () => {
    const long = "é".repeat(200_000);
    const lines = Array.from({ length: 300 }, (_, i) =>
      line(sample(idOf(i), i % 50 === 0 ? long : `t${i}`)),
    );
    const journal = `${lines.join("")}${line(sample(idOf(7), "again"))}${line(sample(idOf(8))).slice(0, 40)}`;
    await using fixture = await createFixture({ "samples.jsonl": journal });
    const reader = await openSampleReader(fixture.getPath("samples.jsonl"));
    for (const i of [299, 0, 150, 50, 8, 3, 250]) {
      expect((await reader.read(idOf(i)))?.prompt).toBe(i % 50 === 0 ? long : `t${i}`);
    }
    expect((await reader.read(idOf(7)))?.prompt).toBe("again");
    expect(await reader.read(idOf(300))).toBeUndefined();
    await reader.close();
  });

  it("keep the text of the row's numbers", async () => {
    const journal = line(sample(idOf(1))).replace(
      '{"q":"x"}',
      '{"n":51.0,"id":12345678901234567890}',
    );
    await using fixture = await createFixture({ "samples.jsonl": journal });
    const reader = await openSampleReader(fixture.getPath("samples.jsonl"));
    const found = await reader.read(idOf(1));
    expect(JSON.stringify(found?.dataset_row)).toBe('{"n":51.0,"id":12345678901234567890}');
    expect(found?.latency_ms).toBe(12.345);
    await reader.close();
  });

  it("are none where there is no journal", async () => {
    await using fixture = await createFixture({});
    const reader = await openSampleReader(fixture.getPath("samples.jsonl"));
    expect(await reader.read(idOf(1))).toBeUndefined();
  });
});

const batch = (updates: number): StoredBatch => ({
  task: "t",
  candidate: "a",
  given: "sha256:1",
  samples: updates,
  graded: {
    kind: "graded",
    metrics: { f1: 0.5 },
    notes: ["n"],
    printed: null,
    updates: Array.from({ length: updates }, (_, i) => ({
      sample_id: `s${i}`,
      judge: { text: "x".repeat(10_000) },
    })),
  },
});

function readBack(lines: readonly unknown[]) {
  const pieces = createBatchPieces();
  for (const each of lines) {
    const value: unknown = JSON.parse(JSON.stringify(each));
    if (!generatedShape.is(value)) throw new Error(generatedShape.complaint());
    if (!("object" in value)) throw new Error("an answer");
    if (value.object === "regrade.plan/1") pieces.restart();
    else if (value.object === "regrade.batch/1") pieces.add(value);
  }
  return [...pieces.whole.values()];
}

describe("what a batch grader gave, as lines", () => {
  it.each([0, 1, 2000])("come back whole: %i updates", (updates) => {
    const lines = [...batchLines(batch(updates))];
    expect(readBack(lines)).toEqual([batch(updates)]);
    for (const each of lines) expect(JSON.stringify(each).length).toBeLessThan(8 * 1024 * 1024);
  });

  it("are nothing without their end, and don't mix with another attempt's", () => {
    const lines = [...batchLines(batch(1000))];
    const plan = { object: "regrade.plan/1", run_id: "r", input_hash: "h", created_at: "c" };
    expect(lines.length).toBeGreaterThan(2);
    expect(readBack(lines.slice(0, -1))).toEqual([]);
    expect(readBack([...lines.slice(0, -1), plan, ...batchLines(batch(3))])).toEqual([batch(3)]);
  });
});

describe("a scratch file", () => {
  it("holds lines in order for nobody else, until it is removed", async () => {
    const scratch = await openScratch();
    for (let i = 0; i < 50_000; i += 1) await scratch.append(`{"i":${i}}`);
    await scratch.finish();
    const lines = (await readFile(scratch.absolute, "utf8")).split("\n");
    expect(lines).toHaveLength(50_001);
    expect(lines[49_999]).toBe('{"i":49999}');
    await scratch.remove();
    await expect(readFile(scratch.absolute)).rejects.toThrow("ENOENT");
  });
});

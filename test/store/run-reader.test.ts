import { createFixture } from "fs-fixture";
import { describe, expect, it } from "vitest";
import { Refusal } from "../../src/model/refusal.ts";
import { readInputHash, readRun } from "../../src/store/run-reader.ts";
import { exampleRun } from "../github/example-run.ts";

const row = {
  task: "qa",
  case_id: "c1",
  content: "c1",
  candidate: "app",
  repeat: 0,
  outcome: "scored",
  scores: { em: 1 },
  cluster: null,
  slices: {},
};

async function read(scores: string): Promise<string> {
  const request_counts = { total: 1, completed: 1, failed: 0 };
  const run = JSON.stringify({ ...exampleRun({}), request_counts });
  await using fixture = await createFixture({ "run.json": run, "scores.jsonl": scores });
  try {
    const { ledger } = await readRun(fixture.path);
    return `${ledger.groups()[0]?.size ?? 0} samples`;
  } catch (error) {
    if (error instanceof Refusal) return error.problems.map(({ code }) => code).join();
    throw error;
  }
}

describe("a run directory's scores", () => {
  it("are read", async () => {
    expect(await read(`${JSON.stringify(row)}\n`)).toBe("1 samples");
  });

  it.each([
    ["NaN", '"scores":{"em":NaN}'],
    ["infinity", '"scores":{"em":1e999}'],
    ["a text", '"scores":{"em":"1"}'],
    ["null", '"scores":{"em":null}'],
  ])("with %s are refused: it is no baseline", async (_, scores) => {
    const line = JSON.stringify(row).replace('"scores":{"em":1}', scores);
    expect(await read(`${line}\n`)).toBe("journal_damaged");
  });

  it("that are fewer than the run tells of are refused", async () => {
    expect(await read("")).toBe("run_unreadable");
  });
});

/** The first line of a run that is under way. */
function plan(input_hash: string): string {
  const created_at = "2026-01-01T00:00:00.000Z";
  return `${JSON.stringify({ object: "regrade.plan/1", run_id: "run_1", input_hash, created_at })}\n`;
}

describe("what a run was made from", () => {
  const run = JSON.stringify({ ...exampleRun({}), input_hash: "sha256:whole" });

  it.each([
    ["a whole run", { "run.json": run }, "sha256:whole"],
    ["one that is under way", { "generated.jsonl": plan("sha256:begun") }, "sha256:begun"],
    [
      "one that was stopped, and has a run.json too",
      { "run.json": run, "generated.jsonl": plan("sha256:begun") },
      "sha256:begun",
    ],
    ["one that died before its first line", { "samples.jsonl": "" }, undefined],
    ["none", {}, undefined],
  ])("is known of %s", async (_, files, hash) => {
    await using fixture = await createFixture(files);
    expect(await readInputHash(fixture.path)).toBe(hash);
  });
});

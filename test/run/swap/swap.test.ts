import { createFixture, type FsFixture } from "fs-fixture";
import { describe, expect, it } from "vitest";
import type { BatchSample } from "../../../src/model/grading.ts";
import { jsonLines } from "../../support/cli.ts";
import { compareRuns } from "../../../src/analyse/compare.ts";
import { readRegraded, readRun } from "../../../src/store/run-reader.ts";
import type { Tools } from "../../../src/tools.ts";
import { gave, leftBy, runFixture, type FakePython } from "../../support/run-fixture.ts";

/** A batch grader's number for all cases together, here with 40 cases whose base is right throughout. */

interface Parts {
  readonly gate?: string;
  readonly rows?: (i: number) => object;
  readonly more?: string;
}

const cases = 40;

function files({ gate = "{ max_drop: 0.02 }", rows = () => ({}), more = "" }: Parts) {
  const all = Array.from({ length: cases }, (_, i) => ({ id: `c${i}`, q: `q${i}`, ...rows(i) }));
  return {
    "suite.yaml": [
      "name: batch",
      "dataset: data.jsonl",
      'prompt_template: "{{q}}"',
      "grader: { type: python, contract: batch, file: grader.py }",
      "metrics: [{ id: accuracy, range: [0, 1] }]",
      "candidates: { app: { replay: outputs.jsonl } }",
      `gate: ${gate}`,
      more,
    ].join("\n"),
    "data.jsonl": jsonLines(all),
    "outputs.jsonl": recording(0),
    "grader.py": "",
  };
}

/** The first so many are wrong. */
function recording(wrong: number): string {
  const lines = Array.from({ length: cases }, (_, i) => ({
    case_id: `c${i}`,
    output_text: i < wrong ? "no" : "yes",
  }));
  return jsonLines(lines);
}

function accuracy(samples: readonly BatchSample[]): number {
  return samples.filter(({ output_text }) => output_text === "yes").length / samples.length;
}

async function drop(wrong: number, parts: Parts = {}, python: FakePython = {}) {
  const fixture = await createFixture(files(parts));
  let gradings = 0;
  const gradeBatch: NonNullable<FakePython["gradeBatch"]> = (samples) => {
    gradings += 1;
    return gave({ accuracy: accuracy(samples) });
  };
  await runFixture(fixture, { python: { gradeBatch }, out: "base" });
  gradings = 0;
  await fixture.writeFile("outputs.jsonl", recording(wrong));
  await runFixture(fixture, { python: { gradeBatch, ...python }, baseline: "base" });
  const { run } = await leftBy(fixture);
  return {
    fixture,
    run,
    rule: run.gate.rules[0],
    gradings,
    [Symbol.asyncDispose]: () => fixture.rm(),
  };
}

async function compareAgain(fixture: FsFixture) {
  const request = {
    base: [fixture.getPath("base")] as const,
    head: fixture.getPath("out"),
    gate: undefined,
  };
  const tools = { readRun, readRegraded, now: Date.now } as unknown as Tools;
  return compareRuns(request, tools);
}

const pages = (i: number): object => ({ page: `p${Math.floor(i / 6)}` });

describe("a number that grade_batch gives for all cases together", () => {
  it("is proven to have dropped by swapping base and head within cases, a bounded number of times", async () => {
    await using found = await drop(12);
    expect(found.run.gate.verdict).toBe("fail");
    expect(found.rule).toMatchObject({
      code: "drop_proven",
      test: "arm_swap_seeded",
      baseline: 1,
      value: 0.7,
      p: 1 / 400,
    });
    // Its own, what was seen, and 199 swaps, two sides each; the same swap is graded once.
    expect(found.gradings).toBeLessThanOrEqual(1 + 2 + 2 * 199);
    expect(found.run.baseline?.swaps?.[0]).toMatchObject({ swaps: 199, exact: false });
    expect(found.rule?.reason).toContain("swapped 199 times and graded again");
    expect(await compareAgain(found.fixture)).toEqual(found.run);
  });

  it("may have dropped by chance where few cases changed: all ways to swap them are tried", async () => {
    await using found = await drop(3);
    expect(found.run.gate.verdict).toBe("pass");
    expect(found.rule).toMatchObject({
      code: "drop_not_proven",
      test: "arm_swap_exact",
      p: 0.0625,
    });
    expect(found.gradings).toBe(1 + 2 * 4);
    expect(found.rule?.reason).toBe(
      "−7.5 points (100.0% → 92.5%) seen, not proven: base and head of 40 cases swapped in all ways and graded again; p = 0.063; 40 cases detect ≥ 11.2 points",
    );
  });

  it("swaps whole clusters", async () => {
    await using found = await drop(12, { rows: pages, more: "cluster_by: page" });
    // Twelve wrong answers on two pages.
    expect(found.rule).toMatchObject({ code: "drop_not_proven", test: "arm_swap_exact", p: 0.125 });
  });

  it("counts in Holm's family, with as many swaps as that takes", async () => {
    const rule = "{ metric: accuracy, max_drop: 0.02, alpha: 0.01 }";
    await using found = await drop(12, { gate: `{ rules: [${rule}, ${rule}] }` });
    expect(found.run.baseline?.swaps?.[0]?.swaps).toBe(600);
    expect(found.rule).toMatchObject({ code: "drop_proven", p_adjusted: 1 / 601 });
  });

  it("of a drop that is not seen, or has nothing to prove, is not graded again", async () => {
    for (const gate of ["{ max_drop: 0.5 }", "{ rules: [{ metric: accuracy, min: 0.1 }] }"]) {
      await using found = await drop(12, { gate });
      expect(found.gradings).toBe(1);
    }
  });

  it("stays unproven where the same outputs are given another number each time", async () => {
    let noise = 0;
    const gradeBatch: NonNullable<FakePython["gradeBatch"]> = (samples) => {
      noise += 0.001;
      return gave({ accuracy: accuracy(samples) + noise });
    };
    await using found = await drop(12, {}, { gradeBatch });
    expect(found.rule).toMatchObject({ code: "not_provable", outcome: "inconclusive", p: null });
  });

  it("stays unproven where a mixture can't be graded", async () => {
    let gradings = 0;
    const gradeBatch: NonNullable<FakePython["gradeBatch"]> = (samples) => {
      gradings += 1;
      return gradings < 9
        ? gave({ accuracy: accuracy(samples) })
        : { kind: "ungraded", type: "timeout", message: "too slow" };
    };
    await using found = await drop(12, {}, { gradeBatch });
    expect(found.rule).toMatchObject({ code: "not_provable", p: null });
    expect(gradings).toBeLessThan(12);
  });

  it("has sides that don't tell which is which", async () => {
    const seen = new Set<string>();
    const gradeBatch: NonNullable<FakePython["gradeBatch"]> = (samples) => {
      for (const { sample_id, model } of samples) seen.add(`${sample_id} ${model}`);
      return gave({ accuracy: accuracy(samples) });
    };
    await using _ = await drop(12, {}, { gradeBatch });
    expect(seen.size).toBe(cases);
  });
});

import { createFixture } from "fs-fixture";
import { describe, expect, it } from "vitest";
import type { BatchSample, Graded } from "../../src/model/grading.ts";
import type { GraderSample } from "../../src/model/outcomes/sample.ts";
import type { Tools } from "../../src/tools.ts";
import { jsonLines } from "../support/cli.ts";
import { gave, leftBy, runFixture, type FakePython } from "../support/run-fixture.ts";

const cases = 12;
const rows = Array.from({ length: cases }, (_, i) => ({ id: `c${i}`, q: `q${i}` }));
const files = {
  "suite.yaml": [
    "name: several",
    "dataset: data.jsonl",
    'prompt_template: "{{q}}"',
    "graders:",
    "  - { type: python, name: each, file: each.py }",
    "  - { type: python, name: all, weight: 1, contract: batch, file: all.py }",
    "candidates: { a: { replay: outputs.jsonl } }",
    "gate: { rules: [{ metric: several/score, min: 0.1 }, { metric: several/all.f1, min: 0.1 }] }",
  ].join("\n"),
  "data.jsonl": jsonLines(rows),
  "outputs.jsonl": jsonLines(rows.map(({ id }, i) => ({ case_id: id, output_text: String(i) }))),
  "each.py": "",
  "all.py": "",
};

function grade({ output_text }: GraderSample): Graded {
  const score = Number(output_text) % 2;
  return { kind: "scored", scores: { score }, judge: { out: output_text }, printed: null };
}

/** Scores every sample 1, and notes what it was given. */
function player(given: (readonly BatchSample[])[]): FakePython {
  return {
    grade,
    gradeBatch: (samples) => {
      given.push(samples);
      const updates = samples.map(({ sample_id }) => ({
        sample_id,
        scores: { score: 1 },
        judge: { seen: given.length },
      }));
      return gave({ f1: 0.5 }, updates);
    },
  };
}

/** A store that breaks when so many samples have been changed. */
function breaking(after: number): (tools: Tools) => Tools {
  return (tools) => ({
    ...tools,
    openRunStore: async (start) => {
      const store = await tools.openRunStore(start);
      let changed = 0;
      const amendSample: typeof store.amendSample = async (sample) => {
        changed += 1;
        if (changed > after) throw new Error("the disk is gone");
        return store.amendSample(sample);
      };
      return { ...store, amendSample };
    },
  });
}

describe("graders of both kinds in one task", () => {
  it("grade each sample and then all of them, into one verdict", async () => {
    await using fixture = await createFixture(files);
    const given: (readonly BatchSample[])[] = [];
    const { run } = await runFixture(fixture, { python: player(given) });
    expect(run.gate).toMatchObject({ verdict: "pass" });
    const values = Object.fromEntries(run.metrics.map(({ metric, value }) => [metric, value]));
    expect(values).toMatchObject({ score: 0.75, each: 0.5, "all.f1": 0.5 });
    expect(given[0]?.[1]).toMatchObject({ scores: { each: 1 }, judge: { each: { out: "1" } } });
    const { samples } = await leftBy(fixture);
    expect(samples[1]).toMatchObject({
      scores: { score: 1, each: 1, all: 1 },
      judge: { each: { out: "1" }, all: { seen: 1 } },
      status: "completed",
      error: null,
    });
  });

  it("end the same where the run broke while the batch's result was put in", async () => {
    await using calm = await createFixture(files);
    await runFixture(calm, { python: player([]) });
    await using fixture = await createFixture(files);
    const broken = runFixture(fixture, { python: player([]), tools: breaking(5) });
    await expect(broken).rejects.toThrow("the disk is gone");
    const given: (readonly BatchSample[])[] = [];
    const { run } = await runFixture(fixture, { python: player(given), resume: true });
    expect(run.status).toBe("completed");
    // What the batch grader said was kept: it is not asked again.
    expect(given).toEqual([]);
    expect((await leftBy(fixture)).scoresText).toBe((await leftBy(calm)).scoresText);
  });

  it("are graded again as they were where the batch grader was cut short", async () => {
    await using calm = await createFixture(files);
    await runFixture(calm, { python: player([]) });
    await using fixture = await createFixture(files);
    const lost = { kind: "ungraded", type: "timeout", message: "no answer" } as const;
    const first = await runFixture(fixture, { python: { grade, gradeBatch: () => lost } });
    expect(first.run.gate.verdict).toBe("error");
    const after = await runFixture(fixture, { python: player([]), out: "again" });
    expect(after.run.gate.verdict).toBe("pass");
    expect((await leftBy(fixture, "again")).scoresText).toBe((await leftBy(calm)).scoresText);
  });
});

import { createFixture, type FsFixture } from "fs-fixture";
import { readFile, writeFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import type { BatchSample } from "../../src/model/grading.ts";
import type { Tools } from "../../src/tools.ts";
import { jsonLines } from "../support/cli.ts";
import { gave, leftBy, runFixture, type FakePython } from "../support/run-fixture.ts";

const cases = 40;
const rows = Array.from({ length: cases }, (_, i) => ({ id: `c${i}`, q: `q${i}`, n: i }));
const files = {
  "suite.yaml": [
    "name: batch",
    "dataset: data.jsonl",
    'prompt_template: "{{q}}"',
    "grader: { type: python, contract: batch, file: grader.py }",
    "output_extraction: { type: number }",
    "metrics: [{ id: mean }, { id: even, range: [0, 1] }]",
    "candidates: { a: { replay: outputs.jsonl }, b: { replay: outputs.jsonl } }",
    "gate: none",
  ].join("\n"),
  "data.jsonl": jsonLines(rows),
  "outputs.jsonl": jsonLines(rows.map(({ id, n }) => ({ case_id: id, output_text: `is ${n}.0` }))),
  "grader.py": "",
};

interface Asked {
  readonly candidate: string;
  readonly samples: readonly BatchSample[];
}

/** Remembers what it is given, and changes all that can be changed of a sample. */
function player(asked: Asked[]): FakePython {
  return {
    gradeBatch: (samples, { candidate }) => {
      asked.push({ candidate, samples });
      const numbers = samples.map((each) => Number(each.extracted_output));
      const sum = numbers.reduce((total, each) => total + each, 0);
      const updates = samples.map(({ sample_id, dataset_row }, i) => ({
        sample_id,
        scores: { even: (numbers[i] ?? 0) % 2 === 0 ? 1 : 0, [`n${asked.length}`]: 1 },
        judge: { row: dataset_row },
        extracted_output: "changed",
      }));
      return gave({ mean: sum / samples.length }, updates);
    },
  };
}

/** The tools of a run with a store that breaks when so many samples have been changed. */
function breaking(after: number): (tools: Tools) => Tools {
  return (tools) => ({
    ...tools,
    openRunStore: async (start) => {
      const store = await tools.openRunStore(start);
      let changed = 0;
      return {
        ...store,
        amendSample: async (sample) => {
          changed += 1;
          if (changed > after) throw new Error("the disk is gone");
          return store.amendSample(sample);
        },
      };
    },
  });
}

async function calmScores(): Promise<string> {
  await using fixture = await createFixture(files);
  await runFixture(fixture, { python: player([]) });
  return (await leftBy(fixture)).scoresText;
}

function sansNames(scores: string): string {
  return scores.replaceAll(/"n\d":1,?/g, "").replaceAll(",}", "}");
}

async function edit(fixture: FsFixture, name: string, change: (text: string) => string) {
  const path = fixture.getPath("out", name);
  await writeFile(path, change(await readFile(path, "utf8")));
}

describe("a run that ends before its batches are graded", () => {
  it("grades them when it is resumed, and asks no candidate again", async () => {
    await using fixture = await createFixture(files);
    const stop = new AbortController();
    const python: FakePython = {
      gradeBatch: () => {
        stop.abort();
        return { kind: "ungraded", type: "cancelled", message: "the run was stopped" };
      },
    };
    const first = await runFixture(fixture, { python, signal: stop.signal });
    expect(first.run.status).toBe("cancelled");
    const cut = await leftBy(fixture);
    expect(cut.samples).toHaveLength(cases * 2);
    expect(new Set(cut.scores.map(({ outcome }) => outcome))).toEqual(new Set(["ungraded"]));
    expect(cut.run.batches).toBeUndefined();
    const asked: Asked[] = [];
    const second = await runFixture(fixture, { python: player(asked), resume: true });
    expect(second.run.status).toBe("completed");
    expect(asked.map(({ candidate }) => candidate).toSorted()).toEqual(["a", "b"]);
    const whole = await leftBy(fixture);
    expect(sansNames(whole.scoresText)).toBe(sansNames(await calmScores()));
    expect(whole.samples).toHaveLength(cases * 2);
  });
});

describe("a run that breaks while a batch's result is put into its samples", () => {
  it.each([0, 1, cases - 1, cases + 3])(
    "does not ask the grader again (%i changed)",
    async (changed) => {
      await using fixture = await createFixture(files);
      const asked: Asked[] = [];
      const python = player(asked);
      const broken = runFixture(fixture, { python, tools: breaking(changed) });
      await expect(broken).rejects.toThrow("the disk is gone");
      const before = asked.length;
      const { run } = await runFixture(fixture, { python, resume: true });
      expect(run.status).toBe("completed");
      // Both were asked before it broke, or the second one was not yet: none is asked twice.
      expect(asked.map(({ candidate }) => candidate).toSorted()).toEqual(["a", "b"]);
      expect(before).toBeGreaterThan(0);
      const whole = await leftBy(fixture);
      expect(sansNames(whole.scoresText)).toBe(sansNames(await calmScores()));
      expect(new Set(whole.samples.map(({ id }) => id)).size).toBe(whole.samples.length);
      expect(whole.samples.every((each) => each.extracted_output === "changed")).toBe(true);
    },
  );

  it("shows the grader nothing of it where other samples are there by now", async () => {
    await using fixture = await createFixture(files);
    const asked: Asked[] = [];
    const python = player(asked);
    await expect(runFixture(fixture, { python, tools: breaking(2 * cases - 1) })).rejects.toThrow(
      "the disk is gone",
    );
    expect(asked).toHaveLength(2);
    // As if a sample more had come in since.
    await edit(fixture, "generated.jsonl", (text) =>
      text.replaceAll(/"given":"[^"]*"/g, '"given":"other"'),
    );
    const { run } = await runFixture(fixture, { python, resume: true });
    expect(asked).toHaveLength(4);
    for (const { samples } of asked.slice(2)) {
      expect(samples).toHaveLength(cases);
      for (const [i, sample] of samples.entries()) {
        expect(sample).toMatchObject({ scores: {}, judge: null, extracted_output: `${i}` });
      }
    }
    expect(run.metrics.find(({ metric }) => metric === "mean")?.value).toBe((cases - 1) / 2);
    const { samples } = await leftBy(fixture);
    for (const sample of samples) {
      const stale = Object.keys(sample.scores).filter((id) => id === "n1" || id === "n2");
      expect(stale).toEqual([]);
    }
  });

  it("takes a batch whose lines are torn for one that was never given", async () => {
    await using fixture = await createFixture(files);
    const asked: Asked[] = [];
    const python = player(asked);
    await expect(runFixture(fixture, { python, tools: breaking(0) })).rejects.toThrow();
    // The last lines are gone: of the batches only their updates are there.
    await edit(fixture, "generated.jsonl", (text) =>
      text
        .split("\n")
        .filter((line) => !line.includes('"given"'))
        .join("\n"),
    );
    await runFixture(fixture, { python, resume: true });
    const last = asked.slice(-2);
    expect(last.map(({ candidate }) => candidate).toSorted()).toEqual(["a", "b"]);
    const { samples } = await leftBy(fixture);
    const names = new Set(samples.flatMap(({ scores }) => Object.keys(scores)));
    expect(names.size).toBe(3);
  });
});

describe("the samples of a batch", () => {
  it("are read back in the order of the data, whatever order they finished in", async () => {
    await using fixture = await createFixture(files);
    const asked: Asked[] = [];
    await runFixture(fixture, { python: player(asked) });
    for (const { samples } of asked) {
      expect(samples.map(({ prompt }) => prompt)).toEqual(rows.map(({ q }) => q));
    }
  });
});

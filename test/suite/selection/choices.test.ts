import { createFixture } from "fs-fixture";
import { describe, expect, it } from "vitest";
import { jsonLines } from "../../support/cli.ts";
import { gave, leftBy, runFixture } from "../../support/run-fixture.ts";

const python = { gradeBatch: () => gave({}) };
const ids = Array.from({ length: 40 }, (_, i) => `c${i}`);

function files(more: readonly string[] = [], rows = ids) {
  return {
    "suite.yaml": [
      "name: some",
      "dataset: data.jsonl",
      'prompt_template: "{{q}}"',
      'target_template: "{{q}}"',
      "grader: { type: python, file: g.py }",
      "metrics: [{ id: score, range: [0, 1] }]",
      "candidates: { app: { replay: outputs.jsonl } }",
      ...more,
    ].join("\n"),
    "data.jsonl": jsonLines(rows.map((id) => ({ id, q: id }))),
    "outputs.jsonl": jsonLines(ids.map((id) => ({ case_id: id, output_text: id }))),
    "g.py": "",
  };
}

const graded = { kind: "scored", scores: { score: 1 }, judge: null, printed: null } as const;
const one = { grade: () => graded };

async function casesOf(rows: readonly string[], most: number): Promise<readonly string[]> {
  await using fixture = await createFixture(files([], [...rows]));
  await runFixture(fixture, { python: one, choices: { maxSamples: most } });
  return (await leftBy(fixture)).scores.map(({ case_id }) => case_id);
}

function mustPass(names: string): readonly string[] {
  return [`gate: { rules: [{ metric: some/score, must_pass: [${names}] }] }`];
}

async function verdictOf(names: string) {
  await using fixture = await createFixture(files(mustPass(names)));
  const { run } = await runFixture(fixture, { python: one, choices: { maxSamples: 5 } });
  return run.gate.verdict;
}

describe("max_samples", () => {
  it("takes the same cases in every run, in their order, wherever they stand", async () => {
    const chosen = await casesOf(ids, 10);
    expect(chosen).toHaveLength(10);
    expect(chosen).not.toEqual(ids.slice(0, 10));
    expect(ids.filter((id) => chosen.includes(id))).toEqual(chosen);
    expect((await casesOf(ids.toReversed(), 10)).toReversed()).toEqual(chosen);
  });

  it("takes nearly the same cases when some are added, and all where there are no more", async () => {
    const chosen = await casesOf(ids, 10);
    const more = await casesOf([...ids.slice(0, 38), "x1", "x2"], 10);
    expect(more.filter((id) => chosen.includes(id)).length).toBeGreaterThanOrEqual(7);
    expect(await casesOf(ids, 40)).toEqual(ids);
    expect(await casesOf(ids, 41)).toEqual(ids);
  });

  it("leaves the others unselected: neither run nor missing against a whole baseline", async () => {
    await using fixture = await createFixture(files(["run: { max_samples: 10 }"]));
    await runFixture(fixture, { python: one, out: "base", choices: { maxSamples: 1000 } });
    const { run, summary } = await runFixture(fixture, { python: one, baseline: "base" });
    expect(run.cases).toMatchObject({ declared: 10, paired: 10, missing: 0, new: 0 });
    expect(run.suite.not_selected.cases).toMatchObject([{ task: "some", selected: 10, of: 40 }]);
    expect(run.gate.verdict).toBe("pass");
    expect(summary).toContain("Of `some`, 10 of 40 cases were selected");
  });

  it("does not hide a case that is gone from the data", async () => {
    await using fixture = await createFixture(files());
    await runFixture(fixture, { python: one, out: "base" });
    const [lost] = await casesOf(ids, 10);
    await fixture.writeFile(
      "data.jsonl",
      files(
        [],
        ids.filter((id) => id !== lost),
      )["data.jsonl"],
    );
    const choices = { maxSamples: 10 };
    const { run } = await runFixture(fixture, { python: one, baseline: "base", choices });
    expect(run.cases.missing).toBe(1);
    expect(run.gate.verdict).toBe("fail");
  });

  it("lets must_pass name cases that were not selected", async () => {
    expect(await verdictOf(ids.join(", "))).toBe("pass");
    expect(await verdictOf("c1*")).toBe("pass");
  });

  it("is another question than all cases, so that no half of one is gone on with as the other", async () => {
    await using fixture = await createFixture(files());
    const whole = await runFixture(fixture, { python: one, out: "a" });
    const some = await runFixture(fixture, { python: one, out: "b", choices: { maxSamples: 5 } });
    expect(some.run.suite.version).toBe(whole.run.suite.version);
    expect(some.run.input_hash).not.toBe(whole.run.input_hash);
  });
});

describe("flags", () => {
  it("repeats go before the tasks' own, and are refused where a reducer needs more", async () => {
    await using fixture = await createFixture(files(["repeats: 2"]));
    const { run } = await runFixture(fixture, { python: one, choices: { repeats: 3 } });
    expect(run.request_counts.total).toBe(120);
    expect(run.suite.tasks["some"]?.repeats).toBe(3);
    const reduced = files(["repeats: 3"])["suite.yaml"].replace(
      "range: [0, 1]",
      "range: [0, 1], reducer: pass@3",
    );
    await fixture.writeFile("suite.yaml", reduced);
    await expect(
      runFixture(fixture, { python: one, out: "other", choices: { repeats: 2 } }),
    ).rejects.toThrow(/`reducer: pass@3` needs 3 repeats of a case, and the task has repeats: 2/);
  });

  it("metadata of the run stands over that of the suite in run.json", async () => {
    const more = ["metadata: { team: a, kept: yes }", "run: { metadata: { team: b, n: 1 } }"];
    await using fixture = await createFixture(files(more));
    const { run } = await runFixture(fixture, { python: one, choices: { metadata: { n: "2" } } });
    expect(run.metadata).toEqual({ team: "b", kept: "yes", n: "2" });
    expect((await leftBy(fixture)).run.metadata).toEqual(run.metadata);
  });
});

it("a run without any of it says nothing of it", async () => {
  await using fixture = await createFixture(files());
  const { run } = await runFixture(fixture, { python: { ...python, ...one } });
  expect(run).not.toHaveProperty("metadata");
  expect(run).not.toHaveProperty("reruns");
  expect(run.suite.not_selected).toEqual({ tasks: [], candidates: [] });
});

import { createFixture, type FsFixture } from "fs-fixture";
import { readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import type { BatchSample, Graded } from "../../src/model/grading.ts";
import type { GraderSample } from "../../src/model/outcomes/sample.ts";
import { rerunRequest } from "../../src/analyse/rerun.ts";
import { readRun } from "../../src/store/run-reader.ts";
import { jsonLines } from "../support/cli.ts";
import { gave, leftBy, runFixture, type FakePython, type Start } from "../support/run-fixture.ts";

const ids = ["c0", "c1", "c2", "c3"];

/** Answers what it is asked, and fails what `bad.txt` names; `asked.txt` tells what it was asked. */
const app = [
  "import sys, pathlib",
  "asked = sys.stdin.read()",
  "with open('asked.txt', 'a') as log: log.write(asked + ' ')",
  "if asked in pathlib.Path('bad.txt').read_text().split(): sys.exit(3)",
  "print(asked)",
].join("\n");

function files(grader = "{ type: python, file: g.py }") {
  return {
    "suite.yaml": [
      "name: again",
      "dataset: data.jsonl",
      'prompt_template: "{{id}}"',
      `grader: ${grader}`,
      "metrics: [{ id: score, range: [0, 1] }]",
      "candidates: { app: { command: [python3, -S, app.py] } }",
      "gate: { max_error_rate: 0.5, rules: [{ metric: again/score, min: 0.9 }] }",
    ].join("\n"),
    "data.jsonl": jsonLines(ids.map((id) => ({ id }))),
    "app.py": app,
    "bad.txt": "c1 c2",
    "asked.txt": "",
    "g.py": "",
  };
}

const one = { kind: "scored", scores: { score: 1 }, judge: null, printed: null } as const;

/** Can't grade c3 for the first time. */
function player(): FakePython {
  let isDown = true;
  return {
    grade: ({ output_text }: GraderSample): Graded => {
      if (output_text !== "c3" || !isDown) return one;
      isDown = false;
      return { kind: "ungraded", type: "timeout", message: "no judge" };
    },
  };
}

async function asked(fixture: FsFixture): Promise<readonly string[]> {
  const log = await readFile(fixture.getPath("asked.txt"), "utf8");
  await fixture.writeFile("asked.txt", "");
  return log.split(" ").filter(Boolean).toSorted();
}

async function firstRun(more: Partial<Start> = {}) {
  const fixture = await createFixture(files());
  const python = player();
  const { run } = await runFixture(fixture, { python, ...more });
  return { fixture, python, run, before: await leftBy(fixture) };
}

describe("failed and ungraded samples that are run again", () => {
  it("are the only ones that are asked, and what was answered is only graded", async () => {
    const { fixture, python, run, before } = await firstRun();
    await using _ = fixture;
    expect(run.request_counts).toMatchObject({ completed: 1, failed: 3 });
    expect(await asked(fixture)).toEqual(ids);
    await fixture.writeFile("bad.txt", "");
    const { run: second } = await runFixture(fixture, { python, rerun: true });
    expect(await asked(fixture)).toEqual(["c1", "c2"]);
    expect(second).toMatchObject({
      id: run.id,
      status: "completed",
      request_counts: { total: 4, completed: 4, failed: 0 },
      gate: { verdict: "pass" },
      reruns: [{ samples: 3 }],
    });
    const after = await leftBy(fixture);
    expect(after.samples).toHaveLength(4);
    const kept = (each: typeof after) => each.samples.find(({ case_id }) => case_id === "c0");
    expect(kept(after)).toEqual(kept(before));
  });

  it("keep their end where there is no other, however often it is tried", async () => {
    const { fixture, python, before } = await firstRun();
    await using _ = fixture;
    const again = await runFixture(fixture, { python, rerun: true });
    expect(again.run.reruns).toHaveLength(1);
    const { run } = await runFixture(fixture, { python, rerun: true });
    expect(run.request_counts).toMatchObject({ total: 4, completed: 2, failed: 2 });
    expect(run.reruns?.map(({ samples }) => samples)).toEqual([3, 2]);
    const after = await leftBy(fixture);
    expect(after.scores.map(({ case_id }) => case_id)).toEqual(
      before.scores.map(({ case_id }) => case_id),
    );
  });

  it("lose nothing where they are stopped at once, and go on from there", async () => {
    const { fixture, python, before } = await firstRun();
    await using _ = fixture;
    await fixture.writeFile("bad.txt", "");
    const report: Start["report"] = (event) => {
      if (event.kind === "task_started") late.abort();
    };
    const late = new AbortController();
    const cut = await runFixture(fixture, { python, rerun: true, signal: late.signal, report });
    expect(cut.run.status).toBe("cancelled");
    // What only waited for a grade has one; what would have to be asked is what it was.
    const outcomes = (scores: typeof before.scores) =>
      scores.map(({ case_id, outcome }) => `${case_id} ${outcome}`);
    expect(outcomes(before.scores)).toEqual(["c0 scored", "c1 failed", "c2 failed", "c3 ungraded"]);
    expect(outcomes((await leftBy(fixture)).scores)).toEqual([
      "c0 scored",
      "c1 failed",
      "c2 failed",
      "c3 scored",
    ]);
    const { run } = await runFixture(fixture, { python, rerun: true });
    expect(run).toMatchObject({ status: "completed", request_counts: { total: 4, failed: 0 } });
  });

  it("are given to the batch grader with all others, as they were before it", async () => {
    await using fixture = await createFixture(
      files("{ type: python, contract: batch, file: g.py }"),
    );
    const given: (readonly BatchSample[])[] = [];
    const python: FakePython = {
      gradeBatch: (samples) => {
        given.push(samples);
        return gave(
          { score: samples.filter((each) => each.output_text !== "").length / 4 },
          samples.map(({ sample_id }) => ({ sample_id, scores: { seen: 1 } })),
        );
      },
    };
    await runFixture(fixture, { python });
    await fixture.writeFile("bad.txt", "");
    const { run } = await runFixture(fixture, { python, rerun: true });
    expect(given.map((samples) => samples.length)).toEqual([4, 4]);
    expect(given[1]?.map(({ scores }) => scores)).toEqual([{}, {}, {}, {}]);
    expect(run.metrics.find(({ metric }) => metric === "score")?.value).toBe(1);
  });

  it("are refused where the inputs have changed since", async () => {
    const { fixture, python } = await firstRun();
    await using _ = fixture;
    await fixture.writeFile("data.jsonl", jsonLines([...ids, "c4"].map((id) => ({ id }))));
    await expect(runFixture(fixture, { python, rerun: true })).rejects.toThrow(
      /was made from other inputs than there are now/,
    );
    expect((await leftBy(fixture)).samples).toHaveLength(4);
  });
});

describe("regrade rerun-failed", () => {
  it("chooses again what the run had chosen", async () => {
    await using fixture = await createFixture(files());
    await fixture.writeFile("bad.txt", ids.join(" "));
    const python: FakePython = { grade: () => one };
    const choices = { maxSamples: 2, repeats: 2, metadata: { who: "me" } };
    const { run } = await runFixture(fixture, { python, choices });
    const tools = { readRun, readGitHead: async () => ({ sha: null, ref: null }) };
    const flags = { directory: fixture.getPath("out"), suite: undefined, baseline: undefined };
    const { request } = await rerunRequest(flags, tools);
    expect(request).toMatchObject({
      manifest: fixture.getPath("suite.yaml"),
      baseline: "none",
      candidates: [],
      tasks: [],
      rerun: true,
      cache: false,
      choices: { maxSamples: 2, repeats: { again: 2 }, metadata: { who: "me" } },
    });
    await fixture.writeFile("bad.txt", "");
    const again = await runFixture(fixture, {
      python,
      rerun: true,
      ...(request?.choices && { choices: request.choices }),
    });
    expect(again.run.input_hash).toBe(run.input_hash);
    expect(again.run.metadata).toEqual({ who: "me" });
    expect((await rerunRequest(flags, tools)).request).toBeUndefined();
  });
});

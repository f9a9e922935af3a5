import { appendFile, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { createFixture, type FsFixture } from "fs-fixture";
import { describe, expect, it } from "vitest";
import {
  expectRefusal,
  parseLines,
  readIfThere,
  readRunDirectory,
  regrade,
  until,
  type CliEnd,
} from "../../support/cli.ts";
import { decryptedSamples } from "../../support/encrypted-samples.ts";
import { sumApp, sumCandidate, suiteFiles } from "../../support/suite-files.ts";

/** A run that was cut off goes on where it was: nothing is paid for twice, nothing is lost, nothing is mixed. */

const cases = 24;
const fresh = ["run", "evals/qa.yaml", "--out", "out"];
const resume = [...fresh, "--resume"];

/** The grader waits at case `c12` until there is a file `go`, so that answers pile up ungraded behind it. */
const waitingGrader = `import os, time
def grade(sample, item):
    if item["id"] == "c12":
        while not os.path.exists(os.path.join(os.path.dirname(__file__), "go")): time.sleep(0.02)
    return float(sample["output_text"] == item["target"])
`;

const files = {
  ...suiteFiles({
    cases,
    candidates: sumCandidate,
    grader: "{ type: python, file: grader.py, timeout_seconds: 60, metric_id: right }",
    gate: "{ rules: [{ metric: right, min: 0.5 }] }",
    more: ["run: { concurrency: 2 }"],
  }),
  "evals/app.py": sumApp,
  "evals/grader.py": waitingGrader,
};

async function calls(fixture: FsFixture): Promise<readonly string[]> {
  const log = await readIfThere(fixture.getPath("evals/calls.log"));
  return log.split("\n").filter((line) => line !== "");
}

/** Whole lines of a journal. */
async function linesOf(fixture: FsFixture, name: string): Promise<readonly string[]> {
  return (await readIfThere(fixture.getPath("out", name))).split("\n").slice(0, -1);
}

/** The samples of the run that was cut off. */
function samplesOf(fixture: FsFixture): Promise<readonly string[]> {
  return decryptedSamples(fixture.getPath("out"), fixture.getPath("evals/data/qa.jsonl"));
}

/** Kills the program when all has been asked and something has been graded. */
function killHalfway(fixture: FsFixture): Promise<CliEnd> {
  return regrade(fresh, {
    in: fixture.path,
    meanwhile: async ({ kill }) => {
      await until(
        "all answers",
        async () => (await linesOf(fixture, "generated.jsonl")).length > cases,
      );
      await until("a sample", async () => (await linesOf(fixture, "samples.jsonl")).length > 0);
      kill("SIGKILL");
    },
  });
}

async function scoresOfWholeRun(): Promise<string> {
  await using fixture = await createFixture({ ...files, "evals/go": "" });
  const end = await regrade(fresh, { in: fixture.path });
  expect(end.code, end.stderr).toBe(0);
  return (await readRunDirectory(fixture.getPath("out"))).scoresText;
}

describe("--resume after kill -9", () => {
  it(
    "grades what was answered without asking again, and ends as if nothing had happened",
    { tags: "smoke" },
    async () => {
      await using fixture = await createFixture(files);
      const killed = await killHalfway(fixture);
      expect(killed.signal).toBe("SIGKILL");
      const before = await samplesOf(fixture);
      expect(before.length).toBeLessThan(cases);
      expect(await calls(fixture)).toHaveLength(cases);
      // As a crash leaves them: the last lines torn.
      await appendFile(
        fixture.getPath("out/samples.jsonl"),
        '{"id":"sample_torn","object":"eval.sam',
      );
      await appendFile(fixture.getPath("out/generated.jsonl"), '{"sample_id":"samp');
      await fixture.writeFile("evals/go", "");
      const end = await regrade(resume, { in: fixture.path });
      expect(end.code, end.stderr).toBe(0);
      expect(await calls(fixture)).toHaveLength(cases);
      const out = await readRunDirectory(fixture.getPath("out"));
      expect(out.scoresText).toBe(await scoresOfWholeRun());
      expect(out.files).toEqual(["run.json", "samples.jsonl", "scores.jsonl", "summary.md"]);
      expect(out.samples).toHaveLength(cases);
      expect(new Set(out.samples.map(({ id }) => id)).size).toBe(cases);
      expect(out.run).toMatchObject({ status: "completed", request_counts: { total: cases } });
      expect(new Set([out.run.id, ...out.samples.map(({ run_id }) => run_id)]).size).toBe(1);
      for (const line of before) expect(out.samples).toContainEqual(JSON.parse(line));
    },
  );

  it("asks only those that were not asked, and tries again what nobody was at fault for", async () => {
    await using fixture = await createFixture({ ...files, "evals/go": "" });
    await killHalfway(fixture);
    const generated = await linesOf(fixture, "generated.jsonl");
    const samples = parseLines((await samplesOf(fixture)).join("\n"));
    const [done] = samples as { id: string; case_id: string }[];
    // All answers but two are gone; of the finished samples one was ungraded.
    const ungraded = {
      ...done,
      scores: {},
      status: "failed",
      error: { stage: "generate", fault: "infra", type: "timeout", message: "no network" },
    };
    const others = samples.slice(1, 3);
    const kept = generated
      .slice(1)
      .filter((line) => !line.includes(done?.id ?? ""))
      .slice(0, 2);
    await writeFile(
      fixture.getPath("out/samples.jsonl"),
      [ungraded, ...others].map((line) => `${JSON.stringify(line)}\n`).join(""),
    );
    await writeFile(
      fixture.getPath("out/generated.jsonl"),
      `${[generated[0], ...kept].join("\n")}\n`,
    );
    await rm(fixture.getPath("evals/calls.log"));
    const end = await regrade(resume, { in: fixture.path });
    expect(end.code, end.stderr).toBe(0);
    const known = new Set([
      ...(others as { id: string }[]).map(({ id }) => id),
      ...(parseLines(kept.join("\n")) as { sample_id: string }[]).map(({ sample_id }) => sample_id),
    ]);
    expect(await calls(fixture)).toHaveLength(cases - known.size);
    const out = await readRunDirectory(fixture.getPath("out"));
    expect(out.scoresText).toBe(await scoresOfWholeRun());
    expect(out.samples.filter(({ id }) => id === done?.id)).toHaveLength(1);
  });

  it("can be done again and again", { tags: "long" }, async () => {
    await using fixture = await createFixture(files);
    await killHalfway(fixture);
    for (let i = 0; i < 2; i += 1) {
      const end = await regrade(resume, {
        in: fixture.path,
        meanwhile: async ({ kill, stderr }) => {
          await until("the start", () => stderr().includes(`${cases} samples`));
          kill("SIGKILL");
        },
      });
      expect(end.signal).toBe("SIGKILL");
    }
    await fixture.writeFile("evals/go", "");
    expect((await regrade(resume, { in: fixture.path })).code).toBe(0);
    expect(await calls(fixture)).toHaveLength(cases);
    expect((await readRunDirectory(fixture.getPath("out"))).scoresText).toBe(
      await scoresOfWholeRun(),
    );
  });
});

describe("--resume is refused, and the run's files stay as they are,", () => {
  const changes: readonly (readonly [string, (fixture: FsFixture) => Promise<unknown>])[] = [
    ["a changed prompt", replaceIn("evals/qa.yaml", "What is", "How much is")],
    ["a changed data set", replaceIn("evals/data/qa.jsonl", '"q":"3+1"', '"q":"3+2"')],
    ["a changed label", replaceIn("evals/data/qa.jsonl", '"a":"4"', '"a":"5"')],
    ["a changed grader", replaceIn("evals/grader.py", "float(", "0.5 * float(")],
    [
      "another extraction",
      (fixture) =>
        appendFile(fixture.getPath("evals/qa.yaml"), "output_extraction: { type: number }\n"),
    ],
    ["another command", replaceIn("evals/qa.yaml", "python3, -S, app.py", "python3, -B, app.py")],
  ];

  it.each(changes)("with %s", async (_, change) => {
    await using fixture = await createFixture(await interrupted());
    await change(fixture);
    await expectUntouched(
      fixture,
      2,
      "was started with other inputs",
      "a new run in another --out",
    );
  });

  it("with a damaged line in the middle of the journal: line and way out are told", async () => {
    await using fixture = await createFixture(await interrupted());
    const lines = await linesOf(fixture, "samples.jsonl");
    expect(lines.length).toBeGreaterThan(2);
    await writeFile(
      fixture.getPath("out/samples.jsonl"),
      `${lines.with(1, (lines[1] ?? "").slice(0, 50)).join("\n")}\n`,
    );
    await expectUntouched(fixture, 2, "out/samples.jsonl:2: ", "Mend or remove the line");
  });

  it("with a line in the journal that is no sample", async () => {
    await using fixture = await createFixture(await interrupted());
    const lines = await linesOf(fixture, "samples.jsonl");
    await writeFile(
      fixture.getPath("out/samples.jsonl"),
      `{"id":"sample_1"}\n${lines.join("\n")}\n`,
    );
    await expectUntouched(fixture, 2, "out/samples.jsonl:1: ", "Mend or remove the line");
  });

  it("of a finished run", async () => {
    await using fixture = await createFixture(suiteFiles());
    await regrade(fresh, { in: fixture.path });
    await expectUntouched(fixture, 2, "the run in out is complete", "another --out");
  });

  it.each([["nothing there"], ["an empty folder"], ["a folder of something else"]])(
    "of nothing: %s",
    async (what) => {
      const other = { "nothing there": {}, "an empty folder": { out: {} } }[what] ?? {
        "out/notes.txt": "mine",
      };
      await using fixture = await createFixture({ ...suiteFiles(), ...other });
      const end = await regrade(resume, { in: fixture.path });
      expectRefusal(end, 2);
      expect(end.stderr).toContain("there is no run in out to resume");
      expect(end.stderr).toContain("leave --resume out to start one");
      expect(await readIfThere(fixture.getPath("out/generated.jsonl"))).toBe("");
    },
  );

  it.each([
    ["samples.jsonl", '{"my":"precious"}'],
    ["samples.jsonl", '{"my":"precious"}\n'],
    ["generated.jsonl", '{"my":"precious"}'],
    ["generated.jsonl", '{"object":"mine"}'],
  ])("of nothing: a folder where someone else has a %s, %j", async (name, text) => {
    await using fixture = await createFixture({ ...suiteFiles(), [`out/${name}`]: text });
    const end = await regrade(resume, { in: fixture.path });
    expectRefusal(end, 2);
    expect(end.stderr).toContain("there is no run in out to resume");
    expect(await readdir(fixture.getPath("out"))).toEqual([name]);
    expect(await readIfThere(fixture.getPath("out", name))).toBe(text);
  });

  it("without --out: there is nothing to name the run", async () => {
    await using fixture = await createFixture(suiteFiles());
    const end = await regrade(["run", "evals/qa.yaml", "--resume"], { in: fixture.path });
    expectRefusal(end, 2);
    expect(end.stderr).toContain("Name the directory of an interrupted run with --out");
  });
});

describe("--resume goes on", () => {
  it("with other rules and another concurrency: they are not part of the question", async () => {
    await using fixture = await createFixture(await interrupted());
    await replaceIn("evals/qa.yaml", "concurrency: 2", "concurrency: 5")(fixture);
    await replaceIn("evals/qa.yaml", "min: 0.5", "min: 0.6")(fixture);
    await fixture.writeFile("evals/go", "");
    const end = await regrade(resume, { in: fixture.path });
    expect(end.code, end.stderr).toBe(0);
  });
});

function replaceIn(path: string, from: string, to: string) {
  return async (fixture: FsFixture): Promise<void> => {
    const text = await fixture.readFile(path, "utf8");
    expect(text).toContain(from);
    await fixture.writeFile(path, text.replace(from, to));
  };
}

/** The path of a project whose run was cut off; made once. */
let made: Promise<string> | undefined;
function interrupted(): Promise<string> {
  made ??= (async () => {
    const fixture = await createFixture(files);
    await killHalfway(fixture);
    return fixture.path;
  })();
  return made;
}

async function expectUntouched(
  fixture: FsFixture,
  code: 2,
  ...words: readonly string[]
): Promise<void> {
  const read = (): Promise<readonly string[]> =>
    Promise.all(
      ["samples.jsonl", "generated.jsonl", "run.json"].map((name) =>
        readFile(fixture.getPath("out", name), "utf8").catch(() => ""),
      ),
    );
  const before = await read();
  const asked = await calls(fixture);
  const end = await regrade(resume, { in: fixture.path });
  expectRefusal(end, code);
  for (const each of words) expect(end.stderr).toContain(each);
  expect(await read()).toEqual(before);
  expect(await calls(fixture)).toEqual(asked);
}

import { cp, readFile } from "node:fs/promises";
import { join } from "node:path";
import { createFixture, type FsFixture } from "fs-fixture";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  expectRefusal,
  parseLines,
  readIfThere,
  readRunDirectory,
  regrade,
  until,
} from "../../support/cli.ts";
import { canMount, withMount } from "../../support/namespace.ts";
import { sumApp, sumCandidate, suiteFiles } from "../../support/suite-files.ts";

/** Folders that can't be written, baselines that can't be read, an --out that is taken. */

const run = ["run", "evals/qa.yaml"];

const noDevice = process.platform === "linux" ? "" : " (skipped here: there is no /dev/full)";

function to(stream: string): readonly string[] {
  return ["sh", "-c", `exec "$0" "$@" ${stream}/dev/full`];
}

describe.skipIf(noDevice !== "")(`output to a full disk${noDevice}`, () => {
  it("is refused where it is data, without a stack, after the run is kept", async () => {
    await using fixture = await createFixture(suiteFiles());
    const argv = [...run, "--quiet", "--json", "--out", "out"];
    const end = await regrade(argv, { in: fixture.path, under: to(">") });
    expectRefusal(end, 4);
    expect(end.stderr).toContain("can't write to standard output: no space left on device");
    expect((await readRunDirectory(fixture.getPath("out"))).samples).toHaveLength(60);
  });

  it("costs nothing but words where it is words", async () => {
    await using fixture = await createFixture(suiteFiles());
    const argv = [...run, "--out", "out"];
    const end = await regrade(argv, { in: fixture.path, under: to("2>") });
    expect(end.code).toBe(0);
    expect((await readRunDirectory(fixture.getPath("out"))).samples).toHaveLength(60);
  });
});

it.skipIf(process.platform === "win32")(
  "blames no program that a limit of open files kept from starting, and gives no verdict on it",
  async () => {
    const more = ["run: { concurrency: 20 }"];
    const files = suiteFiles({ candidates: sumCandidate, more });
    await using fixture = await createFixture({ ...files, "evals/app.py": sumApp });
    const under = ["sh", "-c", 'ulimit -n 64; exec "$0" "$@"'];
    const end = await regrade([...run, "--out", "out"], { in: fixture.path, under });
    expect(end.code).toBe(4);
    const { samples } = await readRunDirectory(fixture.getPath("out"));
    const told = samples.filter(({ error }) => error?.stage === "generate");
    expect(new Set(told.map(({ error }) => error?.type))).toEqual(new Set(["open_files_limit"]));
    expect(told.filter(({ error }) => error?.message.includes("own failure"))).toEqual([]);
  },
);

it.skipIf(process.platform === "win32")(
  "says that the folder is gone in which it was started",
  async () => {
    await using fixture = await createFixture({});
    await fixture.mkdir("gone");
    const under = ["sh", "-c", 'rmdir "$PWD"; exec "$0" "$@"'];
    const end = await regrade(["run", "qa.yaml"], { in: fixture.getPath("gone"), under });
    expectRefusal(end, 2);
    expect(end.stderr).toContain("the folder that Regrade was started in is no longer there");
  },
);

it.skipIf(process.platform !== "linux")(
  "refuses a folder in a file system that makes none, in which Node's own way of making it never ends",
  async () => {
    await using fixture = await createFixture(suiteFiles());
    const end = await regrade([...run, "--out", "/proc/regrade/out"], { in: fixture.path });
    expectRefusal(end, 4);
    expect(end.stderr).toContain("can't write /proc/regrade/out: no such file or directory");
  },
);

const noMount = "skipped here: this machine lets nobody mount a file system for a test";

describe.skipIf(!canMount())(`a full disk${canMount() ? "" : ` (${noMount})`}`, () => {
  it("ends the run with a way out, and keeps whole samples that a resumption goes on from", async () => {
    const chatty = sumApp.replace("print(", 'print("x" * 9000 + "\\n", ');
    await using fixture = await createFixture({
      ...suiteFiles({
        candidates: sumCandidate,
        gate: "{ rules: [{ metric: numeric_match, min: 0.8 }] }",
        grader: "numeric",
        more: ["output_extraction: { type: number }"],
      }),
      "evals/app.py": chatty,
      "disk/empty": "",
    });
    const disk = fixture.getPath("disk");
    const kept = fixture.getPath("kept");
    const under = withMount("full disk", disk, `cp -r ${join(disk, "out")} ${kept}`) ?? [];
    const end = await regrade([...run, "--out", "disk/out"], { in: fixture.path, under });
    expectRefusal(end, 4);
    expect(end.stderr).toContain("no space left on device");
    expect(end.stderr).toContain(join("disk", "out"));
    expect(end.stderr).toContain("Free some space or choose another --out");
    const before = (await readFile(join(kept, "samples.jsonl"), "utf8")).split("\n");
    const whole = before.slice(0, -1);
    expect(whole.length).toBeGreaterThan(2);
    expect(whole.length).toBeLessThan(60);
    parseLines(whole.join("\n"));
    const callsBefore = (await calls(fixture)).length;

    const again = await regrade([...run, "--out", "kept", "--resume"], { in: fixture.path });
    expect(again.code).toBe(0);
    const { run: finished, samples } = await readRunDirectory(kept);
    expect(finished.cases).toMatchObject({ declared: 60, scored: 60 });
    expect(samples.map(({ case_id }) => case_id)).toHaveLength(60);
    const asked = await calls(fixture);
    const finishedBefore = parseLines(whole.join("\n")).length;
    expect(asked.length - callsBefore).toBeLessThanOrEqual(60 - finishedBefore);
  });

  it("is said too where only the results don't fit any more", async () => {
    await using fixture = await createFixture({
      ...suiteFiles({ cases: 300, gate: "none" }),
      "disk/empty": "",
    });
    const disk = fixture.getPath("disk");
    const kept = fixture.getPath("kept");
    const under = withMount("full disk", disk, `cp -r ${join(disk, "out")} ${kept}`) ?? [];
    const end = await regrade([...run, "--out", "disk/out"], { in: fixture.path, under });
    expectRefusal(end, 4);
    expect(end.stderr).toContain("no space left on device");
    expect(await readIfThere(join(kept, "run.json"))).toBe("");
    const again = await regrade([...run, "--out", "kept", "--resume"], { in: fixture.path });
    expect(again.code).toBe(0);
    expect((await readRunDirectory(kept)).run.cases.scored).toBe(300);
  });
});

describe.skipIf(!canMount())(
  `a read-only workspace${canMount() ? "" : ` (${noMount})`}`,
  { tags: "long" },
  () => {
    it("is refused before a candidate is started, with another --out as the way out", async () => {
      await using fixture = await createFixture({
        ...suiteFiles({ candidates: sumCandidate }),
        "evals/app.py": sumApp.replace('open("calls.log", "a")', 'open("/dev/null", "a")'),
      });
      const under = withMount("read-only", fixture.path) ?? [];
      for (const out of [[], ["--out", "out"]]) {
        const end = await regrade([...run, ...out], { in: fixture.path, under });
        expectRefusal(end, 4);
        expect(end.stderr).toContain(out[1] ?? ".regrade");
        expect(end.stderr).toContain("read-only file system");
        expect(end.stderr).toContain("choose another --out");
      }
      await using elsewhere = await createFixture({});
      const end = await regrade([...run, "--out", elsewhere.getPath("out")], {
        in: fixture.path,
        under,
      });
      expect(end.code).toBe(0);
      expect((await readRunDirectory(elsewhere.getPath("out"))).run.cases.scored).toBe(60);
    });
  },
);

describe("an --out that is in use", () => {
  it("is refused where it holds anything, and what it holds stays", async () => {
    await using fixture = await createFixture({
      ...suiteFiles({ candidates: sumCandidate }),
      "evals/app.py": sumApp,
      "out/notes.txt": "mine",
    });
    const end = await regrade([...run, "--out", "out"], { in: fixture.path });
    expectRefusal(end, 2);
    expect(end.stderr).toContain("the output directory out is not empty");
    expect(end.stderr).toContain("--resume");
    expect(await fixture.readFile("out/notes.txt", "utf8")).toBe("mine");
    expect(await calls(fixture)).toEqual([]);
  });

  it("is refused where it is a file", async () => {
    await using fixture = await createFixture(suiteFiles());
    const end = await regrade([...run, "--out", "evals/qa.yaml"], { in: fixture.path });
    expectRefusal(end, 2);
    expect(end.stderr).toContain("evals/qa.yaml can't be made: a file has that name");
    expect(end.stderr).toContain("Choose another --out");
    expect(await fixture.readFile("evals/qa.yaml", "utf8")).toContain("name: qa");
  });

  it("is refused while another process runs in it, which is not disturbed", async () => {
    await using fixture = await createFixture({
      ...suiteFiles({ candidates: sumCandidate, cases: 6, more: ["run: { concurrency: 1 }"] }),
      "evals/app.py": `${sumApp}import os, time\nwhile not os.path.exists("go"): time.sleep(0.02)\n`,
    });
    const first = await regrade([...run, "--out", "out"], {
      in: fixture.path,
      meanwhile: async ({ child }) => {
        await until("the first call", async () => (await calls(fixture)).length > 0);
        const second = await regrade([...run, "--out", "out", "--resume"], { in: fixture.path });
        expectRefusal(second, 2);
        expect(second.stderr).toContain(`process ${child.pid} is running in out`);
        expect(second.stderr).toContain("Wait for it to end, or choose another --out.");
        const third = await regrade([...run, "--out", "out"], { in: fixture.path });
        expectRefusal(third, 2);
        await fixture.writeFile("evals/go", "");
      },
    });
    expect(first.code).toBe(0);
    expect((await readRunDirectory(fixture.getPath("out"))).samples).toHaveLength(6);
    expect(await calls(fixture)).toHaveLength(6);
  });
});

interface Damage {
  readonly what: string;
  readonly harm: (fixture: FsFixture) => Promise<void>;
  readonly says: readonly string[];
}

const editRun =
  (edit: (run: Record<string, unknown>) => object) =>
  async (fixture: FsFixture): Promise<void> => {
    const before = JSON.parse(await fixture.readFile("base/run.json", "utf8")) as Record<
      string,
      unknown
    >;
    await fixture.writeFile("base/run.json", JSON.stringify(edit(before)));
  };

const editScores =
  (edit: (lines: string[]) => string) =>
  async (fixture: FsFixture): Promise<void> => {
    const lines = (await fixture.readFile("base/scores.jsonl", "utf8")).trimEnd().split("\n");
    await fixture.writeFile("base/scores.jsonl", edit(lines));
  };

const damages: readonly Damage[] = [
  {
    what: "is missing",
    harm: (fixture) => fixture.rm("base"),
    says: ["there is no folder base", "regrade run --out"],
  },
  {
    what: "is a folder without a run",
    harm: (fixture) => fixture.rm("base/run.json"),
    says: ["base holds no run", "regrade run --out"],
  },
  {
    what: "is not JSON",
    harm: (fixture) => fixture.writeFile("base/run.json", '{"format": "regrade.run/1", '),
    says: ["base/run.json: ", "not a run that Regrade can read", "Make it again"],
  },
  {
    what: "is some other JSON",
    harm: (fixture) => fixture.writeFile("base/run.json", "[]"),
    says: ["base/run.json: ", "not a run that Regrade can read", "Make it again"],
  },
  {
    what: "has a field of another kind",
    harm: editRun((found) => ({ ...found, metrics: "many" })),
    says: ["base/run.json: ", "/metrics", "Make it again"],
  },
  {
    what: "has another schema version",
    harm: editRun((found) => ({ ...found, format: "regrade.run/2" })),
    says: ["base/run.json: ", "regrade.run/2", "this version of Regrade reads regrade.run/1"],
  },
  {
    what: "has no scores.jsonl",
    harm: (fixture) => fixture.rm("base/scores.jsonl"),
    says: ["base/scores.jsonl: ", "it has no scores.jsonl", "Make it again"],
  },
  {
    what: "has a damaged line of scores",
    harm: editScores((lines) => `${lines.with(2, "{nonsense").join("\n")}\n`),
    says: ["base/scores.jsonl:3: "],
  },
  {
    what: "has a score that is no number",
    harm: editScores(
      (lines) => `${lines.with(4, (lines[4] ?? "").replace(":1}", ':"1"}')).join("\n")}\n`,
    ),
    says: ["base/scores.jsonl:5: "],
  },
  {
    what: "has lost the end of its scores",
    harm: editScores((lines) => `${lines.slice(0, 30).join("\n")}\n`),
    says: ["base/scores.jsonl: ", "30", "60", "Make it again"],
  },
  {
    what: "has scores that end in the middle of a line",
    harm: editScores((lines) => lines.join("\n").slice(0, -20)),
    says: ["base/scores.jsonl: ", "59", "60", "Make it again"],
  },
];

describe("a baseline that can't be used is refused before the first sample: one that", () => {
  let recorded: FsFixture;
  beforeAll(async () => {
    recorded = await createFixture({
      ...suiteFiles({ candidates: sumCandidate }),
      "evals/app.py": sumApp,
    });
    await recordBase(recorded);
  });
  afterAll(() => recorded.rm());

  it.each(damages)("$what", async ({ harm, says }) => {
    await using fixture = await createFixture(recorded.path);
    await harm(fixture);
    const asked = [
      [...run, "--baseline", "base", "--out", "out"],
      ["compare", "base", "head"],
      ["report", "base"],
    ];
    for (const argv of asked) {
      const end = await regrade(argv, { in: fixture.path });
      expectRefusal(end, 2);
      for (const words of says) expect(end.stderr).toContain(words);
    }
    expect(await readIfThere(fixture.getPath("out/samples.jsonl"))).toBe("");
    expect(await calls(fixture)).toEqual([]);
  });

  it("was named by the manifest and is missing: never taken for no baseline", async () => {
    await using fixture = await createFixture(
      suiteFiles({ gate: "{ max_drop: 0.02, baseline: { path: base } }" }),
    );
    const end = await regrade(run, { in: fixture.path });
    expectRefusal(end, 2);
    const path = join("evals", "base");
    const says = [
      "evals/qa.yaml:7:43: gate.baseline.path: the baseline that gate.baseline.path names does not exist",
      `regrade run evals/qa.yaml --baseline none --out ${path}`,
    ];
    for (const words of says) expect(end.stderr).toContain(words);
    const checked = await regrade(["validate", "evals/qa.yaml"], { in: fixture.path });
    expect(checked.code).toBe(0);
    for (const words of says) expect(checked.stderr).toContain(words);
    // What it says to do mends it.
    const made = ["run", "evals/qa.yaml", "--baseline", "none", "--out", path];
    expect((await regrade(made, { in: fixture.path })).stderr).not.toContain("baseline");
    expect((await regrade(run, { in: fixture.path })).code).toBe(0);
  });

  it("was named by the manifest and is damaged: validate refuses it too", async () => {
    const gate = "{ max_drop: 0.02, baseline: { path: base } }";
    const files = { ...suiteFiles({ gate }), "evals/base/run.json": "{" };
    await using fixture = await createFixture(files);
    expectRefusal(await regrade(["validate", "evals/qa.yaml"], { in: fixture.path }), 2);
  });

  it("was stopped before its end", async () => {
    await using fixture = await createFixture(recorded.path);
    await editRun((found) => ({ ...found, status: "cancelled" }))(fixture);
    const end = await regrade([...run, "--baseline", "base"], { in: fixture.path });
    expectRefusal(end, 2);
    expect(end.stderr).toContain("base");
    expect(end.stderr).toContain("stopped before its end");
  });
});

/** Runs the suite twice from a recording, so that the command candidate is not called. */
async function recordBase(fixture: FsFixture): Promise<void> {
  const manifest = await fixture.readFile("evals/qa.yaml", "utf8");
  await fixture.writeFile(
    "evals/base.yaml",
    manifest.replace(/^candidates: .*$/m, "candidates: { app: { replay: outputs.jsonl } }"),
  );
  const made = await regrade(["run", "evals/base.yaml", "--out", "base"], { in: fixture.path });
  expect(made.code).toBe(0);
  await cp(fixture.getPath("base"), fixture.getPath("head"), { recursive: true });
}

async function calls(fixture: FsFixture): Promise<readonly string[]> {
  const log = await readIfThere(fixture.getPath("evals/calls.log"));
  return log.split("\n").filter((line) => line !== "");
}

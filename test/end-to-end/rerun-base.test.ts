import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import type { Run } from "../../src/model/outcomes/run.ts";
import { until } from "../support/cli.ts";
import {
  badApp,
  provide,
  programDropped,
  modelSuite,
  modelProject,
  change,
  git,
  programCases,
  programProject,
  readRun,
  start,
} from "../support/dropped-projects.ts";

/** `gate.baseline.from: rerun`: the base's candidates run in the same job. */

describe("a base that is run in the same job", () => {
  it(
    "is the baseline: in a checkout of its own, prepared, paired, and kept",
    { tags: "smoke" },
    async () => {
      await using fixture = await programProject(badApp, { gate: "{ baseline: { from: rerun } }" });
      await rm(fixture.getPath("base"), { recursive: true });
      const argv = ["run", "evals/suite.yaml", "--out", "out"];
      const refused = await start(fixture, argv);
      expect(refused.code).toBe(2);
      expect(refused.stderr).toContain("--policy-from");
      const plan = await start(fixture, [...argv, "--policy-from", "main", "--dry-run"]);
      expect(plan.stdout).toContain("words (the base): 30 samples");
      const end = await start(fixture, [...argv, "--policy-from", "main"]);
      expect(end.code).toBe(1);
      const run = await readRun(fixture);
      expect(run.baseline).toMatchObject({
        source: join("out", "baseline"),
        sha: git(fixture.path, "rev-parse", "main"),
      });
      expect(run.cases.paired).toBe(programCases);
      expect(run.gate.rules[0]?.confirmation?.outcome).toBe("confirmed");
      expect(end.leftovers).toEqual([]);
      const again = await start(fixture, ["compare", join("out", "baseline"), "out", "--json"]);
      expect(JSON.stringify((JSON.parse(again.stdout) as Run).gate)).toBe(JSON.stringify(run.gate));
    },
  );

  it("whose setup fails leaves no verdict, and says what it lacks", async () => {
    const candidate = "{ worker: [python3, -S, app.py], setup: [python3, -S, gone.py] }";
    const gate = "{ baseline: { from: rerun } }";
    await using fixture = await programProject(badApp, { candidate, gate });
    const argv = ["run", "evals/suite.yaml", "--out", "out", "--policy-from", "main"];
    const end = await start(fixture, argv);
    expect(end.code).toBe(4);
    expect(end.stderr).toContain("gone.py");
    expect(end.stderr).toContain("A checkout of the base has its files and nothing else");
  });

  it(
    "that fails in every case leaves no verdict: beside it nothing would look like a loss",
    { tags: "long" },
    async () => {
      const parts = {
        candidate: "{ worker: [python3, -S, app.py] }",
        gate: "{ baseline: { from: rerun } }",
      };
      await using fixture = await programProject(badApp, parts);
      const argv = ["run", "evals/suite.yaml", "--out", "out", "--policy-from", "main"];
      const end = await start(fixture, argv);
      expect(end.code).toBe(4);
      expect(end.stderr).toContain(`the base's candidate "app" failed in every case of words`);
      expect(end.stderr).toContain("`setup`");
      expect(end.stderr).not.toContain("--resume");
      expect(end.leftovers).toEqual([]);
    },
  );

  it("is of as many cases and as many repeats as the flags choose for the change", async () => {
    await using fixture = await programProject(badApp, { gate: "{ baseline: { from: rerun } }" });
    const flags = ["--max-samples", "10", "--repeats", "2", "--policy-from", "main"];
    const plan = await start(fixture, ["run", "evals/suite.yaml", ...flags, "--dry-run"]);
    expect(plan.stdout).toContain("words (the base): 20 samples");
    const end = await start(fixture, ["run", "evals/suite.yaml", "--out", "out", ...flags]);
    expect([0, 1], end.stderr).toContain(end.code);
    const [run, base] = [await readRun(fixture), await readRun(fixture, "out/baseline")];
    expect(run.request_counts.total).toBe(20);
    expect(base.request_counts.total).toBe(20);
    expect(base.suite.tasks["words"]?.repeats).toBe(2);
    expect(run.cases).toMatchObject({ paired: 10, new: 0, missing: 0 });
  });
});

/** Says in a file outside of every checkout where it stands and what it was asked. */
const tellingApp = (wrong: string): string => `import json, os, sys, time
for line in sys.stdin:
    asked = json.loads(line)
    word = asked["prompt"].split()[-1]
    with open(os.environ["ASKED"], "a") as log: log.write(os.getcwd() + " " + word + "\\n")
    time.sleep(0.03)
    print(json.dumps({"id": asked["id"], "output_text": ${wrong}}), flush=True)
`;
const tellingGood = tellingApp("word");
const tellingBad = tellingApp(`"wrong" if int(word[1:]) < ${programDropped} else word`);
const telling = {
  candidate: "{ worker: [python3, -S, app.py], setup: [python3, -S, prepare.py], env: [ASKED] }",
  run: "{ concurrency: 1 }",
  gate: "{ confirm: never, baseline: { from: rerun } }",
};

/** A run that is interrupted while the base answers. */
async function interrupted() {
  const folder = await mkdtemp(join(tmpdir(), "regrade-asked-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const log = join(folder, "log");
  const env = { ASKED: log };
  const fixture = await programProject(tellingBad, { ...telling, baseApp: tellingGood, env });
  await writeFile(log, "");
  const argv = ["run", "evals/suite.yaml", "--out", "out", "--policy-from", "main"];
  const isHead = (line: string): boolean => line.startsWith(`${fixture.getPath("evals")} `);
  /** What was asked in checkouts of the base, and in the working directory. */
  const asked = async (): Promise<{ base: readonly string[]; head: readonly string[] }> => {
    const lines = (await readFile(log, "utf8")).split("\n").filter(Boolean);
    return { base: lines.filter((each) => !isHead(each)), head: lines.filter(isHead) };
  };
  const end = await start(fixture, argv, {
    env,
    meanwhile: async ({ kill }: { kill: (signal: NodeJS.Signals) => void }) => {
      await until("the base answers", async () => (await asked()).base.length >= 6);
      kill("SIGINT");
    },
  });
  return { fixture, argv, env, asked, end };
}

describe("a run that is interrupted while its base is run", () => {
  it("goes on with the base where it was, and then with the change", async () => {
    const { fixture, argv, env, asked, end } = await interrupted();
    await using _ = fixture;
    expect(end.code, end.stderr).toBe(130);
    expect(end.stderr).toContain("stopped while the base was run for comparison");
    expect((await asked()).head).toEqual([]);
    const before = (await asked()).base.length;
    expect(before).toBeLessThan(programCases);
    const resumed = await start(fixture, [...argv, "--resume"], { env });
    expect(resumed.code, resumed.stderr).toBe(1);
    const { base, head } = await asked();
    // The one that was under way is asked once more at most.
    expect(base.length).toBeLessThanOrEqual(programCases + 1);
    expect(head).toHaveLength(programCases);
    const run = await readRun(fixture);
    expect(run.baseline?.source).toBe(join("out", "baseline"));
    expect(run).toMatchObject({ cases: { paired: programCases }, gate: { verdict: "fail" } });
    expect(run.gate.rules[0]).toMatchObject({ code: "drop_proven", broke: programDropped });
    expect(await readRun(fixture, "out/baseline")).toMatchObject({
      status: "completed",
      request_counts: { total: programCases, completed: programCases },
    });
  });

  it(
    "begins anew with a base that has moved on meanwhile, and keeps what the other said",
    { tags: "long" },
    async () => {
      const { fixture, argv, env } = await interrupted();
      await using _ = fixture;
      git(fixture.path, "switch", "--quiet", "main");
      await change(fixture, { "evals/app.py": `${tellingGood}# moved on\n` });
      const moved = git(fixture.path, "rev-parse", "main");
      git(fixture.path, "switch", "--quiet", "change");
      const resumed = await start(fixture, [...argv, "--resume"], { env });
      expect(resumed.code, resumed.stderr).toBe(1);
      const run = await readRun(fixture);
      expect(run.baseline).toMatchObject({ source: join("out", "baseline-2"), sha: moved });
      const base = await readRun(fixture, "out/baseline-2");
      expect(base).toMatchObject({ git: { sha: moved }, cases: { scored: programCases } });
      expect((await readRun(fixture, "out/baseline")).status).toBe("cancelled");
      const again = await start(fixture, ["compare", join("out", "baseline-2"), "out", "--json"]);
      expect(JSON.stringify((JSON.parse(again.stdout) as Run).gate)).toBe(JSON.stringify(run.gate));
    },
  );
});

describe("shards whose base is run when they are merged", () => {
  it("have its cost in the whole's", async () => {
    await using provider = await provide("always");
    await using fixture = await modelProject(provider, { gate: rerunGate });
    await rm(fixture.getPath("base"), { recursive: true });
    const head = await readFile(fixture.getPath("suite.yaml"), "utf8");
    const parts = { model: "old", gate: rerunGate };
    await writeFile(fixture.getPath("suite.yaml"), modelSuite(provider, parts));
    await writeFile(fixture.getPath(".gitignore"), "out/\n.regrade/\n");
    git(fixture.path, "init", "--quiet", "--initial-branch=main");
    git(fixture.path, "add", "--all");
    git(fixture.path, "commit", "--quiet", "--message=base");
    await writeFile(fixture.getPath("suite.yaml"), head);
    const shards = ["out/s1", "out/s2"];
    for (const [i, out] of shards.entries()) {
      const argv = ["run", "suite.yaml", "--shard", `${i + 1}/2`, "--out", out];
      const end = await start(fixture, [...argv, "--policy-from", "main"]);
      expect(end.code, end.stderr).toBe(0);
    }
    const argv = ["merge", ...shards, "--out", "out/all", "--policy-from", "main"];
    const end = await start(fixture, argv);
    expect(end.code, end.stderr).toBe(1);
    const all = await readRun(fixture, "out/all");
    const paid = await Promise.all(
      [...shards, "out/all/baseline"].map(async (out) => (await readRun(fixture, out)).usage),
    );
    const sum = (key: "input_tokens" | "output_tokens" | "usd"): number =>
      paid.reduce((total, usage) => total + usage[key], 0);
    expect(paid[2]?.input_tokens).toBeGreaterThan(0);
    expect(all.usage.input_tokens).toBe(sum("input_tokens"));
    expect(all.usage.output_tokens).toBe(sum("output_tokens"));
    expect(all.usage.usd).toBeCloseTo(sum("usd"), 9);
  });
});

const rerunGate = "{ baseline: { from: rerun } }";

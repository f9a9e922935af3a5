import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { createFixture, type FsFixture } from "fs-fixture";
import { describe, expect, it } from "vitest";
import type { Run } from "../../../src/model/outcomes/run.ts";
import {
  parseLines,
  readIfThere,
  readRunDirectory,
  regrade,
  until,
  type CliEnd,
} from "../../support/cli.ts";
import { suiteFiles } from "../../support/suite-files.ts";
import { patience } from "../../support/patience.ts";
import { itSome } from "../../support/rows.ts";

/** Ctrl-C and a cancelled job: out within 5 seconds, the run kept and whole, no process left behind. */

/** Answers the first two cases; then writes down its process and sits. `{setup}`: what it does first. */
const sittingApp = (setup: string): string => `import os, re, signal, subprocess, sys, time
n = int(re.search(r"(\\d+)\\+", sys.stdin.read()).group(1))
if n > 1:
    ${setup}
    with open("pids.log", "a") as log: log.write(f"{os.getpid()}\\n")
    time.sleep(60)
print(n + 1)
`;

/** Grades two cases; then writes down its process, where the sandbox lets it, and never comes back. */
const loopingGrader = (setup: string): string => `import os, signal
def grade(sample, item):
    if int(item["id"][1:]) > 1:
        ${setup}
        with open(os.path.join(os.environ["TMPDIR"], "pids.log"), "a") as log:
            log.write(f"{os.getpid()}\\n")
        while True: pass
    return 1
`;

const commands = "{ app: { command: [python3, -S, app.py] } }";
const pythonGrader = "{ type: python, file: grader.py, timeout_seconds: 60, metric_id: right }";

interface Scene {
  readonly what: string;
  readonly files: Record<string, string>;
  /** How many are in the journal by then, for certain. */
  readonly samples: number;
}

const cases = 20;
const byApp = (what: string, setup: string): Scene => ({
  what,
  samples: 2,
  files: {
    ...suiteFiles({ cases, candidates: commands, gate: "none" }),
    "evals/app.py": sittingApp(setup),
  },
});
/** What shares a batch with the loop is graded and not told yet. */
const byGrader = (what: string, setup: string): Scene => ({
  what,
  samples: 0,
  files: {
    ...suiteFiles({ cases, grader: pythonGrader, gate: "none" }),
    "evals/grader.py": loopingGrader(setup),
  },
});

const scenes: readonly Scene[] = [
  byApp("a candidate at work", "pass"),
  byApp("a candidate that ignores SIGTERM", "signal.signal(signal.SIGTERM, signal.SIG_IGN)"),
  byApp(
    "a candidate that has started a program of its own",
    'child = subprocess.Popen(["sleep", "60"]); open("pids.log", "a").write(f"{child.pid}\\n")',
  ),
  byGrader("a grader in an endless loop", "pass"),
  byGrader(
    "a grader that ignores every signal it can",
    "[signal.signal(s, signal.SIG_IGN) for s in (signal.SIGTERM, signal.SIGINT, signal.SIGALRM)]",
  ),
];

/** Who sits, of candidates and graders; the words of graders are kept, because their folder goes with the run. */
async function sitting(fixture: FsFixture, temporary: string): Promise<readonly number[]> {
  const names = await readdir(temporary, { recursive: true }).catch(() => []);
  for (const name of names.filter((each) => each.endsWith("pids.log"))) {
    await fixture.writeFile("evals/pids.log", await readIfThere(join(temporary, name)));
  }
  return pids(fixture);
}

async function pids(fixture: FsFixture): Promise<readonly number[]> {
  const log = await readIfThere(fixture.getPath("evals/pids.log"));
  return log
    .split("\n")
    .filter((line) => line !== "")
    .map(Number);
}

/** Alive and no zombie: a zombie only waits for its parent to read how it ended. */
async function isAlive(pid: number): Promise<boolean> {
  const stat = await readIfThere(`/proc/${pid}/stat`);
  return stat !== "" && !/\) Z /.test(stat);
}

async function expectNobodyLeft(fixture: FsFixture): Promise<void> {
  const started = await pids(fixture);
  expect(started.length).toBeGreaterThan(0);
  await until(
    "all processes have ended",
    async () => !(await Promise.all(started.map(isAlive))).includes(true),
    3,
  );
}

const start = ["run", "evals/qa.yaml", "--out", "out"];

/** Sends signals once two samples are in the journal and somebody sits; returns how long the end took. */
async function stopped(
  fixture: FsFixture,
  signals: readonly NodeJS.Signals[],
  { samples }: Pick<Scene, "samples">,
): Promise<CliEnd & { readonly seconds: number }> {
  let asked = 0;
  const end = await regrade(start, {
    in: fixture.path,
    meanwhile: async ({ kill, stderr, temporary }) => {
      await until("somebody sits", async () => (await sitting(fixture, temporary)).length > 0);
      await until("the samples before it", async () => {
        const text = await readIfThere(fixture.getPath("out/samples.jsonl"));
        return text.split("\n").length > samples;
      });
      asked = performance.now();
      for (const [i, signal] of signals.entries()) {
        if (i > 0) await until("the first is heard", () => stderr().includes("Stopping"));
        kill(signal);
      }
    },
  });
  return { ...end, seconds: (performance.now() - asked) / 1000 };
}

describe.each(["SIGINT", "SIGTERM"] as const)("%s in the middle of a run", (signal) => {
  itSome(scenes)("leaves a whole run behind, and no process: $what", async ({ files, samples }) => {
    await using fixture = await createFixture(files);
    const end = await stopped(fixture, [signal], { samples });
    expect(end, end.stderr).toMatchObject({ code: 130, signal: null, leftovers: [] });
    expect(end.seconds).toBeLessThan(await patience(5));
    expect(end.stderr).toContain(
      "Stopping: what has an answer already is still graded and kept. Once more to stop at once.",
    );
    expect(end.stderr).not.toMatch(/\n\s+at /);
    expect(end.stdout).toMatch(/cancelled|stopped/i);
    const out = await readRunDirectory(fixture.getPath("out"));
    expect(out.run).toMatchObject({ status: "cancelled", gate: { verdict: "error" } });
    expect(out.run.request_counts.total).toBe(out.samples.length);
    expect(out.scores).toHaveLength(out.samples.length);
    expect(out.samples.length).toBeGreaterThanOrEqual(samples);
    expect(out.samples.length).toBeLessThan(cases);
    for (const { outcome } of out.scores) expect(outcome).toBe("scored");
    await expectNobodyLeft(fixture);
  });
});

describe("a run that was stopped", () => {
  it("goes on with --resume, to the same end", { tags: "smoke" }, async () => {
    const scene = byApp("", "pass").files;
    await using fixture = await createFixture(scene);
    await stopped(fixture, ["SIGINT"], { samples: 2 });
    const { samples, run } = await readRunDirectory(fixture.getPath("out"));
    const again = await regrade(["rerun-failed", "out"], { in: fixture.path });
    const { total, planned = total } = run.request_counts;
    expect(again.stderr).toContain(
      `${planned - total} samples of ${planned} have not run: it was stopped. Go on with \`regrade run evals/qa.yaml --out out --resume\``,
    );
    const shown = await regrade(["show", "out"], { in: fixture.path });
    expect(shown.stdout).toContain("of qa: cancelled, no verdict");
    await fixture.writeFile("evals/app.py", sittingApp("pass").replace("time.sleep(60)", "pass"));
    const end = await regrade([...start, "--resume", "--json"], { in: fixture.path });
    expect(end.code, end.stderr).toBe(0);
    const out = await readRunDirectory(fixture.getPath("out"));
    expect(out.run).toMatchObject({
      status: "completed",
      cases: { declared: cases, scored: cases },
    });
    expect(out.files).toEqual(["run.json", "samples.jsonl", "scores.jsonl", "summary.md"]);
    for (const sample of samples) expect(out.samples).toContainEqual(sample);
  });

  it("is one JSON line with --json, and the suites after it are not begun", async () => {
    const files = byApp("", "pass").files;
    await using fixture = await createFixture({
      ...files,
      "evals/second.yaml": (files["evals/qa.yaml"] ?? "").replace("name: qa", "name: second"),
    });
    const end = await regrade(
      ["run", "evals/qa.yaml", "evals/second.yaml", "--out", "all", "--json"],
      {
        in: fixture.path,
        meanwhile: async ({ kill }) => {
          await until("somebody sits", async () => (await pids(fixture)).length > 0);
          kill("SIGINT");
        },
      },
    );
    expect(end.code).toBe(130);
    const runs = parseLines(end.stdout) as Run[];
    expect(runs.map(({ suite, status }) => [suite.name, status])).toEqual([["qa", "cancelled"]]);
    expect(await readIfThere(fixture.getPath("all/second/generated.jsonl"))).toBe("");
  });
});

describe("a second Ctrl-C", () => {
  itSome([scenes[1], scenes[3]].flatMap((scene) => scene ?? []))(
    "ends at once, and leaves no process behind: $what",
    async ({ files, samples }) => {
      await using fixture = await createFixture(files);
      const end = await stopped(fixture, ["SIGINT", "SIGINT"], { samples });
      expect(end).toMatchObject({ code: 130, signal: null });
      expect(end.seconds).toBeLessThan(await patience(2));
      const kept = parseLines(await readIfThere(fixture.getPath("out/samples.jsonl")));
      expect(kept.length).toBeGreaterThanOrEqual(samples);
      await expectNobodyLeft(fixture);
    },
  );
});

describe("a bug of ours", () => {
  it("is exit 70 and words on where to report it, never exit 1, and leaves no process behind", async () => {
    await using fixture = await createFixture(byApp("", "pass").files);
    // A promise that nobody waits for fails, once the candidate sits.
    const bug = `import { existsSync } from "node:fs";
      setInterval(() => existsSync("evals/pids.log") && Promise.reject(new Error("##[oops]")), 100).unref();`;
    const end = await regrade(start, {
      in: fixture.path,
      env: { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(bug)}` },
    });
    expect(end).toMatchObject({ code: 70, stdout: "" });
    expect(end.stderr).toContain("This is a bug in Regrade, not in your suite. Please report it");
    expect(end.stderr).toContain("oops");
    expect(end.stderr).not.toContain("##[");
    await expectNobodyLeft(fixture);
  });
});

describe("a signal before the first sample", () => {
  it("ends it too, with nothing half done", async () => {
    const slow =
      "import time, os\nopen(os.path.join(os.environ['TMPDIR'], 'pids.log'), 'a').write(f'{os.getpid()}\\n')\ntime.sleep(60)\ndef grade(sample, item): return 1\n";
    await using fixture = await createFixture({
      ...suiteFiles({ grader: pythonGrader, gate: "none" }),
      "evals/grader.py": slow,
    });
    let asked = 0;
    const end = await regrade(start, {
      in: fixture.path,
      meanwhile: async ({ kill, temporary }) => {
        const isImported = async (): Promise<boolean> =>
          (await sitting(fixture, temporary)).length > 0;
        await until("the grader is imported", isImported);
        asked = performance.now();
        kill("SIGINT");
      },
    });
    expect(end.code).toBe(130);
    expect((performance.now() - asked) / 1000).toBeLessThan(await patience(5));
    expect(end.stderr).not.toMatch(/\n\s+at /);
    await expectNobodyLeft(fixture);
  });
});

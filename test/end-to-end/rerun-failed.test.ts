import { cp, mkdir, rm } from "node:fs/promises";
import { statSync } from "node:fs";
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
} from "../support/cli.ts";
import { suiteFiles } from "../support/suite-files.ts";
import { itSome } from "../support/rows.ts";

/** A rerun of failed samples that is cut off ends like one that nobody disturbed, and never stands half written. */

const cases = 8;
const resume = ["run", "evals/qa.yaml", "--out", "out", "--resume"];
/** With the manifest: run.json names that of the folder that this one is a copy of. */
const again = ["rerun-failed", "out", "--suite", "evals/qa.yaml"];

/** Fails c2 and c5 for what `broken` says, and keeps c5 waiting while there is a file `hold-app`. */
const app = `import os, re, sys, time
prompt = sys.stdin.read()
with open("calls.log", "a") as log:
    log.write(prompt + "\\n")
a = int(re.search(r"(\\d+)\\+", prompt)[1])
while a == 5 and os.path.exists("hold-app"): time.sleep(0.02)
if str(a) in open("broken").read().split(): sys.exit(3)
print(a + 1)
`;

/** Ranks all answers while some are missing, and only the later half when all are there. */
const grader = `import os, time
def grade_batch(samples):
    here = os.path.dirname(__file__)
    while os.path.exists(os.path.join(here, "hold-grader")): time.sleep(0.02)
    answered = [s for s in samples if s["output_text"]]
    n = len(answered)
    return {
        "metrics": {"acc": n / len(samples)},
        "samples": [
            {"sample_id": s["sample_id"], "scores": {"rank": (i + 1) / n}}
            for i, s in enumerate(answered)
            if n < 8 or i >= 4
        ],
    }
`;

const files = {
  ...suiteFiles({
    cases,
    grader: "{ type: python, contract: batch, file: grader.py, timeout_seconds: 60 }",
    candidates: "{ app: { command: [python3, -S, app.py] } }",
    gate: "{ rules: [{ metric: acc, min: 0.9 }], max_error_rate: 1 }",
    more: [
      "metrics: [{ id: acc, range: [0, 1] }, { id: rank, range: [0, 1] }]",
      "run: { concurrency: 1 }",
    ],
  }),
  "evals/app.py": app,
  "evals/grader.py": grader,
  "evals/broken": "2 5",
};

/** A finished run of which two samples failed, the app mended since, and what an undisturbed rerun makes of it. */
let made: Promise<FsFixture> | undefined;
async function prepared(): Promise<FsFixture> {
  made ??= (async () => {
    const fixture = await createFixture(files);
    const end = await regrade(["run", "evals/qa.yaml", "--out", "out"], { in: fixture.path });
    expect(end.code, end.stderr).toBe(1);
    await fixture.writeFile("evals/broken", "");
    await rm(fixture.getPath("evals/calls.log"));
    await cp(fixture.getPath("out"), fixture.getPath("calm"), { recursive: true });
    const calm = await regrade(["rerun-failed", "calm"], { in: fixture.path });
    expect(calm.code, calm.stderr).toBe(0);
    await rm(fixture.getPath("evals/calls.log"));
    return fixture;
  })();
  return createFixture((await made).path);
}

async function calls(fixture: FsFixture): Promise<readonly string[]> {
  const log = await readIfThere(fixture.getPath("evals/calls.log"));
  return log.split("\n").filter((line) => line !== "");
}

/** Begins the rerun and stops it when its stderr, or the app's log, tells that it is where it should be. */
async function cutOff(
  fixture: FsFixture,
  signal: NodeJS.Signals,
  hold: "hold-app" | "hold-grader",
): Promise<CliEnd> {
  await fixture.writeFile(`evals/${hold}`, "");
  const end = await regrade(again, {
    in: fixture.path,
    meanwhile: async ({ kill, stderr }) => {
      const isThere = async (): Promise<boolean> =>
        hold === "hold-app"
          ? (await calls(fixture)).length === 2
          : stderr().includes("grade_batch is given");
      await until("the moment", isThere);
      kill(signal);
    },
  });
  await rm(fixture.getPath("evals", hold));
  return end;
}

async function expectAsCalm(fixture: FsFixture): Promise<void> {
  const calm = await readRunDirectory(fixture.getPath("calm"));
  const out = await readRunDirectory(fixture.getPath("out"));
  expect(calm.run).toMatchObject({ reruns: [{ samples: 2 }], request_counts: { failed: 0 } });
  expect(out.run.reruns?.map(({ samples }) => samples)).toEqual([2]);
  expect(out.run.gate.reasons).toContain(
    "2 samples that had failed or had no grade were run again; the new results count.",
  );
  const byMetric = ({ run }: typeof calm) =>
    run.metrics
      .filter(({ metric }) => metric !== "latency_seconds")
      .map(({ metric, value, n }) => ({ metric, value, n }));
  expect(byMetric(out)).toEqual(byMetric(calm));
  expect(out.scoresText).toBe(calm.scoresText);
  expect(out.run).toMatchObject({
    id: calm.run.id,
    status: "completed",
    request_counts: calm.run.request_counts,
    gate: { verdict: "pass" },
  });
  expect(out.files).toEqual(calm.files);
  expect(out.samples).toHaveLength(cases);
}

const ways = [
  ["--resume", resume],
  ["rerun-failed", again],
] as const;

describe.each(ways)("a rerun of failed samples that is cut off and goes on with %s", (_, goOn) => {
  itSome(["SIGINT", "SIGKILL"] as const)("while grade_batch is at work, by %s", async (signal) => {
    await using fixture = await prepared();
    const cut = await cutOff(fixture, signal, "hold-grader");
    expect([cut.code, cut.signal]).toContain(signal === "SIGINT" ? 130 : signal);
    expect(await calls(fixture)).toHaveLength(2);
    const end = await regrade(goOn, { in: fixture.path });
    expect(end.code, end.stderr).toBe(0);
    expect(await calls(fixture)).toHaveLength(2);
    await expectAsCalm(fixture);
  });

  it("while one of two is asked, by SIGKILL: it is not taken for finished", async () => {
    await using fixture = await prepared();
    const cut = await cutOff(fixture, "SIGKILL", "hold-app");
    expect(cut.signal).toBe("SIGKILL");
    const end = await regrade(goOn, { in: fixture.path });
    expect(end.code, end.stderr).toBe(0);
    const asked = await calls(fixture);
    expect(asked.filter((each) => each.includes("5+1"))).toHaveLength(2);
    expect(asked.filter((each) => each.includes("2+1"))).toHaveLength(1);
    await expectAsCalm(fixture);
  });

  it("twice, by SIGKILL and by SIGINT", async () => {
    await using fixture = await prepared();
    await cutOff(fixture, "SIGKILL", "hold-app");
    await rm(fixture.getPath("evals/calls.log"));
    await cutOff(fixture, "SIGINT", "hold-grader");
    const end = await regrade(goOn, { in: fixture.path });
    expect(end.code, end.stderr).toBe(0);
    await expectAsCalm(fixture);
  });
});

describe("what failed again in a rerun that was cut off", () => {
  it(
    "stands where it is resumed, and is run again by another rerun-failed",
    { tags: "long" },
    async () => {
      await using fixture = await prepared();
      await fixture.writeFile("evals/broken", "2");
      await cutOff(fixture, "SIGINT", "hold-grader");
      await fixture.writeFile("evals/broken", "");
      await cp(fixture.getPath("out"), fixture.getPath("other"), { recursive: true });
      expect((await regrade(resume, { in: fixture.path })).code).toBe(1);
      expect(await calls(fixture)).toHaveLength(2);
      const resumed = await readRunDirectory(fixture.getPath("out"));
      expect(resumed.run).toMatchObject({ status: "completed", request_counts: { failed: 1 } });
      expect(resumed.run.reruns?.map(({ samples }) => samples)).toEqual([2]);

      await rm(fixture.getPath("out"), { recursive: true });
      await cp(fixture.getPath("other"), fixture.getPath("out"), { recursive: true });
      const end = await regrade(again, { in: fixture.path });
      expect(end.code, end.stderr).toBe(0);
      expect(await calls(fixture)).toHaveLength(3);
      await expectAsCalm(fixture);
    },
  );
});

/** Whether run.json and scores.jsonl tell of the same samples. */
async function isOneRun(fixture: FsFixture): Promise<boolean> {
  const run = JSON.parse(await readIfThere(fixture.getPath("out/run.json"))) as {
    request_counts: { completed: number };
  };
  const rows = parseLines(await readIfThere(fixture.getPath("out/scores.jsonl"))) as {
    outcome: string;
  }[];
  return rows.filter(({ outcome }) => outcome === "scored").length === run.request_counts.completed;
}

describe("a rerun of failed samples never leaves a run that is half of before", () => {
  it("where it can't write one of its files", { tags: "long" }, async () => {
    await using fixture = await prepared();
    await rm(fixture.getPath("out/summary.md"));
    await mkdir(fixture.getPath("out/summary.md"));
    const cut = await regrade(again, { in: fixture.path });
    expect(cut.code, cut.stderr).toBe(4);
    expect(cut.stderr).toContain("can't write");
    expect(await readIfThere(fixture.getPath("out/run.json"))).toBe("");
    for (const args of [
      ["report", "out"],
      ["compare", "calm", "out"],
      ["rerun-failed", "out"],
    ]) {
      const end = await regrade(args, { in: fixture.path });
      expectRefusal(end, 2);
      expect(end.stderr).toContain("ended with --resume");
    }
    await rm(fixture.getPath("out/summary.md"), { recursive: true });
    const end = await regrade(resume, { in: fixture.path });
    expect(end.code, end.stderr).toBe(0);
    await expectAsCalm(fixture);
  });

  itSome(["scores.jsonl", "summary.md", "run.json"])(
    "where it is killed when %s is another",
    async (name) => {
      for (let i = 0; i < 3; i += 1) {
        await using fixture = await prepared();
        await regrade(again, {
          in: fixture.path,
          meanwhile: async ({ kill }) => {
            spinUntilReplaced(fixture.getPath("out", name));
            kill("SIGKILL");
          },
        });
        const isWhole = (await readIfThere(fixture.getPath("out/run.json"))) !== "";
        if (isWhole) expect(await isOneRun(fixture)).toBe(true);
        else expectRefusal(await regrade(["report", "out"], { in: fixture.path }), 2);
        const end = await regrade(isWhole ? again : resume, {
          in: fixture.path,
        });
        expect(end.code, end.stderr).toBe(0);
        const out = await readRunDirectory(fixture.getPath("out"));
        expect(out.scoresText).toBe((await readRunDirectory(fixture.getPath("calm"))).scoresText);
        expect(out.run.reruns?.map(({ samples }) => samples)).toEqual([2]);
      }
    },
  );
});

/** Without letting go: between two of its files are fractions of a millisecond. */
function spinUntilReplaced(path: string): void {
  const look = (): number => statSync(path, { throwIfNoEntry: false })?.ino ?? 0;
  const before = look();
  const deadline = performance.now() + 30_000;
  while (look() === before)
    if (performance.now() > deadline) throw new Error(`${path} stays what it was`);
}

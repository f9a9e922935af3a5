import { accessSync, chownSync, constants, mkdtempSync, realpathSync, statSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { createFixture } from "fs-fixture";
import { afterAll, describe, expect, it } from "vitest";
import type { DoctorReport } from "../../src/model/doctor.ts";
import { regrade, repository } from "../support/cli.ts";
import { suiteFiles } from "../support/suite-files.ts";
import { itSome } from "../support/rows.ts";

/** Every known way out, tried by a grader in a host, as `regrade doctor` does it: with the sandbox and without it. */

const linux = process.platform === "linux";
const nobody = 65_534;
const isRoot = linux && process.getuid?.() === 0;
const users = isRoot ? [0, nobody] : [process.getuid?.() ?? 0];
const elsewhere = join(repository, "test/support/elsewhere.py");
const folders: string[] = [];

afterAll(async () => {
  for (const folder of folders) await rm(folder, { recursive: true, force: true });
});

/** What even a process without a sandbox can't do here, or has no target for. */
const neverOut = new Set([
  "become root by sudo",
  "send to a Unix socket by a pair",
  "read through an inherited descriptor",
]);
const rootOnly = new Set(["mount a file system"]);
/** Forbidden to other users by a setting that many systems have. */
const bySetting = new Set([
  "trace the run",
  "read the run's memory",
  "open the run's memory in /proc",
  "make a user namespace",
]);

describe.skipIf(!linux)("a grader in its host", () => {
  itSome(users)(
    "gets out nowhere with the sandbox, and everywhere without it (user %i)",
    async (user) => {
      const python = pythonFor(user);
      if (python === undefined)
        return expect.unreachable("no Python here that this user can start");
      const within = await examine(["--sandbox", "auto"], { user, python });
      const without = await examine(["--sandbox", "off"], { user, python });
      if (within.report.sandbox.report?.level !== "landlock+seccomp") {
        // An older kernel holds less, and says so.
        expect(within.report.holds).toBe(false);
        return undefined;
      }
      expect(within.report.holds).toBe(true);
      expect(without.report.sandbox.report?.level).toBe("off");
      const rows = within.report.escapes.map(({ escape, outcome, said }, i) => {
        const before = without.report.escapes[i]?.outcome ?? "missing";
        return { escape, before, outcome, said };
      });
      console.log(
        rows
          .map(
            (row) =>
              `${String(user).padStart(6)}  ${row.escape.padEnd(40)} ${row.before.padEnd(8)} ${row.outcome.padEnd(8)} ${row.said}`,
          )
          .join("\n"),
      );
      const { programs } = within.report;
      expect(programs?.escapes.length, programs?.problem).toBeGreaterThan(32);
      expect(programs?.escapes.filter(({ outcome }) => outcome === "out")).toEqual([]);
      expect(rows.length).toBeGreaterThan(35);
      expect(rows.filter(({ outcome }) => outcome === "out")).toEqual([]);
      const excused = (escape: string): boolean =>
        neverOut.has(escape) || (user !== 0 && (rootOnly.has(escape) || bySetting.has(escape)));
      expect(rows.filter(({ escape, before }) => before !== "out" && !excused(escape))).toEqual([]);
      return undefined;
    },
    120_000,
  );

  it("can still do what graders do", async () => {
    const grader = `import asyncio, hashlib, json, sqlite3, tempfile, threading, zoneinfo
from datetime import datetime
from pathlib import Path
from helpers.words import words

HERE = Path(__file__).parent

async def wait():
    await asyncio.sleep(0)
    return 1

def grade(sample, item):
    found = {
        "data": json.loads((HERE / "data" / "extra.json").read_text())["x"],
        "allowed": (HERE.parent / "lists" / "allowed.txt").read_text().strip(),
        "import": words(),
        "zone": datetime(2026, 1, 1, tzinfo=zoneinfo.ZoneInfo("Europe/Berlin")).utcoffset().seconds,
        "digest": hashlib.md5(b"x").hexdigest()[:4],
        "async": asyncio.run(wait()),
        "home": Path.home().is_dir(),
    }
    thread = threading.Thread(target=found.update, args=({"thread": True},))
    thread.start()
    thread.join()
    with tempfile.TemporaryDirectory() as folder:
        with sqlite3.connect(Path(folder) / "a.db") as base:
            base.execute("create table t (x)")
        (Path(folder) / "a.db").rename(Path(folder) / "b.db")
        found["temporary"] = sorted(path.name for path in Path(folder).iterdir())
    with tempfile.NamedTemporaryFile("w+") as file:
        file.write("x")
    return {"scores": {"score": 1.0}, "judge": found}
`;
    const files = {
      ...suiteFiles({
        cases: 2,
        grader: "{ type: python, file: graders/own.py, allow_read: [lists/allowed.txt] }",
        gate: "none",
      }),
      "evals/graders/own.py": grader,
      "evals/graders/helpers/__init__.py": "",
      "evals/graders/helpers/words.py": "def words():\n    return 'words'\n",
      "evals/graders/data/extra.json": '{"x": 7}',
      "evals/lists/allowed.txt": "allowed\n",
    };
    await using fixture = await createFixture(files);
    const end = await regrade(["run", "evals/qa.yaml", "--out", "out"], { in: fixture.path });
    const samples = await fixture.readFile("out/samples.jsonl", "utf8");
    const judges = samples
      .trim()
      .split("\n")
      .map((line) => (JSON.parse(line) as { judge: unknown }).judge);
    const judge = {
      data: 7,
      allowed: "allowed",
      import: "words",
      zone: 3600,
      digest: "9dd4",
      async: 1,
      home: true,
      thread: true,
      temporary: ["b.db"],
    };
    expect(judges, end.stderr).toEqual([judge, judge]);
  });

  it(
    "changes no other sample's result through the descriptors that it finds",
    { tags: "long" },
    async () => {
      const grader = `import os

def grade(sample, item):
    right = 1.0 if sample["extracted_output"] == item["target"] else 0.0
    if item["id"] == "c1":
        line = b'{"result":{"kind":"scored","scores":{"score":1.0},"judge":null},"printed":null}'
        for descriptor in range(3, 1024):
            for text in (line, len(line).to_bytes(4, "big") + line, line + b"\\n"):
                try:
                    os.write(descriptor, text)
                except OSError:
                    break
    return right
`;
      const wrong = new Set([0, 2, 3]);
      const files = {
        ...suiteFiles({
          cases: 12,
          answer: (i) => (wrong.has(i) ? "wrong" : undefined),
          grader: "{ type: python, file: graders/own.py }",
          gate: "none",
        }),
        "evals/graders/own.py": grader,
      };
      await using fixture = await createFixture(files);
      const end = await regrade(["run", "evals/qa.yaml", "--out", "out", "--json"], {
        in: fixture.path,
      });
      const samples = (await fixture.readFile("out/samples.jsonl", "utf8"))
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line) as { case_id: string; scores: Record<string, number> });
      const scores = Object.fromEntries(
        samples.map(({ case_id, scores: { score } }) => [case_id, score]),
      );
      expect(end.stderr).not.toContain("bug in Regrade");
      expect(scores["c0"]).toBe(0);
      expect(scores["c2"]).toBe(0);
      expect(scores["c3"]).toBe(0);
    },
  );
});

describe.skipIf(!linux)("a kernel that can't hold files and network", { tags: "long" }, () => {
  const kernels = [
    { without: ["landlock"], missing: "Landlock", level: /^(seccomp|none)$/ },
    { without: ["seccomp"], missing: "seccomp", level: /^(landlock|none)$/ },
  ];
  itSome(kernels)(
    "is refused where the sandbox is required, and told of elsewhere: without $without",
    async ({ without, missing, level }) => {
      await using fixture = await createFixture(suiteFiles());
      const under = ["python3", "-B", elsewhere, ...without.flatMap((name) => ["--without", name])];
      const refused = await regrade(["run", "evals/qa.yaml", "--sandbox", "required"], {
        in: fixture.path,
        under,
      });
      expect(refused.code).toBe(2);
      expect(refused.stderr).toContain(missing);
      expect(refused.stderr).toMatch(/sandbox:? auto/);
      const run = await regrade(["run", "evals/qa.yaml", "--out", "out"], {
        in: fixture.path,
        under,
      });
      const { sandbox } = JSON.parse(await fixture.readFile("out/run.json", "utf8")) as {
        sandbox: { level: string };
      };
      expect(sandbox.level).toMatch(level);
      expect(run.stderr).toContain("not fully held");
      expect(run.stdout).toContain(`sandbox   ${sandbox.level}`);
      const doctor = await regrade(["doctor", "--sandbox", "required"], {
        in: fixture.path,
        under,
      });
      expect(doctor.code).toBe(4);
      expect(doctor.stdout).toContain("--sandbox required can't be met here");
    },
    120_000,
  );
});

async function examine(
  argv: readonly string[],
  { user, python }: { user: number; python: string },
): Promise<{ report: DoctorReport }> {
  const folder = mkdtempSync(join(tmpdir(), "regrade-doctor-"));
  folders.push(folder);
  const other = user !== (process.getuid?.() ?? user);
  if (other) chownSync(folder, user, user);
  const under = other ? ["python3", "-B", elsewhere, "--user", String(user)] : [];
  const env = { TMPDIR: folder, OPENAI_API_KEY: "sk-not-shown" };
  const end = await regrade(["doctor", "--json", "--python", python, ...argv], {
    in: folder,
    under,
    env,
  });
  expect(end.stdout, end.stderr).not.toContain("sk-not-shown");
  expect(end.code).toBe(0);
  const report = JSON.parse(end.stdout) as DoctorReport;
  expect(report.sandbox.problem).toBeUndefined();
  expect(report.keys).toContainEqual({ name: "OPENAI_API_KEY", present: true });
  return { report };
}

/** The interpreter on PATH, or the system's where that one lies in a folder that the other user can't enter. */
function pythonFor(user: number): string | undefined {
  if (user === process.getuid?.()) return "python3";
  return ["/usr/bin/python3", "/usr/local/bin/python3"].find((path) => {
    try {
      accessSync(path, constants.X_OK);
      return parents(realpathSync(path)).every((folder) => (statSync(folder).mode & 1) === 1);
    } catch {
      return false;
    }
  });
}

function parents(path: string): readonly string[] {
  const parent = dirname(resolve(path));
  return parent === path ? [] : [parent, ...parents(parent)];
}

import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, link, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createFixture, type FsFixture } from "fs-fixture";
import { beforeAll, describe, expect, it } from "vitest";
import type { DoctorReport } from "../../src/model/doctor.ts";
import { git, judgeChange, makeChange } from "../support/change.ts";
import { patience } from "../support/patience.ts";
import { expectRefusal, jsonLines, readRunDirectory, regrade, repository } from "../support/cli.ts";
import { itSome } from "../support/rows.ts";

/** Programs behind a fence: what they are asked to do shows them no answers. */

const attempts = await readFile("test/fixtures/fence/attempts.py", "utf8");

const kinds = {
  command: "command: [python3, attempts.py]",
  worker: "worker: [python3, attempts.py, worker]",
  agent: "agent: { command: [python3, attempts.py, agent], events: regrade }",
} as const;

const suiteOf = (candidate: string): string => `name: qa
dataset: { file: cases.jsonl, id_field: id }
prompt_template: "{{do}}"
target_template: "{{want}}"
grader: exact_match
candidates:
  app: { ${candidate} }
gate: none
`;

const fenced = (kind: keyof typeof kinds, more = "fence: required"): string =>
  `${kinds[kind]}, ${more}, inputs: [attempts.py]`;

/** Ways to the answers, and to processes that could fetch them. `{}` is the folder, `{pid}` a process outside. */
const ways: readonly (readonly [string, string])[] = [
  ["read the data set", "read {}/cases.jsonl"],
  ["read the suite", "read {}/suite.yaml"],
  ["read another file of the checkout", "read {}/notes.txt"],
  ["read it by a symbolic link", "link {}/cases.jsonl"],
  ["read it by a hard link", "link_hard {}/cases.jsonl"],
  ["move it", "move {}/old.jsonl"],
  ["read it by the root of its own process", "read /proc/self/root{}/cases.jsonl"],
  ["read it by its working folder", "read /proc/self/cwd/../{name}/cases.jsonl"],
  ["read it by the root of another process", "read /proc/{pid}/root{}/cases.jsonl"],
  ["read the environment of another process", "read /proc/{pid}/environ"],
  ["read the memory of another process", "opened /proc/{pid}/mem"],
  ["list the descriptors of another process", "list /proc/{pid}/fd"],
  ["use an inherited descriptor", "descriptors -"],
  ["read git's head", "read {}/.git/HEAD"],
  ["ask git for the committed answers", "git -C {} show HEAD:cases.jsonl"],
  ["read the run's answers", "read {}/run/generated.jsonl"],
  ["read an earlier run", "read {}/.regrade/runs/run_1/samples.jsonl"],
  ["read the answers kept for later runs", "read {cache}/earlier.jsonl"],
  ["list the folders of other samples", "list {tmp}"],
  ["read what another sample left", "read {other}/workspace/found.txt"],
  ["write into its own program", "write {}/attempts.py"],
  ["cut the data set", "cut {}/notes.txt"],
  ["connect to a socket with a path", "unix {}/socket"],
  ["connect to a socket with a name", "unix @regrade-test-{pid}"],
  ["open a pair of sockets that sends to any path", "datagram -"],
  ["open sockets by a ring", "ring -"],
  ["mount the checkout elsewhere", "mount {}"],
  ["trace another process", "trace {pid}"],
  ["signal another process", "signal {pid}"],
  ["limit another process", "limit {pid}"],
  ["have rights that others have not", "capabilities -"],
];

/** Runs all attempts of a kind in one run, around which are the things that they are to reach. */
async function tryAll(
  kind: keyof typeof kinds,
  more: string,
): Promise<ReadonlyMap<string, string>> {
  const outside = spawn("sleep", ["600"], { stdio: "ignore" });
  await using fixture = await createFixture({
    "attempts.py": attempts,
    "notes.txt": "the answer is 42",
    "old.jsonl": "42",
    "home/.keep": "",
    "cache/regrade/answers/earlier.jsonl": "42",
    ".regrade/runs/run_1/samples.jsonl": "{}",
    "suite.yaml": suiteOf(fenced(kind, more)),
  });
  const servers = await listenAt([join(fixture.path, "socket"), `\0regrade-test-${outside.pid}`]);
  const other = await mkdtemp(join(tmpdir(), "regrade-agent-"));
  try {
    await mkdir(join(other, "workspace"), { recursive: true });
    await writeFile(join(other, "workspace/found.txt"), "42");
    await writeFile(fixture.getPath("cases.jsonl"), rowsFor(fixture, other, outside.pid ?? 0));
    commitAll(fixture);
    const end = await regrade(["run", "suite.yaml", "--out", "run"], {
      in: fixture.path,
      env: {
        HOME: fixture.getPath("home"),
        XDG_CACHE_HOME: fixture.getPath("cache"),
        TMPDIR: tmpdir(),
      },
      under: ["/bin/sh", "-c", 'exec "$@" 7<cases.jsonl', "sh"],
    });
    expect(end.code, end.stderr).toBe(0);
    const { samples } = await readRunDirectory(fixture.getPath("run"));
    return new Map(samples.map(({ case_id, output_text }) => [case_id, output_text ?? ""]));
  } finally {
    outside.kill("SIGKILL");
    for (const server of servers) server.close();
    await rm(other, { recursive: true, force: true });
  }
}

function rowsFor(fixture: FsFixture, other: string, pid: number): string {
  const path = fixture.path.replace(/\/$/, "");
  const filled = (text: string): string =>
    text
      .replaceAll("{}", path)
      .replaceAll("{name}", path.split("/").at(-1) ?? "")
      .replaceAll("{pid}", String(pid))
      .replaceAll("{cache}", fixture.getPath("cache/regrade/answers"))
      .replaceAll("{other}", other)
      .replaceAll("{tmp}", tmpdir());
  return jsonLines(ways.map(([id, text]) => ({ id, do: filled(text), want: "" })));
}

function commitAll(fixture: FsFixture): void {
  git(fixture.path, "init", "--quiet", "--initial-branch=main");
  git(fixture.path, "add", "cases.jsonl", "suite.yaml", "attempts.py");
  git(fixture.path, "commit", "--quiet", "--message=base");
}

const listenAt = (paths: readonly string[]) =>
  Promise.all(
    paths.map(async (path) => {
      const server = createServer((socket) => socket.end());
      await new Promise<void>((resolve) => server.listen({ path }, resolve));
      return server;
    }),
  );

const hasFence = process.platform === "linux";

describe.skipIf(!hasFence)("a program behind a fence", () => {
  describe.each(["command", "worker", "agent"] as const)("as %s", (kind) => {
    let found: ReadonlyMap<string, string>;
    beforeAll(async () => {
      found = await tryAll(kind, "fence: required");
    });

    it.each(ways)("can't %s", (id) => {
      expect(found.get(id)).toMatch(/^closed: /);
    });
  });

  it("could do so without: each attempt has something to reach", async () => {
    const found = await tryAll("command", "fence: off");
    // Node hands no descriptors on; rights and mounts depend on the user, the others on the kernel's settings.
    const apart = [
      "use an inherited",
      "have rights",
      "mount the",
      "open sockets by a ring",
      "trace",
    ];
    const reachable = ways
      .map(([id]) => id)
      .filter((id) => !apart.some((start) => id.startsWith(start)));
    expect(reachable.filter((id) => !found.get(id)?.startsWith("open: "))).toEqual([]);
  });

  it.each(["command", "worker", "agent"] as const)(
    "as %s works in its own home, and leaves neither files nor processes behind",
    async (kind) => {
      await using fixture = await createFixture({
        "attempts.py": attempts,
        "suite.yaml": suiteOf(fenced(kind)),
        "cases.jsonl": jsonLines([{ id: "a", do: "daemon -", want: "" }]),
      });
      const end = await regrade(["run", "suite.yaml", "--out", "run"], { in: fixture.path });
      expect(end.leftovers).toEqual([]);
      const { samples, run } = await readRunDirectory(fixture.getPath("run"));
      const pid = Number(samples[0]?.output_text?.replace("open: ", ""));
      expect(pid).toBeGreaterThan(1);
      expect(() => process.kill(pid, 0)).toThrow("ESRCH");
      expect(run.candidates).toMatchObject([
        { id: "app", fence: { asked: "required", level: "landlock+seccomp" } },
      ]);
    },
  );

  it("is granted no home that its program is installed in", async () => {
    await using fixture = await createFixture({
      "home/bin/tool": attempts.replace(/^/, "#!/usr/bin/env python3\n"),
      "home/secret.txt": "42",
      "work/a.txt": "",
      "work/suite.yaml": suiteOf("command: [tool], fence: required, inputs: [a.txt]"),
    });
    await chmod(fixture.getPath("home/bin/tool"), 0o755);
    const home = fixture.getPath("home");
    const rows = [
      { id: "a", do: `read ${home}/secret.txt`, want: "closed: PermissionError" },
      { id: "b", do: "work x", want: "open: x" },
    ];
    await fixture.writeFile("work/cases.jsonl", jsonLines(rows));
    const env = { HOME: home, PATH: `${home}/bin:${process.env["PATH"]}` };
    const end = await regrade(["run", "suite.yaml", "--out", "../run"], {
      in: fixture.getPath("work"),
      env,
    });
    expect(end.code, end.stderr).toBe(0);
    const { samples } = await readRunDirectory(fixture.getPath("run"));
    expect(samples.map(({ output_text, target }) => [output_text, target])).toEqual(
      samples.map(({ target }) => [target, target]),
    );
  });

  it(
    "ends a program that hangs, with all its children, within 2 seconds",
    { tags: "long" },
    async () => {
      const limit = await patience(2);
      await using fixture = await createFixture({
        "attempts.py": attempts,
        "suite.yaml": suiteOf(fenced("command", `fence: required, timeout_seconds: ${limit}`)),
        "cases.jsonl": jsonLines([{ id: "a", do: "hang 10", want: "" }]),
      });
      await regrade(["run", "suite.yaml", "--out", "run"], { in: fixture.path });
      const { samples } = await readRunDirectory(fixture.getPath("run"));
      expect(samples).toMatchObject([{ error: { type: "timeout" } }]);
      expect(samples[0]?.latency_ms).toBeLessThan((limit + (await patience(2))) * 1000);
      const left = execFileSync("ps", ["-eo", "args"], { encoding: "utf8" });
      expect(left).not.toContain("signal.signal(15, signal.SIG_IGN); os.fork()");
    },
  );

  it.each(["the launcher", "its group"])("ends when %s is killed", async (what) => {
    const settings = {
      read: [],
      write: [],
      listed: [],
      programs: [],
      copied: [],
      homes: [],
      around: [],
      withheld: [],
    };
    const launcher = spawn(
      "python3",
      ["-I", "python/regrade/fence.py", "1", JSON.stringify(settings)].concat(
        "/bin/sh",
        "-c",
        "setsid sleep 600 & sleep 600 & echo $!; wait",
      ),
      { detached: true, stdio: ["ignore", "pipe", "inherit"] },
    );
    const [line] = await once(launcher.stdout, "data");
    const child = Number(String(line));
    expect(() => process.kill(child, 0)).not.toThrow();
    const pid = launcher.pid ?? 0;
    process.kill(what === "the launcher" ? pid : -pid, "SIGKILL");
    await expect.poll(() => isThere(child)).toBe(false);
  });
});

const isThere = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

describe.skipIf(!hasFence)("a fence", () => {
  /** What a grant would show, by what grants it. `^` marks the position. */
  it.each([
    ["the data set", "command: [python3, attempts.py], inputs: [cases.jsonl]", "cases.jsonl"],
    ["it by a link", "command: [python3, attempts.py], inputs: [link]", "cases.jsonl"],
    ["it by a hard link", "command: [python3, attempts.py], inputs: [hard]", "cases.jsonl"],
    ["it by a glob", 'worker: [python3, attempts.py], inputs: ["*"]', "cases.jsonl"],
    ["it as a word", "command: [cat, cases.jsonl], inputs: [attempts.py]", "cases.jsonl"],
    ["the suite", "worker: [python3, attempts.py], inputs: [suite.yaml]", "the suite suite.yaml"],
    ["the baseline", `${kinds.agent}, inputs: ["base/**"]`, "the baseline base"],
    ["the run directory", `${kinds.agent}, inputs: ["run/**"]`, "the run directory"],
    ["an earlier run", `${kinds.command}, inputs: ["old/*"]`, "the run in"],
    ["it as a workspace", `${kinds.agent}, workspace: data, inputs: [attempts.py]`, "cases.jsonl"],
    ["git's files", `${kinds.command}, inputs: [".git/HEAD"]`, "git's own files"],
  ])("is refused where it would show %s", async (_, candidate, words) => {
    await using fixture = await createFixture({
      "attempts.py": attempts,
      "data/notes.txt": "",
      "base/run.json": "{}",
      "run/run.json": "{}",
      "old/run.json": '{ "format": "regrade.run/1" }',
      "old/samples.jsonl": "",
      "suite.yaml": suiteOf(`${candidate}, fence: required`).replace(
        "gate: none",
        "gate: { baseline: { path: base }, rules: [{ metric: exact_match, min: 0 }] }",
      ),
      "cases.jsonl": jsonLines([{ id: "a", do: "work x", want: "" }]),
    });
    await symlink("cases.jsonl", fixture.getPath("link"));
    await link(fixture.getPath("cases.jsonl"), fixture.getPath("hard"));
    await link(fixture.getPath("cases.jsonl"), fixture.getPath("data/hard"));
    git(fixture.path, "init", "--quiet");
    const end = await regrade(["run", "suite.yaml", "--out", "run"], { in: fixture.path });
    expectRefusal(end, 2);
    const other = /workspace/.exec(candidate)?.[0] ?? "inputs";
    const key = candidate.includes("[cat") ? "command" : other;
    expect(end.stderr).toMatch(new RegExp(`^suite.yaml:7:\\d+: candidates.app.${key}: `, "m"));
    expect(end.stderr).toContain(words);
  });

  it.each(["command", "worker"] as const)("is refused around a %s without inputs", async (kind) => {
    await using fixture = await createFixture({
      "attempts.py": attempts,
      "suite.yaml": suiteOf(`${kinds[kind]}, fence: auto`),
      "cases.jsonl": jsonLines([{ id: "a", do: "work x", want: "" }]),
    });
    const end = await regrade(["validate", "suite.yaml"], { in: fixture.path });
    expectRefusal(end, 2);
    expect(end.stderr).toMatch(/^suite.yaml:7:\d+: candidates.app.fence: .*needs 'inputs'/m);
  });

  it("is tried by the doctor, with its level, the kernel's version and each way past it", async () => {
    const end = await regrade(["doctor", "--json"], { in: tmpdir() });
    const { fence }: DoctorReport = JSON.parse(end.stdout);
    expect(fence).toMatchObject({ level: "landlock+seccomp", holds: true });
    expect(fence?.landlock_abi).toBeGreaterThanOrEqual(3);
    expect(fence?.attempts.length).toBeGreaterThan(8);
  });

  it("is not given up by `auto` for a launcher that fails", async () => {
    await using fixture = await createFixture({
      "attempts.py": attempts,
      "suite.yaml": suiteOf(fenced("command", "fence: auto")),
      "cases.jsonl": jsonLines([{ id: "a", do: "work x", want: "" }]),
      python: '#!/bin/sh\ncase "$*" in *fence.py*) exit 3;; esac\nexec python3 "$@"\n',
    });
    await chmod(fixture.getPath("python"), 0o755);
    const end = await regrade(["run", "suite.yaml", "--python", "./python"], { in: fixture.path });
    expectRefusal(end, 2);
    expect(end.stderr).toMatch(/^suite.yaml:7:\d+: candidates.app.fence: .*can't be put up/m);
  });

  describe("where the kernel has none", () => {
    const under = ["python3", join(repository, "test/fixtures/fence/without_landlock.py")];

    it("is told as missing by the doctor", { tags: "long" }, async () => {
      const end = await regrade(["doctor"], { in: tmpdir(), under });
      expect(end.stdout).toMatch(/^Fence +none here; .*no Landlock/m);
      expect(end.stdout).toContain("`fence: required` can't be met here");
    });

    it("is missing as told, if it is `auto`", async () => {
      await using fixture = await createFixture({
        "attempts.py": attempts,
        "suite.yaml": suiteOf(fenced("command", "fence: auto")),
        "cases.jsonl": jsonLines([{ id: "a", do: "work x", want: "open: x" }]),
      });
      const end = await regrade(["run", "suite.yaml", "--out", "run"], { in: fixture.path, under });
      expect(end.code, end.stderr).toBe(0);
      expect(end.stderr).toContain("app runs without a fence");
      const { run } = await readRunDirectory(fixture.getPath("run"));
      expect(run.candidates).toMatchObject([
        { fence: { asked: "auto", level: "none", missing: [expect.stringContaining("Landlock")] } },
      ]);
    });

    it("stops the run, if it is `required`", async () => {
      await using fixture = await createFixture({
        "attempts.py": attempts,
        "suite.yaml": suiteOf(fenced("command")),
        "cases.jsonl": jsonLines([{ id: "a", do: "work x", want: "" }]),
      });
      const end = await regrade(["run", "suite.yaml", "--out", "run"], { in: fixture.path, under });
      expectRefusal(end, 2);
      expect(end.stderr).toMatch(/^suite.yaml:7:\d+: candidates.app.fence: .*no Landlock/m);
    });
  });
});

/** An agent works in its workspace, where that file is not. */
const closedTo = (candidate: string): string =>
  candidate.startsWith("agent") ? "closed: FileNotFoundError" : "closed: PermissionError";

/** A suite whose program is asked for a file that no `inputs` name. */
const reading = (candidate: string) => ({
  "evals/attempts.py": attempts,
  "evals/notes.txt": "42",
  "evals/cases.jsonl": jsonLines([{ id: "a", do: "read notes.txt", want: closedTo(candidate) }]),
  "evals/qa.yaml": suiteOf(candidate).replace(
    "gate: none",
    "gate: { rules: [{ metric: exact_match, min: 1 }] }",
  ),
});

describe.skipIf(!hasFence)("a change", () => {
  itSome([
    ["the fence of a command", fenced("command"), fenced("command", "fence: off"), "command"],
    ["the fence of a worker", fenced("worker"), fenced("worker", "timeout_seconds: 50"), "worker"],
    ["the fence of an agent", fenced("agent"), fenced("agent", "fence: off"), "agent"],
    ["the fence by another kind", fenced("worker"), fenced("command", "fence: auto"), "command"],
  ])("can't take away %s", async (...[, before, after, kind]) => {
    await using judged = await judgeChange({
      base: reading(before),
      head: { "evals/qa.yaml": reading(after)["evals/qa.yaml"] },
    });
    const { run } = judged;
    expect(run.policy?.changed.filter(({ effect }) => effect === "changed")).toMatchObject([
      { part: "candidates", note: `\`fence\` of the ${kind} \`app\` differs` },
    ]);
    expect(run.candidates).toMatchObject([{ fence: { asked: "required" } }]);
    expect(run.gate.verdict).toBe("pass");
  });

  it("can put a fence up", async () => {
    await using judged = await judgeChange({
      base: reading(`${kinds.command}, inputs: [attempts.py]`),
      head: { "evals/qa.yaml": reading(fenced("command"))["evals/qa.yaml"] },
    });
    expect(judged.run.policy?.changed).toEqual([]);
    expect(judged.run.gate.verdict).toBe("pass");
  });

  it("can't grant itself the base's data set by naming another one as its own", async () => {
    const base = reading(fenced("command"));
    await using fixture = await makeChange({
      base,
      head: {
        "evals/other.jsonl": base["evals/cases.jsonl"],
        "evals/qa.yaml": base["evals/qa.yaml"]
          .replace("file: cases.jsonl", "file: other.jsonl")
          .replace("inputs: [attempts.py]", "inputs: [cases.jsonl]"),
      },
    });
    const end = await regrade(["run", "evals/qa.yaml", "--policy-from", "main"], {
      in: fixture.path,
    });
    expectRefusal(end, 2);
    expect(end.stderr).toContain("the data set cases.jsonl");
  });
});

import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync, writeFileSync } from "node:fs";
import { relative } from "node:path";
import { createInterface } from "node:readline";
import { createFixture } from "fs-fixture";
import { describe, expect, test } from "vitest";
import { createWatchOpens } from "../../src/io/processes/open-watch.ts";
import type { OpenWatch, WatchEnd, WatchOpens } from "../../src/model/ports/processes.ts";

const launcher = ["python3", "-I", "-S", "python/regrade/watch.py"];

async function begin(
  files: Parameters<WatchOpens>[0],
  words: readonly string[] = launcher,
): Promise<OpenWatch> {
  const watch = await createWatchOpens(words)(files);
  if (watch === undefined || watch === "failed") throw new Error("nothing is watched");
  return watch;
}

/** Runs a shell's lines in a repository whose `data/qa.jsonl` is watched. */
async function watched(lines: string): Promise<WatchEnd> {
  await using fixture = await createFixture({ "data/qa.jsonl": "{}\n", "other.txt": "x" });
  const shell = (text: string): void => {
    execFileSync("sh", ["-ec", text], { cwd: fixture.path, stdio: "ignore" });
  };
  shell(
    // The index and the file are of one second, as after a fast checkout.
    [
      "ln data/qa.jsonl hard; ln -s data/qa.jsonl soft; touch -d 2001-01-01 data/qa.jsonl",
      "git init -q; git add .; git -c user.name=n -c user.email=n@example.org commit -qm x",
      "touch -d 2001-01-01 .git/index",
    ].join("; "),
  );
  const paths = [fixture.getPath("data/qa.jsonl"), fixture.getPath("missing")];
  const watch = await begin({ paths, largest: 1000 });
  shell(lines);
  const end = await watch.end();
  return {
    opened: end.opened.map((path) => relative(fixture.path, path)),
    isWhole: end.isWhole,
  };
}

/** A launcher whose system can watch this many more files. */
const withRoomFor = (files: number): readonly string[] => [
  "python3",
  "-c",
  `
import ctypes, runpy
real, left = ctypes.CDLL, ${files}
class Full:
    def __init__(self, *args, **options):
        self.inotify_init1 = (libc := real(*args, **options)).inotify_init1
        self.inotify_rm_watch, self.libc = libc.inotify_rm_watch, libc
    def inotify_add_watch(self, *args):
        global left
        left -= 1
        if left >= 0:
            return self.libc.inotify_add_watch(*args)
        ctypes.set_errno(28)
        return -1
ctypes.CDLL = Full
runpy.run_path("python/regrade/watch.py", run_name="__main__")
`,
];

describe.runIf(process.platform === "linux")("a watch on a file", () => {
  test("fails where the system can't watch all of them", async () => {
    await using fixture = await createFixture({ "a.jsonl": "{}", "b.jsonl": "{}" });
    const paths = [fixture.getPath("a.jsonl"), fixture.getPath("b.jsonl")];
    expect(await createWatchOpens(withRoomFor(1))({ paths, largest: 9 })).toBe("failed");
    const [first = ""] = paths;
    const watch = await begin({ paths: [first], largest: 9, more: [] }, withRoomFor(1));
    await watch.rest();
    await watch.resume(paths);
    expect((await watch.end()).isWhole).toBe(false);
  });

  test("tells of all openings that wait at the end", async () => {
    await using fixture = await createFixture({});
    const paths = Array.from({ length: 2100 }, (_, i) => fixture.getPath(`${i}.jsonl`));
    for (const path of paths) writeFileSync(path, "");
    const [program = "", ...words] = launcher;
    const child = spawn(program, words, { stdio: ["pipe", "pipe", "ignore"] });
    const lines: string[] = [];
    const said = createInterface({ input: child.stdout }).on("line", (line) => lines.push(line));
    child.stdin.write(`${JSON.stringify([paths, []])}\n`);
    await once(said, "line");
    // A busy machine lets the watch wait.
    child.kill("SIGSTOP");
    for (const path of paths) closeSync(openSync(path, "r"));
    child.stdin.end();
    child.kill("SIGCONT");
    await once(said, "close");
    const opened = lines.filter((line) => /^\d+$/.test(line)).length;
    expect({ opened, end: lines.includes('"end"') }).toEqual({ opened: 2100, end: true });
  });

  test.each([
    ["its path", "cat data/qa.jsonl"],
    ["a hard link", "cat hard"],
    ["a symbolic link", "cat soft"],
    ["another name of its folder", "cd data/../data/.; cat ./qa.jsonl"],
    ["a copy", "cp -r data copy"],
    ["a search", "grep -r x . || true"],
    ["git's copy", "git cat-file -p HEAD:data/qa.jsonl"],
    ["a process that goes on alone", "setsid cat data/qa.jsonl"],
  ])("sees that it is opened by %s", async (_, lines) => {
    expect(await watched(lines)).toEqual({ opened: ["data/qa.jsonl"], isWhole: true });
  });

  test("sees nothing where names, sizes and other files are read", async () => {
    const lines =
      "git describe --always --dirty; git status; ls -lR; stat data/qa.jsonl; cat other.txt; git rev-parse HEAD; git log -1";
    expect(await watched(lines)).toEqual({ opened: [], isWhole: true });
  });

  test("sees only openings of the data set while it rests, and others again after that", async () => {
    await using fixture = await createFixture({ "a.jsonl": "{}", "b.jsonl": "{}", "c.txt": "" });
    const [first, second, other] = ["a.jsonl", "b.jsonl", "c.txt"].map((name) =>
      fixture.getPath(name),
    ) as [string, string, string];
    const files = { paths: [first, second], largest: 9, more: [other] };
    const watch = await begin(files);
    await watch.rest();
    await fixture.readFile("a.jsonl");
    await fixture.readFile("c.txt");
    await watch.resume([other]);
    await fixture.readFile("b.jsonl");
    expect(await watch.end()).toEqual({ opened: [first, second], isWhole: true });
    const again = await begin(files);
    await again.rest();
    await again.resume([other]);
    await fixture.readFile("c.txt");
    expect(await again.end()).toEqual({ opened: [other], isWhole: true });
  });

  test("tells that something ended it", async () => {
    const lines = `for each in /proc/[0-9]*; do
      tr '\\0' ' ' < $each/cmdline 2>/dev/null | grep -q "^python3 -I -S $PWD/watch.py" && kill -9 \${each#/proc/}
    done; true`;
    await using fixture = await createFixture({ "a.jsonl": "" });
    execFileSync("cp", ["python/regrade/watch.py", fixture.path]);
    const own = ["python3", "-I", "-S", `${fixture.path.replace(/\/$/, "")}/watch.py`];
    const watch = await begin({ paths: [fixture.getPath("a.jsonl")], largest: 9 }, own);
    execFileSync("sh", ["-c", lines], { cwd: fixture.path });
    expect(await watch.end()).toEqual({ opened: [], isWhole: false });
  });

  test("watches what is always watched at any size, and while it rests", async () => {
    await using fixture = await createFixture({ "a.jsonl": "long", "b.md": "longer" });
    const [large, page] = [fixture.getPath("a.jsonl"), fixture.getPath("b.md")];
    const watch = await begin({ paths: [large], largest: 2, always: [page] });
    await watch.rest();
    await fixture.readFile("b.md");
    await fixture.readFile("a.jsonl");
    expect(await watch.end()).toEqual({ opened: [page], isWhole: true });
  });

  test("fails where it may open no further file", async () => {
    await using fixture = await createFixture({ "a.jsonl": "{}" });
    const script = `import __future__, ctypes, hashlib, json, os, resource, select, signal, struct, sys
code = compile(open("python/regrade/watch.py").read(), "watch.py", "exec")
resource.setrlimit(resource.RLIMIT_NOFILE, (3, 3))
exec(code, {"__name__": "__main__"})
`;
    const files = { paths: [fixture.getPath("a.jsonl")], largest: 9 };
    expect(await createWatchOpens(["python3", "-c", script])(files)).toBe("failed");
  });

  test("is not there for larger files, or without Python", async () => {
    await using fixture = await createFixture({ "a.jsonl": "long" });
    const paths = [fixture.getPath("a.jsonl")];
    expect(await createWatchOpens(launcher)({ paths, largest: 2 })).toBeUndefined();
    expect(await createWatchOpens(["no-python"])({ paths, largest: 9 })).toBe("failed");
  });
});

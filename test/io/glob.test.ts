import { chmod, mkdir, symlink, writeFile } from "node:fs/promises";
import { createFixture, type FsFixture } from "fs-fixture";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { hashText } from "../../src/io/files/files.ts";
import { expandGlob, hashGlobs } from "../../src/io/files/glob.ts";
import { walkGlob } from "../../src/io/files/glob-walk.ts";
import { git } from "../support/change.ts";

let fixture: FsFixture;
beforeAll(async () => {
  fixture = await createFixture({
    "a.txt": "hello\n",
    "app/main.py": "main",
    "app/sub/part.py": "part",
    "app/sub/.hidden.py": "hidden",
    "app/.config/deep.py": "deep",
    "app/.git/config": "git's own",
    "app/.regrade/runs/r/run.json": "ours",
    "app/notes.md": "notes",
    "folder/keep": "",
    "shared/lib.py": "lib",
    "shared/more/far.py": "far",
    "linked/own.py": "own",
    "odd/[x].py": "brackets",
    "outside/secret.py": "secret",
    "inside/part.py": "part",
  });
  await symlink("../shared", fixture.getPath("linked/shared"));
  await symlink("../shared/lib.py", fixture.getPath("linked/file.py"));
  await symlink(".", fixture.getPath("linked/loop"));
  await symlink("../linked", fixture.getPath("shared/back"));
  await symlink(fixture.getPath("outside"), fixture.getPath("inside/away"));
  await symlink(fixture.getPath("outside/secret.py"), fixture.getPath("inside/secret.py"));
});
afterAll(() => fixture.rm());

const closed: ReadonlySet<string> = new Set([".git"]);
const shell = { dot: false, closed };
const all = { dot: true, closed };

describe("the files that a glob matches", () => {
  it.each([
    ["app/**", ["app/main.py", "app/notes.md", "app/sub/part.py"]],
    ["app/sub/.*", ["app/sub/.hidden.py"]],
    ["app/*.py", ["app/main.py"]],
    ["app/**/part.py", ["app/sub/part.py"]],
    ["app/{sub/part,main}.py", ["app/main.py", "app/sub/part.py"]],
    ["{app,shared}/*.py", ["app/main.py", "shared/lib.py"]],
    ["odd/\\[x\\].py", ["odd/[x].py"]],
    ["a.txt", ["a.txt"]],
    ["./a.txt", ["a.txt"]],
    ["app//main.py", ["app/main.py"]],
    ["app", []],
    ["nothing/**", []],
    ["../**/a.txt", []],
    ["/etc/*", []],
  ])("%s gives %j, without names that begin with a dot", async (pattern, expected) => {
    const bounds = { directory: fixture.path, root: fixture.path };
    expect((await expandGlob(pattern, bounds, shell)).files).toEqual(expected);
  });

  it.each([
    ["../app/**", ["../app/main.py", "../app/notes.md", "../app/sub/part.py"]],
    ["../app/main.py", ["../app/main.py"]],
    ["../app/../a.txt", ["../a.txt"]],
    ["../folder/*", ["keep"]],
    ["../../**", []],
    ["../..", []],
    ["../{app,..}/m*", ["../app/main.py"]],
    ["../+(..)/*", []],
    ["{..,x}/{..,y}/*", []],
  ])(
    "%s from a folder below the root gives %j, and never leaves the root",
    async (pattern, expected) => {
      const bounds = { directory: fixture.getPath("folder"), root: fixture.path };
      expect((await expandGlob(pattern, bounds, shell)).files).toEqual(expected);
    },
  );

  it("include those whose names begin with a dot where that is asked for, and git's own never", async () => {
    const bounds = { directory: fixture.path, root: fixture.path };
    expect((await expandGlob("app/**/*.py", bounds, all)).files).toEqual([
      "app/.config/deep.py",
      "app/main.py",
      "app/sub/.hidden.py",
      "app/sub/part.py",
    ]);
    const { files } = await hashGlobs(["app/**"], bounds);
    expect(Object.keys(files).filter((path) => /\.git|\.regrade/.test(path))).toEqual([]);
  });

  it("are looked for behind linked folders, once round a loop of links", async () => {
    const bounds = { directory: fixture.path, root: fixture.path };
    expect((await expandGlob("linked/**/*.py", bounds, all)).files).toEqual([
      "linked/file.py",
      "linked/own.py",
      "linked/shared/lib.py",
      "linked/shared/more/far.py",
    ]);
  });

  it("are hashed by content, once each, and those that match nothing are named", async () => {
    const bounds = { directory: fixture.path, root: fixture.path };
    expect(await hashGlobs(["app/*.py", "app/main.*", "gone"], bounds)).toEqual({
      files: { "app/main.py": hashText("main") },
      unmatched: ["gone"],
      outside: [],
      unnamed: [],
    });
  });

  it("are hashed with all that a commit may change of them: where links lead that lead nowhere, and what may be executed", async () => {
    await using own = await createFixture({ "a.sh": "echo", "b.sh": "echo" });
    await chmod(own.getPath("a.sh"), 0o755);
    await symlink("nowhere", own.getPath("link"));
    const { files } = await hashGlobs(["**"], { directory: own.path, root: own.path });
    expect(files).toEqual({
      "a.sh": `${hashText("echo")} x`,
      "b.sh": hashText("echo"),
      link: "link to nowhere",
    });
  });

  it.runIf(process.platform === "linux")(
    "are named where their names are no text, so that they can't be opened",
    async () => {
      await using own = await createFixture({ "lib/a": "a" });
      await writeFile(Buffer.from(own.getPath("lib/b\xff"), "latin1"), "b");
      await mkdir(Buffer.from(own.getPath("lib/c\xff"), "latin1"));
      const found = await hashGlobs(["lib/**"], { directory: own.path, root: own.path });
      expect(Object.keys(found.files)).toEqual(["lib/a"]);
      expect(found.unnamed).toEqual(["lib/b\ufffd", "lib/c\ufffd"]);
    },
  );

  it("are those of a folder called as ours too, where a commit brought it", async () => {
    await using own = await createFixture({ "lib/.regrade/x": "x", "lib/a": "a" });
    git(own.path, "init", "--quiet");
    const hashed = async (): Promise<readonly string[]> =>
      Object.keys((await hashGlobs(["lib/**"], { directory: own.path, root: own.path })).files);
    expect(await hashed()).toEqual(["lib/a"]);
    git(own.path, "add", "--all");
    expect(await hashed()).toEqual(["lib/.regrade/x", "lib/a"]);
  });

  it("are told from links that lead out of the root, which are named", async () => {
    const bounds = { directory: fixture.getPath("inside"), root: fixture.getPath("inside") };
    const found = await hashGlobs(["**/*.py", "away/secret.py"], bounds);
    expect(Object.keys(found.files)).toEqual(["part.py"]);
    expect(found.outside).toEqual(["away", "secret.py"]);
  });

  it("of an absolute pattern are absolute", async () => {
    const pattern = fixture.getPath("app/m*.py");
    expect(await walkGlob(pattern, { ...shell, directory: "/" })).toEqual([
      fixture.getPath("app/main.py"),
    ]);
  });
});

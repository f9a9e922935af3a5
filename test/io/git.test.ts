import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { createFixture } from "fs-fixture";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import {
  isInGit,
  isOfCommit,
  listTracked,
  readCheckout,
  readGitHead,
} from "../../src/io/git/git.ts";

function git(directory: string, ...args: string[]): string {
  const identity = ["-c", "user.name=a", "-c", "user.email=a@example.org"];
  return execFileSync("git", [...identity, ...args], { cwd: directory })
    .toString()
    .trim();
}

describe("where a run was made", () => {
  it("is the commit and the branch", async () => {
    await using folder = await createFixture({ "a.txt": "a" });
    git(folder.path, "init", "--quiet", "--initial-branch=main");
    expect(await readGitHead(folder.path)).toEqual({ sha: null, ref: "refs/heads/main" });
    git(folder.path, "add", ".");
    git(folder.path, "commit", "--quiet", "--message=first");
    const sha = git(folder.path, "rev-parse", "HEAD");
    expect(await readGitHead(folder.path)).toEqual({ sha, ref: "refs/heads/main" });
    expect(await readCheckout(folder.path)).toEqual({ sha, parents: [] });
    git(folder.path, "checkout", "--quiet", "--detach");
    expect(await readGitHead(folder.path)).toEqual({ sha, ref: null });
  });

  it("is told alike beside a branch and a tag called HEAD, with the parents of a merge", async () => {
    await using folder = await createFixture({});
    const { path } = folder;
    git(path, "init", "--quiet", "--initial-branch=main");
    expect(await readCheckout(path)).toBeUndefined();
    git(path, "commit", "--quiet", "--allow-empty", "--message=first");
    const first = git(path, "rev-parse", "HEAD");
    git(path, "commit", "--quiet", "--allow-empty", "--message=second\n\nparent 0");
    const second = git(path, "rev-parse", "HEAD");
    const parents = [second, first];
    const merge = ["commit-tree", "HEAD^{tree}", ...parents.flatMap((each) => ["-p", each])];
    const sha = git(path, ...merge, "-m", "merge");
    git(path, "reset", "--quiet", sha);
    for (const kind of ["heads", "tags"]) git(path, "update-ref", `refs/${kind}/HEAD`, first);
    expect(await readGitHead(path)).toEqual({ sha, ref: "refs/heads/main" });
    expect(await readCheckout(path)).toEqual({ sha, parents });
  });

  it("is not what variables of an earlier step, or replaced objects, make of it", async () => {
    await using folder = await createFixture({ "a.txt": "a" });
    await using other = await createFixture({});
    for (const { path } of [folder, other]) {
      git(path, "init", "--quiet", "--initial-branch=main");
      git(path, "add", ".");
      git(path, "commit", "--quiet", "--allow-empty", `--message=${path}`);
    }
    const sha = git(folder.path, "rev-parse", "HEAD");
    const forged = git(folder.path, "commit-tree", "HEAD^{tree}", "-p", sha, "-m", "forged");
    git(folder.path, "replace", sha, forged);
    onTestFinished(() => void vi.unstubAllEnvs());
    const there = join(other.path, ".git");
    const set = { GIT_DIR: there, GIT_INDEX_FILE: join(there, "none"), GIT_ICASE_PATHSPECS: "1" };
    for (const [name, value] of Object.entries(set)) vi.stubEnv(name, value);
    expect(await readCheckout(folder.path)).toEqual({ sha, parents: [] });
    expect(await isInGit(folder.path, "a.txt")).toBe(true);
    expect(await isOfCommit(join(folder.path, "a.txt"))).toBe(true);
    expect([...((await listTracked(folder.path)) ?? [])]).toEqual(["a.txt"]);
  });

  it("is nothing outside of git", async () => {
    await using folder = await createFixture({});
    expect(await readGitHead(folder.path)).toEqual({ sha: null, ref: null });
    expect(await readCheckout(folder.path)).toBeUndefined();
  });

  it("is not asked for outside of git", async () => {
    await using folder = await createFixture({ "bin/git": '#!/bin/sh\ntouch "$0.started"\n' });
    chmodSync(folder.getPath("bin/git"), 0o755);
    onTestFinished(() => void vi.unstubAllEnvs());
    vi.stubEnv("PATH", `${folder.getPath("bin")}:${process.env["PATH"]}`);
    await readGitHead(folder.path);
    await readCheckout(folder.path);
    expect(existsSync(folder.getPath("bin/git.started"))).toBe(false);
  });
});

it("knows what is checked in, ignored or not: kept answers of a stranger would stand for a run's", async () => {
  await using folder = await createFixture({
    ".gitignore": ".regrade/\n",
    ".regrade/cache/0.jsonl": "{}",
    "sub/.regrade/own": "x",
  });
  expect(await isInGit(folder.path, ".regrade")).toBe(false);
  git(folder.path, "init", "--quiet");
  git(folder.path, "add", ".");
  expect(await isInGit(folder.path, ".regrade")).toBe(false);
  git(folder.path, "add", "--force", ".regrade");
  expect(await isInGit(folder.path, ".regrade")).toBe(true);
  expect(await isInGit(folder.getPath("sub"), ".regrade")).toBe(false);
  git(folder.path, "add", "--force", "sub/.regrade");
  expect(await isInGit(folder.getPath("sub"), ".regrade")).toBe(true);
});

describe("what may have come with a commit", () => {
  it("is what git lists, what links to it, and all that lies in a submodule", async () => {
    await using folder = await createFixture({
      "kept/a": "",
      "sub/run/a": "",
      "clone/a": "",
      made: {},
    });
    const { path } = folder;
    for (const nested of [".", "sub", "clone"]) git(folder.getPath(nested), "init", "--quiet");
    git(path, "add", "kept");
    const commit = "1".repeat(40);
    git(path, "update-index", "--add", "--cacheinfo", `160000,${commit},sub`);
    symlinkSync("../kept", folder.getPath("made/link"));
    const asked = [
      "kept",
      "kept/a",
      "made/link",
      "made/link/a",
      "sub/run",
      "made",
      "made/x",
      "clone/a",
    ];
    const found = await Promise.all(asked.map((each) => isOfCommit(folder.getPath(each))));
    expect(found).toEqual([true, true, true, true, true, false, false, false]);
  });

  it("is anything where git can't be asked", async () => {
    await using folder = await createFixture({ a: "" });
    expect(await isOfCommit(folder.getPath("a"))).toBe(true);
  });
});

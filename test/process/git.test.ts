import { execFileSync } from "node:child_process";
import { createFixture } from "fs-fixture";
import { describe, expect, it } from "vitest";
import { isInGit, readGitHead } from "../../src/process/git.ts";

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
    git(folder.path, "checkout", "--quiet", "--detach");
    expect(await readGitHead(folder.path)).toEqual({ sha, ref: null });
  });

  it("is nothing outside of git", async () => {
    await using folder = await createFixture({});
    expect(await readGitHead(folder.path)).toEqual({ sha: null, ref: null });
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

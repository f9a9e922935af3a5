import { execFileSync } from "node:child_process";
import { createFixture } from "fs-fixture";
import { afterAll, describe, expect, it } from "vitest";
import { findBaseCommit } from "../../src/io/git/base-ref.ts";

const git = (folder: string, ...args: readonly string[]): string =>
  execFileSync("git", ["-c", "user.name=n", "-c", "user.email=n@example.org", ...args], {
    cwd: folder,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
  }).trim();

const fixture = await createFixture({});
afterAll(() => fixture.rm());
const { path } = fixture;
git(path, "init", "--quiet", "--initial-branch=work");
const commit = (message: string): string => {
  git(path, "commit", "--quiet", "--allow-empty", `--message=${message}`);
  return git(path, "rev-parse", "HEAD");
};
/** The base's commits, and the change's. */
const [older, base, change] = [commit("older"), commit("base"), commit("change")];
git(path, "remote", "add", "origin", "https://example.org/x");
git(path, "remote", "add", "up/stream", "https://example.org/y");

const ask = async (args: readonly string[]): Promise<string> => git(path, ...args);

/** Which commit a name means where these refs are. */
async function meant(
  name: string,
  refs: Readonly<Record<string, "base" | "change">>,
): Promise<unknown> {
  for (const [ref, of] of Object.entries(refs))
    git(path, "update-ref", ref, of === "base" ? base : change);
  const found = await findBaseCommit(name, ask).catch((error: Error) => error.message);
  for (const ref of Object.keys(refs)) git(path, "update-ref", "-d", ref);
  const names = new Map([
    [older, "older"],
    [base, "base"],
    [change, "change"],
  ]);
  return names.get(found ?? "") ?? found?.replace(/ may be several.*/s, " is ambiguous");
}

const main = "refs/remotes/origin/main";

describe("a name of the base means", () => {
  it.each<readonly [string, string, Readonly<Record<string, "base" | "change">>, unknown]>([
    ["the remote's branch", "origin/main", { [main]: "base" }, "base"],
    [
      "it, beside a tag of the change",
      "origin/main",
      { [main]: "base", "refs/tags/origin/main": "change" },
      "base",
    ],
    [
      "it, beside a branch of the change",
      "origin/main",
      { [main]: "base", "refs/heads/origin/main": "change" },
      "base",
    ],
    [
      "it, beside refs by its full name",
      "origin/main",
      { [main]: "base", [`refs/tags/${main}`]: "change" },
      "base",
    ],
    [
      "it, of a remote with a slash",
      "up/stream/main",
      { "refs/remotes/up/stream/main": "base" },
      "base",
    ],
    [
      "nothing, where only a tag is called like it",
      "origin/main",
      { "refs/tags/origin/main": "change" },
      undefined,
    ],
    [
      "nothing, where only the remote's branch origin/main is",
      "origin/main",
      { "refs/remotes/origin/origin/main": "change" },
      undefined,
    ],
    ["the remote's branch by its name alone", "main", { [main]: "base" }, "base"],
    ["a local branch", "main", { "refs/heads/main": "base" }, "base"],
    ["a tag", "v1", { "refs/tags/v1": "base" }, "base"],
    [
      "one commit, by several names of it",
      "main",
      { [main]: "base", "refs/heads/main": "base" },
      "base",
    ],
    [
      "nothing certain, beside another local branch",
      "main",
      { [main]: "base", "refs/heads/main": "change" },
      "--policy-from main is ambiguous",
    ],
    [
      "nothing certain, beside a tag",
      "main",
      { "refs/heads/main": "base", "refs/tags/main": "change" },
      "--policy-from main is ambiguous",
    ],
    [
      "nothing certain, with two remotes",
      "main",
      { [main]: "base", "refs/remotes/up/stream/main": "change" },
      "--policy-from main is ambiguous",
    ],
    [
      "nothing certain, beside a branch heads/main",
      "heads/main",
      { "refs/heads/main": "base", "refs/heads/heads/main": "change" },
      "--policy-from heads/main is ambiguous",
    ],
    [
      "a ref in full",
      "refs/heads/main",
      { "refs/heads/main": "base", "refs/tags/refs/heads/main": "change" },
      "base",
    ],
    [
      "no tag that is called like a ref",
      "refs/heads/main",
      { "refs/tags/refs/heads/main": "change" },
      undefined,
    ],
    ["a full id", base, { [`refs/tags/${base}`]: "change" }, "base"],
    [
      "nothing, where an id of another length is a branch of the change",
      `${base}${"0".repeat(24)}`,
      { [`refs/heads/${base}${"0".repeat(24)}`]: "change" },
      undefined,
    ],
    ["the first digits of an id", base.slice(0, 10), {}, "base"],
    [
      "nothing certain, beside a tag of these digits",
      base.slice(0, 10),
      { [`refs/tags/${base.slice(0, 10)}`]: "change" },
      `--policy-from ${base.slice(0, 10)} is ambiguous`,
    ],
    ["what is checked out", "HEAD", {}, "change"],
    [
      "nothing certain, beside a tag HEAD",
      "HEAD",
      { "refs/tags/HEAD": "base" },
      "--policy-from HEAD is ambiguous",
    ],
    ["a commit before it", "HEAD~1", {}, "base"],
    ["a commit before a branch", "main^", { "refs/heads/main": "base" }, "older"],
    ["nothing", "nowhere", {}, undefined],
  ])("%s: %s", async (_, ...asked) => {
    const [name, refs, expected] = asked;
    expect(await meant(name, refs)).toBe(expected);
  });
});

it("a tag with an object of its own means its commit, and a branch whose commit is gone means nothing", async () => {
  git(path, "tag", "--annotate", "--message=m", "v1", base);
  expect(await findBaseCommit("v1", ask)).toBe(base);
  await fixture.writeFile(".git/refs/heads/v1", `${"1".repeat(40)}\n`);
  expect(await findBaseCommit("v1", ask)).toBe(base);
  await fixture.rm(".git/refs/heads/v1");
  git(path, "tag", "--delete", "v1");
});

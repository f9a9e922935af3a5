import { mkdir, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createFixture } from "fs-fixture";
import { describe, expect, it } from "vitest";
import { git } from "../support/change.ts";
import { cacheFolder, findOldCache, isOwnCache } from "../../src/store/cache-folder.ts";

function userHome(): string {
  throw new Error("uv_os_homedir returned ENOENT");
}

describe("the folder of earlier answers", () => {
  const workingDirectory = "/srv/app";
  it.each<[string, string | undefined, Record<string, string>, string]>([
    ["linux", undefined, { HOME: "/home/a" }, "/home/a/.cache/regrade"],
    ["linux", "", { HOME: "/home/a", XDG_CACHE_HOME: "/x" }, "/x/regrade"],
    ["linux", undefined, { HOME: "/home/a", XDG_CACHE_HOME: "x" }, "/home/a/.cache/regrade"],
    ["darwin", undefined, { HOME: "/Users/a" }, "/Users/a/Library/Caches/regrade"],
    ["linux", "kept", { HOME: "/home/a" }, "/srv/app/kept"],
    ["linux", "/kept", { HOME: "/home/a" }, "/kept"],
  ])("on %s, asked for %j, with %j is %s", (...[platform, asked, env, expected]) => {
    expect(cacheFolder(asked, { env, workingDirectory, platform })).toBe(expected);
  });

  it("is below / for a user without a home", () => {
    const platform = "linux";
    const folder = cacheFolder(undefined, { env: {}, workingDirectory, platform, userHome });
    expect(folder).toBe("/.cache/regrade");
  });
});

it("a cache that an earlier version left in the checkout is found, unless it is asked for", async () => {
  await using fixture = await createFixture({
    "old/.regrade/cache/0.jsonl": "{}",
    "file/.regrade/cache": "",
  });
  const find = (folder: string, at: string): Promise<string | undefined> =>
    findOldCache(folder, fixture.getPath(at));
  expect(await find("/home/a/.cache/regrade", "old")).toBe(".regrade/cache");
  expect(await find(`${fixture.getPath("old")}/.regrade/cache/`, "old")).toBeUndefined();
  expect(await find("/home/a/.cache/regrade", "file")).toBeUndefined();
  expect(await find("/home/a/.cache/regrade", "nowhere")).toBeUndefined();
});

describe("a cache that a commit may have brought", () => {
  it("is told from one's own: by what git has, links followed, and where git can't be asked", async () => {
    await using fixture = await createFixture({ "app/kept/0.jsonl": "{}", "else/0.jsonl": "{}" });
    const app = fixture.getPath("app");
    const isOwn = (path: string) => isOwnCache(join(app, path), app);
    // Outside of a repository nobody can say what a commit had.
    expect(await isOwn("kept")).toBe(false);
    expect(await isOwn("../else")).toBe(true);
    git(app, "init", "--quiet");
    expect(await isOwn("kept")).toBe(true);
    expect(await isOwn("not-there/yet")).toBe(true);
    await symlink("kept", join(app, "link"));
    git(app, "add", "kept");
    expect([await isOwn("kept"), await isOwn("link"), await isOwn("kept/deeper")]).toEqual([
      false,
      false,
      true,
    ]);
    await rm(join(app, "link"));
    await symlink("../else", join(app, "link"));
    git(app, "add", "link");
    expect(await isOwn("link")).toBe(false);
    await mkdir(join(app, "mine"));
    await writeFile(join(app, "mine", "0.jsonl"), "{}");
    expect(await isOwn("mine")).toBe(true);
    await writeFile(join(app, ".git", "index"), "broken");
    expect(await isOwn("mine")).toBe(false);
  });
});

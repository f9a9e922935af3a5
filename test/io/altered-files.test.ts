import { execFileSync } from "node:child_process";
import { realpath } from "node:fs/promises";
import { createFixture, type FsFixture } from "fs-fixture";
import { describe, expect, it } from "vitest";
import { findAltered } from "../../src/io/files/altered-files.ts";
import { git } from "../support/change.ts";

const commit = (folder: string): void => {
  git(folder, "init", "--quiet");
  git(folder, "add", "--all");
  git(folder, "commit", "--quiet", "--message=all");
};
const paths = (files: readonly { readonly path: string }[]): readonly string[] =>
  files.map(({ path }) => path);

const folderOf = (root: string): Parameters<typeof findAltered>[1] => ({
  root,
  sha: null,
  repository: undefined,
});

/** A commit with many files, of which the checkout has none but `last.py`. */
async function commitMany(head: FsFixture, base: FsFixture): Promise<string> {
  git(head.path, "init", "--quiet");
  const blob = git(head.path, "hash-object", "-w", base.getPath("last.py"));
  const names = [...Array.from({ length: 20_001 }, (_, i) => `a/${i}`), "last.py"];
  const input = names.map((name) => `100644 ${blob}\t${name}\n`).join("");
  execFileSync("git", ["update-index", "--index-info"], { cwd: head.path, input });
  git(head.path, "commit", "--quiet", "--message=many");
  execFileSync("git", ["update-index", "--skip-worktree", "--stdin"], {
    cwd: head.path,
    input: names.map((name) => `${name}\n`).join(""),
  });
  return git(head.path, "rev-parse", "HEAD");
}

describe("the files that a change alters", () => {
  it("have compiled modules and packages that are committed, and none that both sides have", async () => {
    const files = { "a/__pycache__/m.pyc": "old", "node_modules/p/i.js": "old", "b.py": "1" };
    await using base = await createFixture(files);
    await using head = await createFixture({ ...files, "c/__pycache__/n.pyc": "new" });
    commit(head.path);
    const { here, there } = await findAltered(head.path, folderOf(base.path), "python3");
    expect([paths(here), paths(there)]).toEqual([["c/__pycache__/n.pyc"], []]);
  });

  it("have the files of a submodule that nobody told git to follow", async () => {
    await using base = await createFixture({ "b.py": "1" });
    await using head = await createFixture({
      "b.py": "1",
      "kb/answers.tsv": "q\ta",
      ".gitmodules": '[submodule "kb"]\n\tpath = kb\n\turl = https://example.org/kb.git\n',
    });
    commit(head.getPath("kb"));
    const sha = git(head.getPath("kb"), "rev-parse", "HEAD");
    git(head.path, "init", "--quiet");
    git(head.path, "add", "b.py", ".gitmodules");
    git(head.path, "update-index", "--add", "--cacheinfo", `160000,${sha},kb`);
    const { here } = await findAltered(head.path, folderOf(base.path), "python3");
    expect(paths(here).toSorted()).toEqual([".gitmodules", "kb/answers.tsv"]);
  });

  it("are found in a repository of any size, and no file that a sparse checkout leaves out is one", async () => {
    await using base = await createFixture({ "last.py": "1", "a/7": "1" });
    await using head = await createFixture({ "last.py": "2" });
    const sha = await commitMany(head, base);
    const repository = await realpath(head.path);
    const tree = { root: base.path, sha, repository };
    const { here, there, paths: all, skipped } = await findAltered(repository, tree, "python3");
    expect([paths(here), paths(there), all, skipped]).toEqual([
      ["last.py"],
      ["last.py"],
      ["last.py"],
      0,
    ]);
  });

  it("are compared with a commit that another folder of objects has", async () => {
    await using base = await createFixture({ "a.py": "1", "b.py": "1", "d.py": "1" });
    await using head = await createFixture({ "a.py": "2", "b.py": "1", "c\n.py": "1" });
    commit(base.path);
    commit(head.path);
    const repository = await realpath(head.path);
    const sha = git(base.path, "rev-parse", "HEAD");
    const tree = { root: base.path, sha, repository, objects: base.getPath(".git/objects") };
    // Git knows that it is unchanged, and does not read it here.
    await base.writeFile("b.py", "3");
    const { here, there } = await findAltered(repository, tree, "python3");
    expect([paths(here).toSorted(), paths(there).toSorted()]).toEqual([
      ["a.py", "c\n.py"],
      ["a.py", "d.py"],
    ]);
  });

  it("are large files of the same size with other content", async () => {
    const [one, other] = [Buffer.alloc(3 << 20), Buffer.alloc(3 << 20)];
    other[other.length - 1] = 1;
    await using base = await createFixture({ same: one, other: one });
    await using head = await createFixture({ same: one, other });
    const { here, skipped } = await findAltered(head.path, folderOf(base.path), "python3");
    expect([paths(here), skipped]).toEqual([[], 1]);
  });
});

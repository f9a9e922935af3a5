import { createFixture } from "fs-fixture";
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

describe("the files that a change alters", () => {
  it("have compiled modules and packages that are committed, and none that both sides have", async () => {
    const files = { "a/__pycache__/m.pyc": "old", "node_modules/p/i.js": "old", "b.py": "1" };
    await using base = await createFixture(files);
    await using head = await createFixture({ ...files, "c/__pycache__/n.pyc": "new" });
    commit(head.path);
    const { here, there } = await findAltered(head.path, base.path, "python3");
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
    const { here } = await findAltered(head.path, base.path, "python3");
    expect(paths(here).toSorted()).toEqual([".gitmodules", "kb/answers.tsv"]);
  });
});

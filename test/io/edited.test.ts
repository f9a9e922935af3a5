import { execFileSync } from "node:child_process";
import { rm, writeFile } from "node:fs/promises";
import { createFixture } from "fs-fixture";
import { expect, it } from "vitest";
import type { EditedFiles } from "../../src/model/outcomes/policy.ts";
import { findEdited } from "../../src/io/git/edited.ts";
import { git } from "../support/change.ts";

const found = (paths: readonly string[]): EditedFiles => ({ kind: "found", paths });

it("finds the files that differ from the commit, also those that the index is told to overlook", async () => {
  const files = Object.fromEntries(
    ["a", "b", "c", "d", "sub/e"].map((name) => [`${name}.py`, "1"]),
  );
  await using fixture = await createFixture(files);
  const { path } = fixture;
  expect(await findEdited(path)).toEqual(found([]));
  git(path, "init", "-q");
  git(path, "add", "-A");
  git(path, "commit", "-qm", "first");
  expect(await findEdited(path)).toEqual(found([]));
  git(path, "update-index", "--assume-unchanged", "a.py");
  git(path, "update-index", "--skip-worktree", "b.py");
  for (const name of ["a.py", "b.py", "c.py", "sub/e.py", "new.py"])
    await writeFile(fixture.getPath(name), "2");
  git(path, "add", "c.py");
  await rm(fixture.getPath("d.py"));
  expect(await findEdited(path)).toEqual(found(["a.py", "b.py", "c.py", "sub/e.py"]));
  expect(await findEdited(fixture.getPath("sub"))).toEqual(found(["e.py"]));
  const first = git(path, "rev-parse", "HEAD");
  git(path, "commit", "-qam", "what a program wrote");
  expect(await findEdited(path)).toEqual(found(["a.py", "b.py"]));
  expect(await findEdited(path, first)).toEqual(found(["a.py", "b.py", "c.py", "sub/e.py"]));
});

it("finds them in the middle of a merge and in a sparse checkout", async () => {
  await using fixture = await createFixture({ "a.py": "1", "b/c.py": "1", "d\n.py": "1" });
  const { path } = fixture;
  git(path, "init", "-q", "-b", "main");
  git(path, "add", "-A");
  git(path, "commit", "-qm", "first");
  git(path, "sparse-checkout", "set", "--cone", "--sparse-index", "x");
  await writeFile(fixture.getPath("d\n.py"), "2");
  expect(await findEdited(path)).toEqual(found(["d\n.py"]));
  git(path, "sparse-checkout", "disable");
  const blob = git(path, "rev-parse", "HEAD:a.py");
  const stages = [1, 2, 3].map((stage) => `100644 ${blob} ${stage}\ta.py\n`).join("");
  const unmerged = { cwd: path, input: `0 ${"0".repeat(40)}\ta.py\n${stages}` };
  execFileSync("git", ["update-index", "--index-info"], unmerged);
  expect(await findEdited(path)).toEqual(found(["d\n.py"]));
});

it("says why git can't tell", async () => {
  await using fixture = await createFixture({ "a.py": "1", ".git": "gitdir: nowhere" });
  expect(await findEdited(fixture.path)).toEqual({
    kind: "unknown",
    reason: expect.stringMatching(/^fatal: not a git repository/),
  });
});

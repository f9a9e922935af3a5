import { rm, writeFile } from "node:fs/promises";
import { createFixture } from "fs-fixture";
import { expect, it } from "vitest";
import { findEdited } from "../../src/io/git/edited.ts";
import { git } from "../support/change.ts";

it("finds the files that differ from the commit, also those that the index is told to overlook", async () => {
  const files = Object.fromEntries(
    ["a", "b", "c", "d", "sub/e"].map((name) => [`${name}.py`, "1"]),
  );
  await using fixture = await createFixture(files);
  const { path } = fixture;
  expect(await findEdited(path)).toEqual([]);
  git(path, "init", "-q");
  git(path, "add", "-A");
  git(path, "commit", "-qm", "first");
  expect(await findEdited(path)).toEqual([]);
  git(path, "update-index", "--assume-unchanged", "a.py");
  git(path, "update-index", "--skip-worktree", "b.py");
  for (const name of ["a.py", "b.py", "c.py", "sub/e.py", "new.py"])
    await writeFile(fixture.getPath(name), "2");
  git(path, "add", "c.py");
  await rm(fixture.getPath("d.py"));
  expect(await findEdited(path)).toEqual(["a.py", "b.py", "c.py", "sub/e.py"]);
  expect(await findEdited(fixture.getPath("sub"))).toEqual(["e.py"]);
});

import { appendFile, mkdir, readFile, rename, rm, stat, utimes, writeFile } from "node:fs/promises";
import { createFixture } from "fs-fixture";
import { expect, it } from "vitest";
import { stampTree } from "../../src/io/files/tree-stamps.ts";

const files = { "a.py": "a", "in/b.py": "b", "in/deep/c.py": "c" };

it.each<
  [how: string, alter: (path: (name: string) => string) => Promise<unknown>, found: string[]]
>([
  ["is read", (path) => readFile(path("a.py")), []],
  ["is written to", (path) => appendFile(path("in/b.py"), "more"), ["in/b.py"]],
  [
    "is written to and put back, with its old time",
    async (path) => {
      const { atime, mtime } = await stat(path("in/b.py"));
      await writeFile(path("in/b.py"), "x");
      await writeFile(path("in/b.py"), "b");
      await utimes(path("in/b.py"), atime, mtime);
    },
    ["in/b.py"],
  ],
  ["is removed", (path) => rm(path("in/deep/c.py")), ["in/deep/c.py"]],
  ["is new", (path) => writeFile(path("in/d.py"), ""), ["in/d.py (new)"]],
  ["is in a new folder", (path) => mkdir(path("in/e")), ["in/e (new)"]],
  [
    "is in a folder that another one replaces",
    async (path) => {
      await rename(path("in/deep"), path("was"));
      await mkdir(path("in/deep"));
      await rename(path("was/c.py"), path("in/deep/c.py"));
      await rm(path("was"), { recursive: true });
    },
    ["in/deep", "in/deep/c.py"],
  ],
])("a file that %s is told, or is not", async (...[, alter, found]) => {
  await using fixture = await createFixture(files);
  const stamps = await stampTree(fixture.path);
  // The clock of a file system may tick every 4 ms.
  await new Promise((wait) => setTimeout(wait, 20));
  await alter((name) => fixture.getPath(name));
  const altered = await stamps.altered();
  expect(altered.map(({ path, isNew }) => `${path}${isNew ? " (new)" : ""}`)).toEqual(found);
});

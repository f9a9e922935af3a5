import { execFileSync } from "node:child_process";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { createFixture } from "fs-fixture";
import { expect, it } from "vitest";
import { repository } from "../support/cli.ts";

/** All other tests in this folder run dist/: they say nothing of the sources where it is stale. */
it("dist/ is what the sources build (if not: npm run build)", { tags: "long" }, async () => {
  await using fixture = await createFixture({});
  const fresh = fixture.getPath("dist");
  execFileSync(process.execPath, [join(repository, "scripts/build.ts"), fresh]);
  const names = (await readdir(fresh)).toSorted();
  expect((await readdir(join(repository, "dist"))).toSorted()).toEqual(names);
  for (const name of names) {
    const built = await readFile(join(fresh, name));
    const checkedIn = await readFile(join(repository, "dist", name));
    // Not toEqual: the difference of two bundles is nothing to print.
    expect(built.equals(checkedIn), `dist/${name} is stale: run npm run build`).toBe(true);
  }
});

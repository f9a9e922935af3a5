import { rmdir } from "node:fs/promises";
import { createFixture } from "fs-fixture";
import { afterEach, expect, it, vi } from "vitest";
import { makeTemporaryFolder } from "../../src/io/files/temporary.ts";
import { Refusal } from "../../src/model/refusal.ts";

afterEach(() => vi.unstubAllEnvs());

it("makes folders where TMPDIR says", async () => {
  await using fixture = await createFixture({});
  vi.stubEnv("TMPDIR", fixture.path);
  const folder = await makeTemporaryFolder("regrade-");
  expect(folder.split("/").at(-1)).toMatch(/^regrade-\w{6}$/);
  await rmdir(folder);
});

it("says what to do if there is no place for temporary files", async () => {
  await using fixture = await createFixture({ file: "" });
  const reasons: Record<string, string> = { missing: "no such file", file: "not a directory" };
  for (const [path, reason] of Object.entries(reasons)) {
    const place = fixture.getPath(path);
    vi.stubEnv("TMPDIR", place);
    const error: unknown = await makeTemporaryFolder("regrade-").catch((thrown: unknown) => thrown);
    if (!(error instanceof Refusal)) throw new Error("expected a refusal");
    expect(error.exit).toBe(4);
    expect(error.problems[0]?.message).toContain(`temporary files in ${place}: ${reason}`);
    expect(error.problems[0]?.hint).toContain("set TMPDIR");
  }
});

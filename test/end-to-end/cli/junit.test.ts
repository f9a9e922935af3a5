import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { createFixture } from "fs-fixture";
import { describe, expect, it } from "vitest";
import { regrade, repository } from "../../support/cli.ts";

/** Runs as JUnit XML and as JSON, for other tools. */

const fixtures = join(repository, "test/fixtures/results");
const head = ["--results", join(fixtures, "pytest/head.xml")];
const against = ["--baseline", join(fixtures, "pytest/base.xml"), "--max-drop", "0.02"];

describe("--junit", () => {
  it(
    "of a run: the gate, and its tests; the exit code stays the verdict's",
    { tags: "smoke" },
    async () => {
      await using fixture = await createFixture();
      const argv = [
        "run",
        ...head,
        ...against,
        "--out",
        "today",
        "--junit",
        "junit.xml",
        "--quiet",
      ];
      const end = await regrade(argv, { in: fixture.path });
      expect(end.stderr).toBe("");
      expect(end.code).toBe(1);
      const xml = await readFile(fixture.getPath("junit.xml"), "utf8");
      expect(xml).toMatch(/<testsuite name="head\.gate" tests="2" failures="2"/);
      expect(xml).toMatch(/<testsuite name="head\.results" tests="45" failures="13" errors="1"/);
      const again = await regrade(["report", "today", "--junit", "again.xml"], {
        in: fixture.path,
      });
      expect(again.code).toBe(0);
      expect(again.stdout).toContain("the gate fails");
      expect(await readFile(fixture.getPath("again.xml"), "utf8")).toBe(xml);
    },
  );

  it("can be gated as it was", async () => {
    await using fixture = await createFixture();
    const argv = ["run", ...head, "--out", "today", "--junit", "junit.xml", "--quiet"];
    await regrade(argv, { in: fixture.path });
    const compared = ["run", "--results", "junit.xml", "--json", "--quiet", "--name", "again"];
    const end = await regrade(compared, { in: fixture.path });
    // The verdict is a test too, which was skipped: nothing had been measured.
    expect(JSON.parse(end.stdout)).toMatchObject({
      cases: { declared: 45, scored: 44, failed: 1 },
    });
  });

  it.each([
    ["a folder that does not exist", "nowhere/junit.xml", "its folder does not exist"],
    ["a folder", "today", "it is a folder"],
  ])("is refused before anything runs: %s", async (_, file, said) => {
    await using fixture = await createFixture({ "today/a": "" });
    const argv = ["run", ...head, "--out", "new", "--junit", file];
    const end = await regrade(argv, { in: fixture.path });
    expect(end.code).toBe(2);
    expect(end.stderr).toContain(said);
    expect(await fixture.exists("new")).toBe(false);
  });

  it("means nothing of a plan", async () => {
    await using fixture = await createFixture();
    const end = await regrade(["run", "a.yaml", "--dry-run", "--junit", "x.xml"], {
      in: fixture.path,
    });
    expect(end.code).toBe(2);
    expect(end.stderr).toContain("cannot be used with option '--dry-run'");
  });
});

it("report --json writes run.json", async () => {
  await using fixture = await createFixture();
  await regrade(["run", ...head, ...against, "--out", "today", "--quiet"], { in: fixture.path });
  const end = await regrade(["report", "today", "--json"], { in: fixture.path });
  expect(end.code).toBe(0);
  const stored = JSON.parse(await readFile(fixture.getPath("today/run.json"), "utf8"));
  expect(JSON.parse(end.stdout)).toEqual(stored);
});

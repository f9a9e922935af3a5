import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createFixture } from "fs-fixture";
import { describe, expect, it } from "vitest";
import { regrade, repository } from "../../support/cli.ts";

/** What someone reads who has never used it, or has mistyped. */

const here = { in: repository };

describe("--help", () => {
  it.each(["run", "validate", "compare", "report"])("of %s teaches by example", async (command) => {
    const end = await regrade([command, "--help"], here);
    expect(end).toMatchObject({ code: 0, stderr: "" });
    expect(end.stdout).toMatch(new RegExp(`^Usage: regrade ${command} `));
    const [, examples = ""] = end.stdout.split("\nExamples:\n");
    expect(examples.match(new RegExp(`^  regrade ${command} `, "gm"))?.length).toBeGreaterThan(1);
    expect((await regrade(["help", command], here)).stdout).toBe(end.stdout);
  });

  it("of the whole names every command and what each exit code means", async () => {
    const end = await regrade(["--help"], here);
    expect(end).toMatchObject({ code: 0, stderr: "" });
    for (const command of ["run", "validate", "compare", "report"]) {
      expect(end.stdout).toContain(`  regrade ${command} `);
    }
    for (const code of [
      "0 pass",
      "1 fail",
      "2 refused",
      "3 inconclusive",
      "4 error",
      "70 ",
      "130 ",
    ]) {
      expect(end.stdout).toContain(code);
    }
  });

  it.each([
    [["--out", "page"], "--out is for the files of --as TOOL"],
    [["--html", "--out", "page"], "Name the page's file after --html"],
    [["--html", "--as", "waza"], "cannot be used with option '--as <tool>'"],
    [["--html", "--junit", "junit.xml"], "cannot be used with option '--junit <file>'"],
  ])("of a flag of report that would do nothing: %j is refused", async (flags, said) => {
    const end = await regrade(["report", "examples/quickstart/baseline", ...flags], here);
    expect(end).toMatchObject({ code: 2, stdout: "" });
    expect(end.stderr).toContain(said);
  });

  it("has an example for every command whose flags exist", async () => {
    const texts = await Promise.all(
      ["run", "validate", "compare", "report"].map(
        async (command) => (await regrade([command, "--help"], here)).stdout,
      ),
    );
    for (const text of texts) {
      const [usage = "", examples = ""] = text.split("\nExamples:\n");
      for (const [flag] of examples.matchAll(/ --[a-z-]+/g)) expect(usage).toContain(flag.trim());
    }
  });
});

describe("a mistake in the arguments is refused with a way out:", () => {
  it.each([
    [["rum", "evals/qa.yaml"], "unknown command 'rum'", "Did you mean run?"],
    [["run", "x.yaml", "--baselin", "y"], "unknown option '--baselin'", "Did you mean --baseline?"],
    [["compare", "a", "b", "--jsn"], "unknown option '--jsn'", "Did you mean --json?"],
    [["run"], "neither a suite nor results are named", "--results FILE"],
    [["compare", "a"], "missing required argument 'head'", "--help"],
    [["report", "a", "b"], "too many arguments", "--help"],
    [["run", "x.yaml", "--sandbox", "never"], "'never' is invalid", "auto, required, off"],
    [["run", "x.yaml", "--out"], "argument missing", "--help"],
    [["run", "x.yaml", "--python", ""], "--python", "Name an interpreter"],
    [["--versoin"], "unknown option '--versoin'", "Did you mean --version?"],
    [[], "Usage: regrade", "Examples:"],
  ])("%j", async (argv, found, wayOut) => {
    await using fixture = await createFixture({});
    const end = await regrade(argv, { in: fixture.path });
    expect(end).toMatchObject({ code: 2, stdout: "" });
    expect(end.stderr).toContain(found);
    expect(end.stderr).toContain(wayOut);
    expect(end.stderr).not.toMatch(/\n\s+at /);
  });
});

it("--version is that of the package", async () => {
  const text = readFileSync(join(repository, "package.json"), "utf8");
  const { version } = JSON.parse(text) as { version: string };
  expect(await regrade(["--version"], here)).toMatchObject({ code: 0, stdout: `${version}\n` });
});

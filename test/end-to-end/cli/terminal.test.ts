import { createFixture } from "fs-fixture";
import { describe, expect, it } from "vitest";
import { cliPath, regrade } from "../../support/cli.ts";
import { onTerminal } from "../../support/terminal/on-terminal.ts";
import { sumApp, sumCandidate, suiteFiles } from "../../support/suite-files.ts";
import { itSome } from "../../support/rows.ts";

/** A person at a terminal, and a pipe that ends early. */

const escape = "\u001b";
const colour = new RegExp(`${escape}\\[[0-9;]*m`);
const clearLine = `\r${escape}[K`;
const term = { TERM: "xterm-256color" };
const run = ["run", "evals/qa.yaml", "--out", "out"];

const commandSuite = {
  ...suiteFiles({ cases: 12, candidates: sumCandidate }),
  "evals/app.py": sumApp,
};

describe("a terminal", () => {
  it(
    "shows a progress line that is cleared before the table, and colours",
    { tags: "smoke" },
    async () => {
      await using fixture = await createFixture(commandSuite);
      const end = await regrade(run, { in: fixture.path, env: term, under: onTerminal });
      expect(end.code).toBe(0);
      const drawn = end.stdout.split(clearLine);
      expect(drawn.filter((text) => /^qa \d+\/12/.test(text)).length).toBeGreaterThan(1);
      const last = drawn.at(-1) ?? "";
      expect(last).toMatch(new RegExp(`^${escape}\\[\\S*✅ qa: passes`));
      expect(last).toContain("run       out");
      expect(last).not.toMatch(/qa \d+\/12/);
      expect(end.stdout).toMatch(colour);
      expect(end.stdout).not.toContain("qa: 12 samples");
      for (const text of drawn) expect(text.split("\r\n")[0]?.length).toBeLessThanOrEqual(200);
    },
  );

  itSome([
    ["NO_COLOR", { ...term, NO_COLOR: "1" }],
    ["a terminal that knows none", { TERM: "dumb" }],
  ])("shows no colours with %s", async (_, env) => {
    await using fixture = await createFixture(suiteFiles());
    const end = await regrade(run, { in: fixture.path, env, under: onTerminal });
    expect(end.code).toBe(0);
    expect(end.stdout).toContain("✅ qa: passes");
    expect(end.stdout).not.toMatch(colour);
  });

  it("shows mistakes without a progress line in their way", async () => {
    await using fixture = await createFixture(suiteFiles());
    const under = onTerminal;
    const end = await regrade(["run", "no.yaml"], { in: fixture.path, env: term, under });
    expect(end.code).toBe(2);
    expect(end.stdout).toContain("no.yaml");
  });

  it("shows nothing at all with --quiet", async () => {
    await using fixture = await createFixture(suiteFiles());
    const end = await regrade([...run, "--quiet"], {
      in: fixture.path,
      env: term,
      under: onTerminal,
    });
    expect(end).toMatchObject({ code: 0, stdout: "" });
  });
});

describe("a pipe", () => {
  it("gets no colours and no drawing", async () => {
    await using fixture = await createFixture(commandSuite);
    const end = await regrade(run, { in: fixture.path, env: term });
    expect(`${end.stdout}${end.stderr}`).not.toContain("\u001b");
    expect(`${end.stdout}${end.stderr}`).not.toContain("\r");
  });

  it("gets colours where they are forced", async () => {
    await using fixture = await createFixture(suiteFiles());
    const end = await regrade(run, { in: fixture.path, env: { FORCE_COLOR: "1" } });
    expect(end.stdout).toMatch(colour);
  });

  const node = `"${process.execPath}" "${cliPath}"`;
  itSome([
    ["head -1", `${node} run evals/qa.yaml --out out | head -1`],
    ["a reader that reads nothing", `${node} run evals/qa.yaml --out out --json | true`],
    ["both streams to such a reader", `${node} run evals/qa.yaml --out out 2>&1 | true`],
    ["help to head -1", `${node} run --help | head -1`],
    [
      "a long report to head -1",
      `${node} run evals/qa.yaml --out out -q; ${node} report out | head -1`,
    ],
  ])("that ends early does not change the verdict: %s", async (_, script) => {
    await using fixture = await createFixture(suiteFiles({ cases: 300 }));
    const end = await regrade([], {
      in: fixture.path,
      under: ["bash", "-c", `${script}; exit "\${PIPESTATUS[0]}"`],
    });
    expect(end.code, end.stderr).toBe(0);
    expect(end.stderr).not.toMatch(/\n\s+at |EPIPE/);
  });
});

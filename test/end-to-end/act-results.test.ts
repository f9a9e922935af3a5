import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createFixture } from "fs-fixture";
import { describe, expect, it } from "vitest";
import { act, runAct } from "../support/act.ts";
import { repository } from "../support/cli.ts";
import { startGitHub } from "../support/github/server.ts";

/*
 * The steps that docs/results names, run as they stand there. The tools themselves are not here: a program of the same name
 * leaves what the real one was recorded to leave.
 */

const recorded = join(repository, "test/fixtures/results");
const table = (header: string, row: (i: number) => string): string =>
  `python3 -c 'rows = [${Array.from({ length: 12 }, (_, i) => row(i)).join(", ")}]
open("${header === "" ? "out.jsonl" : "out.csv"}", "w").write("\\n".join([${header}*rows]) + "\\n")'`;

/** What the page's program does, by its name, and what the run then says. */
const pages = [
  ["promptfoo", "npx", `cp ${recorded}/promptfoo/base.json out.json`, /28 results of promptfoo/],
  ["inspect", "inspect", `mkdir logs; cp ${recorded}/inspect/base.eval logs/`, /22 results of /],
  [
    "lm-eval",
    "lm_eval",
    `mkdir -p out/m; cp ${recorded}/lm-eval/base/* out/m/`,
    /results of lm-eval/,
  ],
  [
    "deepeval",
    "deepeval",
    `mkdir out; cp ${recorded}/deepeval/base-single.json out/test_run_1.json; exit 1`,
    /results of deepeval/,
  ],
  ["waza", "waza", `cp ${recorded}/waza/base.json results.json; exit 1`, /48 results of waza/],
  [
    "k-eval",
    "k-eval",
    `mkdir out; cp ${recorded}/k-eval/base.detailed.jsonl out/`,
    /40 results of k-eval/,
  ],
  ["junit", "npx", `cp ${recorded}/vitest/base.xml evals.xml; exit 1`, /results of /],
  ["jsonl", "python", table("", (i) => `"{\\"id\\": \\"c${i}\\", \\"score\\": 1}"`), /12 results/],
  ["csv", "python", table('"id,score", ', (i) => `"c${i},1"`), /12 results/],
] as const;

describe.skipIf(act === undefined)("the steps of docs/results", () => {
  it.each(pages)("%s: the tool's step, and the gate's", { timeout: 300_000 }, async (...row) => {
    const [page, program, does, says] = row;
    await using github = await startGitHub();
    await using fixture = await createFixture({
      ".github/workflows/evals.yml": workflowOf(page),
      [`bin/${program}`]: `#!/bin/sh\n${does}\n`,
    });
    execFileSync("chmod", ["+x", fixture.getPath("bin", program)]);
    startRepository(fixture.path);
    const end = await runAct({
      fixture,
      workflow: "evals.yml",
      event: "push",
      payload: { ref: "refs/heads/main", before: "0".repeat(40), repository: { id: 1 } },
      github,
      path: fixture.getPath("bin"),
    });
    expect(end.code, end.log).toBe(0);
    expect(end.log).toMatch(says);
    // There is no earlier run to compare with.
    expect(end.log).toContain("Regrade: neutral (exit code 0)");
    expect(github.artifacts.all.some(({ name }) => name.includes("~scores-"))).toBe(true);
  });
});

/** The page's first block, as the steps of a job. */
function workflowOf(page: string): string {
  const text = readFileSync(join(repository, `docs/results/${page}.md`), "utf8");
  const [, steps = ""] = /```yaml\n([^]*?)```/.exec(text) ?? [];
  const indented = steps.trimEnd().replaceAll(/^/gm, "      ");
  const head = [
    "on: push",
    "env: { MODEL: none }",
    "jobs:",
    "  evals:",
    "    runs-on: ubuntu-latest",
  ];
  return [...head, "    steps:", indented, ""].join("\n");
}

function startRepository(folder: string): void {
  const who = ["-c", "user.name=n", "-c", "user.email=n@example.org", "-c", "commit.gpgsign=false"];
  const git = (...args: readonly string[]): Buffer =>
    execFileSync("git", [...who, ...args], { cwd: folder });
  git("init", "--quiet", "--initial-branch=main");
  git("remote", "add", "origin", "https://github.com/owner/app.git");
  git("add", "--all");
  git("commit", "--quiet", "--message=first");
}

import { readFile } from "node:fs/promises";
import { createFixture, type FsFixture } from "fs-fixture";
import { describe, expect, it } from "vitest";
import { expectRefusal, regrade, type CliEnd } from "../support/cli.ts";
import { runAction } from "../support/github/run-action.ts";
import { startGitHub } from "../support/github/server.ts";
import { suiteFiles } from "../support/suite-files.ts";

const start = (
  fixture: FsFixture,
  argv: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<CliEnd> => regrade(argv, { in: fixture.path, env });

/** An escape sequence, a workflow command in both spellings, a right-to-left override. */
const hostile = "\u001B[2Jgone ##[error]x\n::error::y\u202Etxt";

const grader =
  "{ type: python, metric_id: right, source: \"def grade(sample, item):\\n    print('looked at ' + item['id'])\\n    ok = sample['output_text'] == item['a']\\n    return {'scores': {'right': float(ok)}, 'judge': {'why': 'compared'}}\\n\" }";

async function twoRuns(): Promise<FsFixture> {
  const gate = "{ rules: [{ metric: right, max_drop: 0.02 }] }";
  const files = (answer: (i: number) => string | undefined): Record<string, string> =>
    suiteFiles({ cases: 30, answer, grader, gate });
  const fixture = await createFixture(files(() => undefined));
  await start(fixture, ["run", "evals/qa.yaml", "--out", "base"]);
  const worse = files((i) => (i < 20 ? hostile : undefined))["evals/outputs.jsonl"] ?? "";
  await fixture.writeFile("evals/outputs.jsonl", worse);
  await start(fixture, ["run", "evals/qa.yaml", "--out", "head", "--baseline", "base"]);
  return fixture;
}

describe("regrade show", () => {
  it(
    "prints a case: prompt, target, before and after, the grader's words; and nothing of it controls the terminal",
    { tags: "smoke" },
    async () => {
      await using fixture = await twoRuns();
      const end = await start(fixture, ["show", "head", "c7"]);
      expect(end, end.stderr).toMatchObject({ code: 0, stderr: "" });
      expect(end.stdout).toContain("Case c7 of qa");
      expect(end.stdout).toContain("before: base");
      expect(end.stdout).toContain("broke in right: 1 → 0");
      expect(end.stdout).toMatch(/prompt\n {4}What is 7\+1\?/);
      expect(end.stdout).toMatch(/target\n {4}8\n/);
      expect(end.stdout).toMatch(/before \(right 1(, [\d.]+ s)?\)\n {4}8\n/);
      expect(end.stdout).toMatch(/after \(right 0(, [\d.]+ s)?\)\n/);
      expect(end.stdout).toMatch(/grader says\n {4}\{\n {6}"why": "compared"/);
      expect(end.stdout).toMatch(/grader printed\n {4}looked at c7/);
      expect(end.stdout).not.toContain("\u001B");
      expect(end.stdout).not.toContain("\u202E");
      expect(end.stdout).not.toContain("##[");
      expect(end.stdout).not.toMatch(/^\s*::/m);
      const json = await start(fixture, ["show", "head", "c7", "--json"]);
      const { sample, before } = JSON.parse(json.stdout);
      expect([sample.output_text, before.output_text]).toEqual([hostile, "8"]);
      expect(json.stdout).not.toContain("##[");
    },
  );

  it("says which case may have been meant, and what --task and --candidate leave out", async () => {
    await using fixture = await twoRuns();
    const typo = await start(fixture, ["show", "head", "C7"]);
    expectRefusal(typo, 2);
    expect(typo.stderr).toContain("Did you mean c7?");
    const other = await start(fixture, ["show", "head", "c7", "--candidate", "other"]);
    expectRefusal(other, 2);
    expect(other.stderr).toContain("Leave --task and --candidate out");
    const nowhere = await start(fixture, ["show", "nowhere", "c7"]);
    expectRefusal(nowhere, 2);
    // As tables and rules name it, too.
    for (const metric of ["right", "*/right", "nosuch/right"]) {
      const end = await start(fixture, ["show", "head", "--metric", metric, "--json"]);
      expect([metric, end.code]).toEqual([metric, metric === "nosuch/right" ? 2 : 0]);
      if (end.code === 0) expect(end.stdout).toContain('"caseId":"c7"');
    }
    const alone = await start(fixture, ["show", "head", "c7", "--baseline", "none"]);
    expect(alone.stdout).toContain('no "before": none was asked for');
  });

  it("fetches a CI run by its number, once", async () => {
    await using github = await startGitHub();
    await using fixture = await createFixture(suiteFiles({ cases: 4 }));
    const inputs = { suite: "evals/qa.yaml" };
    const ran = await runAction({ workspace: fixture.path, github, inputs });
    expect(ran.code, ran.stdout).toBe(0);
    const env = {
      GITHUB_API_URL: github.url,
      GITHUB_REPOSITORY: "owner/app",
      GH_TOKEN: "ghs_token-of-the-test",
    };
    const end = await start(fixture, ["show", "77", "c2"], env);
    expect(end, end.stderr).toMatchObject({ code: 0 });
    expect(end.stdout).toContain("Case c2 of qa");
    expect(await readFile(fixture.getPath(".regrade/.gitignore"), "utf8")).toBe("*\n");
    const calls = github.rest.calls.length;
    await start(fixture, ["show", "77", "c3"], env);
    expect(github.rest.calls.length - calls).toBe(1);
  });

  it("says what it lacks to fetch one", async () => {
    await using github = await startGitHub();
    await using fixture = await createFixture(suiteFiles({ cases: 1 }));
    const keyless = await start(fixture, ["show", "77", "c0"], { GITHUB_REPOSITORY: "owner/app" });
    expectRefusal(keyless, 2);
    expect(keyless.stderr).toContain("GH_TOKEN");
    const token = { GH_TOKEN: "ghs_token-of-the-test", GITHUB_API_URL: github.url };
    const homeless = await start(fixture, ["show", "77", "c0"], token);
    expectRefusal(homeless, 2);
    expect(homeless.stderr).toContain("--repository");
    const asked = ["show", "77", "c0", "--repository", "owner/app"];
    const empty = await start(fixture, asked, token);
    expectRefusal(empty, 2);
    expect(empty.stderr).toContain("no artifact");
  });
});

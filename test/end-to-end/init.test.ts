import { readFile, readdir } from "node:fs/promises";
import { join } from "node:path";
import { createFixture } from "fs-fixture";
import { describe, expect, it } from "vitest";
import { runOnTerminal, type TerminalEnd } from "../support/terminal/run-on-terminal.ts";
import { cli, runCli, type CliEnd } from "./run-cli.ts";

/** Runs dist/cli.mjs as a person would: by flags, and at a terminal. */
function regrade(directory: string, ...args: readonly string[]): Promise<CliEnd> {
  return runCli(args, { directory });
}

/** `regrade init` at a terminal, where keys are typed. */
function at(
  directory: string,
  keys: readonly string[],
  ...args: readonly string[]
): Promise<TerminalEnd> {
  return runOnTerminal({ argv: [process.execPath, cli, "init", ...args], directory, keys });
}

const qa = { "data/qa.csv": "nr,question,answer\n1,What is 1+1?,2\n2,What is 2+2?,4\n" };

describe("regrade init by flags", () => {
  it("writes an example that is valid, runs at once and passes", { tags: "smoke" }, async () => {
    await using fixture = await createFixture({});
    const written = await regrade(fixture.path, "init", "--yes", "--name", "first");
    expect(written).toMatchObject({ code: 0, stderr: "" });
    expect(written.stdout).toMatch(/^Now: .+ run evals\/first\.yaml$/m);
    // Twenty cases are enough to begin with, and too few to prove what the rule asks for.
    expect(await regrade(fixture.path, "validate", "evals/first.yaml")).toMatchObject({
      code: 0,
      stderr: expect.stringContaining("20 cases prove a loss only from about 36.5 points on"),
    });
    const run = await regrade(fixture.path, "run", "evals/first.yaml", "--json", "--quiet");
    expect(run).toMatchObject({ code: 0, stderr: "" });
    const { cases, gate } = JSON.parse(run.stdout) as { cases: object; gate: object };
    expect(cases).toMatchObject({ declared: 20, scored: 20 });
    expect(gate).toMatchObject({ verdict: "pass" });
    expect(await readFile(join(fixture.path, ".gitignore"), "utf8")).toBe(".regrade/\n");
  });

  it("takes flags and defaults where there is no terminal to ask on", async () => {
    await using fixture = await createFixture({});
    expect(await regrade(fixture.path, "init", "--name", "first")).toMatchObject({ code: 0 });
  });

  it("puts the user's own data to use, from another folder too", async () => {
    const data = { "data/qa.csv": qa["data/qa.csv"].replace("nr", "Case ID") };
    await using fixture = await createFixture({ ...data, ".git/HEAD": "", "bot/x": "" });
    const args = ["--yes", "--dataset", "data/qa.csv", "--grader", "numeric", "--name", "qa"];
    expect(await regrade(fixture.path, "init", "bot", ...args)).toMatchObject({ code: 0 });
    const manifest = await readFile(join(fixture.path, "bot/evals/qa.yaml"), "utf8");
    expect(manifest).toContain('dataset: { file: "../../data/qa.csv", id_field: "Case ID" }');
    expect(manifest).toContain('prompt_template: "{{question}}"');
    expect(manifest).toContain('target_template: "{{answer}}"');
    const workflow = await readFile(join(fixture.path, ".github/workflows/evals.yml"), "utf8");
    expect(workflow).toContain("working-directory: bot");
    const folder = join(fixture.path, "bot");
    expect(await regrade(folder, "validate", "evals/qa.yaml")).toMatchObject({
      code: 0,
      stderr: "",
    });
    expect(await regrade(folder, "run", "evals/qa.yaml", "--quiet")).toMatchObject({ code: 0 });
  });

  it("writes a suite with a model that is valid, and says which key it needs", async () => {
    await using fixture = await createFixture({});
    const args = ["--yes", "--name", "m", "--candidate", "openai:gpt-5.4-mini"];
    const written = await regrade(fixture.path, "init", ...args);
    expect(written).toMatchObject({ code: 0, stderr: "" });
    expect(written.stdout).toContain("OPENAI_API_KEY");
    const workflow = await readFile(join(fixture.path, ".github/workflows/evals.yml"), "utf8");
    expect(workflow).toContain("secrets.OPENAI_API_KEY");
    const env = { OPENAI_API_KEY: "sk-not-a-key" };
    const keyed = await runCli(["validate", "evals/m.yaml"], { directory: fixture.path, env });
    // Of the key nothing more; of the twenty cases, which are a start, what they can't prove.
    expect(keyed).toMatchObject({
      code: 0,
      stderr: expect.stringMatching(/^evals.*\n.*\n\n1 warning\n$/),
    });
  });

  it("overwrites nothing, and names all that stands in the way", async () => {
    const before = { "evals/first.yaml": "mine", "evals/first.py": "mine too" };
    await using fixture = await createFixture(before);
    const refused = await regrade(fixture.path, "init", "--yes", "--name", "first");
    expect(refused.code).toBe(2);
    expect(refused.stderr).toContain("evals/first.yaml exists already");
    expect(refused.stderr).toContain("evals/first.py exists already");
    expect(await readdir(fixture.path)).toEqual(["evals"]);
    expect(await readFile(join(fixture.path, "evals/first.yaml"), "utf8")).toBe("mine");
  });

  it("writes nothing where a folder can't be made, and says which", async () => {
    await using fixture = await createFixture({ ".git/HEAD": "", ".github": "a file" });
    const end = await runCli(["init", "--yes"], { directory: fixture.path });
    expect(end.code).toBe(2);
    expect(end.stderr).toMatch(/can't write \S*\.github\S*: /);
    expect(end.stderr).not.toContain("--resume");
    const left = await readdir(fixture.path, { recursive: true, withFileTypes: true });
    const files = left.filter((entry) => entry.isFile()).map(({ name }) => name);
    expect(files.toSorted()).toEqual([".github", "HEAD"]);
  });

  it("adds a second suite beside the first", async () => {
    await using fixture = await createFixture({ ".gitignore": "node_modules\n.regrade" });
    await regrade(fixture.path, "init", "--yes", "--name", "one");
    const second = await regrade(fixture.path, "init", "--yes", "--name", "two", "--no-workflow");
    expect(second).toMatchObject({ code: 0, stderr: "" });
    expect(await readFile(join(fixture.path, ".gitignore"), "utf8")).toBe("node_modules\n.regrade");
  });

  it.each([
    [["--dataset", "data/none.jsonl"], "data/none.jsonl"],
    [["--dataset", "data/qa.xlsx"], "neither .jsonl nor .csv"],
    [["--dataset", "data/torn.jsonl"], "data/torn.jsonl:2"],
    [["--dataset", "data/qa.csv", "--prompt", "{{frage}}"], 'no field "frage"'],
    [["--prompt", "{{question}}"], "--prompt is about your own data, and none is named"],
    [["--candidate", "gpt-4.1"], "provider:model"],
    [["--name", "no good"], "letters, digits"],
  ])("refuses %j and writes nothing", async (args, said) => {
    const torn = { "data/torn.jsonl": '{"a": 1}\n{"a": \n', "data/qa.xlsx": "" };
    await using fixture = await createFixture({ ...qa, ...torn });
    const refused = await regrade(fixture.path, "init", "--yes", ...args);
    expect(refused).toMatchObject({ code: 2, stdout: "" });
    expect(refused.stderr).toContain(said);
    expect(await readdir(fixture.path)).toEqual(["data"]);
  });
});

describe.skipIf(process.platform === "win32")("regrade init at a terminal", () => {
  it("asks, and an empty answer takes what stands in the brackets", async () => {
    await using fixture = await createFixture({});
    const end = await at(fixture.path, ["mine\r", "\r", "\r", "\r"]);
    expect(end.code, end.screen).toBe(0);
    expect(end.screen).toMatch(/Now: .+ run evals\/mine\.yaml/);
    expect(await regrade(fixture.path, "validate", "evals/mine.yaml")).toMatchObject({ code: 0 });
  });

  it("asks again after an answer that can't be used, and says why", async () => {
    await using fixture = await createFixture(qa);
    const keys = [
      "a b\r",
      "qa\r",
      "data/nope.csv\r",
      "data/qa.csv\r",
      "{{q}}\r",
      "{{question}}\r",
      "\r",
      "exact\r",
      "contains\r",
      "\r",
    ];
    const end = await at(fixture.path, keys);
    expect(end.code, end.screen).toBe(0);
    for (const said of ["letters, digits", "nope.csv", 'no field "q"', 'no grader "exact"']) {
      expect(end.screen).toContain(said);
    }
    const manifest = await readFile(join(fixture.path, "evals/qa.yaml"), "utf8");
    expect(manifest).toContain("grader: contains");
  });

  it("asks only what the flags leave open", async () => {
    await using fixture = await createFixture({});
    const end = await at(fixture.path, ["\r", "\r"], "--name", "x", "--candidate", "command");
    expect(end.code, end.screen).toBe(0);
    expect(end.screen).not.toContain("Name of the suite");
  });

  it.each([
    ["Ctrl-C", "\u0003"],
    ["Ctrl-D", "\u0004"],
  ])("%s leaves, and nothing is written", async (_, key) => {
    await using fixture = await createFixture({});
    const end = await at(fixture.path, ["mine\r", key]);
    expect(end.code, end.screen).toBe(130);
    expect(end.screen).toContain("Nothing was written.");
    expect(await readdir(fixture.path)).toEqual([]);
  });
});

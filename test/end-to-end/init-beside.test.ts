import { execFile } from "node:child_process";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { createFixture } from "fs-fixture";
import { describe, expect, it } from "vitest";
import { regrade } from "../support/cli.ts";

/** `regrade init` beside what a repository has already: what it writes runs, and what was there stays as it was. */

interface Place {
  /** What is there. */
  readonly files: Readonly<Record<string, string>>;
  /** Where it is started. */
  readonly folder?: string;
  readonly argv?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Branch of a new git repository; undefined: none. */
  readonly git?: string;
  /** The workflow that it writes, and what stands in it; undefined: none. */
  readonly workflow?: readonly [path: string, ...having: readonly string[]];
  readonly said?: readonly string[];
  readonly notSaid?: readonly string[];
  /** Whether the suite is run there: it has the same content everywhere. */
  readonly runs?: boolean;
}

const own = ".github/workflows/evals.yml";
const step = (inputs: string): string =>
  `on: push\njobs:\n  e:\n    runs-on: ubuntu-latest\n    steps:\n      - uses: acme/regrade@v1\n        with: { ${inputs} }\n`;
const promptfoo = ["npx promptfoo@latest eval -o out.json; regrade run --results out.json"];
const pytest = ["--junitxml=out.xml; regrade run --results out.xml"];

const places: Readonly<Record<string, Place>> = {
  "an empty folder": { files: {}, runs: true, workflow: [own, "branches: [main]"] },
  "a repository on master": { files: {}, git: "master", workflow: [own, "branches: [master]"] },
  "a branch whose name YAML reads otherwise": {
    files: {},
    git: "1.0",
    workflow: [own, 'branches: ["1.0"]'],
  },
  "a promptfoo config": {
    files: { "promptfooconfig.yaml": "prompts: []\n" },
    workflow: [own],
    said: promptfoo,
  },
  "a promptfoo config in TypeScript": {
    files: { "promptfooconfig.ts": "" },
    workflow: [own],
    said: promptfoo,
  },
  "a promptfoo config among the suites": {
    files: { "evals/promptfooconfig.yaml": "prompts: []\n" },
    workflow: [own, "suite: evals/first.yaml"],
    said: promptfoo,
  },
  "a suite with a slip of the pen": {
    files: { "evals/other.yaml": "dataset: [\n" },
    workflow: [own, "with: { strict: true }"],
  },
  "tests of pytest": { files: { "tests/conftest.py": "" }, workflow: [own], said: pytest },
  "tests of pytest that pyproject.toml sets up": {
    files: { "pyproject.toml": "[tool.pytest.ini_options]\n" },
    workflow: [own],
    said: pytest,
  },
  "a project of Python without tests": {
    files: { "pyproject.toml": "[project]\n" },
    workflow: [own],
    notSaid: pytest,
  },
  "a key in the environment": {
    files: {},
    env: { OPENAI_API_KEY: "sk-test-1234" },
    workflow: [own],
    said: ["Keys are set for openai (OPENAI_API_KEY)"],
  },
  "a workflow of that name that runs something else": {
    files: { [own]: "on: push\njobs: {}\n" },
    workflow: [".github/workflows/regrade.yml", "name: regrade"],
  },
  "a workflow that can't be read": {
    files: { [own]: "on: [\n" },
    workflow: [".github/workflows/regrade.yml"],
  },
  "a workflow of another name that runs Regrade": {
    files: { ".github/workflows/ci.yml": step("strict: true") },
    notSaid: ["Add this step"],
  },
  "a workflow that runs one suite alone": {
    files: { ".github/workflows/ci.yml": step("suite: evals/other.yaml") },
    said: ["its input `suite` names: add evals/first.yaml there"],
  },
  "a workflow that gates another tool's results": {
    files: { ".github/workflows/ci.yml": step("results: out.json") },
    workflow: [own],
  },
  "a folder of a monorepo": {
    files: {},
    runs: true,
    git: "main",
    folder: "packages/bot",
    workflow: [own, "working-directory: packages/bot"],
  },
  "a second folder of a monorepo": {
    files: { [own]: step("working-directory: ./packages/web/") },
    git: "main",
    folder: "packages/bot",
    said: [`${own} runs Regrade in other folders`, "working-directory: packages/bot"],
  },
  "runs of earlier": { runs: true, files: { ".regrade/runs/x/run.json": "{}" }, workflow: [own] },
  "a half of what it writes": {
    files: { ".gitignore": "node_modules" },
    argv: ["--no-workflow"],
  },
};

const run = promisify(execFile);

async function contents(folder: string): Promise<Readonly<Record<string, string>>> {
  const found = await readdir(folder, { recursive: true, withFileTypes: true });
  const paths = found
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length))
    .filter((path) => !/\/\.(?:git|regrade)\//.test(`/${path}`));
  const texts = paths.map(async (path) => [path, await readFile(join(folder, path), "utf8")]);
  return Object.fromEntries(await Promise.all(texts)) as Record<string, string>;
}

describe.each(Object.entries(places))("regrade init beside %s", (_, place) => {
  const { files, folder = ".", argv = [], env = {}, git, workflow, said = [] } = place;

  it("writes what runs, changes nothing that is there, and a second time writes nothing", async () => {
    await using fixture = await createFixture({ ...files, [join(folder, "keep")]: "" });
    if (git !== undefined) await run("git", ["init", "-q", "-b", git, fixture.path]);
    const before = await contents(fixture.path);
    const at = { in: join(fixture.path, folder), env };
    const init = ["init", "--yes", "--name", "first", ...argv];
    const first = await regrade(init, at);
    expect(first.code, first.stderr).toBe(0);
    for (const words of said) expect(first.stdout).toContain(words);
    for (const words of place.notSaid ?? []) expect(first.stdout).not.toContain(words);
    const after = await contents(fixture.path);
    for (const [path, text] of Object.entries(before)) expect(after[path]).toContain(text);
    const workflows = Object.keys(after).filter((path) => path.includes("workflows/"));
    const added = workflows.filter((path) => !(path in before));
    expect(added.map((path) => path.replace(/^\//, ""))).toEqual(workflow?.slice(0, 1) ?? []);
    for (const having of workflow?.slice(1) ?? []) expect(after[added[0] ?? ""]).toContain(having);
    if (place.runs === true) {
      const strict = await regrade(["validate", "--strict", "evals/first.yaml"], at);
      expect(strict.code, strict.stderr).toBe(0);
      const judged = await regrade(["run", "--strict", "evals/first.yaml", "--quiet"], at);
      expect(judged.code, judged.stderr).toBe(0);
    }
    const again = await regrade(init, at);
    expect(again, again.stderr).toMatchObject({ code: 0 });
    expect(again.stdout).toContain("Everything is there already; nothing was written.");
    expect(await contents(fixture.path)).toEqual(after);
  });
});

it("writes what is missing of what an earlier init wrote, and keeps the rest", async () => {
  await using fixture = await createFixture({});
  const at = { in: fixture.path };
  const init = ["init", "--yes", "--name", "first"];
  await regrade(init, at);
  await fixture.rm("evals/data");
  await fixture.rm("evals/first.py");
  const again = await regrade(init, at);
  expect(again.stdout).toContain("There already: evals/first.yaml");
  expect((await regrade(["run", "evals/first.yaml", "--quiet"], at)).code).toBe(0);
});

it("says what a workflow that is there lacks for a model's key", async () => {
  await using fixture = await createFixture({ [own]: step("strict: true") });
  const argv = ["init", "--yes", "--candidate", "openai:gpt-5.4-mini", "--name", "first"];
  const end = await regrade(argv, { in: fixture.path, env: { OPENAI_API_KEY: "sk-test-1234" } });
  expect(end.stdout).toContain(`${own} does not pass the key on yet`);
  expect(end.stdout).toContain("OPENAI_API_KEY is set here; add it to the repository's secrets");
  expect(await fixture.readFile(own, "utf8")).toBe(step("strict: true"));
});

it("writes nothing through a link that leads to nothing", async () => {
  await using fixture = await createFixture({
    "evals/first.yaml": (tools) => tools.symlink("../outside.yaml"),
  });
  const end = await regrade(["init", "--yes", "--name", "first"], { in: fixture.path });
  expect(end.code).toBe(2);
  expect(await fixture.exists("outside.yaml")).toBe(false);
});

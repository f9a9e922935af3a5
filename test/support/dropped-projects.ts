import { execFileSync } from "node:child_process";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { createFixture, type FsFixture } from "fs-fixture";
import type { Run } from "../../src/model/outcomes/run.ts";
import { jsonLines, regrade, type CliEnd } from "./cli.ts";
import { startProvider, type Provider, type Seen } from "./provider/server.ts";

/** Projects with a baseline and a candidate that is worse: a model on the loopback, or programs in a git repository. */

export const cases = 60;
export const dropped = 15;
const env = { LOCAL_KEY: "sk-local" };

export async function readRun(fixture: FsFixture, out = "out"): Promise<Run> {
  return JSON.parse(await readFile(fixture.getPath(out, "run.json"), "utf8")) as Run;
}

export const rowsOf = (n: number): string =>
  jsonLines(Array.from({ length: n }, (_, i) => ({ id: `c${i}`, word: `w${i}` })));

export interface ModelParts {
  readonly model: string;
  readonly prompt?: string;
  readonly gate?: string;
  readonly run?: string;
}

export function modelSuite({ url }: Provider, parts: ModelParts): string {
  return [
    "name: words",
    "dataset: words.jsonl",
    `prompt_template: "${parts.prompt ?? "Say {{word}}"}"`,
    'target_template: "{{word}}"',
    "grader: exact_match",
    `providers: { local: { base_url: "${url}", api_key_env: LOCAL_KEY, prices: { old: { input: 1, output: 1 }, new: { input: 1, output: 1 } } } }`,
    `candidates: { main: { model: "local:${parts.model}", max_output_tokens: 10 } }`,
    `run: ${parts.run ?? "{}"}`,
    `gate: ${parts.gate ?? "{}"}`,
    "",
  ].join("\n");
}

/** Number of the case that a prompt asks about. */
export function caseOf({ prompt }: Seen): number {
  return Number(/w(\d+)\s*$/.exec(prompt)?.[1]);
}

export const rightWord = ({ prompt }: Seen): string => prompt.split(" ").at(-1) ?? "";

/** `new` is wrong about the first cases: always, or only when it is asked for the first time. */
export function provide(worse: "always" | "once"): Promise<Provider> {
  const asked = new Set<string>();
  return startProvider({
    answer: (seen) => {
      if (seen.model !== "new") return rightWord(seen);
      const isFirst = !asked.has(seen.prompt);
      asked.add(seen.prompt);
      const isWrong = caseOf(seen) < dropped && (worse === "always" || isFirst);
      return isWrong ? "wrong" : rightWord(seen);
    },
  });
}

export function start(
  fixture: FsFixture,
  argv: readonly string[],
  more: object = {},
): Promise<CliEnd> {
  return regrade(argv, { in: fixture.path, env, ...more });
}

/** A baseline by the old model; then the suite is the new one's. */
export async function modelProject(
  provider: Provider,
  parts: Partial<ModelParts> = {},
): Promise<FsFixture> {
  const fixture = await createFixture({
    "words.jsonl": rowsOf(cases),
    "suite.yaml": modelSuite(provider, { model: "old" }),
  });
  const end = await start(fixture, ["run", "suite.yaml", "--baseline", "none", "--out", "base"]);
  if (end.code !== 0) throw new Error(end.stderr + end.stdout);
  await writeFile(
    fixture.getPath("suite.yaml"),
    modelSuite(provider, { ...parts, model: parts.model ?? "new" }),
  );
  return fixture;
}

export const tokens = (most: number): string => `{ concurrency: 1, budget: { tokens: ${most} } }`;
export const runNew = ["run", "suite.yaml", "--baseline", "base", "--out", "out"];

export const git = (folder: string, ...args: readonly string[]): string =>
  execFileSync(
    "git",
    ["-c", "user.name=n", "-c", "user.email=n@example.org", "-c", "commit.gpgsign=false", ...args],
    { cwd: folder, encoding: "utf8" },
  ).trim();

export const programCases = 30;
export const programDropped = 9;

/** A worker that answers a prompt's last word, and needs the output of `prepare.py`, which no commit has. */
export const appOf = (wrong: string): string => `import json, os, sys
prefix = open("made/prefix").read()
for line in sys.stdin:
    asked = json.loads(line)
    word = asked["prompt"].split()[-1]
    wrong = int(word[1:]) < ${programDropped}${wrong}
    print(json.dumps({"id": asked["id"], "output_text": prefix + ("wrong" if wrong else word)}), flush=True)
`;
export const goodApp = appOf(" and False");
/** Wrong about the first cases. */
export const badApp = appOf("");
/** The same, but only for the first request. */
export const flakyApp = appOf(` and not os.path.exists("seen-" + word)
    open("seen-" + word, "w").close()`);
const prepare = `import os
os.makedirs("made", exist_ok=True)
open("made/prefix", "w").close()
`;

export interface ProgramParts {
  readonly candidate?: string;
  readonly gate?: string;
  readonly run?: string;
  /** Content on `main`. */
  readonly baseApp?: string;
  readonly env?: Readonly<Record<string, string>>;
}

const withSetup = "{ worker: [python3, -S, app.py], setup: [python3, -S, prepare.py] }";

export function programSuite({ candidate = withSetup, gate, run }: ProgramParts): string {
  return [
    "name: words",
    "dataset: words.jsonl",
    'prompt_template: "Say {{word}}"',
    'target_template: "{{word}}"',
    "grader: exact_match",
    `candidates: { app: ${candidate} }`,
    `run: ${run ?? "{}"}`,
    `gate: ${gate ?? "{}"}`,
    "",
  ].join("\n");
}

/** A repository with a baseline of `main`'s app, kept outside of git; then the change has another app. */
export async function programProject(app: string, parts: ProgramParts = {}): Promise<FsFixture> {
  const { baseApp = goodApp, env: more } = parts;
  const fixture = await createFixture({
    ".gitignore": "made/\nseen-*\nbase/\nout/\n.regrade/\n",
    "evals/words.jsonl": rowsOf(programCases),
    "evals/suite.yaml": programSuite(parts),
    "evals/app.py": baseApp,
    "evals/prepare.py": prepare,
  });
  git(fixture.path, "init", "--quiet", "--initial-branch=main");
  git(fixture.path, "add", "--all");
  git(fixture.path, "commit", "--quiet", "--message=base");
  execFileSync("python3", ["prepare.py"], { cwd: fixture.getPath("evals") });
  const argv = ["run", "evals/suite.yaml", "--baseline", "none", "--out", "base"];
  const end = await start(fixture, argv, { env: { ...env, ...more } });
  if (end.code !== 0) throw new Error(end.stderr + end.stdout);
  git(fixture.path, "switch", "--quiet", "--create=change");
  await change(fixture, { "evals/app.py": app });
  return fixture;
}

export async function change(
  fixture: FsFixture,
  files: Readonly<Record<string, string>>,
): Promise<void> {
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(fixture.getPath(path)), { recursive: true });
    await writeFile(fixture.getPath(path), text);
  }
  git(fixture.path, "add", "--all");
  git(fixture.path, "commit", "--quiet", "--allow-empty", "--message=change");
}

export const runApp = ["run", "evals/suite.yaml", "--baseline", "base", "--out", "out"];

import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, readFile, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { createFixture, type FsFixture } from "fs-fixture";
import type { Run } from "../../src/model/run.ts";
import { regrade, type CliEnd } from "./cli.ts";
import { runProgram } from "./programs.ts";

export interface Link {
  readonly link: string;
}

/** A change in its own repository, judged by `main`'s rules as for a user. */
export interface Change {
  readonly base: Readonly<Record<string, string | Link>>;
  /** Files and symbolic links that the change writes; null: a path that it deletes. */
  readonly head: Readonly<Record<string, string | Link | null>>;
  /** After `regrade run`; default: `evals/qa.yaml`. */
  readonly argv?: readonly string[];
}

export interface Judged extends AsyncDisposable {
  readonly end: CliEnd;
  readonly run: Run;
  readonly summary: string;
  readonly fixture: FsFixture;
}

export const git = (folder: string, ...args: readonly string[]): string =>
  execFileSync(
    "git",
    ["-c", "user.name=n", "-c", "user.email=n@example.org", "-c", "commit.gpgsign=false", ...args],
    { cwd: folder, encoding: "utf8" },
  ).trim();

const gitEnvironment = {
  GIT_AUTHOR_NAME: "n",
  GIT_AUTHOR_EMAIL: "n@example.org",
  GIT_COMMITTER_NAME: "n",
  GIT_COMMITTER_EMAIL: "n@example.org",
  GIT_CONFIG_COUNT: "2",
  GIT_CONFIG_KEY_0: "commit.gpgsign",
  GIT_CONFIG_VALUE_0: "false",
  // The check whether to collect garbage takes more processes than the commit.
  GIT_CONFIG_KEY_1: "maintenance.auto",
  GIT_CONFIG_VALUE_1: "false",
};

async function shell(folder: string, commands: readonly string[]): Promise<void> {
  const env = { ...process.env, ...gitEnvironment };
  await runProgram({ program: "sh", args: ["-ec", commands.join("\n")], cwd: folder, env });
}

/** Makes the repository: `main` with the base's files, and a branch `change`, checked out. */
export async function makeChange({
  base,
  head,
}: Pick<Change, "base" | "head">): Promise<FsFixture> {
  const fixture = await createFixture({});
  await write(fixture, base);
  const init = "git init --quiet --initial-branch=main";
  await shell(fixture.path, [
    init,
    "git add --all",
    "git commit -qm base",
    "git switch -qc change",
  ]);
  await write(fixture, head);
  await shell(fixture.path, ["git add --all", "git commit -qm change --allow-empty"]);
  return fixture;
}

async function write(fixture: FsFixture, files: Change["head"]): Promise<void> {
  for (const [path, content] of Object.entries(files)) {
    const at = fixture.getPath(path);
    if (content === null || typeof content !== "string") await fixture.rm(path).catch(() => {});
    if (content === null) continue;
    await mkdir(dirname(at), { recursive: true });
    if (typeof content === "string") await writeFile(at, content);
    else await symlink(content.link, at);
  }
}

/** Runs the built program on the change in a CI job, into `out`, with the policy of `from`. */
export function runChange(
  fixture: FsFixture,
  argv: readonly string[] = ["evals/qa.yaml"],
  from = "main",
): Promise<CliEnd> {
  const args = ["run", ...argv, "--out", "out", "--policy-from", from];
  return regrade(args, { in: fixture.path, env: { CI: "true" } });
}

export async function judgeChange(change: Change): Promise<Judged> {
  const fixture = await makeChange(change);
  const end = await runChange(fixture, change.argv);
  const out = join(fixture.path, "out");
  if (!existsSync(join(out, "run.json"))) throw new Error(end.stderr);
  const run = JSON.parse(await readFile(join(out, "run.json"), "utf8")) as Run;
  const summary = await readFile(join(out, "summary.md"), "utf8");
  return { end, run, summary, fixture, [Symbol.asyncDispose]: () => fixture.rm() };
}

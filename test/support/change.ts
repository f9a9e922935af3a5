import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, readFile, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { createFixture, type FsFixture } from "fs-fixture";
import type { Run } from "../../src/model/outcomes/run.ts";
import { regrade, type CliEnd } from "./cli.ts";
import { importCommits, initializeRepository } from "./commits.ts";
import { runProgram } from "./programs.ts";

export interface Link {
  readonly link: string;
}

/** A change in its own repository, judged by `main`'s rules as for a user. */
export interface Change {
  readonly base: Readonly<Record<string, string | Link>>;
  /** Files and symbolic links that the change writes; null: a path that it deletes. */
  readonly head: Readonly<Record<string, string | Link | null>>;
  /** Files that are there in no commit. Of the others each is in one, as no `.gitignore` is looked at. */
  readonly made?: Readonly<Record<string, string>>;
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

/** Makes the repository: `main` with the base's files, and a branch `change`, checked out. */
export async function makeChange({
  base,
  head,
  made = {},
}: Pick<Change, "base" | "head" | "made">): Promise<FsFixture> {
  const fixture = await createFixture({});
  const { path } = fixture;
  await initializeRepository(path, "change");
  await importCommits(path, [
    { branch: "main", parent: undefined, files: base, message: "base" },
    { branch: "change", parent: "refs/heads/main", files: head, message: "change" },
  ]);
  await write(fixture, base);
  await write(fixture, { ...head, ...made });
  await runProgram({ program: "git", args: ["reset", "--quiet"], cwd: path });
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

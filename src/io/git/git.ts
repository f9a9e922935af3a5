import { execFile } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { basename, dirname, join, relative } from "node:path";
import { promisify } from "node:util";
import { cutText } from "../../base/cut-text.ts";
import { gitEnvironment } from "./environment.ts";
import { inspectPath } from "../files/files.ts";
import { findRepository } from "../files/locate.ts";
import { reasonOf, systemCode } from "../files/reason.ts";

/** The commit and branch of a working directory; nulls outside git, or if git is not installed. */
export async function readGitHead(
  directory: string,
): Promise<{ readonly sha: string | null; readonly ref: string | null }> {
  if (await isOutsideGit(directory)) return { sha: null, ref: null };
  // One process for both, where there is a commit and no other ref is called HEAD.
  const both = await git(directory, ["rev-parse", "HEAD", "--symbolic-full-name", "HEAD"]);
  const [id = "", name = "", ...more] = both?.split("\n") ?? [];
  if (name !== "" && more.length === 0) return { sha: id, ref: name === "HEAD" ? null : name };
  const [sha, ref] = await Promise.all([
    git(directory, ["rev-parse", "--verify", "HEAD"]),
    // A detached HEAD has no name.
    git(directory, ["symbolic-ref", "--quiet", "HEAD"]),
  ]);
  return { sha, ref };
}

/** Whether no folder around it is a repository: git has nothing to say then, and need not be started. */
async function isOutsideGit(directory: string): Promise<boolean> {
  try {
    const { real } = await inspectPath(directory);
    return (await findRepository(real)) === undefined;
  } catch {
    return false;
  }
}

/**
 * The branch that pull requests go to: the one of `origin`, else `main` or `master` where there is such a branch, else the
 * one that is checked out. null outside git.
 */
export async function readMainBranch(directory: string): Promise<string | null> {
  const origin = await git(directory, ["symbolic-ref", "--quiet", "refs/remotes/origin/HEAD"]);
  if (origin !== null) return origin.replace("refs/remotes/origin/", "");
  for (const name of ["main", "master"])
    if ((await git(directory, ["rev-parse", "--verify", `refs/heads/${name}`])) !== null)
      return name;
  const { ref } = await readGitHead(directory);
  return ref?.replace("refs/heads/", "") ?? null;
}

/** The address of `origin`; null if there is none. */
export function readGitOrigin(directory: string): Promise<string | null> {
  return git(directory, ["remote", "get-url", "origin"]);
}

/** The commit of a working directory, with its parents: a checkout of depth 1 knows them, too. */
export async function readCheckout(
  directory: string,
): Promise<{ readonly sha: string; readonly parents: readonly string[] } | undefined> {
  if (await isOutsideGit(directory)) return undefined;
  const said = await git(directory, ["cat-file", "--batch"], "HEAD\n");
  const [, sha, commit] = /^([0-9a-f]{40,64}) commit \d+\n(.*)$/s.exec(said ?? "") ?? [];
  if (sha === undefined || commit === undefined) return undefined;
  const [head = ""] = commit.split("\n\n", 1);
  const found = head.matchAll(/^parent ([0-9a-f]{40,64})$/gm);
  return { sha, parents: [...found].map(([, parent = ""]) => parent) };
}

/**
 * A commit can contain a folder that looks like a bare repository with its own configuration, which git would use when
 * called within it. And fsmonitor starts a program, which is not needed here.
 */
export const guards = ["-c", "safe.bareRepository=explicit", "-c", "core.fsmonitor=false"];

/** Limit of time for a question about files. */
export const gitMilliseconds = 30_000;

/** Why git failed, in one line. */
export function gitsReason(error: unknown): string {
  const code = systemCode(error);
  if (code === "ENOENT") return "git is not installed";
  if (!(error instanceof Error)) return String(error);
  if ("killed" in error && error.killed === true && code === undefined)
    return `git took longer than ${gitMilliseconds / 1000} seconds`;
  const said = "stderr" in error && typeof error.stderr === "string" ? error.stderr : "";
  const lines = said.split("\n").filter((line) => /^(?:fatal|error): /.test(line));
  return cutText(lines.at(-1) ?? reasonOf(error), 300);
}

async function git(directory: string, args: readonly string[], input = ""): Promise<string | null> {
  try {
    const running = promisify(execFile)("git", [...guards, ...args], {
      cwd: directory,
      env: gitEnvironment(),
      timeout: 5000,
    });
    // A git that is not there, or ended early, does not read.
    running.child.stdin?.on("error", () => undefined).end(input);
    const { stdout } = await running;
    return stdout.trim() || null;
  } catch {
    return null;
  }
}

/**
 * Tells whether git tracks something at a path, as checked out; false outside git. The checkout may belong to another
 * user (in a container).
 */
export async function isInGit(directory: string, path: string): Promise<boolean> {
  const listed = ["-c", "safe.directory=*", "ls-files", "--", path];
  return (await git(directory, listed)) !== null;
}

/**
 * Tells whether a path, or the target of its links, may be in a commit: of its repository, or of an enclosing one with
 * this as a submodule.
 */
export async function isOfCommit(absolutePath: string): Promise<boolean> {
  const parent = await inspectPath(dirname(absolutePath));
  const { real } = await inspectPath(absolutePath);
  const paths = new Set([join(parent.real, basename(absolutePath)), real]);
  for (const path of paths) if (await mayHave(path)) return true;
  return false;
}

/** A folder outside of all repositories counts as possibly committed. */
async function mayHave(path: string): Promise<boolean> {
  const repository = await findRepository(dirname(path));
  if (repository === undefined) return true;
  const around = await findRepository(dirname(repository));
  const isSubmodule = around !== undefined && (await lists(around, repository));
  return isSubmodule || lists(repository, path);
}

/** The submodule that a folder is in, by its path in the repository around it; undefined: it is in none. */
export async function findSubmodule(directory: string): Promise<string | undefined> {
  const { real } = await inspectPath(directory);
  const repository = await findRepository(real);
  const around = repository && (await findRepository(dirname(repository)));
  if (!around || !(await lists(around, repository))) return undefined;
  return relative(around, repository);
}

/** Tells whether git has a path, links followed; false outside git, and if git can't be asked. */
export async function isTracked(realPath: string): Promise<boolean> {
  const repository = await findRepository(dirname(realPath));
  return repository !== undefined && (await list(repository, realPath)).text !== "";
}

/** The files of the repository and its submodules that git has, by their paths; undefined if git can't tell. */
export async function listTracked(root: string): Promise<ReadonlySet<string> | undefined> {
  // Submodules whose files are here count, also where nobody told git to follow them.
  const settings = ["-c", "safe.directory=*", "-c", "submodule.active=."];
  const asked = [...settings, "ls-files", "-z", "--recurse-submodules"];
  const listed = promisify(execFile)("git", [...guards, ...asked], {
    cwd: root,
    env: gitEnvironment(),
    timeout: 30_000,
    maxBuffer: 64 << 20,
  });
  const text = await listed.then(
    ({ stdout }) => stdout,
    () => undefined,
  );
  return text === undefined ? undefined : new Set(text.split("\0").filter((path) => path !== ""));
}

async function lists(repository: string, path: string): Promise<boolean> {
  const { code, text } = await list(repository, path);
  return code !== 0 || text !== "";
}

function list(repository: string, path: string): ReturnType<typeof runGit> {
  const literal = `:(literal)${relative(repository, path)}`;
  return runGit(repository, ["-c", "safe.directory=*", "ls-files", "--", literal]);
}

function runGit(
  directory: string,
  args: readonly string[],
): Promise<{ readonly code: number; readonly text: string }> {
  const asked = [...guards, ...args];
  const options = { cwd: directory, env: gitEnvironment(), timeout: 30_000 };
  return promisify(execFile)("git", asked, options).then(
    ({ stdout }) => ({ code: 0, text: stdout.trim() }),
    () => ({ code: 1, text: "" }),
  );
}

/**
 * Writes git's index anew. Until then git reads each file that was written in the same second as the index, to learn
 * whether it changed.
 */
export async function renewIndex(directory: string): Promise<void> {
  await git(directory, ["-c", "core.hooksPath=/dev/null", "update-index", "--force-write-index"]);
}

/**
 * Makes git ignore a whole folder. An existing file is kept; if writing fails, git only shows the folder as untracked.
 */
export async function keepOutOfGit(directory: string): Promise<void> {
  await writeFile(join(directory, ".gitignore"), "*\n", { flag: "wx" }).catch(() => undefined);
}

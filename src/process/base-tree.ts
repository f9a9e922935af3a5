import { execFile } from "node:child_process";
import { rmSync } from "node:fs";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import type { BaseTree } from "../domain/policy.ts";
import { problem, Refusal } from "../domain/refusal.ts";
import { inspectPath } from "./files.ts";
import { readGitHead } from "./git.ts";
import { findRepository } from "./locate.ts";
import { reasonOf } from "./reason.ts";

/**
 * The tree that a policy is taken from: of a git ref, else a folder. A ref goes first: a change can bring a folder that is
 * called like the base's branch, and can't move the branch. Throws a Refusal where there is neither.
 */
export async function openBaseTree(
  source: string,
  workingDirectory: string,
  signal: AbortSignal,
): Promise<BaseTree> {
  const folder = await inspectPath(workingDirectory);
  const repository = await findRepository(folder.real);
  const sha = repository && (await readCommit(source, repository));
  if (repository && sha) return checkOut({ source, sha, repository }, signal);
  const named = await inspectPath(resolve(workingDirectory, source));
  if (source.trim() === "" || named.kind !== "directory")
    throw new Refusal(problem("policy_from_missing", { source }));
  return {
    source,
    sha: await ownCommit(named.real),
    root: named.real,
    repository: undefined,
    close: async () => undefined,
  };
}

/** A folder within another repository has no commit of its own. */
async function ownCommit(folder: string): Promise<string | null> {
  const { kind } = await inspectPath(join(folder, ".git"));
  return kind === "missing" ? null : (await readGitHead(folder)).sha;
}

async function readCommit(ref: string, repository: string): Promise<string | undefined> {
  const asked = ["rev-parse", "--verify", "--quiet", "--end-of-options", `${ref}^{commit}`];
  return git(asked, { directory: repository }).catch(() => undefined);
}

/**
 * Writes a commit's files into a temporary folder by an index of its own. Not `git worktree`: that runs hooks, and leaves
 * its mark in the repository where this process is killed. What only a depth-1 checkout has is enough. The folder is the
 * work tree of it, so that the change's own `.gitattributes` have no say in what the base's files look like.
 */
async function checkOut(
  base: { readonly source: string; readonly sha: string; readonly repository: string },
  signal: AbortSignal,
): Promise<BaseTree> {
  const { real } = await inspectPath(tmpdir());
  const folder = await mkdtemp(join(real, "regrade-base-"));
  const removeNow = (): void => rmSync(folder, { recursive: true, force: true });
  // A second Ctrl-C ends the process within the turn.
  process.once("exit", removeNow);
  const close = async (): Promise<void> => {
    process.off("exit", removeNow);
    await rm(folder, { recursive: true, force: true });
  };
  const root = join(folder, "tree");
  try {
    await mkdir(root);
    const home = await git(["rev-parse", "--absolute-git-dir"], { directory: base.repository });
    const env = {
      GIT_DIR: home,
      GIT_WORK_TREE: root,
      GIT_INDEX_FILE: join(folder, "index"),
      // Where objects are fetched as they are needed, nobody is there to type a password.
      GIT_TERMINAL_PROMPT: "0",
    };
    await git(["read-tree", "--reset", "-u", base.sha], { directory: root, env, signal });
    return { ...base, root, close };
  } catch (error) {
    await close();
    if (signal.aborted)
      throw new Refusal(problem("stopped_early", undefined), { cause: error, exit: 130 });
    const found = { source: base.source, reason: reasonOf(error) };
    throw new Refusal(problem("policy_checkout_failed", found), { cause: error, exit: 4 });
  }
}

/** A sparse checkout would leave out files that judge; a hook may do anything. */
const settings = ["-c", "core.sparseCheckout=false", "-c", "core.hooksPath=/dev/null"];

async function git(
  args: readonly string[],
  at: {
    readonly directory: string;
    readonly env?: Readonly<Record<string, string>>;
    readonly signal?: AbortSignal;
  },
): Promise<string> {
  const { GIT_DIR: _, GIT_WORK_TREE: __, GIT_INDEX_FILE: ___, ...env } = process.env;
  const { stdout } = await promisify(execFile)("git", [...settings, ...args], {
    cwd: at.directory,
    env: { ...env, ...at.env },
    ...(at.signal && { signal: at.signal }),
  });
  return stdout.trim();
}

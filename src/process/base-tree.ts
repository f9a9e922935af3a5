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
  return git(asked, { repository }).catch(() => undefined);
}

/**
 * Writes a commit's files into a temporary folder by an index of its own. Not `git worktree`: that runs hooks, and leaves
 * its mark in the repository where this process is killed. What only a depth-1 checkout has is enough.
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
    const at = { repository: base.repository, index: join(folder, "index"), signal };
    await git(["read-tree", base.sha], at);
    await git(["checkout-index", "--all", "--quiet", `--prefix=${root}/`], at);
    return { ...base, root, close };
  } catch (error) {
    await close();
    if (signal.aborted)
      throw new Refusal(problem("stopped_early", undefined), { cause: error, exit: 130 });
    const found = { source: base.source, reason: reasonOf(error) };
    throw new Refusal(problem("policy_checkout_failed", found), { cause: error, exit: 4 });
  }
}

async function git(
  args: readonly string[],
  at: { readonly repository: string; readonly index?: string; readonly signal?: AbortSignal },
): Promise<string> {
  const { GIT_DIR: _, GIT_WORK_TREE: __, ...env } = process.env;
  // A sparse checkout would leave out files that judge.
  const { stdout } = await promisify(execFile)(
    "git",
    ["-c", "core.sparseCheckout=false", ...args],
    {
      cwd: at.repository,
      env: { ...env, ...(at.index !== undefined && { GIT_INDEX_FILE: at.index }) },
      ...(at.signal && { signal: at.signal }),
    },
  );
  return stdout.trim();
}

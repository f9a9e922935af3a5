import { execFile } from "node:child_process";
import { copyFile, rm, stat, utimes } from "node:fs/promises";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { makeTemporaryFolder } from "../files/temporary.ts";
import { gitEnvironment } from "./environment.ts";
import { gitMilliseconds, guards } from "./git.ts";

/** Runs git with a copy of the index; throws if it fails or takes too long. */
export type AskWithIndex = (args: readonly string[], input?: string) => Promise<string>;

interface OwnIndex {
  readonly git: AskWithIndex;
  /** Paths from the folder of files that a sparse checkout leaves out, or that somebody marked so. */
  readonly leftOut: ReadonlySet<string>;
}

/**
 * Asks git about the files of a checkout. Works on a copy of the index: its times let git read only the files that were written
 * since. The copy overlooks no file, which the repository's own index may have been told to do. A change of a file alters its
 * ctime, which no program can set. `at`: the index as it is, or with the content of a commit.
 */
export async function askWithOwnIndex<T>(
  root: string,
  { at, objects }: { readonly at: string; readonly objects?: string | undefined },
  work: (index: OwnIndex) => Promise<T>,
): Promise<T> {
  const folder = await makeTemporaryFolder("regrade-index-");
  const index = join(folder, "index");
  const env = gitEnvironment({
    GIT_INDEX_FILE: index,
    GIT_OPTIONAL_LOCKS: "0",
    ...(objects !== undefined && { GIT_ALTERNATE_OBJECT_DIRECTORIES: objects }),
  });
  const git: AskWithIndex = async (args, input = "") => {
    const running = promisify(execFile)("git", [...guards, ...settings, ...args], {
      cwd: root,
      env,
      timeout: gitMilliseconds,
      maxBuffer: 256 << 20,
    });
    running.child.stdin?.on("error", () => undefined).end(input);
    return (await running).stdout;
  };
  try {
    await copyIndex(root, index);
    if (at !== "index") await readCommit(at, index, git);
    return await work({ git, leftOut: await overlookNothing(git) });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** The repository's settings must not make git trust less than all it knows about a file. */
const settings = [
  "safe.directory=*",
  "core.fileMode=false",
  "core.untrackedCache=false",
  "core.trustctime=true",
  "core.checkStat=default",
  "core.sparseCheckout=false",
  "index.sparse=false",
  "core.hooksPath=/dev/null",
].flatMap((setting) => ["-c", setting]);

async function copyIndex(root: string, copy: string): Promise<void> {
  const asked = [...guards, ...settings, "rev-parse", "--git-path", "index"];
  const options = { cwd: root, env: gitEnvironment(), timeout: gitMilliseconds };
  const { stdout } = await promisify(execFile)("git", asked, options);
  const own = resolve(root, stdout.replace(/\n$/, ""));
  const found = await stat(own).catch(() => undefined);
  if (found === undefined) return;
  await copyFile(own, copy);
  // git reads files again that were written when the index was, or later: a newer time would hide their changes.
  const written = Math.floor(found.mtimeMs / 1000);
  await utimes(copy, written, written);
}

async function readCommit(commit: string, index: string, git: AskWithIndex): Promise<void> {
  // Keeps the times of unchanged entries; impossible in the middle of a merge.
  await git(["read-tree", "-m", commit]).catch(async () => {
    await rm(index, { force: true });
    await git(["read-tree", commit]);
  });
}

/** Clears the marks that make git overlook files. */
async function overlookNothing(git: AskWithIndex): Promise<ReadonlySet<string>> {
  const entries = (await git(["ls-files", "-v", "-z"])).split("\0");
  const marked = (isMarked: RegExp): readonly string[] =>
    entries.filter((entry) => isMarked.test(entry)).map((entry) => entry.slice(2));
  const leftOut = marked(/^[Ss] /);
  await clear("--no-skip-worktree", leftOut, git);
  await clear("--no-assume-unchanged", marked(/^[a-z] /), git);
  return new Set(leftOut);
}

async function clear(mark: string, paths: readonly string[], git: AskWithIndex): Promise<void> {
  if (paths.length > 0) await git(["update-index", mark, "-z", "--stdin"], paths.join("\0"));
}

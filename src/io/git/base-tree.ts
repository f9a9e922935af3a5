import { execFile } from "node:child_process";
import { rmSync } from "node:fs";
import { mkdir, rm } from "node:fs/promises";
import { join, resolve, sep } from "node:path";
import { promisify } from "node:util";
import type { BaseTree } from "../../model/outcomes/policy.ts";
import { problem, Refusal } from "../../model/refusal.ts";
import { gitEnvironment } from "./environment.ts";
import { inspectPath } from "../files/files.ts";
import { findBaseCommit } from "./base-ref.ts";
import { gitsReason, guards, isOfCommit, readGitHead } from "./git.ts";
import { findRepository } from "../files/locate.ts";
import { makeTemporaryFolder } from "../files/temporary.ts";
import { findSubmodules } from "./submodules.ts";

/**
 * The tree of a policy: of a git ref, else of a folder that no commit has. A ref has priority: a change can add a folder
 * with the name of the base's branch, but can't move the branch. Throws a Refusal if there is neither.
 */
export async function openBaseTree(
  source: string,
  workingDirectory: string,
  signal: AbortSignal,
): Promise<BaseTree> {
  const folder = await inspectPath(workingDirectory);
  const repository = await findRepository(folder.real);
  const ask = (args: readonly string[]): Promise<string> =>
    git(args, { directory: repository ?? workingDirectory });
  const base = repository && (await findBase(source, repository, ask));
  if (base) return checkOut(base, signal);
  const named = await inspectPath(resolve(workingDirectory, source));
  if (source.trim() === "" || named.kind !== "directory")
    throw new Refusal(problem("policy_from_missing", { source }));
  if (repository && isWithin(repository, named.real) && (await isOfCommit(named.real)))
    throw new Refusal(problem("policy_from_in_change", { source }));
  const folderTree: BaseTree = {
    source,
    sha: await ownCommit(named.real),
    root: named.real,
    repository: undefined,
    checkOutAgain: async () => folderTree,
    close: async () => undefined,
  };
  return folderTree;
}

/** The commit of a name; undefined: there is none. Throws a Refusal if git can't read the repository. */
async function findBase(
  source: string,
  repository: string,
  ask: (args: readonly string[]) => Promise<string>,
): Promise<Checkout | undefined> {
  try {
    const sha = await findBaseCommit(source, ask);
    return sha === undefined ? undefined : await withHome({ source, sha, repository });
  } catch (error) {
    if (error instanceof Refusal) throw error;
    const found = { source, repository, reason: gitsReason(error) };
    throw new Refusal(problem("policy_git_failed", found), { cause: error, exit: 4 });
  }
}

function isWithin(folder: string, path: string): boolean {
  return path === folder || path.startsWith(join(folder, sep));
}

/**
 * The tree of a commit, by its full id, from the repository around the working directory; undefined if the repository
 * lacks it.
 */
export async function openOwnCommit(
  sha: string,
  workingDirectory: string,
  signal: AbortSignal,
): Promise<BaseTree | undefined> {
  const folder = await inspectPath(workingDirectory);
  const repository = await findRepository(folder.real);
  const home = repository && (await homeOf(sha, repository));
  if (repository === undefined || home === undefined) return undefined;
  // A partial clone may be unable to fetch missing files.
  return checkOut({ source: sha, sha, repository, home }, signal).catch(unlessAborted(signal));
}

/** A folder within another repository has no commit of its own. */
async function ownCommit(folder: string): Promise<string | null> {
  const { kind } = await inspectPath(join(folder, ".git"));
  return kind === "missing" ? null : (await readGitHead(folder)).sha;
}

/** The folder of the repository's objects, if it has a commit of this full id. */
async function homeOf(sha: string, repository: string): Promise<string | undefined> {
  const asked = ["--verify", "--quiet", "--end-of-options", `${sha}^{commit}`];
  const said = await git(["rev-parse", "--absolute-git-dir", ...asked], {
    directory: repository,
  }).catch(() => "");
  return said.endsWith(`\n${sha}`) ? said.slice(0, -sha.length - 1) : undefined;
}

/** A commit on GitHub, and how to get at it. */
interface RemoteBase {
  /** Its name for people: the base branch. */
  readonly source: string;
  readonly sha: string;
  /** `https://github.com/owner/repo`. */
  readonly url: string;
  readonly token: string;
}

/**
 * The tree of a commit on GitHub: out of the repository around the working directory where that has it, else fetched alone into a
 * temporary one. The user's repository is not touched: a fetch of depth 1 would cut off the history of a whole clone. undefined:
 * git can't do it here.
 */
export async function openRemoteTree(
  base: RemoteBase,
  workingDirectory: string,
  signal: AbortSignal,
): Promise<BaseTree | undefined> {
  const { source, sha } = base;
  const own = await openOwnCommit(sha, workingDirectory, signal);
  if (own !== undefined) return { ...own, source };
  const repository = await findRepository((await inspectPath(workingDirectory)).real);
  const store = await makeFolder("regrade-fetch-");
  try {
    await fetchAlone(base, store.path, signal);
    const tree = await checkOut({ source, sha, repository, home: store.path }, signal);
    return {
      ...tree,
      objects: join(store.path, "objects"),
      close: () => Promise.all([tree.close(), store.remove()]).then(() => undefined),
    };
  } catch (error) {
    await store.remove();
    return unlessAborted(signal)(error);
  }
}

/** A temporary folder that is removed when this process ends, in any way: a second Ctrl-C ends it at once. */
async function makeFolder(
  prefix: string,
): Promise<{ readonly path: string; readonly remove: () => Promise<void> }> {
  const path = await makeTemporaryFolder(prefix);
  const removeNow = (): void => rmSync(path, { recursive: true, force: true });
  process.once("exit", removeNow);
  const remove = async (): Promise<void> => {
    process.off("exit", removeNow);
    await rm(path, { recursive: true, force: true });
  };
  return { path, remove };
}

function unlessAborted(signal: AbortSignal): (error: unknown) => undefined {
  return (error) => {
    if (signal.aborted && error instanceof Refusal) throw error;
    return undefined;
  };
}

/**
 * Fetches one commit without its history. The token is passed in the environment: not in arguments, which every process
 * of the machine can read, and not in a file. The empty value before it removes a header that an earlier step left in the
 * user's configuration: GitHub refuses two.
 */
async function fetchAlone(base: RemoteBase, store: string, signal: AbortSignal): Promise<void> {
  await git(["init", "--bare", "--quiet", "--template=", store], { directory: store, signal });
  const header = `AUTHORIZATION: basic ${Buffer.from(`x-access-token:${base.token}`).toString("base64")}`;
  const key = `http.${new URL(base.url).origin}/.extraheader`;
  const env = withConfig([
    ["credential.helper", ""],
    ...(base.token === "" ? [] : [[key, ""] as const, [key, header] as const]),
  ]);
  await git(
    [
      "fetch",
      "--quiet",
      "--depth=1",
      "--no-tags",
      "--no-auto-maintenance",
      "--",
      base.url,
      base.sha,
    ],
    {
      directory: store,
      env: { ...env, GIT_DIR: store, GIT_TERMINAL_PROMPT: "0" },
      signal: AbortSignal.any([signal, AbortSignal.timeout(fetchMilliseconds)]),
    },
  );
}

/** A large repository takes a while; after this time the tree is requested in another way. */
const fetchMilliseconds = 180_000;

/** Settings of git for one process, appended to those of the environment. */
function withConfig(
  settings: readonly (readonly [string, string])[],
): Readonly<Record<string, string>> {
  const first = Number(process.env["GIT_CONFIG_COUNT"] ?? "0") || 0;
  const pairs = settings.flatMap(([key, value], i) => [
    [`GIT_CONFIG_KEY_${first + i}`, key],
    [`GIT_CONFIG_VALUE_${first + i}`, value],
  ]);
  return { ...Object.fromEntries(pairs), GIT_CONFIG_COUNT: String(first + settings.length) };
}

interface Checkout {
  readonly source: string;
  readonly sha: string;
  readonly repository: string | undefined;
  /** Folder of its objects. */
  readonly home: string;
  /** The repository's own commit, if it was asked for. */
  readonly head?: string | undefined;
}

async function withHome(
  base: Omit<Checkout, "home" | "repository"> & { readonly repository: string },
): Promise<Checkout> {
  const home = await git(["rev-parse", "--absolute-git-dir"], { directory: base.repository });
  return { ...base, home };
}

/**
 * Writes a commit's files into a temporary folder with an index of its own. Not `git worktree`, which runs hooks and
 * leaves traces in the repository if this process is killed. A depth-1 checkout is enough. The folder is git's work tree,
 * so that the change's own `.gitattributes` do not affect the base's files.
 */
async function checkOut(base: Checkout, signal: AbortSignal): Promise<BaseTree> {
  const { path: folder, remove: close } = await makeFolder("regrade-base-");
  const root = join(folder, "tree");
  try {
    await mkdir(root);
    const env = {
      GIT_DIR: base.home,
      GIT_WORK_TREE: root,
      GIT_INDEX_FILE: join(folder, "index"),
      // A partial clone fetches objects when they are needed, and nobody can type a password.
      GIT_TERMINAL_PROMPT: "0",
    };
    await git(["read-tree", "--reset", "-u", base.sha], { directory: root, env, signal });
    await followSubmodules(base, root, { scratch: folder, signal });
    const { source, sha, repository } = base;
    const head = base.head ?? (await headOf(repository));
    const checkOutAgain = (): Promise<BaseTree> => checkOut({ ...base, head }, signal);
    return { source, sha, repository, head, root, checkOutAgain, close };
  } catch (error) {
    await close();
    if (signal.aborted)
      throw new Refusal(problem("stopped_early", undefined), { cause: error, exit: 130 });
    const found = { source: base.source, reason: gitsReason(error) };
    throw new Refusal(problem("policy_checkout_failed", found), { cause: error, exit: 4 });
  }
}

/** The commit that is checked out in a repository. */
export async function headOf(repository: string | undefined): Promise<string | undefined> {
  return repository === undefined ? undefined : ((await readGitHead(repository)).sha ?? undefined);
}

/**
 * Adds files of submodules. A commit has only their ids, so the files come from the submodules that the user has checked
 * out. If one lacks that commit its folder stays empty, and a suite that names files there is refused.
 */
async function followSubmodules(
  base: Pick<Checkout, "sha" | "repository" | "home">,
  root: string,
  at: { readonly scratch: string; readonly signal: AbortSignal },
): Promise<void> {
  const { signal } = at;
  for (const { path, commit, real } of await findSubmodules(base, root, git)) {
    const home = await git(["rev-parse", "--absolute-git-dir"], { directory: real, signal });
    const folder = join(root, path);
    const index = join(at.scratch, "submodule-index");
    const env = { GIT_DIR: home, GIT_WORK_TREE: folder, GIT_INDEX_FILE: index };
    await mkdir(folder, { recursive: true });
    await git(["read-tree", "--reset", "-u", commit], { directory: folder, env, signal });
    await rm(index, { force: true });
    await followSubmodules({ sha: commit, repository: real, home }, folder, at);
  }
}

/** A sparse checkout would leave out files that judge; a hook may do anything. */
const settings = [
  ...guards,
  ...["core.sparseCheckout=false", "core.hooksPath=/dev/null", "submodule.recurse=false"].flatMap(
    (setting) => ["-c", setting],
  ),
];

async function git(
  args: readonly string[],
  at: {
    readonly directory: string;
    readonly env?: Readonly<Record<string, string>>;
    readonly signal?: AbortSignal;
  },
): Promise<string> {
  const { stdout } = await promisify(execFile)("git", [...settings, ...args], {
    cwd: at.directory,
    env: gitEnvironment(at.env),
    ...(at.signal && { signal: at.signal }),
  });
  return stdout.trim();
}

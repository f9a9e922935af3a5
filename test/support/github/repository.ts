import { existsSync } from "node:fs";
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { createFixture, type FsFixture } from "fs-fixture";
import { importCommits, initializeRepository } from "../commits.ts";
import { runProgram } from "../programs.ts";

/** The git side of a project on the stand-in. Without a work tree, until a test asks for one. */
export interface Repository {
  readonly sha: (ref: string) => Promise<string>;
  readonly commit: (branch: string, files: Files) => Promise<Committed>;
  /** The commit that GitHub tests: the head merged into the base's tip. */
  readonly merge: (tip: string, head: string) => Promise<string>;
  /** Checks a branch out; returns its folder. */
  readonly workTree: (branch: string) => Promise<string>;
}

type Files = Readonly<Record<string, string | null>>;

interface Committed {
  readonly after: string;
  readonly parents: readonly string[];
}

const noon = "2026-01-01T12:00:00Z";

async function git(folder: string, ...args: readonly string[]): Promise<string> {
  const who = ["-c", "user.name=n", "-c", "user.email=n@example.org", "-c", "commit.gpgsign=false"];
  // Its check whether to collect garbage takes as many processes as all else.
  who.push("-c", "maintenance.auto=false");
  // A merge of the same commits is the same commit, like on GitHub.
  const dates =
    args[0] === "commit-tree" ? { GIT_AUTHOR_DATE: noon, GIT_COMMITTER_DATE: noon } : {};
  const env = { ...process.env, ...dates };
  const stdout = await runProgram({ program: "git", args: [...who, ...args], cwd: folder, env });
  return stdout.toString().trim();
}

/** Makes a repository that gives any of its commits, like GitHub's. */
export function initialize(folder: string): Promise<void> {
  return initializeRepository(folder, "main", "[uploadpack]\n\tallowAnySHA1InWant = true\n");
}

export function openRepository(folder: string): Repository {
  let hasWorkTree = existsSync(join(folder, ".git/index"));
  const tip = (branch: string): Promise<string | undefined> =>
    readFile(join(folder, ".git/refs/heads", branch), "utf8").then(
      (text) => text.trim(),
      () => undefined,
    );
  const sha = async (ref: string): Promise<string> =>
    (await tip(ref)) ?? (await git(folder, "rev-parse", ref));
  const workTree = async (branch: string): Promise<string> => {
    hasWorkTree = true;
    await git(folder, "symbolic-ref", "HEAD", `refs/heads/${branch}`);
    await git(folder, "reset", "--quiet", "--hard");
    return folder;
  };
  const commitWorkTree = async (files: Files): Promise<string> => {
    await write(folder, files);
    await git(folder, "add", "--all");
    await git(folder, "commit", "--quiet", "--allow-empty", "--message=a change");
    return await git(folder, "rev-parse", "HEAD");
  };
  const switchTo = async (branch: string, known: boolean): Promise<void> => {
    if (known) await git(folder, "switch", "--quiet", branch);
    else await git(folder, "switch", "--quiet", "--create", branch, "main");
  };
  return {
    sha,
    workTree,
    commit: async (branch, files) => {
      const own = await tip(branch);
      const parent = own ?? (await tip("main"));
      const parents = parent === undefined ? [] : [parent];
      if (hasWorkTree) {
        await switchTo(branch, own !== undefined);
        return { after: await commitWorkTree(files), parents };
      }
      const imported = { branch, parent, files, message: "a change" };
      const [after = ""] = await importCommits(folder, [imported]);
      return { after, parents };
    },
    merge: async (base, head) => {
      const tree = await git(folder, "merge-tree", "--write-tree", base, head);
      return await git(folder, "commit-tree", tree, "-p", base, "-p", head, "-m", "merge");
    },
  };
}

async function write(folder: string, files: Files): Promise<void> {
  for (const [path, text] of Object.entries(files)) {
    const absolute = join(folder, path);
    if (text === null) await rm(absolute, { recursive: true });
    else {
      await mkdir(dirname(absolute), { recursive: true });
      await writeFile(absolute, text);
    }
  }
}

/** As actions/checkout does it: one commit, without its history. */
export async function checkOut(origin: string, commit: string): Promise<FsFixture> {
  const workspace = await createFixture({});
  const { path } = workspace;
  await initializeRepository(path, "master");
  const fetch = ["fetch", "--quiet", "--depth=1", "--no-auto-maintenance"];
  for (const args of [
    [...fetch, `file://${origin}`, commit],
    ["checkout", "--quiet", "FETCH_HEAD"],
  ])
    await runProgram({ program: "git", args, cwd: path });
  return workspace;
}

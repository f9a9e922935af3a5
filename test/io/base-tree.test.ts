import { execFile, execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { createFixture, type FsFixture } from "fs-fixture";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { openBaseTree, openRemoteTree } from "../../src/io/git/base-tree.ts";
import { findSubmodule } from "../../src/io/git/git.ts";
import { Refusal } from "../../src/model/refusal.ts";
import { startGitServer, type GitServer } from "../support/github/git-server.ts";

const token = "ghs_secretToken";
const signal = new AbortController().signal;

function git(folder: string, ...args: readonly string[]): string {
  const who = ["-c", "user.name=n", "-c", "user.email=n@example.org", "-c", "commit.gpgsign=false"];
  return execFileSync("git", [...who, ...args], { cwd: folder, encoding: "utf8" }).trim();
}

function commitAll(fixture: FsFixture, message: string): string {
  git(fixture.path, "add", "--all");
  git(fixture.path, "commit", "--quiet", "--allow-empty", `--message=${message}`);
  return git(fixture.path, "rev-parse", "HEAD");
}

interface Situation extends AsyncDisposable {
  readonly server: GitServer;
  readonly workspace: FsFixture;
  readonly base: string;
  readonly head: string;
}

/** A repository with a base and a change, and a workspace as actions/checkout leaves it. */
async function situation(depth: readonly string[] = ["--depth=1"]): Promise<Situation> {
  const origin = await createFixture({ "evals/qa.yaml": "base\n" });
  git(origin.path, "init", "--quiet", "--initial-branch=main");
  const base = commitAll(origin, "base");
  await origin.writeFile("evals/qa.yaml", "change\n");
  const head = commitAll(origin, "change");
  const server = await startGitServer({ repository: origin.path, token });
  const workspace = await createFixture({});
  const key = `http.${server.url}/.extraheader`;
  const header = `AUTHORIZATION: basic ${Buffer.from(`x-access-token:${token}`).toString("base64")}`;
  const auth = ["-c", `${key}=${header}`];
  // Not in step with the server, which is this process's own.
  await promisify(execFile)(
    "git",
    [...auth, "clone", "--quiet", ...depth, `${server.url}/owner/app`, "."],
    { cwd: workspace.path },
  );
  return {
    server,
    workspace,
    base,
    head,
    [Symbol.asyncDispose]: async () => {
      await server[Symbol.asyncDispose]();
      await workspace.rm();
      await origin.rm();
    },
  };
}

function remote({ server, base }: Situation, with_: string = token) {
  return { source: "main", sha: base, url: `${server.url}/owner/app`, token: with_ };
}

const ours = (): readonly string[] =>
  readdirSync(tmpdir()).filter((name) => /^regrade-(?:fetch|base)-/.test(name));

// A folder of its own for what is temporary: what is left there is ours.
beforeEach(async () => {
  vi.stubEnv("TMPDIR", await mkdtemp(join(tmpdir(), "base-tree-")));
  return async () => {
    const folder = tmpdir();
    vi.unstubAllEnvs();
    await rm(folder, { recursive: true, force: true });
  };
});

describe("the base's tree on GitHub", () => {
  it("is fetched alone where the checkout has depth 1, and leaves the user's repository as it was", async () => {
    await using here = await situation();
    const before = git(here.workspace.path, "rev-list", "--all", "--objects");
    const config = readFileSync(here.workspace.getPath(".git/config"), "utf8");
    const tree = await openRemoteTree(remote(here), here.workspace.path, signal);
    expect(tree).toMatchObject({ source: "main", sha: here.base });
    expect(readFileSync(join(tree?.root ?? "", "evals/qa.yaml"), "utf8")).toBe("base\n");
    expect(tree?.repository).toBe(here.workspace.path.replace(/\/$/, ""));
    expect(git(here.workspace.path, "rev-list", "--all", "--objects")).toBe(before);
    expect(readFileSync(here.workspace.getPath(".git/config"), "utf8")).toBe(config);
    expect(existsSync(here.workspace.getPath(".git/FETCH_HEAD"))).toBe(false);
    await tree?.close();
    expect(ours()).toEqual([]);
  });

  it("comes out of a whole clone without a request, and without cutting its history off", async () => {
    await using here = await situation([]);
    const asked = here.server.authorizations.length;
    const tree = await openRemoteTree(remote(here), here.workspace.path, signal);
    expect(readFileSync(join(tree?.root ?? "", "evals/qa.yaml"), "utf8")).toBe("base\n");
    expect(here.server.authorizations).toHaveLength(asked);
    expect(git(here.workspace.path, "rev-list", "--count", "HEAD")).toBe("2");
    await tree?.close();
  });

  it("is asked for with one token, though a step before left another in the user's configuration", async () => {
    await using here = await situation();
    const home = await createFixture({
      ".gitconfig": `[http "${here.server.url}/"]\n\textraheader = AUTHORIZATION: basic b2xkOm9uZQ==\n`,
    });
    vi.stubEnv("HOME", home.path);
    try {
      const tree = await openRemoteTree(remote(here), here.workspace.path, signal);
      expect(tree?.sha).toBe(here.base);
      expect(here.server.authorizations.every((given) => given.length <= 1)).toBe(true);
      await tree?.close();
    } finally {
      await home.rm();
    }
  });

  it("is none where the token may not, or the commit is not there: it can be asked for in another way", async () => {
    await using here = await situation();
    expect(
      await openRemoteTree(remote(here, "wrong"), here.workspace.path, signal),
    ).toBeUndefined();
    const gone = { ...remote(here), sha: "f".repeat(40) };
    expect(await openRemoteTree(gone, here.workspace.path, signal)).toBeUndefined();
    expect(ours()).toEqual([]);
  });

  it("is that commit's own, whatever a step before put in its place", async () => {
    await using here = await situation([]);
    git(here.workspace.path, "replace", here.base, here.head);
    const tree = await openRemoteTree(remote(here), here.workspace.path, signal);
    expect(readFileSync(join(tree?.root ?? "", "evals/qa.yaml"), "utf8")).toBe("base\n");
    await tree?.close();
  });

  it("outside of git is fetched all the same", async () => {
    await using here = await situation();
    await using folder = await createFixture({});
    const tree = await openRemoteTree(remote(here), folder.path, signal);
    expect(tree).toMatchObject({ sha: here.base, repository: undefined });
    await tree?.close();
  });
});

it("a submodule's files are those of the base's commit, where the user has it checked out", async () => {
  await using sub = await createFixture({ "data.jsonl": "base\n" });
  git(sub.path, "init", "--quiet", "--initial-branch=main");
  commitAll(sub, "base");
  await using outer = await createFixture({ "evals/qa.yaml": "x\n" });
  git(outer.path, "init", "--quiet", "--initial-branch=main");
  const add = [
    "-c",
    "protocol.file.allow=always",
    "submodule",
    "--quiet",
    "add",
    sub.path,
    "lib/sub",
  ];
  git(outer.path, ...add);
  const base = commitAll(outer, "base");
  const inner = outer.getPath("lib/sub");
  await outer.writeFile("lib/sub/data.jsonl", "change\n");
  git(inner, "commit", "--quiet", "--all", "--message=change");
  commitAll(outer, "change");
  const tree = await openBaseTree(base, outer.path, signal);
  expect(readFileSync(join(tree.root, "lib/sub/data.jsonl"), "utf8")).toBe("base\n");
  expect(readFileSync(join(inner, "data.jsonl"), "utf8")).toBe("change\n");
  expect(git(inner, "status", "--porcelain")).toBe("");
  expect(await findSubmodule(inner)).toBe("lib/sub");
  expect(await findSubmodule(outer.path)).toBeUndefined();
  await tree.close();
});

it("a base is refused with git's own reason where git can't read the repository", async () => {
  await using fixture = await createFixture({ ".git": "gitdir: nowhere" });
  const refused = async (): Promise<unknown> =>
    openBaseTree("main", fixture.path, signal).catch((error: unknown) =>
      error instanceof Refusal ? [error.exit, error.problems[0]?.message] : error,
    );
  expect(await refused()).toEqual([4, expect.stringContaining(": fatal: not a git repository")]);
  vi.stubEnv("PATH", fixture.path);
  expect(await refused()).toEqual([4, expect.stringMatching(/: git is not installed$/)]);
});

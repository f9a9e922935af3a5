import { createWriteStream } from "node:fs";
import { cp, mkdir, mkdtemp, readdir, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { BaseTree } from "../../model/outcomes/policy.ts";
import { fillGaps } from "../api/archive-gaps.ts";
import type { CallResult, GitHub } from "../api/github.ts";
import { unzipBounded, type UnzipBounds } from "../artifacts/unzip.ts";

/**
 * Limits for a repository's files. They are generous, because the files come from our own repository. Links are not
 * extracted.
 */
const bounds: UnzipBounds = {
  wanted: () => true,
  links: "left",
  mostEntries: 1_000_000,
  mostFolders: 100,
  mostBytes: 20_000_000_000,
  mostDepth: undefined,
};

const timeoutSeconds = 300;

/**
 * Opens the tree of a commit as an archive from GitHub's API, for when git can't fetch it. Links, and files that
 * `.gitattributes` excludes from archives or changes in them, are fetched one by one.
 */
export async function openArchivedTree(
  {
    source,
    sha,
    repository,
    head,
  }: Pick<BaseTree, "source" | "repository" | "head"> & { readonly sha: string },
  github: GitHub,
): Promise<CallResult<BaseTree>> {
  const folder = await mkdtemp(join(await realpath(tmpdir()), "regrade-base-"));
  const close = (): Promise<void> => rm(folder, { recursive: true, force: true });
  const doing = {
    what: "the download of the base's files",
    permission: "contents: read",
    decides: true,
  };
  const got = await github.attempt(doing, async () => {
    const root = await download(sha, folder, github);
    await fillGaps({ sha, root }, github);
    return root;
  });
  if (got.kind === "done") {
    const tree = { source, sha, repository, head, root: got.value, close };
    return { kind: "done", value: { ...tree, checkOutAgain: () => copyTree(tree) } };
  }
  await close();
  return got;
}

/** Copies the unpacked tree; nothing is run in the original. */
async function copyTree(tree: Omit<BaseTree, "checkOutAgain">): Promise<BaseTree> {
  const folder = await mkdtemp(join(await realpath(tmpdir()), "regrade-base-"));
  const root = join(folder, "tree");
  await cp(tree.root, root, { recursive: true });
  const close = (): Promise<void> => rm(folder, { recursive: true, force: true });
  const copy = { ...tree, root, close };
  return { ...copy, checkOutAgain: () => copyTree(copy) };
}

async function download(
  sha: string,
  folder: string,
  { request, repository }: GitHub,
): Promise<string> {
  const { data } = await request("GET /repos/{owner}/{repo}/zipball/{ref}", {
    ...repository,
    ref: sha,
    request: { parseSuccessResponseBody: false, timeoutSeconds },
  });
  const body: unknown = data;
  if (!(body instanceof ReadableStream)) throw new TypeError("the answer has no body");
  const zip = join(folder, "base.zip");
  await pipeline(Readable.fromWeb(body), createWriteStream(zip)).catch(asDown);
  const tree = join(folder, "tree");
  await mkdir(tree);
  const unzipped = await unzipBounded(zip, tree, bounds);
  await rm(zip);
  if (unzipped.kind === "refused") return asDown(new Error(unzipped.reason));
  // GitHub puts everything into a folder `owner-repo-sha`.
  const [only, ...others] = await readdir(tree);
  return only !== undefined && others.length === 0 ? join(tree, only) : tree;
}

/** An error that is treated like a call without an answer. */
function asDown(cause: unknown): never {
  const message = cause instanceof Error ? cause.message : String(cause);
  throw Object.assign(new Error(message, { cause }), { status: 502 });
}

import { createHash } from "node:crypto";
import { chmod, lstat, mkdir, readFile, symlink, writeFile } from "node:fs/promises";
import { dirname, join, posix } from "node:path";
import type { GitHub } from "./github.ts";

/** An entry of a commit's tree. */
interface Entry {
  readonly path: string;
  /** `100644`, `100755`, `120000` (a link) or `160000` (a submodule). */
  readonly mode: string;
  readonly sha: string;
}

/** Limit of calls. More take too long, and a workflow's token has 1,000 calls an hour. */
const mostCalls = 300;

/**
 * Adds files that an archive of a commit lacks or has changed: `git archive` leaves out files that `.gitattributes`
 * marks as `export-ignore`, including that file itself, and rewrites those marked as `export-subst`. Each file is
 * compared with its id in the commit's tree; those that differ are fetched one by one. Links are kept if they stay
 * within the tree. Throws errors that `attempt` catches.
 */
export async function fillGaps(
  { sha, root }: { readonly sha: string; readonly root: string },
  github: GitHub,
): Promise<void> {
  const calls = countCalls(github);
  const entries = await listTree(sha, calls);
  for (const entry of entries) {
    if (entry.mode === "160000") await mkdir(join(root, entry.path), { recursive: true });
    if (entry.mode === "160000" || (await isWhole(entry, root))) continue;
    const content = await readBlob(entry.sha, calls);
    if (!hashes(content, entry.sha).includes(entry.sha))
      throw gapError(`GitHub's API has other content for ${entry.path} than the commit`);
    if (!(await isStoredElsewhere(content, join(root, entry.path))))
      await writeEntry(entry, content, root);
  }
}

/** True for a file in Git LFS: the commit has a pointer, and the archive may have the file that it points to. */
async function isStoredElsewhere(content: Buffer, path: string): Promise<boolean> {
  const text = content.subarray(0, 1000).toString();
  if (!text.startsWith("version https://git-lfs.github.com/")) return false;
  const [, id] = /^oid sha256:([0-9a-f]{64})$/m.exec(text) ?? [];
  const found = await readFile(path).catch(() => undefined);
  return found !== undefined && createHash("sha256").update(found).digest("hex") === id;
}

type Calls = Pick<GitHub, "request" | "repository"> & { readonly count: () => void };

function countCalls({ request, repository }: GitHub): Calls {
  let calls = 0;
  const count = (): void => {
    calls += 1;
    if (calls > mostCalls)
      throw gapError(
        `the archive lacks too many files (export-ignore in .gitattributes): more than ${mostCalls} calls to get them`,
      );
  };
  return { request, repository, count };
}

/** An error that is treated like a call without an answer. */
function gapError(message: string): Error {
  return Object.assign(new Error(message), { status: 422 });
}

/** All files of a tree. A listing that was cut off is requested again folder by folder. */
async function listTree(sha: string, calls: Calls, folder = ""): Promise<readonly Entry[]> {
  const whole = await askTree(sha, { isDeep: true }, calls);
  const parts = whole.truncated ? await askTree(sha, { isDeep: false }, calls) : whole;
  if (parts.truncated) throw gapError(`GitHub does not list all of ${folder || "the base"}`);
  const found: Entry[] = [];
  for (const { path, mode, type, sha: id } of parts.tree) {
    const at = posix.join(folder, path);
    if (type !== "tree") found.push({ path: at, mode, sha: id });
    else if (whole.truncated) for (const each of await listTree(id, calls, at)) found.push(each);
  }
  return found;
}

async function askTree(
  sha: string,
  { isDeep }: { readonly isDeep: boolean },
  { request, repository, count }: Calls,
): Promise<{
  readonly truncated: boolean;
  readonly tree: readonly (Entry & { readonly type: string })[];
}> {
  count();
  const { data } = await request("GET /repos/{owner}/{repo}/git/trees/{tree_sha}", {
    ...repository,
    tree_sha: sha,
    ...(isDeep && { recursive: "1" }),
  });
  return data;
}

async function readBlob(sha: string, { request, repository, count }: Calls): Promise<Buffer> {
  count();
  const { data } = await request("GET /repos/{owner}/{repo}/git/blobs/{file_sha}", {
    ...repository,
    file_sha: sha,
  });
  if (data.encoding !== "base64") throw gapError(`GitHub's API gave ${sha} as ${data.encoding}`);
  return Buffer.from(data.content, "base64");
}

/** True if a file in the archive equals the commit's; line ends may differ by its attributes. */
async function isWhole({ path, mode, sha }: Entry, root: string): Promise<boolean> {
  const at = join(root, path);
  const found = await lstat(at).catch(() => undefined);
  if (found?.isFile() !== true || mode === "120000") return false;
  // Unpacking a zip does not set this mode.
  if (mode === "100755") await chmod(at, 0o755);
  return hashes(await readFile(at), sha).includes(sha);
}

/** The ids that git may give a content: as it is, and with normalised line ends. */
function hashes(content: Buffer, { length }: string): readonly string[] {
  const algorithm = length === 64 ? "sha256" : "sha1";
  const stored = content.includes("\r\n")
    ? [Buffer.from(content.toString("latin1").replaceAll("\r\n", "\n"), "latin1")]
    : [];
  return [content, ...stored].map((each) =>
    createHash(algorithm).update(`blob ${each.length}\0`).update(each).digest("hex"),
  );
}

async function writeEntry({ path, mode }: Entry, content: Buffer, root: string): Promise<void> {
  const at = join(root, path);
  await mkdir(dirname(at), { recursive: true });
  if (mode === "120000") {
    const target = content.toString();
    const end = posix.join(posix.dirname(path), target);
    // A link out of the tree could lead into the change's tree.
    if (!posix.isAbsolute(target) && end !== ".." && !end.startsWith("../"))
      await symlink(target, at);
    return;
  }
  await writeFile(at, content);
  if (mode === "100755") await chmod(at, 0o755);
}

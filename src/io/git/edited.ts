import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { gitEnvironment } from "./environment.ts";
import { guards } from "./git.ts";

/**
 * The files of a checkout whose content is not the commit's, by their paths from this folder; empty if git can't tell. A fresh index is
 * compared: the repository's own may have been told to overlook files. Files that are missing don't count, as a checkout may
 * be sparse.
 */
export async function findEdited(root: string): Promise<readonly string[]> {
  const folder = await mkdtemp(join(tmpdir(), "regrade-index-"));
  const env = gitEnvironment({ GIT_INDEX_FILE: join(folder, "index"), GIT_OPTIONAL_LOCKS: "0" });
  const options = { cwd: root, env, timeout: 30_000, maxBuffer: 64 << 20 };
  const git = (...args: readonly string[]): Promise<{ readonly stdout: string }> =>
    promisify(execFile)("git", [...guards, ...settings, ...args], options);
  try {
    await git("read-tree", "HEAD");
    const { stdout } = await git("diff", "--name-only", "-z", "--relative", ...differing);
    return stdout.split("\0").filter((path) => path !== "");
  } catch {
    return [];
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const settings = [
  "-c",
  "safe.directory=*",
  "-c",
  "core.fileMode=false",
  "-c",
  "core.untrackedCache=false",
];
const differing = ["--diff-filter=MT", "--no-renames", "--no-ext-diff", "--ignore-submodules"];

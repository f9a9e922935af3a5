import { execFile } from "node:child_process";
import { promisify } from "node:util";

/** The commit and branch that a working directory stands on; nulls outside git, or where git is not installed. */
export async function readGitHead(
  directory: string,
): Promise<{ readonly sha: string | null; readonly ref: string | null }> {
  const [sha, ref] = await Promise.all([
    git(directory, ["rev-parse", "--verify", "HEAD"]),
    // A detached HEAD has no name.
    git(directory, ["symbolic-ref", "--quiet", "HEAD"]),
  ]);
  return { sha, ref };
}

async function git(directory: string, args: readonly string[]): Promise<string | null> {
  try {
    const { stdout } = await promisify(execFile)("git", [...args], {
      cwd: directory,
      timeout: 5000,
    });
    return stdout.trim() || null;
  } catch {
    return null;
  }
}

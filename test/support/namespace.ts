import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/**
 * Words to put before a command, so that it sees its own file system at `folder`; undefined if this machine does not
 * allow mounting. `after`: shell commands that run inside when the command has ended.
 */
export function withMount(
  mount: "full disk" | "read-only",
  folder: string,
  after = ":",
): readonly string[] | undefined {
  const unshare = unshareWords();
  if (unshare === undefined) return undefined;
  const mounting =
    mount === "full disk"
      ? 'mount -t tmpfs -o size=200k tmpfs "$0"'
      : 'mount --bind "$0" "$0" && mount -o remount,ro,bind "$0"';
  const script = `${mounting} || exit 99; cd . ; "$@"; code=$?; ${after}; exit $code`;
  return [...unshare, "sh", "-c", script, folder];
}

/** True if a mount in a separate namespace was tried and worked. */
export function canMount(): boolean {
  return unshareWords() !== undefined;
}

/** As root a mount namespace is enough; others need a user namespace too, which some systems forbid. */
function unshareWords(): readonly string[] | undefined {
  const folder = mkdtempSync(join(tmpdir(), "regrade-mount-"));
  try {
    return [
      ["unshare", "-m"],
      ["unshare", "-rm"],
    ].find(([program = "", ...rest]) => {
      const tried = [...rest, "mount", "-t", "tmpfs", "-o", "size=200k", "tmpfs", folder];
      return spawnSync(program, tried, { timeout: 10_000 }).status === 0;
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

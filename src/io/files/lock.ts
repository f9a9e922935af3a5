import { lstat, readFile, readlink, rm, symlink, writeFile } from "node:fs/promises";
import { isJsonObject } from "../../model/json.ts";
import { writeFailed } from "./reason.ts";
import { systemCode } from "./reason.ts";

/** A lock's content: identifies its process, and whether it still lives. */
interface Holder {
  readonly pid: number;
  /**
   * Boot of the system, namespace of process ids, and the process's start time: ids alone are reused. undefined: unknown
   * here.
   */
  readonly life: string | undefined;
}

/** `pid` 0: it has not written its number yet. */
type Claim =
  | { readonly kind: "held"; readonly release: () => Promise<void> }
  | { readonly kind: "busy"; readonly pid: number };

/** An unreadable lock is being written: it is not removed for this long. */
const unreadableForMilliseconds = 10_000;

/**
 * Takes a lock that ends with its process: a link that names the process, and is valid as long as that process lives.
 * (Node has no `flock`; a link is made whole, in one step, and only if there is none.) Of several concurrent attempts
 * exactly one succeeds, even if they find a dead process's lock. *Not* detected: a process on another machine or in
 * another container that shares the folder; and, except on Linux, a reused process id: it keeps the lock until that other
 * program ends.
 */
export async function claimLock(path: string): Promise<Claim> {
  try {
    return await claim(path, JSON.stringify(await currentHolder()));
  } catch (error) {
    throw systemCode(error) === undefined ? error : writeFailed(path, error);
  }
}

async function claim(path: string, own: string): Promise<Claim> {
  for (;;) {
    if (await place(path, own)) {
      return { kind: "held", release: () => rm(path, { force: true }) };
    }
    const seen = await inspectLock(path);
    if (typeof seen === "number") return { kind: "busy", pid: seen };
    const found = seen === "left over" ? await takeAway(path, own) : undefined;
    if (found !== undefined) return found;
  }
}

async function place(path: string, own: string): Promise<boolean> {
  try {
    await symlink(own, path);
    return true;
  } catch (error) {
    if (systemCode(error) === "EEXIST") return false;
    return placeFile(path, own, error);
  }
}

/**
 * exFAT has no links, and Windows requires a privilege for them: there the lock is a file, which is empty for a moment.
 */
async function placeFile(path: string, own: string, why: unknown): Promise<boolean> {
  const noLinks = ["EPERM", "EACCES", "ENOTSUP", "EOPNOTSUPP", "ENOSYS", "UNKNOWN"];
  if (!noLinks.includes(systemCode(why) ?? "")) throw why;
  try {
    await writeFile(path, own, { flag: "wx" });
    return true;
  } catch (error) {
    if (systemCode(error) === "EEXIST") return false;
    throw error;
  }
}

/**
 * Removes a dead process's lock, one process at a time: the holder of the lock's own lock checks again, because another
 * may have replaced it meanwhile. Only a lock that is then seen to be dead is removed; if there is none, another process
 * may be about to take it. undefined: it is removed.
 */
async function takeAway(path: string, own: string): Promise<Claim | undefined> {
  const right = await claim(`${path}.old`, own);
  if (right.kind === "busy") return right;
  try {
    const seen = await inspectLock(path);
    if (typeof seen === "number") return { kind: "busy", pid: seen };
    if (seen === "left over") await rm(path, { force: true });
    return undefined;
  } finally {
    await right.release();
  }
}

/** The id of the process that holds a lock, or whether there is a lock at all. */
async function inspectLock(path: string): Promise<number | "none" | "left over"> {
  const holder = await readHolder(path);
  if (holder === "missing") return "none";
  if (holder === "rewritten") return "left over";
  if (holder === "unreadable") {
    const file = await lstat(path).catch(() => undefined);
    if (file === undefined) return "none";
    return Date.now() - file.mtimeMs < unreadableForMilliseconds ? 0 : "left over";
  }
  return (await isAlive(holder)) ? holder.pid : "left over";
}

async function readHolder(path: string): Promise<Holder | "missing" | "rewritten" | "unreadable"> {
  const link = await readlink(path).catch(() => undefined);
  try {
    // Everything but a link is a file.
    const text = link ?? (await readFile(path, "utf8"));
    const value: unknown = JSON.parse(text);
    if (!isJsonObject(value)) return "unreadable";
    const { pid, life } = value;
    if (typeof pid !== "number" || !Number.isInteger(pid) || pid <= 0) return "unreadable";
    return { pid, life: typeof life === "string" ? life : undefined };
  } catch (error) {
    if (systemCode(error) === "ENOENT") return "missing";
    // Links are created atomically: one with other content was rewritten when the folder was copied.
    if (error instanceof SyntaxError) return link === undefined ? "unreadable" : "rewritten";
    throw error;
  }
}

async function isAlive({ pid, life }: Holder): Promise<boolean> {
  if (life !== undefined) return (await lifeOf(pid)) === life;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: it lives, and is someone else's.
    return systemCode(error) === "EPERM";
  }
}

async function currentHolder(): Promise<Holder> {
  return { pid: process.pid, life: await lifeOf(process.pid) };
}

/**
 * Tells a process from another one with its number, on Linux: the system's start, the space of process numbers (a
 * container has its own), and the process's start in clock ticks since then (field 22 of /proc/<pid>/stat, see
 * proc_pid_stat(5)). undefined: there is none, it has ended and waits to be collected, or this is not Linux.
 */
async function lifeOf(pid: number): Promise<string | undefined> {
  try {
    const text = await readFile(`/proc/${pid}/stat`, "utf8");
    // The name, in brackets, may hold anything; the state, field 3, comes after it.
    const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
    const [state] = fields;
    if (state === "Z" || state === "X") return undefined;
    const boot = (await readFile("/proc/sys/kernel/random/boot_id", "utf8")).trim();
    const space = await readlink("/proc/self/ns/pid");
    return [boot, space, fields[22 - 3]].join(" ");
  } catch {
    return undefined;
  }
}

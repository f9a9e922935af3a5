import { lstat, readdir, readFile, readlink } from "node:fs/promises";
import { join } from "node:path";
import { listTracked } from "../git/git.ts";
import { isPackedOtherwise, unpackedByPython } from "./packed-by-python.ts";
import type { AlteredFiles } from "../../model/policy.ts";

/** Folders to skip if git can't tell which files are committed: git's own, Regrade's own, and installed packages. */
const closed: ReadonlySet<string> = new Set([
  ".git",
  ".regrade",
  "node_modules",
  ".venv",
  "__pycache__",
]);
/** Files of a run directory: they hold every request and every answer. */
const runFiles: ReadonlySet<string> = new Set([
  "run.json",
  "scores.jsonl",
  "samples.jsonl",
  "generated.jsonl",
  "summary.md",
  "report.html",
]);
/** Limit of the files to look through; the result says how many were left out. */
const mostFiles = 20_000;
const largestFile = 1 << 20;
const mostBytes = 2 << 20;

/**
 * The files that differ between two trees, with their content in each. Left out: files that are in no commit, which
 * runs and programs leave behind, and those of run directories, such as baselines. A link is shown by its target.
 */
export async function findAltered(
  root: string,
  base: string,
  python: string,
): Promise<AlteredFiles> {
  const tracked = await listTracked(root);
  const here = tracked === undefined ? await walk(root) : await sized(root, [...tracked]);
  const there = await walk(base, tracked);
  const sides: { readonly here: Entry[]; readonly there: Entry[] } = { here: [], there: [] };
  const known = new Map(there.files.map((each) => [each.path, each]));
  for (const each of here.files) {
    const other = known.get(each.path);
    known.delete(each.path);
    if (other !== undefined && (await isSame(each, other))) continue;
    sides.here.push(each);
    if (other !== undefined) sides.there.push(other);
  }
  sides.there.push(...known.values());
  const [ours, theirs] = [await readAll(sides.here, python), await readAll(sides.there, python)];
  const skipped = here.rest + ours.skipped;
  const [paths, basePaths] = [here, there].map(({ files }) => files.map(({ path }) => path));
  const contents = { here: ours.read, there: theirs.read, skipped };
  return { ...contents, paths: paths ?? [], basePaths: basePaths ?? [], runs: here.runs };
}

interface Entry {
  /** Paths from the root, with forward slashes. */
  readonly path: string;
  readonly absolute: string;
  readonly size: number;
  readonly isLink: boolean;
}

interface Listed {
  /** Sorted by path. */
  readonly files: readonly Entry[];
  /** Files of run directories, which are left out. */
  readonly runs: readonly string[];
  /** Files beyond the limit. */
  readonly rest: number;
}

/** `tracked`: paths in git of the tree that it is compared with. */
async function walk(root: string, tracked: ReadonlySet<string> = new Set()): Promise<Listed> {
  const paths: string[] = [];
  const committed = new Set([...tracked].flatMap(foldersClosed));
  const waiting = [""];
  for (let folder = waiting.pop(); folder !== undefined; folder = waiting.pop()) {
    const entries = await readdir(join(root, folder), { withFileTypes: true }).catch(() => []);
    for (const entry of entries) {
      const path = folder === "" ? entry.name : `${folder}/${entry.name}`;
      if (!entry.isDirectory()) paths.push(path);
      else if (!closed.has(entry.name) || committed.has(path)) waiting.push(path);
    }
  }
  return sized(root, paths);
}

/** The folders on the way to a file that are closed usually. */
function foldersClosed(path: string): readonly string[] {
  const parts = path.split("/");
  return parts
    .slice(0, -1)
    .flatMap((part, i) => (closed.has(part) ? [parts.slice(0, i + 1).join("/")] : []));
}

async function sized(root: string, paths: readonly string[]): Promise<Listed> {
  const known = new Set(paths);
  const { wanted = [], runs = [] } = Object.groupBy(paths.toSorted(), (path) =>
    isOfRun(path, known) ? "runs" : "wanted",
  );
  const files: Entry[] = [];
  for (const path of wanted.slice(0, mostFiles)) {
    const absolute = join(root, path);
    const found = await lstat(absolute).catch(() => undefined);
    if (found === undefined || found.isDirectory()) continue;
    files.push({ path, absolute, size: found.size, isLink: found.isSymbolicLink() });
  }
  return { files, runs, rest: Math.max(0, wanted.length - mostFiles) };
}

function isOfRun(path: string, known: ReadonlySet<string>): boolean {
  const folder = path.slice(0, path.lastIndexOf("/") + 1);
  const hasRun = known.has(`${folder}run.json`) && known.has(`${folder}scores.jsonl`);
  return hasRun && runFiles.has(path.slice(folder.length));
}

async function isSame(one: Entry, other: Entry): Promise<boolean> {
  if (one.size !== other.size) return false;
  const [ours, theirs] = await Promise.all([read(one), read(other)]);
  return ours.equals(theirs);
}

async function readAll(
  entries: readonly Entry[],
  python: string,
): Promise<{ readonly read: AlteredFiles["here"]; readonly skipped: number }> {
  const found: AlteredFiles["here"][number][] = [];
  let [left, skipped] = [mostBytes, 0];
  for (const each of entries.toSorted((a, b) => a.size - b.size)) {
    left -= each.size;
    if (left < 0 || each.size > largestFile) skipped += 1;
    else {
      const bytes = await read(each);
      const plain = isPackedOtherwise(bytes) ? await unpackedByPython(bytes, python) : bytes;
      found.push({ path: each.path, bytes: plain });
    }
  }
  return { read: found, skipped };
}

async function read({ absolute, isLink }: Entry): Promise<Buffer> {
  const content = isLink
    ? readlink(absolute).then((target) => Buffer.from(target))
    : readFile(absolute);
  return content.catch(() => Buffer.alloc(0));
}

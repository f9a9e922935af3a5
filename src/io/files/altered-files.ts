import { lstatSync, type Stats } from "node:fs";
import { open, readdir, readFile, readlink } from "node:fs/promises";
import { join } from "node:path";
import { findDiffering } from "../git/differing.ts";
import { listTracked } from "../git/git.ts";
import { isPackedOtherwise, unpackByPython } from "./packed-by-python.ts";
import type { AlteredFiles, BaseTree } from "../../model/outcomes/policy.ts";

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
/** Limit of the files whose content is compared where git can't tell which are unchanged. */
const mostCompared = 200_000;
const largestFile = 1 << 20;
const mostBytes = 2 << 20;

/**
 * The files that differ between two trees, with their content in each. Left out: files that are in no commit, which
 * runs and programs leave behind, and those of run directories, such as baselines. A link is shown by its target.
 */
export async function findAltered(
  root: string,
  base: Pick<BaseTree, "root" | "sha" | "repository" | "objects">,
  python: string,
): Promise<AlteredFiles> {
  const tracked = await listTracked(root);
  const known = tracked && (await findDiffering(root, base));
  const here = sorted(tracked === undefined ? await pathsIn(root) : [...tracked]);
  const there = sorted(await pathsIn(base.root, tracked));
  const mayDiffer = (path: string): boolean =>
    known === undefined ||
    known.paths.has(path) ||
    known.submodules.some((folder) => path === folder || path.startsWith(`${folder}/`));
  const ours = entriesOf(root, here.files.filter(mayDiffer));
  const theirs = entriesOf(base.root, there.files.filter(mayDiffer));
  const sides = await withoutEqual(ours, theirs);
  const differing = new Set(sides.here.map(({ path }) => path));
  const isAltered = ({ path }: Entry): boolean =>
    differing.has(path) || known?.leftOut.has(path) !== true;
  const readHere = await readAll(sides.here, python);
  const readThere = await readAll(sides.there.filter(isAltered), python);
  const absent = missing(here.files.filter(mayDiffer), ours);
  return {
    here: readHere.read,
    there: readThere.read,
    paths: here.files.filter((path) => !absent.has(path)),
    basePaths: there.files,
    runs: here.runs,
    skipped: readHere.skipped + sides.rest,
  };
}

/** The entries that the other side lacks or has with another content. */
async function withoutEqual(
  ours: readonly Entry[],
  theirs: readonly Entry[],
): Promise<{
  readonly here: readonly Entry[];
  readonly there: readonly Entry[];
  readonly rest: number;
}> {
  const sides: { readonly here: Entry[]; readonly there: Entry[] } = { here: [], there: [] };
  const others = new Map(theirs.map((each) => [each.path, each]));
  for (const each of ours.slice(0, mostCompared)) {
    const other = others.get(each.path);
    others.delete(each.path);
    if (other !== undefined && (await isSame(each, other))) continue;
    sides.here.push(each);
    if (other !== undefined) sides.there.push(other);
  }
  for (const { path } of ours.slice(mostCompared)) others.delete(path);
  const there = [...sides.there, ...others.values()];
  return { here: sides.here, there, rest: Math.max(0, ours.length - mostCompared) };
}

interface Entry {
  /** Paths from the root, with forward slashes. */
  readonly path: string;
  readonly absolute: string;
  readonly size: number;
  readonly isLink: boolean;
}

/** `tracked`: paths in git of the tree that it is compared with. */
async function pathsIn(
  root: string,
  tracked: ReadonlySet<string> = new Set(),
): Promise<readonly string[]> {
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
  return paths;
}

/** The folders on the way to a file that are closed usually. */
function foldersClosed(path: string): readonly string[] {
  const parts = path.split("/");
  return parts
    .slice(0, -1)
    .flatMap((part, i) => (closed.has(part) ? [parts.slice(0, i + 1).join("/")] : []));
}

/** Sorted paths, and those of run directories apart. */
function sorted(paths: readonly string[]): {
  readonly files: readonly string[];
  readonly runs: readonly string[];
} {
  const known = new Set(paths);
  const { files = [], runs = [] } = Object.groupBy(paths.toSorted(), (path) =>
    isOfRun(path, known) ? "runs" : "files",
  );
  return { files, runs };
}

/** The paths that are files or links, with their sizes. */
function entriesOf(root: string, paths: readonly string[]): readonly Entry[] {
  const files: Entry[] = [];
  for (const path of paths) {
    const absolute = join(root, path);
    const found = look(absolute);
    if (found === undefined || found.isDirectory()) continue;
    files.push({ path, absolute, size: found.size, isLink: found.isSymbolicLink() });
  }
  return files;
}

/** Without waiting, which would cost more than the look itself for each of many files. */
function look(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

function missing(paths: readonly string[], entries: readonly Entry[]): ReadonlySet<string> {
  return new Set(paths).difference(new Set(entries.map(({ path }) => path)));
}

function isOfRun(path: string, known: ReadonlySet<string>): boolean {
  const folder = path.slice(0, path.lastIndexOf("/") + 1);
  const hasRun = known.has(`${folder}run.json`) && known.has(`${folder}scores.jsonl`);
  return hasRun && runFiles.has(path.slice(folder.length));
}

async function isSame(one: Entry, other: Entry): Promise<boolean> {
  if (one.size !== other.size) return false;
  if (one.size > largestFile && !one.isLink && !other.isLink) return haveSameBytes(one, other);
  const [ours, theirs] = await Promise.all([read(one), read(other)]);
  return ours.equals(theirs);
}

/** Compares large files piece by piece; files that can't be read count as different. */
async function haveSameBytes(one: Entry, other: Entry): Promise<boolean> {
  try {
    await using ours = await open(one.absolute);
    await using theirs = await open(other.absolute);
    for (let at = 0; at < one.size; at += largestFile) {
      const [a, b] = [Buffer.alloc(largestFile), Buffer.alloc(largestFile)];
      const where = { offset: 0, length: largestFile, position: at };
      const [mine, its] = await Promise.all([ours.read(a, where), theirs.read(b, where)]);
      if (mine.bytesRead !== its.bytesRead || !a.equals(b)) return false;
    }
    return true;
  } catch {
    return false;
  }
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
      const plain = isPackedOtherwise(bytes)
        ? await unpackByPython(bytes, python)
        : { bytes, isWhole: true };
      if (!plain.isWhole) skipped += 1;
      found.push({ path: each.path, bytes: plain.bytes });
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

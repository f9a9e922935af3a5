import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { listTracked } from "../git/git.ts";
import type { AlteredFiles } from "../../model/policy.ts";

/** Folders of git, of Regrade's own, and of what is installed: nobody reads them as a change. */
const closed: ReadonlySet<string> = new Set([
  ".git",
  ".regrade",
  "node_modules",
  ".venv",
  "venv",
  "__pycache__",
]);
const runFiles = ["run.json", "scores.jsonl"];
/** More is not looked through, which is told. */
const mostFiles = 20_000;
const largestFile = 1 << 20;
const mostBytes = 2 << 20;

/**
 * The files that two trees have differently, with what each of them says. Links are not followed. Left out: files that no commit
 * has, which runs and programs leave behind, and run directories, as baselines are.
 */
export async function findAltered(root: string, base: string): Promise<AlteredFiles> {
  const tracked = await listTracked(root);
  const [here, there] = [await listFiles(root, tracked), await listFiles(base, undefined)];
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
  const [ours, theirs] = [await readAll(sides.here), await readAll(sides.there)];
  const skipped = here.rest + ours.skipped;
  return { here: ours.read, there: theirs.read, skipped };
}

interface Entry {
  /** From the root, with forward slashes. */
  readonly path: string;
  readonly absolute: string;
  readonly size: number;
}

async function listFiles(
  root: string,
  tracked: ReadonlySet<string> | undefined,
): Promise<{ readonly files: readonly Entry[]; readonly rest: number }> {
  const files: Entry[] = [];
  const waiting = [""];
  let rest = 0;
  for (let folder = waiting.pop(); folder !== undefined; folder = waiting.pop()) {
    const entries = await readdir(join(root, folder), { withFileTypes: true }).catch(() => []);
    const names = new Set(entries.map(({ name }) => name));
    if (runFiles.every((name) => names.has(name))) continue;
    for (const entry of entries) {
      const path = folder === "" ? entry.name : `${folder}/${entry.name}`;
      if (entry.isDirectory() && !closed.has(entry.name)) waiting.push(path);
      if (!entry.isFile() || tracked?.has(path) === false) continue;
      if (files.length >= mostFiles) rest += 1;
      else files.push({ path, ...(await sized(join(root, path))) });
    }
  }
  return { files: files.toSorted((a, b) => (a.path < b.path ? -1 : 1)), rest };
}

async function sized(absolute: string): Promise<Omit<Entry, "path">> {
  return { absolute, size: (await stat(absolute).catch(() => ({ size: 0 }))).size };
}

async function isSame(one: Entry, other: Entry): Promise<boolean> {
  if (one.size !== other.size) return false;
  const [ours, theirs] = await Promise.all([read(one), read(other)]);
  return ours.equals(theirs);
}

async function readAll(
  entries: readonly Entry[],
): Promise<{ readonly read: AlteredFiles["here"]; readonly skipped: number }> {
  const found: AlteredFiles["here"][number][] = [];
  let [left, skipped] = [mostBytes, 0];
  for (const each of entries.toSorted((a, b) => a.size - b.size)) {
    left -= each.size;
    if (left < 0 || each.size > largestFile) skipped += 1;
    else found.push({ path: each.path, bytes: await read(each) });
  }
  return { read: found, skipped };
}

async function read({ absolute }: Entry): Promise<Buffer> {
  return readFile(absolute).catch(() => Buffer.alloc(0));
}

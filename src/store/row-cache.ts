import { createHash, randomBytes, type Hash } from "node:crypto";
import {
  type FileHandle,
  open,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  utimes,
  writeFile,
} from "node:fs/promises";
import { join } from "node:path";
import { isJsonObject, type JsonObject, jsonObjectIn } from "../model/json.ts";
import type { KeptRows, RowsToBegin, RowCache, RowWriter } from "../model/ports/remote.ts";
import { hashFile, hashText, readBytes, writeFileAtomically } from "../io/files/files.ts";
import { makeFolders } from "../io/files/folders.ts";
import { claimLock } from "../io/files/lock.ts";
import { refusingWrites } from "../io/files/reason.ts";
import { isWrittenBefore } from "./written-before.ts";

/** Days after which unused rows are removed. */
const daysKept = 30;
/** Days since the last use within which rows may still be in use. */
const daysInUse = 1;
const bytesKept = 8 * 1024 ** 3;
const dayMilliseconds = 86_400_000;

/**
 * A folder of files of rows. A file's name is the hash of its content, and a small entry per key names the file: both are
 * created by renaming, so that any number of processes may use the folder at once. A file that differs from its entry is
 * ignored. Incomplete rows of a key are continued by one process at a time; another process makes its own. `isOwn`: false
 * if a commit may have created the folder: then its content is not trusted.
 */
export function openRowCache(directory: string, isOwn: () => Promise<boolean>): RowCache {
  let believed: Promise<boolean> | undefined;
  const mayBelieve = (): Promise<boolean> => (believed ??= isOwn());
  const known = new Map<string, string>();
  let prepared: Promise<void> | undefined;
  const prepare = (): Promise<void> => (prepared ??= prepareFolder(directory));
  return {
    find: async (key, writtenBefore) => {
      await prepare();
      if (!(await mayBelieve())) return undefined;
      const found = await findKept(directory, key, { writtenBefore, known: known.get(key) });
      if (found !== undefined) known.set(key, JSON.stringify(found));
      return found;
    },
    begin: async (as) => {
      await prepare();
      const begun = as.resume && !(await mayBelieve()) ? { ...as, resume: false } : as;
      const writer = await refusingWrites(directory, () => beginFile(directory, begun));
      const finish: RowWriter["finish"] = async (about) => {
        const kept = await writer.finish(about);
        if (as.key !== undefined) known.set(as.key, JSON.stringify(kept));
        return kept;
      };
      return { ...writer, finish };
    },
  };
}

async function prepareFolder(directory: string): Promise<void> {
  await refusingWrites(directory, () => makeFolders(directory));
  await writeFile(join(directory, ".gitignore"), "*\n", { flag: "wx" }).catch(() => undefined);
  await removeOld(directory).catch(() => undefined);
}

interface Card {
  readonly rows: number;
  /** `sha256:…` of the file. */
  readonly content: string;
  readonly about: JsonObject;
}

interface Believed {
  readonly writtenBefore: number | undefined;
  /** The entry that this process has read or written under the key, as JSON. */
  readonly known: string | undefined;
}

async function findKept(
  directory: string,
  key: string,
  { writtenBefore, known }: Believed,
): Promise<KeptRows | undefined> {
  const path = cardPath(directory, key);
  const card = cardIn(await readFile(path, "utf8").catch(() => ""));
  if (card === undefined) return undefined;
  const absolute = rowsPath(directory, card.content);
  const kept: KeptRows = { absolute, rows: card.rows, about: card.about };
  const isKnown = JSON.stringify(kept) === known;
  if (!isKnown && !(await isWrittenBefore(path, writtenBefore))) return undefined;
  const content = await hashFile(absolute).catch(() => undefined);
  if (content !== card.content) return undefined;
  const now = new Date();
  for (const each of [path, absolute]) await utimes(each, now, now).catch(() => undefined);
  return kept;
}

function cardIn(text: string): Card | undefined {
  const { rows, content, about } = jsonObjectIn(text) ?? {};
  if (typeof rows !== "number" || typeof content !== "string" || !isJsonObject(about))
    return undefined;
  return /^sha256:[0-9a-f]{64}$/.test(content) ? { rows, content, about } : undefined;
}

function nameOf(key: string): string {
  return hashText(key).slice("sha256:".length, "sha256:".length + 32);
}

function cardPath(directory: string, key: string): string {
  return join(directory, `${nameOf(key)}.json`);
}

function rowsPath(directory: string, content: string): string {
  return join(directory, `${content.slice("sha256:".length)}.jsonl`);
}

async function beginFile(directory: string, as: RowsToBegin): Promise<RowWriter> {
  const { key } = as;
  if (as.resume) {
    const shared = join(directory, `${nameOf(as.key)}.part`);
    const claim = await claimLock(`${shared}.lock`);
    if (claim.kind === "held") {
      const left = await readLeft(shared);
      return openWriter({ directory, key, path: shared, left, release: claim.release });
    }
  }
  const path = join(directory, `${randomBytes(12).toString("hex")}.part`);
  const left = { rows: 0, bytes: 0, hash: createHash("sha256") };
  return openWriter({ directory, key, path, left, release: () => rm(path, { force: true }) });
}

/** Rows that an earlier process left: whole lines count, a torn one does not. */
interface Left {
  readonly rows: number;
  readonly bytes: number;
  readonly hash: Hash;
}

const newline = 0x0a;

async function readLeft(path: string): Promise<Left> {
  const hash = createHash("sha256");
  let [rows, bytes] = [0, 0];
  let held: Uint8Array = new Uint8Array();
  if ((await stat(path).catch(() => undefined)) === undefined) return { rows, bytes, hash };
  for await (const chunk of readBytes(path)) {
    const end = chunk.lastIndexOf(newline) + 1;
    if (end === 0) {
      held = Buffer.concat([held, chunk]);
      continue;
    }
    hash.update(held);
    hash.update(chunk.subarray(0, end));
    bytes += held.length + end;
    for (let at = chunk.indexOf(newline); at !== -1; at = chunk.indexOf(newline, at + 1)) rows += 1;
    held = chunk.subarray(end);
  }
  return { rows, bytes, hash };
}

interface Writing {
  readonly directory: string;
  readonly key: string | undefined;
  readonly path: string;
  readonly left: Left;
  /** Leaves the file to the next process, or removes it. */
  readonly release: () => Promise<void>;
}

/** Lines are collected up to this size before a system call. */
const bytesHeld = 1024 * 1024;

async function openWriter(writing: Writing): Promise<RowWriter> {
  const { path, left } = writing;
  const handle = await open(path, "a", 0o600);
  await handle.truncate(left.bytes);
  let rows = left.rows;
  let held: Uint8Array[] = [];
  let bytes = 0;
  const flush = async (): Promise<void> => {
    const all = Buffer.concat(held);
    [held, bytes] = [[], 0];
    if (all.length === 0) return;
    left.hash.update(all);
    await refusingWrites(path, () => handle.appendFile(all));
  };
  return {
    rows: left.rows,
    append: async (lines, count) => {
      rows += count;
      held.push(lines);
      bytes += lines.length;
      if (bytes >= bytesHeld) await flush();
    },
    finish: async (about) => {
      await flush();
      return refusingWrites(path, () => keep(writing, { rows, about, handle }));
    },
    leave: async () => {
      await flush().catch(() => undefined);
      await handle.close().catch(() => undefined);
      await writing.release();
    },
  };
}

async function keep(
  { directory, key, path, left, release }: Writing,
  {
    rows,
    about,
    handle,
  }: { readonly rows: number; readonly about: JsonObject; readonly handle: FileHandle },
): Promise<KeptRows> {
  await handle.datasync();
  await handle.close();
  const content = `sha256:${left.hash.digest("hex")}`;
  const absolute = rowsPath(directory, content);
  await rename(path, absolute);
  const card: Card = { rows, content, about };
  if (key !== undefined) {
    await writeFileAtomically(cardPath(directory, key), `${JSON.stringify({ ...card, key })}\n`);
  }
  await release();
  return { absolute, rows, about };
}

/** Removes rows that were not used for long, then the oldest ones beyond the limit; never rows that may be in use. */
async function removeOld(directory: string): Promise<void> {
  const files = [];
  for (const name of await readdir(directory)) {
    const path = join(directory, name);
    const about = await stat(path).catch(() => undefined);
    if (about?.isFile() === true && name !== ".gitignore") {
      files.push({ path, bytes: about.size, age: (Date.now() - about.mtimeMs) / dayMilliseconds });
    }
  }
  let bytes = 0;
  for (const { path, bytes: size, age } of files.toSorted((a, b) => a.age - b.age)) {
    bytes += size;
    const isOld = age > daysKept || (age > daysInUse && bytes > bytesKept);
    if (isOld) await rm(path, { force: true }).catch(() => undefined);
  }
}

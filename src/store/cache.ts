import { randomBytes } from "node:crypto";
import { readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createDigestTable, shortDigest } from "../ledger/digest-table.ts";
import { createLineSplitter } from "../base/lines.ts";
import type { OpenedFile } from "../model/ports/files.ts";
import type { Answer, AnswerCache } from "../model/ports/store.ts";
import { oldestKept, prune, type Segment } from "./cache-retention.ts";
import { decodeEntry, encodeEntry, keyOfLine } from "./cache-entry.ts";
import { openFile, readBytes } from "../io/files/files.ts";
import { makeFolders } from "../io/files/folders.ts";
import { plainLines } from "./encrypted-lines.ts";
import { Journal } from "./journal.ts";
import { reasonOf } from "../io/files/reason.ts";
import { isWrittenBefore } from "./written-before.ts";

interface CacheOptions {
  /** Absolute. The folder is made when the first answer is stored. */
  readonly directory: string;
  /** A run does not find its own answers: each of its equal prompts is asked. */
  readonly runId: string;
  /**
   * Only files that nobody wrote to since this time are read, in milliseconds since 1970: a program that was asked meanwhile may
   * have put answers there.
   */
  readonly writtenBefore?: number | undefined;
  /** Called once if the cache can't be read or written: the run continues without it. */
  readonly onTrouble: (text: string) => void;
}

/** Size that is read once and held; beyond it, each answer is read on demand. */
const bytesHeld = 64 * 1024 ** 2;
/** Position of a line: the file's number in the high bits, the offset in the low ones. */
const offsetRange = 2 ** 40;
const newline = 0x0a;

/**
 * A folder of append-only files, each written by one process, so that any number of runs may use it at once: a line is an
 * answer with its key and a checksum. It is indexed at the first lookup (25 bytes per answer in memory); a torn or
 * damaged line is ignored, and no failure here fails a run. Old and excess files are removed as a whole when a run opens
 * it. It hides itself from git.
 */
export function openAnswerCache(options: CacheOptions): AnswerCache {
  let opening: Promise<Index> | undefined;
  let index: Index | undefined;
  let journal: Promise<Journal | undefined> | undefined;
  let isTroubled = false;
  const trouble = (error: unknown): undefined => {
    if (!isTroubled) {
      options.onTrouble(
        `the answer cache in ${options.directory} can't be used (${reasonOf(error)}): this run goes on without it`,
      );
    }
    isTroubled = true;
    return undefined;
  };
  return {
    find: async (key) => {
      try {
        index ??= await (opening ??= openIndex(options));
        const found = await index.find(key);
        return found && isYoung(found) ? found : undefined;
      } catch (error) {
        return trouble(error);
      }
    },
    keep: async (key, answer) => {
      if (isTroubled) return;
      journal ??= createSegment(options).catch(trouble);
      await journal.then((file) => file?.append(encodeEntry(key, answer))).catch(trouble);
    },
    close: async () => {
      await (await opening?.catch(() => undefined))?.close();
      await (await journal)?.close();
    },
  };
}

/** Uses the answer's own date: a copied file, or one restored by actions/cache, has the copy's date. */
function isYoung({ createdAt }: Answer): boolean {
  return Date.parse(createdAt) >= oldestKept(Date.now());
}

async function createSegment({ directory, runId }: CacheOptions): Promise<Journal> {
  await makeFolders(directory);
  await writeFile(join(directory, ".gitignore"), "*\n", { flag: "wx" }).catch(() => undefined);
  const name = `${runId}.${randomBytes(4).toString("hex")}.jsonl`;
  return Journal.open(join(directory, name), 0, { stringify: String, lines: plainLines });
}

interface Index {
  readonly find: (key: string) => Promise<Answer | undefined> | Answer | undefined;
  readonly close: () => Promise<void>;
}

async function openIndex(options: CacheOptions): Promise<Index> {
  const table = createDigestTable();
  const readers: ReadSegment[] = [];
  let room = bytesHeld;
  for (const { path, bytes } of await segmentsToRead(options)) {
    const base = readers.length * offsetRange;
    const note: Note = (key, offset) => table.set(key, base + offset);
    const isHeld = bytes <= room;
    if (isHeld) room -= bytes;
    const reader = await (isHeld ? holdSegment : openSegment)(path, note, options).catch(
      () => undefined,
    );
    if (reader) readers.push(reader);
  }
  return {
    find: (key) => {
      const at = table.get(shortDigest(key));
      if (at === undefined) return undefined;
      const line = readers[Math.floor(at / offsetRange)]?.readLine(at % offsetRange);
      // A line in memory is available at once.
      if (!(line instanceof Promise)) return line && decodeEntry(key, line);
      return line.then((read) => read && decodeEntry(key, read));
    },
    close: async () => {
      for (const { close } of readers) await close();
    },
  };
}

/** The files of earlier runs, oldest first, after old and excess ones have been removed. */
async function segmentsToRead({
  directory,
  runId,
  writtenBefore,
}: CacheOptions): Promise<readonly Segment[]> {
  const names = await readdir(directory).catch(() => []);
  const found: Segment[] = [];
  for (const name of names.filter((each) => each.endsWith(".jsonl"))) {
    const path = join(directory, name);
    const about = await stat(path).catch(() => undefined);
    if (about?.isFile() && (await isWrittenBefore(path, writtenBefore)))
      found.push({ path, name, bytes: about.size, changed: about.mtimeMs });
  }
  const { kept, removed } = prune(found, Date.now());
  // Another run may be reading one of them: if that prevents its removal, the next run removes it.
  for (const { path } of removed) await rm(path, { force: true }).catch(() => undefined);
  return kept.filter(({ name }) => !name.startsWith(`${runId}.`));
}

/** A file's lines, by their start. */
interface ReadSegment {
  readonly readLine: (offset: number) => Promise<Buffer | undefined> | Buffer | undefined;
  readonly close: () => Promise<void>;
}

/** Receives the short digest of each whole line's key, and the line's start. */
type Note = (digest: string, offset: number) => void;

async function holdSegment(
  path: string,
  note: Note,
  { writtenBefore }: Pick<CacheOptions, "writtenBefore">,
): Promise<ReadSegment | undefined> {
  const content = await readFile(path);
  // A process that a program left behind may have written to it while it was opened.
  if (!(await isWrittenBefore(path, writtenBefore))) return undefined;
  let start = 0;
  for (let end = content.indexOf(newline); end !== -1; end = content.indexOf(newline, start)) {
    const key = keyOfLine(content, start, end);
    if (key !== undefined) note(shortDigest(key), start);
    start = end + 1;
  }
  return {
    readLine: (offset) => content.subarray(offset, content.indexOf(newline, offset)),
    close: async () => undefined,
  };
}

async function openSegment(
  path: string,
  note: Note,
  { writtenBefore }: Pick<CacheOptions, "writtenBefore">,
): Promise<ReadSegment | undefined> {
  // Each answer is read when it is asked for: a process that a program left behind could write to it until then.
  if (writtenBefore !== undefined) return undefined;
  const splitter = createLineSplitter();
  for await (const chunk of readBytes(path)) {
    for (const { bytes, offset } of splitter.push(chunk)) {
      const key = bytes && keyOfLine(asBuffer(bytes), 0, bytes.length);
      if (key !== undefined) note(shortDigest(key), offset);
    }
  }
  const file = await openFile(path);
  return { readLine: (offset) => readLine(file, offset), close: file.close };
}

/** Most answers are short. */
const firstReadBytes = 16 * 1024;

async function readLine(file: OpenedFile, offset: number): Promise<Buffer | undefined> {
  for (let length = firstReadBytes; ; length *= 4) {
    const bytes = asBuffer(await file.read(offset, length));
    const end = bytes.indexOf(newline);
    if (end !== -1) return bytes.subarray(0, end);
    if (bytes.length < length) return undefined;
  }
}

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
}

import { createHash, hash, randomBytes } from "node:crypto";
import { open, readdir, realpath, rename, rm, stat, type FileHandle } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import type { OpenedFile } from "../../model/ports/files.ts";
import { problem, Refusal } from "../../model/refusal.ts";
import { reasonOf, systemCode, refusingWrites } from "./reason.ts";

const chunkBytes = 256 * 1024;
/** Read at once. More than 128 KiB, as bytes and as text, have pages of their own, which are cleared for each chunk. */
const readAtOnce = 64 * 1024;

/** The bytes of a file, in chunks of 64 KiB. Each chunk has its own memory. */
export async function* readBytes(absolutePath: string): AsyncGenerator<Uint8Array> {
  const handle = await openToRead(absolutePath);
  try {
    for (let offset = 0; ;) {
      const chunk = await readAt(handle, { file: absolutePath, offset, length: readAtOnce });
      if (chunk.length === 0) return;
      offset += chunk.length;
      yield chunk;
    }
  } finally {
    await handle.close();
  }
}

/**
 * A whole file as text, without its byte order mark. Refuses files that are not UTF-8: replaced bytes would change the
 * text.
 */
export async function readText(absolutePath: string): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of readBytes(absolutePath)) chunks.push(chunk);
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(Buffer.concat(chunks));
  } catch (error) {
    throw new Refusal(
      problem("read_failed", { file: absolutePath, reason: "it is not valid UTF-8" }),
      {
        cause: error,
      },
    );
  }
}

/** SHA-256 of a file's bytes, `sha256:<hex>`. */
export async function hashFile(absolutePath: string): Promise<string> {
  const sha256 = createHash("sha256");
  for await (const chunk of readBytes(absolutePath)) sha256.update(chunk);
  return `sha256:${sha256.digest("hex")}`;
}

/** SHA-256 of a text's UTF-8, `sha256:<hex>`. */
export function hashText(text: string): string {
  return `sha256:${hash("sha256", text)}`;
}

/** A file to be read by position. */
export async function openFile(absolutePath: string): Promise<OpenedFile> {
  const handle = await openToRead(absolutePath);
  return {
    read: (offset, length) => readAt(handle, { file: absolutePath, offset, length }),
    close: () => handle.close(),
  };
}

/** The kind of a path, after following links. `real`: the real path; of a missing file, the path that it would have. */
export interface Inspected {
  readonly kind: "file" | "directory" | "missing";
  readonly real: string;
}

/** Looks at a path without opening it. A pipe or a device counts as missing: it is no file to read. */
export async function inspectPath(absolutePath: string): Promise<Inspected> {
  try {
    const real = await realpath(absolutePath);
    const found = await stat(real);
    if (found.isFile()) return { kind: "file", real };
    return { kind: found.isDirectory() ? "directory" : "missing", real };
  } catch (error) {
    if (!isMissing(error)) throw readFailed(absolutePath, error);
    return { kind: "missing", real: await realOfMissing(absolutePath) };
  }
}

/** The names in a folder; none if it can't be read. */
export function listNames(absolutePath: string): Promise<readonly string[]> {
  return readdir(absolutePath).catch(() => []);
}

/** Tells whether a folder is empty; false for everything else. */
export async function isEmptyFolder(absolutePath: string): Promise<boolean> {
  const entries = await readdir(absolutePath).catch(() => undefined);
  return entries?.length === 0;
}

/** The real path of the nearest folder that exists, and the rest as written. */
async function realOfMissing(absolutePath: string): Promise<string> {
  const folder = dirname(absolutePath);
  if (folder === absolutePath) return absolutePath;
  const real = await realpath(folder).catch(() => realOfMissing(folder));
  return join(real, basename(absolutePath));
}

type FileContent = string | Uint8Array | Iterable<string> | AsyncIterable<string | Uint8Array>;

/**
 * Writes a file so that a reader finds the old one or the new one, whole, and nothing else is left behind.
 * The folder must exist. Where the system refuses (a full disk, no permission) it throws a Refusal with exit 4.
 */
export async function writeFileAtomically(
  absolutePath: string,
  content: FileContent,
): Promise<void> {
  await writeTogether([{ path: absolutePath, content }]);
}

/**
 * The same for several, which are renamed to their places, in order, after all are written: a lack of space fails before
 * anything has changed. `before` runs between the two steps.
 */
export async function writeTogether(
  files: readonly { readonly path: string; readonly content: FileContent }[],
  before?: () => Promise<void>,
): Promise<void> {
  const written: { readonly path: string; readonly temporary: string }[] = [];
  try {
    for (const { path, content } of files) {
      const temporary = join(
        dirname(path),
        `.${basename(path)}.${randomBytes(6).toString("hex")}.tmp`,
      );
      written.push({ path, temporary });
      await refusingWrites(path, () => writeAndSync(temporary, content));
    }
    await before?.();
    for (const { path, temporary } of written) {
      await refusingWrites(path, () => rename(temporary, path));
      await syncFolder(dirname(path));
    }
  } catch (error) {
    for (const { temporary } of written)
      await rm(temporary, { force: true }).catch(() => undefined);
    throw error;
  }
}

async function writeAndSync(path: string, content: FileContent): Promise<void> {
  const handle = await open(path, "wx");
  try {
    // FileHandle.writeFile writes a stream in pieces, and text or bytes at once.
    await handle.writeFile(isWhole(content) ? content : gathered(content));
    await handle.sync();
  } finally {
    await handle.close();
  }
}

function isWhole(content: unknown): content is string | Uint8Array {
  return typeof content === "string" || content instanceof Uint8Array;
}

/** Joins small pieces: a write for each line of a million would take minutes. */
function gathered(
  pieces: Iterable<string> | AsyncIterable<string | Uint8Array>,
): Iterable<string> | AsyncIterable<Uint8Array> {
  return Symbol.iterator in pieces ? gatheredTexts(pieces) : gatheredBytes(pieces);
}

function* gatheredTexts(pieces: Iterable<string>): Generator<string> {
  let held = "";
  for (const piece of pieces) {
    held += piece;
    if (held.length < chunkBytes) continue;
    yield held;
    held = "";
  }
  yield held;
}

async function* gatheredBytes(
  pieces: AsyncIterable<string | Uint8Array>,
): AsyncGenerator<Uint8Array> {
  let held: Uint8Array[] = [];
  let bytes = 0;
  for await (const piece of pieces) {
    const next = typeof piece === "string" ? Buffer.from(piece) : piece;
    held.push(next);
    bytes += next.length;
    if (bytes < chunkBytes) continue;
    yield Buffer.concat(held);
    held = [];
    bytes = 0;
  }
  yield Buffer.concat(held);
}

/** Flushes the folder, so that the new name survives a power cut. Systems that can't do this skip it. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, "r").catch(() => undefined);
  await handle?.sync().catch(() => undefined);
  await handle?.close();
}

async function openToRead(absolutePath: string): Promise<FileHandle> {
  try {
    // Before opening: a named pipe without a writer would block for ever.
    const found = await stat(absolutePath);
    if (!found.isFile()) {
      const reason = found.isDirectory() ? "it is a directory" : "it is not a regular file";
      throw new Refusal(problem("read_failed", { file: absolutePath, reason }));
    }
    return await open(absolutePath, "r");
  } catch (error) {
    if (error instanceof Refusal) throw error;
    if (!isMissing(error)) throw readFailed(absolutePath, error);
    throw new Refusal(problem("file_missing", { file: absolutePath }), { cause: error });
  }
}

async function readAt(
  handle: FileHandle,
  at: { readonly file: string; readonly offset: number; readonly length: number },
): Promise<Uint8Array> {
  const buffer = Buffer.allocUnsafeSlow(at.length);
  let filled = 0;
  try {
    while (filled < at.length) {
      const { bytesRead } = await handle.read(
        buffer,
        filled,
        at.length - filled,
        at.offset + filled,
      );
      if (bytesRead === 0) break;
      filled += bytesRead;
    }
  } catch (error) {
    throw readFailed(at.file, error);
  }
  return buffer.subarray(0, filled);
}

function isMissing(error: unknown): boolean {
  const code = systemCode(error);
  return code === "ENOENT" || code === "ENOTDIR";
}

function readFailed(file: string, error: unknown): Refusal {
  return new Refusal(problem("read_failed", { file, reason: reasonOf(error) }), { cause: error });
}

import { Readable } from "node:stream";
import { createZstdDecompress } from "node:zlib";
import type { Entry, ZipFile } from "yauzl";
import type { OpenedFile } from "../model/ports/files.ts";
import { problem, Refusal } from "../model/refusal.ts";
import type { JsonBytes } from "./json-stream.ts";
import type { ResultSource } from "./source.ts";

/** A file of a zip. */
interface ZipEntry extends JsonBytes {
  /** The name in the zip; never used as a path. */
  readonly name: string;
}

interface OpenedZip {
  /** In the order of the zip's directory. */
  readonly entries: readonly ZipEntry[];
  readonly close: () => Promise<void>;
}

const mebibyte = 1024 * 1024;

/** Limits of unpacking. A few kilobytes can unpack to gigabytes of one letter, which cost time and memory. */
interface ZipLimits {
  /** Limit of one file, in bytes. */
  readonly file: number;
  /** Limit of all files, in bytes. */
  readonly total: number;
  /** Largest ratio of a file to its packed size, for files of more than `ratioFrom` bytes. */
  readonly ratio: number;
  readonly ratioFrom: number;
}

const usual: ZipLimits = {
  file: 512 * mebibyte,
  total: 16 * 1024 * mebibyte,
  ratio: 250,
  ratioFrom: 32 * mebibyte,
};

/**
 * Opens a zip whose files are stored, deflated or packed with Zstandard. Throws a Refusal if it is cut off or not a zip,
 * or if a file of it exceeds the limits.
 */
export async function openZip(source: ResultSource, limits: ZipLimits = usual): Promise<OpenedZip> {
  const file = await source.open();
  try {
    const zip = await openFrom(file, source.size);
    const entries: ZipEntry[] = [];
    const budget = { limits, unpacked: 0 };
    for await (const entry of zip.eachEntry()) {
      const path = `${source.path}:${entry.fileName}`;
      const refuse = (reason: string, cause?: unknown): Refusal =>
        new Refusal(problem("results_unreadable", { at: entry.fileName, reason }, place), {
          cause,
        });
      const place = { file: source.path };
      entries.push({
        name: entry.fileName,
        path,
        bytes: () => unpack({ zip, entry, budget }, refuse),
      });
    }
    return { entries, close: file.close };
  } catch (cause) {
    await file.close();
    throw cause instanceof Refusal ? cause : unreadable(source, cause);
  }
}

/** The list of a zip's files is at its end. */
function unreadable({ path, size }: ResultSource, cause: unknown): Refusal {
  const reason = cause instanceof Error ? cause.message : String(cause);
  const isCutOff = /^End of central directory|^Unexpected EOF|Zip64 end of central/i.test(reason);
  const at = `byte ${size}`;
  const found = isCutOff
    ? problem("results_truncated", { at, of: "the zip" }, { file: path })
    : problem("results_unreadable", { at: "its list of files", reason }, { file: path });
  return new Refusal(found, { cause });
}

async function openFrom(file: OpenedFile, size: number): Promise<ZipFile> {
  const { fromRandomAccessReaderPromise, RandomAccessReader } = await import("yauzl");
  class Reader extends RandomAccessReader {
    override _readStreamForRange(start: number, end: number): Readable {
      return Readable.from(chunks(file, start, end), { objectMode: false });
    }
  }
  const options = { autoClose: false, lazyEntries: true, strictFileNames: false };
  return fromRandomAccessReaderPromise(new Reader(), size, options);
}

const chunkBytes = 256 * 1024;

async function* chunks(file: OpenedFile, start: number, end: number): AsyncGenerator<Uint8Array> {
  for (let at = start; at < end;) {
    const chunk = await file.read(at, Math.min(chunkBytes, end - at));
    if (chunk.length === 0) return;
    at += chunk.length;
    // A copy, because the file may reuse the same memory.
    yield Uint8Array.from(chunk);
  }
}

const stored = 0;
const deflated = 8;
const zstandard = 93;

interface Packed {
  readonly zip: ZipFile;
  readonly entry: Entry;
  /** The budget of the whole zip. */
  readonly budget: { readonly limits: ZipLimits; unpacked: number };
}

/**
 * The reason why unpacking must stop; undefined: it may continue. `size`: the actual size so far, or the declared size.
 */
function excessOf({ entry, budget }: Packed, size: number): string | undefined {
  const { file, total, ratio, ratioFrom } = budget.limits;
  if (size > file) return `it unpacks to more than ${inMebibytes(file)}`;
  if (size > ratioFrom && size > ratio * entry.compressedSize)
    return `it unpacks to more than ${ratio} times its size, as no log does`;
  if (budget.unpacked > total) return `the zip unpacks to more than ${inMebibytes(total)}`;
  return undefined;
}

function inMebibytes(bytes: number): string {
  return `${Math.floor(bytes / mebibyte)} MiB`;
}

async function* unpack(
  packed: Packed,
  refuse: (reason: string, cause?: unknown) => Refusal,
): AsyncGenerator<Uint8Array> {
  const { zip, entry, budget } = packed;
  const method = entry.compressionMethod;
  if (entry.isEncrypted()) throw refuse("it is encrypted");
  if (![stored, deflated, zstandard].includes(method))
    throw refuse(`it is packed by method ${method}, which is not known here`);
  const declared = excessOf(packed, entry.uncompressedSize);
  if (declared !== undefined) throw refuse(declared);
  let size = 0;
  try {
    const isZstandard = method === zstandard;
    const stream = await zip.openReadStreamPromise(
      entry,
      isZstandard ? { decodeFileData: false } : {},
    );
    for await (const chunk of isZstandard ? decompressed(stream) : stream) {
      size += chunk.length;
      budget.unpacked += chunk.length;
      const excess = excessOf(packed, size);
      if (excess !== undefined) throw refuse(excess);
      // The declared size may be too small: a broken file is not unpacked further.
      if (size > entry.uncompressedSize) break;
      yield chunk;
    }
  } catch (cause) {
    if (cause instanceof Refusal) throw cause;
    throw refuse(cause instanceof Error ? cause.message : String(cause), cause);
  }
  // Node 24 stops at the end of a Zstandard frame, but Inspect begins a new frame after 200 MB.
  if (size !== entry.uncompressedSize)
    throw refuse(`it holds ${size} bytes, and ${entry.uncompressedSize} were expected`);
}

async function* decompressed(packed: Readable): AsyncGenerator<Buffer> {
  const unpacked = createZstdDecompress();
  packed.on("error", (error) => unpacked.destroy(error));
  yield* packed.pipe(unpacked);
}

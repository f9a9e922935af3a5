import { createWriteStream } from "node:fs";
import { mkdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { Transform, type Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { Entry, ZipFile } from "yauzl";

/** Limits for a zip that a stranger may have made. */
export interface UnzipBounds {
  /** True for an entry that is wanted; others are not extracted. Called with a name that has been checked. */
  readonly wanted: (name: string) => boolean;
  /** Limit of entries, wanted or not. */
  readonly mostEntries: number;
  /** Limit of folders above a file. 0: files must be at the zip's root. */
  readonly mostFolders: number;
  /** Limit of extracted bytes, all files together. */
  readonly mostBytes: number;
  /**
   * `refused`, the default: a zip with a link, or with anything else that is no file, is refused. `left`: such entries
   * are not extracted.
   */
  readonly links?: "refused" | "left";
  /** Limit of the nesting of JSON in `.json` and `.jsonl`; undefined: not checked. */
  readonly mostDepth: number | undefined;
}

type Unzipped =
  | { readonly kind: "unzipped"; readonly files: readonly string[] }
  /** The problem, as a clause. Some files may have been written already, so the folder must be deleted. */
  | { readonly kind: "refused"; readonly reason: string };

/**
 * Extracts files from a zip within limits. Refuses paths that lead out of the folder, links, devices, encrypted entries,
 * duplicate names, and more bytes than allowed: the extracted bytes are counted, not the declared ones.
 */
export async function unzipBounded(
  zip: string,
  folder: string,
  bounds: UnzipBounds,
): Promise<Unzipped> {
  const files: string[] = [];
  try {
    const file = await openZip(zip);
    try {
      const entries = await listEntries(file, bounds);
      const gate = createGate(bounds);
      for (const entry of entries) {
        const name = nameOf(entry, bounds);
        if (entry.fileName.endsWith("/") || isSpecial(entry) || !bounds.wanted(name)) continue;
        await extract(entry, { file, path: join(folder, name), gate });
        files.push(name);
      }
    } finally {
      file.close();
    }
    return { kind: "unzipped", files };
  } catch (cause) {
    if (cause instanceof Refused) return { kind: "refused", reason: cause.message };
    const reason = cause instanceof Error ? cause.message : String(cause);
    return { kind: "refused", reason: `it can't be unzipped: ${reason}` };
  }
}

/** Used only within this file: `unzipBounded` turns it into a value. */
class Refused extends Error {}

async function openZip(zip: string): Promise<ZipFile> {
  const { openPromise } = await import("yauzl");
  return openPromise(zip, {
    autoClose: false,
    lazyEntries: true,
    validateEntrySizes: true,
    strictFileNames: true,
  });
}

async function listEntries(file: ZipFile, bounds: UnzipBounds): Promise<readonly Entry[]> {
  if (file.entryCount > bounds.mostEntries)
    throw new Refused(`it has ${file.entryCount} files, and ${bounds.mostEntries} are allowed`);
  const entries: Entry[] = [];
  const names = new Set<string>();
  for await (const entry of file.eachEntry()) {
    const name = nameOf(entry, bounds);
    // On some systems a name that differs only in case is the same file.
    if (names.has(name.toLowerCase()))
      throw new Refused(`two of its files are called ${quoted(name)}`);
    names.add(name.toLowerCase());
    entries.push(entry);
  }
  return entries;
}

const fileType = 0o170000;
const regular = 0o100000;
const directory = 0o040000;

/** The entry's name, if it may be written; otherwise throws Refused. */
function nameOf(entry: Entry, { mostFolders, links }: UnzipBounds): string {
  const name = entry.fileName.replace(/\/$/, "");
  const parts = name.split("/");
  const isBad =
    /[\\:\p{Cc}]/u.test(name) || parts.some((part) => /^(?:\.{0,2}|\s.*|.*[\s.])$/.test(part));
  if (isBad || name.length > 400) throw new Refused(`it has a file with the name ${quoted(name)}`);
  if (parts.length - 1 > mostFolders)
    throw new Refused(`it has a file in a folder, ${quoted(name)}`);
  if (links !== "left" && isSpecial(entry))
    throw new Refused(`${quoted(name)} is a link or something else that is no file`);
  if (entry.isEncrypted()) throw new Refused(`${quoted(name)} is encrypted`);
  return name;
}

/** True for an entry that is neither file nor folder. Only archives made on Unix tell. */
function isSpecial({ externalFileAttributes }: Entry): boolean {
  const type = (externalFileAttributes >>> 16) & fileType;
  return type !== 0 && type !== regular && type !== directory;
}

function quoted(name: string): string {
  return JSON.stringify(name.slice(0, 100));
}

/** Counts the bytes of all files of a zip, and throws if there are too many. */
type Gate = (name: string) => (chunk: Buffer) => void;

function createGate({ mostBytes, mostDepth }: UnzipBounds): Gate {
  let total = 0;
  return (name) => {
    const depth = mostDepth !== undefined && /\.jsonl?$/.test(name) ? depthMeter() : undefined;
    return (chunk) => {
      total += chunk.length;
      if (total > mostBytes)
        throw new Refused(`it holds more than ${Math.round(mostBytes / 1_000_000)} MB`);
      if (depth !== undefined && depth(chunk) > (mostDepth ?? 0))
        throw new Refused(`${quoted(name)} is nested deeper than ${mostDepth} levels`);
    };
  };
}

/** Measures the deepest nesting of JSON so far, over a stream of bytes; brackets within strings do not count. */
function depthMeter(): (chunk: Buffer) => number {
  let [depth, deepest, inString, escaped] = [0, 0, false, false];
  return (chunk) => {
    for (const byte of chunk) {
      if (escaped) escaped = false;
      else if (inString) {
        if (byte === 0x5c) escaped = true;
        // A JSON string can't contain a line break, so a new line begins a new value.
        else if (byte === 0x22 || byte === 0x0a) inString = false;
      } else if (byte === 0x22) inString = true;
      else if (byte === 0x5b || byte === 0x7b) deepest = Math.max(deepest, (depth += 1));
      else if (byte === 0x5d || byte === 0x7d) depth = Math.max(0, depth - 1);
    }
    return deepest;
  };
}

async function extract(
  entry: Entry,
  { file, path, gate }: { readonly file: ZipFile; readonly path: string; readonly gate: Gate },
): Promise<void> {
  const pass = gate(entry.fileName);
  const meter = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      try {
        pass(chunk);
        done(null, chunk);
      } catch (cause) {
        done(cause instanceof Error ? cause : new Error(String(cause)));
      }
    },
  });
  await mkdir(dirname(path), { recursive: true });
  const stream: Readable = await file.openReadStreamPromise(entry);
  await pipeline(stream, meter, createWriteStream(path, { flags: "wx", mode: 0o644 }));
}

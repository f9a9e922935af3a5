import { writeSync } from "node:fs";
import { open } from "node:fs/promises";
import type { FileHandle } from "node:fs/promises";
import type { Secrets } from "../model/ports/secrets.ts";
import type { Refusal } from "../model/refusal.ts";
import { ByteGatherer } from "../io/files/byte-gatherer.ts";
import { writeFailed } from "../io/files/reason.ts";
import type { StoredLines } from "./encrypted-lines.ts";

interface Writing {
  readonly stringify: Secrets["stringify"];
  readonly lines: StoredLines;
}

/**
 * An append-only file with a JSON value per line. Lines of one event are written together, at its end: a request waits no
 * longer than that. They are collected as bytes: joined as strings they would be copied twice more, into memory that the
 * system has to provide each time. They are written synchronously: passing some kilobytes to a thread takes longer (50
 * µs) than copying them to the system's cache (5 µs), and a request waits for as long.
 */
export class Journal {
  readonly #path: string;
  readonly #handle: FileHandle;
  readonly #stringify: Secrets["stringify"];
  readonly #write: (line: string) => string;
  readonly #pending = new ByteGatherer();
  /** The write that is scheduled for the end of this event. */
  #scheduled: Promise<void> | undefined;
  /** After a failed write the file is not written any more: a line after a gap would look whole. */
  #failure: Refusal | undefined;
  #closed = false;

  private constructor(path: string, handle: FileHandle, { stringify, lines }: Writing) {
    this.#path = path;
    this.#handle = handle;
    this.#stringify = stringify;
    this.#write = lines.writer();
  }

  /**
   * Opens `path` for appending. An existing file is first cut to `bytes`, because an earlier writer may have left a
   * torn line.
   */
  static async open(path: string, bytes: number, writing: Writing): Promise<Journal> {
    let handle: FileHandle | undefined;
    try {
      handle = await open(path, "a");
      await handle.truncate(bytes);
      return new Journal(path, handle, writing);
    } catch (error) {
      await handle?.close().catch(() => undefined);
      throw writeFailed(path, error);
    }
  }

  /** Resolves when the operating system has the line. Rejects with a Refusal if the disk is full. */
  append(value: unknown): Promise<void> {
    this.#pending.add(this.#write(this.#stringify(value)));
    this.#pending.add("\n");
    this.#scheduled ??= this.#flushSoon();
    return this.#scheduled;
  }

  async #flushSoon(): Promise<void> {
    await endOfEvent();
    this.#scheduled = undefined;
    if (this.#failure) throw this.#failure;
    try {
      this.#writeBytes(this.#pending.bytes());
    } catch (error) {
      this.#failure = writeFailed(this.#path, error);
      throw this.#failure;
    } finally {
      this.#pending.clear();
    }
  }

  #writeBytes(bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length;) at += writeSync(this.#handle.fd, bytes, at);
  }

  /** Waits until all lines are on the disk, if the file system can tell. */
  async sync(): Promise<void> {
    await this.#scheduled?.catch(() => undefined);
    if (!this.#closed) await this.#handle.datasync().catch(() => undefined);
  }

  async close(): Promise<void> {
    // A failed write was reported to its caller; closing has nothing to add.
    await this.#scheduled?.catch(() => undefined);
    if (!this.#closed) await this.#handle.close();
    this.#closed = true;
  }
}

/** Resolves after everything that follows from the current event: when no promise has anything left to do. */
function endOfEvent(): Promise<void> {
  return new Promise((resolve) => {
    process.nextTick(resolve);
  });
}

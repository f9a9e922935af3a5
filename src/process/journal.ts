import { open } from "node:fs/promises";
import type { FileHandle } from "node:fs/promises";
import type { Secrets } from "../domain/ports.ts";
import { problem, Refusal } from "../domain/refusal.ts";
import { reasonOf } from "./reason.ts";

/**
 * A file that only grows, a JSON value a line. Lines that come while a write is under way go out together
 * with the next one, so that a fast run costs a system call for hundreds of samples.
 */
export class Journal {
  readonly #path: string;
  readonly #handle: FileHandle;
  readonly #stringify: Secrets["stringify"];
  #pending: string[] = [];
  #written: Promise<void> = Promise.resolve();
  #scheduled: Promise<void> | undefined;
  #closed = false;

  private constructor(path: string, handle: FileHandle, stringify: Secrets["stringify"]) {
    this.#path = path;
    this.#handle = handle;
    this.#stringify = stringify;
  }

  /** Opens `path` for appending; where it exists it is cut to `bytes` first: an earlier writer may have left a torn line. */
  static async open(
    path: string,
    bytes: number,
    stringify: Secrets["stringify"],
  ): Promise<Journal> {
    try {
      const handle = await open(path, "a");
      await handle.truncate(bytes);
      return new Journal(path, handle, stringify);
    } catch (error) {
      throw writeFailed(path, error);
    }
  }

  /** Resolves once the line is with the operating system. Rejects with a Refusal where the disk is full. */
  append(value: unknown): Promise<void> {
    this.#pending.push(`${this.#stringify(value)}\n`);
    this.#scheduled ??= this.#written.then(() => this.#flush());
    return this.#scheduled;
  }

  async #flush(): Promise<void> {
    this.#written = this.#scheduled ?? this.#written;
    this.#scheduled = undefined;
    const text = this.#pending.join("");
    this.#pending = [];
    try {
      await this.#handle.appendFile(text);
    } catch (error) {
      throw writeFailed(this.#path, error);
    }
  }

  /** Waits until all lines are on the disk, where the file system can tell. */
  async sync(): Promise<void> {
    await (this.#scheduled ?? this.#written).catch(() => undefined);
    if (!this.#closed) await this.#handle.datasync().catch(() => undefined);
  }

  async close(): Promise<void> {
    // A write that failed was told to whoever appended; closing has nothing to add.
    await (this.#scheduled ?? this.#written).catch(() => undefined);
    if (!this.#closed) await this.#handle.close();
    this.#closed = true;
  }
}

/** The refusal for a file that can't be written: the surroundings failed, not the user's input. */
export function writeFailed(path: string, cause: unknown): Refusal {
  return new Refusal(problem("write_failed", { file: path, reason: reasonOf(cause) }), {
    cause,
    exit: 4,
  });
}

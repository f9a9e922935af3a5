/** Bytes of UTF-8 that one UTF-16 unit takes at most. */
const bytesPerUnit = 3;
/** The bytes of longer texts are counted first: reserving the worst case would take too much memory. */
const longText = 64 * 1024;
const firstBytes = 64 * 1024;
/** A larger buffer is released after use. */
const keptBytes = 1024 * 1024;

/** Gathers texts as UTF-8 in memory that is used again: neither they nor their sum are copied as text. */
export class ByteGatherer {
  #buffer = Buffer.allocUnsafeSlow(firstBytes);
  #length = 0;

  add(text: string): void {
    const { length } = text;
    this.#makeRoom(length > longText ? Buffer.byteLength(text) : length * bytesPerUnit);
    this.#length += this.#buffer.write(text, this.#length);
  }

  /** All bytes since the last `clear`; later additions may overwrite the memory. */
  bytes(): Buffer {
    return this.#buffer.subarray(0, this.#length);
  }

  clear(): void {
    this.#length = 0;
    if (this.#buffer.length > keptBytes) this.#buffer = Buffer.allocUnsafeSlow(firstBytes);
  }

  #makeRoom(more: number): void {
    const wanted = this.#length + more;
    if (wanted <= this.#buffer.length) return;
    const larger = Buffer.allocUnsafeSlow(Math.max(wanted, 2 * this.#buffer.length));
    this.#buffer.copy(larger, 0, 0, this.#length);
    this.#buffer = larger;
  }
}

/**
 * A map from 64-bit digests to numbers, in typed arrays: about 25 bytes an entry where a `Map` of strings
 * takes 100. Keys are the first 16 hexadecimal digits of a SHA-256; two texts of a million
 * share them by chance once in 30 million files.
 */
export interface DigestTable {
  readonly get: (digest: string) => number | undefined;
  /** Returns the value that was there before. */
  readonly set: (digest: string, value: number) => number | undefined;
  readonly size: () => number;
  /** Size in memory. */
  readonly bytes: () => number;
}

/**
 * A copy of the digest. The result of `slice` refers to the text that it was cut from and keeps it in memory: 130 bytes
 * for each of a million digests instead of 40 (V8 of Node 24).
 */
export function ownText(digest: string): string {
  const codes: number[] = [];
  for (let i = 0; i < digest.length; i += 1) codes.push(digest.charCodeAt(i));
  return String.fromCharCode(...codes);
}

const firstCapacity = 256;

/** The table's key of a hash: the first 16 of its 64 hexadecimal digits, without any prefix. */
export function shortDigest(hash: string): string {
  return hash.slice(-64, -48);
}

/** An empty table. */
export function createDigestTable(): DigestTable {
  let high = new Uint32Array(firstCapacity);
  let low = new Uint32Array(firstCapacity);
  let values = new Float64Array(firstCapacity);
  /** Open addressing: entry number + 1, 0 is free. Twice the capacity, so never more than half full. */
  let slots = new Int32Array(2 * firstCapacity);
  let size = 0;

  const slotOf = (hi: number, lo: number): number => {
    let slot = lo & (slots.length - 1);
    for (;;) {
      const entry = (slots[slot] ?? 0) - 1;
      if (entry === -1 || (high[entry] === hi && low[entry] === lo)) return slot;
      slot = (slot + 1) & (slots.length - 1);
    }
  };
  const grow = (): void => {
    const capacity = high.length * 2;
    high = wider(high, new Uint32Array(capacity));
    low = wider(low, new Uint32Array(capacity));
    values = wider(values, new Float64Array(capacity));
    slots = new Int32Array(2 * capacity);
    for (let entry = 0; entry < size; entry += 1) {
      slots[slotOf(high[entry] ?? 0, low[entry] ?? 0)] = entry + 1;
    }
  };

  return {
    get: (digest) => {
      const { hi, lo } = digestHalves(digest);
      const entry = (slots[slotOf(hi, lo)] ?? 0) - 1;
      return entry === -1 ? undefined : values[entry];
    },
    set: (digest, value) => {
      if (size === high.length) grow();
      const { hi, lo } = digestHalves(digest);
      const slot = slotOf(hi, lo);
      const entry = (slots[slot] ?? 0) - 1;
      const before = entry === -1 ? undefined : values[entry];
      const at = entry === -1 ? size : entry;
      if (entry === -1) {
        high[at] = hi;
        low[at] = lo;
        slots[slot] = size + 1;
        size += 1;
      }
      values[at] = value;
      return before;
    },
    size: () => size,
    bytes: () => high.byteLength + low.byteLength + values.byteLength + slots.byteLength,
  };
}

function digestHalves(digest: string): { readonly hi: number; readonly lo: number } {
  return {
    hi: Number.parseInt(digest.slice(0, 8), 16),
    lo: Number.parseInt(digest.slice(8, 16), 16),
  };
}

function wider<T extends { set: (source: T) => void }>(source: T, target: T): T {
  target.set(source);
  return target;
}

import type { DigestColumn, NumberColumn } from "../model/figures/ledger.ts";

/** Range of a column's numbers: whole numbers below 256, whole numbers below 2³², or any number. */
type NumberKind = "small" | "whole" | "any";

/** An empty column. */
export function createNumberColumn(kind: NumberKind): NumberColumn {
  let last = arrayOf(kind, firstCapacity);
  const blocks = [last];
  let length = 0;
  const grow = (): void => {
    const isFull = last.length === blockLength;
    const wider = arrayOf(kind, isFull ? blockLength : 2 * last.length);
    if (!isFull) wider.set(last);
    blocks[isFull ? blocks.length : 0] = wider;
    last = wider;
  };
  return {
    length: () => length,
    push: (value) => {
      if (length === (blocks.length - 1) * blockLength + last.length) grow();
      last[length % blockLength] = value;
      length += 1;
    },
    at: (i) => (i < length ? blocks[i >>> blockBits]?.[i % blockLength] : undefined),
    set: (i, value) => {
      const block = i < length ? blocks[i >>> blockBits] : undefined;
      if (block) block[i % blockLength] = value;
    },
  };
}

const firstCapacity = 64;
/** Full blocks are never moved: copying all for a few more would double the memory, and leave holes in it. */
const blockBits = 13;
const blockLength = 2 ** blockBits;

function arrayOf(kind: NumberKind, length: number): Uint8Array | Uint32Array | Float64Array {
  switch (kind) {
    case "small":
      return new Uint8Array(length);
    case "whole":
      return new Uint32Array(length);
    case "any":
      return new Float64Array(length);
  }
}

/** An empty column. */
export function createDigestColumn(): DigestColumn {
  const [high, low] = [createNumberColumn("whole"), createNumberColumn("whole")];
  const others = new Map<number, string>();
  return {
    parts: { high, low, others },
    equals: (i, { parts }, j) =>
      high.at(i) === parts.high.at(j) &&
      low.at(i) === parts.low.at(j) &&
      others.get(i) === parts.others.get(j),
    push: (text) => {
      const [hi, lo] = text.length === 16 ? [half(text, 0), half(text, 8)] : [-1, -1];
      const isDigest = hi >= 0 && lo >= 0;
      if (!isDigest) others.set(high.length(), text);
      high.push(isDigest ? hi : 0);
      low.push(isDigest ? lo : 0);
    },
    at: (i) => {
      const [hi, lo] = [high.at(i), low.at(i)];
      if (hi === undefined || lo === undefined) return undefined;
      return others.get(i) ?? hexadecimal(hi) + hexadecimal(lo);
    },
  };
}

/**
 * The number that eight hexadecimal digits stand for; -1 if they are none. Only lower case, because that is how the
 * digits are written again.
 */
function half(text: string, from: number): number {
  let number = 0;
  for (let i = from; i < from + 8; i += 1) {
    const code = text.charCodeAt(i);
    const digit = code >= 97 && code <= 102 ? code - 87 : code - 48;
    if (digit < 0 || digit > 15 || (digit > 9 && code < 97)) return -1;
    number = number * 16 + digit;
  }
  return number;
}

function hexadecimal(number: number): string {
  return number.toString(16).padStart(8, "0");
}

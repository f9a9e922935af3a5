import { posix } from "node:path";

/** Shorter names occur in texts of all kinds. */
const shortestName = 5;

/**
 * Tells of many paths whether a text has their names. A repository has so many that the text is searched for a name only if it
 * has each five characters of it somewhere.
 */
export function namesIn(text: string): (path: string) => boolean {
  const bits = Math.ceil(Math.log2(4 * text.length + 1024));
  const parts = new Uint8Array(2 ** bits);
  for (let at = 0; at + shortestName <= text.length; at += 1) parts[partAt(text, at, bits)] = 1;
  return (path) => {
    const name = posix.basename(path);
    if (name.length < shortestName) return false;
    for (let at = 0; at + shortestName <= name.length; at += 1)
      if (parts[partAt(name, at, bits)] === 0) return false;
    return text.includes(name);
  };
}

/** A number of so many bits for the five characters from a position; others may have the same. */
function partAt(text: string, at: number, bits: number): number {
  let part = 0;
  for (let i = at; i < at + shortestName; i += 1)
    part = Math.imul(part, 16_777_619) ^ text.charCodeAt(i);
  return Math.imul(part ^ (part >>> 15), 0x9e_37_79_b1) >>> (32 - bits);
}

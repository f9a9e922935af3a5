import type { PositionTable } from "../model/figures/ledger.ts";

/**
 * A table over a list of texts, which it adds to. It needs eight to sixteen bytes per text besides the list, and nothing
 * that the garbage collector must scan: a `Map` of a million texts needs some 60 and takes several times as long to fill.
 * Its hash has a new seed each time, so that colliding texts can't be chosen; no result depends on it.
 *
 * `beside` is another such list, without a text twice, that is mostly the same: as long as each text has the same
 * position there, it can't be a duplicate and is not hashed. Its strings are reused, so that each is in memory once.
 */
export function createPositionTable(
  texts: string[],
  beside: readonly string[] = [],
): PositionTable {
  let table: PositionTable | undefined;
  const leaveStep = (): PositionTable => (table = hashAll(texts));
  return {
    get: (text) => (table ?? leaveStep()).get(text),
    place: (text) => {
      if (table !== undefined) return table.place(text);
      const next = texts.length;
      const known = beside[next];
      if (known === text) return texts.push(known) - 1;
      // Repeats of a case follow one another.
      return texts[next - 1] === text ? next - 1 : leaveStep().place(text);
    },
  };
}

/** A table of all texts, none of which occurs twice. */
function hashAll(texts: string[]): PositionTable {
  const { place, get } = createHashTable(texts);
  const held = texts.splice(0);
  for (const text of held) place(text);
  return { place, get };
}

function createHashTable(texts: string[]): PositionTable {
  const seed = Math.floor(Math.random() * 2 ** 32);
  /** Position + 1 by slot; 0: free. At most half of the slots are taken. */
  let slots = new Int32Array(64);
  let hashes = new Int32Array(32);

  const find = (text: string, hash: number): number => {
    const mask = slots.length - 1;
    let slot = mask & hash;
    for (let at = slots[slot] ?? 0; at !== 0; at = slots[slot] ?? 0) {
      if (hashes[at - 1] === hash && texts[at - 1] === text) return slot;
      slot = (slot + 1) & mask;
    }
    return slot;
  };
  const grow = (): void => {
    const wider = new Int32Array(slots.length * 2);
    const mask = wider.length - 1;
    for (let at = 1; at <= texts.length; at += 1) {
      let slot = mask & (hashes[at - 1] ?? 0);
      while (wider[slot] !== 0) slot = (slot + 1) & mask;
      wider[slot] = at;
    }
    slots = wider;
    const more = new Int32Array(wider.length / 2);
    more.set(hashes);
    hashes = more;
  };
  return {
    get: (text) => {
      const at = slots[find(text, hashOf(text, seed))] ?? 0;
      return at === 0 ? undefined : at - 1;
    },
    place: (text) => {
      const hash = hashOf(text, seed);
      const slot = find(text, hash);
      const at = slots[slot] ?? 0;
      if (at !== 0) return at - 1;
      const position = texts.push(text) - 1;
      hashes[position] = hash;
      slots[slot] = position + 1;
      if (texts.length === hashes.length) grow();
      return position;
    },
  };
}

/** Jenkins's one-at-a-time hash over the code units, mixed at the end so that the low bits depend on all of them. */
function hashOf(text: string, seed: number): number {
  let hash = seed | 0;
  for (let i = 0; i < text.length; i += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(i), 0x5bd1e995);
    hash ^= hash >>> 15;
  }
  hash = Math.imul(hash ^ (hash >>> 13), 0x27d4eb2d);
  return hash ^ (hash >>> 15);
}

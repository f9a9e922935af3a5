/** Returns the next number, a whole one from 0 to 2³² − 1. */
export type Random = () => number;

export type Seed = readonly [number, number, number];

/**
 * Small Fast Counter, 32 bits: C. Doty-Humphrey, PractRand 0.95. The seed's three words are a, b and c, the counter
 * starts at 1, and the first 12 numbers are discarded. Uses whole numbers only, so that the sequence is the same on
 * every machine.
 */
export function sfc32(seed: Seed): Random {
  const fill = sfc32Block(seed);
  // Kept in typed arrays: a variable that outlives a call would be a new object for every number.
  const block = new Uint32Array(64);
  const next = Uint8Array.of(block.length);
  return () => {
    let position = next[0] ?? 0;
    if (position === block.length) {
      fill(block);
      position = 0;
    }
    next[0] = position + 1;
    return block[position] ?? 0;
  };
}

/** The same numbers in blocks: fills a list with the next numbers, several times as fast. */
export function sfc32Block(seed: Seed): (numbers: Uint32Array) => void {
  const state = Int32Array.of(...seed, 1);
  const fill = (numbers: Uint32Array): void => {
    // `| 0` tells the engine that these are 32-bit integers: four times as fast.
    let a = (state[0] ?? 0) | 0;
    let b = (state[1] ?? 0) | 0;
    let c = (state[2] ?? 0) | 0;
    let counter = (state[3] ?? 0) | 0;
    for (let i = 0; i < numbers.length; i += 1) {
      const sum = (a + b + counter) | 0;
      counter = (counter + 1) | 0;
      a = b ^ (b >>> 9);
      b = (c + (c << 3)) | 0;
      c = (((c << 21) | (c >>> 11)) + sum) | 0;
      numbers[i] = sum;
    }
    state[0] = a;
    state[1] = b;
    state[2] = c;
    state[3] = counter;
  };
  fill(new Uint32Array(12));
  return fill;
}

/** A whole number from 0 to n − 1, floor(u·n / 2³²); n at most 2²¹, so that the product is exact. */
export function below(random: Random, n: number): number {
  return Math.floor((random() * n) / 2 ** 32);
}

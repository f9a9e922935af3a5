/** Gives the next number, a whole one from 0 to 2³² − 1. */
export type Random = () => number;

/**
 * Small Fast Counter, 32 bits: C. Doty-Humphrey, PractRand 0.95. The seed's three words are a, b and c,
 * the counter starts at 1, the first 12 numbers are thrown away. Whole numbers only: the same
 * sequence on every machine.
 */
export function sfc32(seed: readonly [number, number, number]): Random {
  let [a, b, c] = seed;
  let counter = 1;
  const next = (): number => {
    const sum = (a + b + counter) >>> 0;
    counter = (counter + 1) >>> 0;
    a = (b ^ (b >>> 9)) >>> 0;
    b = (c + (c << 3)) >>> 0;
    c = (((c << 21) | (c >>> 11)) + sum) >>> 0;
    return sum;
  };
  for (let round = 0; round < 12; round += 1) next();
  return next;
}

/** A whole number from 0 to n − 1, floor(u·n / 2³²); n at most 2²¹, so that the product is exact. */
export function below(random: Random, n: number): number {
  return Math.floor((random() * n) / 2 ** 32);
}

import { sfc32Block } from "../distributions/sfc32.ts";

/**
 * A number from 0 to just below 1 that depends only on a text and a seed: the same on every machine, and independent of
 * other texts. The texts with the lowest numbers are a random choice that stays nearly the same when texts are added or
 * removed.
 */
export function rankOf(text: string, seed: number): number {
  const words = Int32Array.of(seed, Math.floor(seed / 2 ** 32), text.length);
  for (let i = 0; i < text.length; i += 1) {
    const code = text.charCodeAt(i);
    // FNV-1a, over three words with a prime each: the generator's first numbers, which are discarded, do the mixing.
    for (let word = 0; word < 3; word += 1)
      words[word] = Math.imul((words[word] ?? 0) ^ code, primes[word] ?? 1);
  }
  const numbers = new Uint32Array(2);
  sfc32Block([words[0] ?? 0, words[1] ?? 0, words[2] ?? 0])(numbers);
  return ((numbers[0] ?? 0) * 2 ** 21 + ((numbers[1] ?? 0) >>> 11)) / 2 ** 53;
}

const primes = [0x01000193, 0x85ebca6b, 0xc2b2ae35] as const;

import { lower } from "./told-answer.ts";

/** Characters of a value that are searched. */
const longestValue = 4000;
/** Other targets that a value is searched for, for comparison. */
const mostOthers = 20;

/** The value of a field of a case, and the case's target. */
export interface Shown {
  readonly value: string;
  readonly target: string;
}

export interface Contained {
  readonly own: number;
  readonly cases: number;
}

/**
 * Counts the cases whose value contains the target as a word. Returns undefined if they are fewer than nine of ten, or if the values
 * contain the targets of other cases almost as often. Pure.
 */
export function countContained(pairs: readonly Shown[]): Contained | undefined {
  const known = pairs
    .map(({ value, target }) => ({
      value: lower(value.slice(0, longestValue)),
      target: lower(target).trim(),
    }))
    .filter(({ target }) => target !== "");
  const targets = [...new Set(known.map(({ target }) => target))];
  if (targets.length < 2 || known.length < 3) return undefined;
  const own = known.filter(({ value, target }) => hasWord(value, target)).length;
  if (own < 0.9 * known.length) return undefined;
  const step = Math.max(1, Math.floor(targets.length / mostOthers));
  const sampled = targets.filter((_, i) => i % step === 0);
  let [tried, found] = [0, 0];
  for (const { value, target } of known)
    for (const other of sampled) {
      if (other === target) continue;
      tried += 1;
      if (hasWord(value, other)) found += 1;
    }
  const isChance = tried > 0 && found / tried > 0.5 * (own / known.length);
  return isChance ? undefined : { own, cases: known.length };
}

const wordSign = /[\p{L}\p{N}]/u;

function hasWord(text: string, word: string): boolean {
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1)) {
    const isBegun = at > 0 && wordSign.test(text[at - 1] ?? "");
    const end = at + word.length;
    if (!isBegun && !wordSign.test(text[end] ?? "")) return true;
  }
  return false;
}

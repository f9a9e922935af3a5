import { partsOf } from "./case-words.ts";
import { areInShapes } from "./shaped-answers.ts";
import { plain } from "./told-answer.ts";

/**
 * Tells whether a text lists the answers of consecutive cases in their order: as they are, each by a word or sign of its own
 * (`2` for `refund`), or by what its lines look like, since a program that counts the cases needs no questions. A list that
 * chance explains does not count. Pure.
 */
export function seekOrder(answers: readonly string[]): (text: string) => boolean {
  const wanted = answers.map(plain);
  const sought = { wanted, surprise: surpriseOf(wanted), known: new Set(wanted) };
  return (text) => listsInOrder(text, sought) || areInShapes(text, sought);
}

interface SoughtOrder {
  readonly wanted: readonly string[];
  readonly surprise: readonly number[];
  readonly known: ReadonlySet<string>;
}

function listsInOrder(text: string, { wanted, surprise, known }: SoughtOrder): boolean {
  const sequences = sequencesIn(text, known);
  const places = sequences.reduce((sum, words) => sum + words.length, 1);
  const blocks = blocksOf(wanted, surprise, leastBits + Math.log2(places));
  if (blocks.length === 0) return false;
  return sequences.some((words) => {
    const distances = distancesOf(words);
    return blocks.some((block) => occursIn({ words, distances }, block));
  });
}

/** Beyond one place in which it may occur: chance makes one such list in a million texts. */
const leastBits = 20;
const mostSequences = 400;

/** Sequences of words that may list answers. */
function sequencesIn(text: string, known: ReadonlySet<string>): readonly (readonly string[])[] {
  const parts = partsOf(text);
  const [quoted, words] = [parts.quoted.map(plain), parts.words.map(plain)];
  const cells = parts.cells.map((cell) => plain(cell.replace(/^\s*[-*]\s/, "")));
  const numbers = words.filter((word) => /^\d+$/.test(word));
  const signs = parts.words.flatMap((word) => word.match(/[\p{L}\p{N}]{16,}/gu) ?? []);
  return [
    quoted,
    words,
    cells,
    numbers,
    ...halves(quoted),
    ...halves(numbers),
    ...[quoted, words, cells].map((all) => all.filter((word) => known.has(word))),
    ...signs.slice(0, mostSequences).map((word) => Array.from(word)),
  ].filter((sequence) => sequence.length > 0);
}

/** The values of a list of pairs, and its keys. */
function halves(words: readonly string[]): readonly (readonly string[])[] {
  return [0, 1].map((side) => words.filter((_, i) => i % 2 === side));
}

/** How little each answer follows from those before it, in bits. */
function surpriseOf(answers: readonly string[]): readonly number[] {
  const pairs = new Map<string, number>();
  const counts = new Map<string, number>();
  const before = (i: number): string => answers[i - 1] ?? "";
  for (const [i, answer] of answers.entries()) {
    counts.set(answer, (counts.get(answer) ?? 0) + 1);
    const pair = `${before(i)}\n${answer}`;
    pairs.set(pair, (pairs.get(pair) ?? 0) + 1);
  }
  const isSorted = answers.every((answer, i) => i === 0 || answer >= before(i));
  return answers.map((answer, i) => {
    if (i === 0) return 0;
    const isOnly = counts.get(answer) === 1;
    if (isOnly) return isSorted || isNextNumber(answers, i) ? 0 : Math.log2(answers.length);
    const chance = (pairs.get(`${before(i)}\n${answer}`) ?? 1) / (counts.get(before(i)) ?? 1);
    return -Math.log2(Math.min(1, chance));
  });
}

/** Numbers at equal distances are lists in many files. */
function isNextNumber(answers: readonly string[], i: number): boolean {
  const [one, two, three] = [i - 2, i - 1, i].map((at) => Number(answers[at]));
  if (one === undefined || two === undefined || three === undefined) return false;
  return three - two === two - one || (i === 1 && !Number.isNaN(three));
}

interface Block {
  readonly words: readonly string[];
  readonly distances: readonly number[];
  /** Bits by answers that have occurred before in the block: a list by other words shows no more. */
  readonly isByPattern: boolean;
}

/** The shortest pieces of the list of answers that are no chance; a piece of answers that occur once shows by itself alone. */
function blocksOf(
  answers: readonly string[],
  surprise: readonly number[],
  bits: number,
): readonly Block[] {
  const pieces = (counts: (i: number, from: number) => number): readonly string[][] => {
    const found: string[][] = [];
    let [from, sum] = [0, 0];
    for (let i = 0; i < answers.length; i += 1) {
      if (i > from) sum += counts(i, from);
      if (sum < bits || i - from + 1 < shortest) continue;
      found.push(answers.slice(from, i + 1));
      [from, sum] = [i + 1, 0];
    }
    return found;
  };
  const all = pieces((i) => surprise[i] ?? 0);
  const repeated = pieces((i, from) =>
    answers.lastIndexOf(answers[i] ?? "", i - 1) >= from ? (surprise[i] ?? 0) : 0,
  );
  const asBlock =
    (isByPattern: boolean) =>
    (words: readonly string[]): Block => ({
      words,
      distances: distancesOf(words),
      isByPattern,
    });
  return [...fewOf(all).map(asBlock(false)), ...fewOf(repeated).map(asBlock(true))];
}

const mostBlocks = 16;

/** Some of the pieces, evenly spread. */
function fewOf<T>(pieces: readonly T[]): readonly T[] {
  const step = Math.max(1, pieces.length / mostBlocks);
  return pieces.filter((_, i) => Math.floor(i % step) === 0).slice(0, mostBlocks);
}

/** Prompts show up to eight examples. */
const shortest = 9;

/** How far back each word has occurred before; 0: nowhere. */
function distancesOf(words: readonly string[]): readonly number[] {
  const last = new Map<string, number>();
  return words.map((word, i) => {
    const found = last.get(word);
    last.set(word, i);
    return found === undefined ? 0 : i - found;
  });
}

function occursIn(
  { words, distances: known }: Pick<Block, "words" | "distances">,
  { words: wanted, distances, isByPattern }: Block,
): boolean {
  for (let at = 0; at + wanted.length <= words.length; at += 1) {
    let same = 0;
    while (same < wanted.length) {
      const back = known[at + same] ?? 0;
      const isSame = isByPattern
        ? (back <= same ? back : 0) === distances[same]
        : words[at + same] === wanted[same];
      if (!isSame) break;
      same += 1;
    }
    if (same === wanted.length) return true;
  }
  return false;
}

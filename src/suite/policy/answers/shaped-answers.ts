/** Answers in the cases' order, and how little each follows from those before it, in bits. */
interface Ordered {
  readonly wanted: readonly string[];
  readonly surprise: readonly number[];
}

/**
 * Tells whether the lines of a text list the answers of consecutive cases by what they look like: their first or last
 * character, their length, the white space around them, the capitals of their words. Several signs may stand for one
 * answer. A list that chance explains does not count. Pure.
 */
export function areInShapes(text: string, { wanted, surprise }: Ordered): boolean {
  const answers = numbered(wanted.slice(0, mostAnswers));
  return shapesOf(text).some((signs) => isSigned(numbered(signs), { answers, surprise }));
}

/** Texts as numbers, equal ones as the same. */
function numbered(texts: readonly string[]): Uint16Array {
  const numbers = new Map<string, number>();
  return Uint16Array.from(texts, (each) => {
    const known = numbers.get(each) ?? numbers.size;
    numbers.set(each, known);
    return known;
  });
}

/** Chance makes one such list in a million texts. */
const leastBits = 20;
/** Longer texts are no lists of answers. */
const mostSigns = 2000;
const mostAnswers = 500;

const shapes: readonly ((line: string) => string)[] = [
  (line) => line.trim().charAt(0),
  (line) => line.trim().slice(-1),
  (line) => String(line.trim().length),
  (line) => String(line.length - line.trimStart().length),
  (line) => String(line.length - line.trimEnd().length),
  (line) => String(line.trim().split(/\s+/).length),
];

/** Lists of signs that a text shows: one for each property of its lines, and one for the capitals of its words. */
function shapesOf(text: string): readonly (readonly string[])[] {
  const lines = text.split(/\r?\n/, mostSigns).filter((line) => line.trim() !== "");
  const words = text.match(/\p{L}[\p{L}\p{N}]*/gu)?.slice(0, mostSigns) ?? [];
  const capitals = words.map((word) => (/^\p{Lu}/u.test(word) ? "A" : "a"));
  return [...shapes.map((shape) => lines.map(shape)), capitals];
}

/** Whether signs stand for answers in a row. Only an answer whose sign has occurred before shows something. */
function isSigned(
  signs: Uint16Array,
  { answers, surprise }: { readonly answers: Uint16Array; readonly surprise: readonly number[] },
): boolean {
  const least = leastBits + Math.log2(signs.length * (shapes.length + 1));
  const [known, since] = [new Uint16Array(signs.length), new Int32Array(signs.length)];
  let start = 0;
  for (let shift = 1 - answers.length; shift < signs.length; shift += 1) {
    const end = Math.min(answers.length, signs.length - shift);
    start += 1;
    let shown = 0;
    for (let i = Math.max(0, -shift); i < end; i += 1) {
      const [sign = 0, answer = 0] = [signs[i + shift], answers[i]];
      if (since[sign] === start && known[sign] !== answer) {
        // Another list may begin here.
        start += 1;
        shown = 0;
      } else if (since[sign] === start) shown += surprise[i] ?? 0;
      since[sign] = start;
      known[sign] = answer;
      if (shown >= least) return true;
    }
  }
  return false;
}

import { partsOf } from "./case-words.ts";
import { plain } from "./told-answer.ts";

/**
 * Counts the answers that a text has and the base's have not, apart from what the cases ask: the different ones, where there are
 * many of them, or each as often as the cases have it. 0 if it is few, or chance. Pure.
 */
export function seekGathered(
  answers: readonly string[],
  before: string,
): (text: string, older: string) => number {
  const wanted = answers.map(plain).filter((each) => each !== "");
  const [often, gone] = [countsOf(wanted), entriesIn(before)];
  return (text, older) => {
    const own = entriesIn(older);
    const known = (answer: string): number => (gone.get(answer) ?? 0) + (own.get(answer) ?? 0);
    return gatheredIn(entriesIn(text), { wanted, often, known });
  };
}

type Counts = ReadonlyMap<string, number>;

interface SoughtAnswers {
  readonly wanted: readonly string[];
  readonly often: Counts;
  /** How often the base's files have an answer. */
  readonly known: (answer: string) => number;
}

function gatheredIn(here: Counts, { wanted, often, known }: SoughtAnswers): number {
  const gained = (answer: string): number => (here.get(answer) ?? 0) - known(answer);
  const telling = [...often.keys()].filter(isTelling);
  if (telling.length >= least) {
    const held = telling.filter((each) => gained(each) > 0 && known(each) === 0).length;
    return held >= Math.max(least, telling.length / 2) ? held : 0;
  }
  if (often.size < 2 || often.size >= least || wanted.length < least) return 0;
  const isAsOften = [...often].every(
    ([answer, count]) => Math.abs(gained(answer) - count) <= Math.max(1, count / 10),
  );
  const total = [...often.keys()].reduce((sum, answer) => sum + gained(answer), 0);
  return isAsOften && total >= wanted.length * 0.8 ? wanted.length : 0;
}

const least = 20;

/** Small numbers are in every file. */
function isTelling(answer: string): boolean {
  return !/^-?\d{1,3}$/.test(answer) && answer.length > 1;
}

/** The words, the texts in quotes and the cells of a text, with their counts. */
function entriesIn(text: string): Counts {
  const { quoted, words, cells } = partsOf(text);
  // A single word is among the words already.
  const phrases = [...quoted, ...cells].filter((each) => /\s/.test(each.trim()));
  return countsOf([...new Set(phrases.map(plain)), ...words.map(plain)]);
}

function countsOf(words: readonly string[]): Counts {
  const counts = new Map<string, number>();
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  return counts;
}

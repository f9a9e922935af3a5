import { ownersOf, word } from "./case-words.ts";
import { plain } from "./told-answer.ts";

interface CodedCase {
  readonly asked: readonly string[];
  readonly answers: readonly string[];
  /** Its `denseQuestion`, where it was made before. */
  readonly dense?: string;
}

/** The longest text of a question, without all that is no letter and no digit. */
export function denseQuestion(asked: readonly string[]): string {
  const texts = asked.map((each) => squeeze(each).text);
  return texts.reduce((one, other) => (other.length > one.length ? other : one), "");
}

/**
 * Finds the cases, by position, beside whose questions a text has a code of the answer: the same word, sign or number for each
 * `refund`, or the answer in other letters. Questions count without their spaces, accents and punctuation. A table that
 * chance explains does not count. Pure.
 */
export function codedIn(text: string, cases: readonly CodedCase[]): ReadonlySet<number> {
  const dense = squeeze(text.slice(0, longestText));
  const places = placesOf(dense, cases);
  if (places.length < least) return new Set();
  const answerOf = ({ i }: Place): string => plain(cases[i]?.answers[0] ?? "");
  const spelled = places.filter((place) => {
    const answer = squeeze(answerOf(place)).text;
    return answer.length >= shortestAnswer && dense.text.startsWith(answer, place.end);
  });
  if (spelled.length >= least) return new Set(spelled.map(({ i }) => i));
  const inText = places.map(({ i, start, end }) => {
    return { i, start: dense.at[start] ?? 0, end: (dense.at[end - 1] ?? 0) + 1 };
  });
  const isCode = mostBits(text, inText, answerOf) >= leastBits;
  return new Set(isCode ? places.map(({ i }) => i) : []);
}

/**
 * Counts the cases of which a text has a code of the answer beside a word or number that no other case asks; 0 if chance
 * explains it. Facts about what cases ask look like this, too. Pure.
 */
export function seekKeyed(cases: readonly CodedCase[]): (text: string) => number {
  const owners = ownersOf(cases);
  const answers = cases.map((each) => plain(each.answers[0] ?? ""));
  return (text) => {
    const part = text.slice(0, longestText);
    const found = Map.groupBy(part.toLowerCase().matchAll(word), ([each]) => each);
    const places = [...found].flatMap(([each, [first, ...others]]): readonly Place[] => {
      const i = owners.get(each);
      if (i === undefined || first === undefined || others.length > 0) return [];
      return [{ i, start: first.index, end: first.index + each.length }];
    });
    const single = [...new Map(places.map((place) => [place.i, place])).values()];
    if (single.length < least) return 0;
    return mostBits(part, single, ({ i }) => answers[i] ?? "") >= leastOfWords ? single.length : 0;
  };
}

/** The bits that the best of the signs at these places saves. */
function mostBits(
  text: string,
  places: readonly Place[],
  answerOf: (place: Place) => string,
): number {
  const bits = signs.map((sign) =>
    bitsOfCode(
      places.map((place) => ({
        answer: answerOf(place),
        sign: sign(text, place.start, place.end),
      })),
    ),
  );
  return Math.max(...bits);
}

/** Prompts show up to eight examples. */
const least = 9;
/** A file that has questions word for word is rare: chance makes one such table in four thousand of them. */
const leastBits = 12;
/** A word that one case alone has is in many files. */
const leastOfWords = 24;
/** Shorter questions occur everywhere. */
const shortestKey = 12;
const shortestAnswer = 4;
const longestText = 1 << 20;

/** A text without all that is no letter and no digit, and where in the text each sign of it is. */
interface Dense {
  readonly text: string;
  readonly at: readonly number[];
}

function squeeze(text: string): Dense {
  const signs: string[] = [];
  const at: number[] = [];
  let place = 0;
  for (const sign of text) {
    const letters = /^[a-z\d]$/.test(sign) ? sign : lettersOf(sign);
    for (const letter of letters) {
      signs.push(letter);
      at.push(place);
    }
    place += sign.length;
  }
  return { text: signs.join(""), at };
}

function lettersOf(sign: string): string {
  return sign
    .normalize("NFKD")
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]/gu, "");
}

interface Place {
  readonly i: number;
  readonly start: number;
  readonly end: number;
}

/** Finds the places of the questions that only one case asks. */
function placesOf({ text }: Dense, cases: readonly CodedCase[]): readonly Place[] {
  const keys = cases.map(({ asked, dense }) => dense ?? denseQuestion(asked));
  const counts = Map.groupBy(keys, (key) => key);
  return keys.flatMap((key, i) => {
    if (key.length < shortestKey || counts.get(key)?.length !== 1) return [];
    const start = text.indexOf(key);
    return start < 0 ? [] : [{ i, start, end: start + key.length }];
  });
}

/** Signs of a question between two places of a text: what follows it or precedes it on its line. */
const signs: readonly ((text: string, from: number, to: number) => string)[] = [
  (text, _, to) => /[\p{L}\p{N}]+/u.exec(text.slice(to, to + window))?.[0] ?? "",
  (text, _, to) => /^[^\r\n]*/.exec(text.slice(to, to + window))?.[0]?.trim() ?? "",
  (text, _, to) => /^\W*/.exec(text.slice(to, to + 4))?.[0] ?? "",
  (text, from) => /[\p{L}\p{N}]+(?=[^\p{L}\p{N}]*$)/u.exec(before(text, from))?.[0] ?? "",
  (text, from) => /[^\r\n]*$/.exec(before(text, from))?.[0] ?? "",
];

const window = 160;

function before(text: string, from: number): string {
  return text.slice(Math.max(0, from - window), from);
}

interface Reading {
  readonly sign: string;
  readonly answer: string;
}

/**
 * How many bits the signs save whoever has to write the answers down, less those for a list of what each sign means. A sign
 * that occurs once saves nothing.
 */
function bitsOfCode(all: readonly Reading[]): number {
  const groups = [...Map.groupBy(all, ({ sign }) => sign).values()].filter((one) => one.length > 1);
  const read = groups.flat();
  if (read.length < Math.max(least, all.length * mostly)) return 0;
  const often = Map.groupBy(read, ({ answer }) => answer);
  let [saved, agreeing] = [0, 0];
  for (const group of groups) {
    const counts = [...Map.groupBy(group, ({ answer }) => answer)];
    agreeing += Math.max(...counts.map(([, of]) => of.length));
    for (const [answer, { length }] of counts) {
      const usual = (often.get(answer)?.length ?? read.length) / read.length;
      saved += length * Math.log2(length / group.length / usual);
    }
  }
  if (agreeing < read.length * mostlyAgreeing) return 0;
  return saved - groups.length * Math.log2(often.size);
}

const mostly = 0.8;
const mostlyAgreeing = 0.95;

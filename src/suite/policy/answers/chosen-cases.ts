import { binomialAtLeast } from "../../../stats/distributions/binomial.ts";
import { hypergeometricAtLeast } from "../../../stats/distributions/hypergeometric.ts";
import { ownersOf, word } from "./case-words.ts";
import { keysOf, type AskedCase } from "./held-answers.ts";
import { lower, plain } from "./told-answer.ts";

/** How a text sets the cases of one answer apart from the others, without the answer itself. */
export type ChosenCases =
  | { readonly kind: "none" }
  /** It lists what they ask: all `yes`, or those of each answer together. */
  | { readonly kind: "questions" }
  /** It has words that one case alone has: `count` cases, of which nearly all have this answer. */
  | { readonly kind: "words"; readonly count: number; readonly answer: string };

/**
 * Finds lists of what cases with one answer ask: a program that has such a list needs no answers. A list that chance explains
 * does not count. `older`: the text that was there before. Pure.
 */
export function seekChosen(
  cases: readonly AskedCase[],
): (text: string, older: string) => ChosenCases {
  const answers = cases.map((each) => plain(each.answers[0] ?? ""));
  const often = Map.groupBy(answers, (answer) => answer);
  const hasGroups = [...often.values()].some(
    (all) => all.length >= least && all.length < answers.length,
  );
  if (!hasGroups) return () => ({ kind: "none" });
  const limit = leastBits + Math.log2(often.size);
  const keys = keysOf(cases).map((key) => (key === undefined || key.length < longKey ? "" : key));
  const owners = ownersOf(cases);
  const isTelling = (chosen: readonly number[]): boolean => {
    const texts = chosen.map((i) => answers[i] ?? "");
    return bitsOfShare(texts, answers) >= limit || bitsOfRuns(chosen, texts) >= limit;
  };
  return (text, older) => {
    const [here, before] = [lower(text.slice(0, longestText)), lower(older)];
    const asked = inOrder(here, before, keys);
    if (asked.length >= least && isTelling(asked)) return { kind: "questions" };
    const named = ownersIn(here, before, owners);
    const all = named.map((i) => answers[i] ?? "");
    const [answer = "", count = 0] = mostOften(all);
    const isPure =
      count >= least && count >= all.length * pure && count >= (often.get(answer)?.length ?? 0) / 2;
    return isPure && bitsOfShare(all, answers) >= limit
      ? { kind: "words", count, answer }
      : { kind: "none" };
  };
}

/** Prompts show up to eight examples. */
const least = 9;
/** Chance makes one such list in a million texts. */
const leastBits = 20;
/** Words about one subject occur in cases of several answers, too. */
const pure = 0.95;
/** Shorter questions occur everywhere. */
const longKey = 12;
const longestText = 1 << 20;

/** The cases whose questions a text gains, in its order. */
function inOrder(here: string, before: string, keys: readonly string[]): readonly number[] {
  return keys
    .map((key, i) => ({ i, at: key === "" || before.includes(key) ? -1 : here.indexOf(key) }))
    .filter(({ at }) => at >= 0)
    .toSorted((one, other) => one.at - other.at)
    .map(({ i }) => i);
}

function ownersIn(
  here: string,
  before: string,
  owners: ReadonlyMap<string, number>,
): readonly number[] {
  const known = new Set(before.match(word));
  const found = [...new Set(here.match(word))].filter((each) => !known.has(each));
  return [...new Set(found.flatMap((each) => owners.get(each) ?? []))];
}

function mostOften(answers: readonly string[]): readonly [string, number] | readonly [] {
  const counts = [...Map.groupBy(answers, (answer) => answer)];
  const [first] = counts.toSorted(([, one], [, other]) => other.length - one.length);
  return first === undefined ? [] : [first[0], first[1].length];
}

/** How little chance explains, in bits, that so many of the chosen cases have the same answer. */
function bitsOfShare(chosen: readonly string[], all: readonly string[]): number {
  const [answer = "", count = 0] = mostOften(chosen);
  const marked = all.filter((each) => each === answer).length;
  const draw = { population: all.length, marked, drawn: chosen.length };
  return -Math.log2(hypergeometricAtLeast(count, draw));
}

/** How little chance explains, in bits, that cases of the same answer stand together. A list in the cases' order shows nothing. */
function bitsOfRuns(chosen: readonly number[], answers: readonly string[]): number {
  if (chosen.every((each, i) => i === 0 || each > (chosen[i - 1] ?? 0))) return 0;
  const pairs = answers.length - 1;
  const same = answers.filter((answer, i) => i > 0 && answer === answers[i - 1]).length;
  const counts = [...Map.groupBy(answers, (answer) => answer).values()].map(({ length }) => length);
  const likely =
    counts.reduce((sum, count) => sum + count * (count - 1), 0) / (answers.length * pairs);
  return likely >= 1
    ? 0
    : -Math.log2(binomialAtLeast(same, { trials: pairs, probability: likely }));
}

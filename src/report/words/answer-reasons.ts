import { cutText } from "../../base/cut-text.ts";
import type { BrokenCase } from "../../model/outcomes/broken.ts";
import { counted } from "./figures.ts";
import type { Reason } from "./grader-words.ts";

/**
 * Finds reasons, from targets and answers, for cases without a grader's message: the answer is empty, the same short
 * answer was given for many targets, another label was given instead of a label, long answers begin alike. An answer
 * that occurred less often than `least` shows no kind of mistake: its case gets no reason.
 */
export function answerReasons(
  cases: readonly BrokenCase[],
  least: number,
): ReadonlyMap<BrokenCase, Reason> {
  const reasons = new Map<BrokenCase, Reason>();
  const give = (some: readonly BrokenCase[], words: string): void => {
    for (const one of some) reasons.set(one, { key: `made: ${words}`, words });
  };
  const [empty, answered] = split(cases.filter(isKnown), (one) => answerOf(one).trim() === "");
  for (const one of empty) give([one], emptyWords(one));
  const [short, long] = split(answered.filter(isOther), (one) => isShort(answerOf(one)));
  for (const [answer, some] of Map.groupBy(short, (one) => answerOf(one).trim()))
    for (const { of, words } of shortKinds(answer, some)) if (of.length >= least) give(of, words);
  for (const [opening, some] of Map.groupBy(long, (one) => openingOf(answerOf(one))))
    if (
      some.length >= least &&
      !some.some(({ before }) => openingOf(before.output ?? "") === opening)
    )
      give(some, `the answer begins ${JSON.stringify(`${opening} …`)}`);
  return reasons;
}

function answerOf({ after }: BrokenCase): string {
  return after.extracted ?? after.output ?? "";
}

/** Whether the case's answer is known. null is known too: there is none. */
function isKnown({ after }: BrokenCase): boolean {
  return after.extracted !== undefined || after.output !== undefined;
}

function emptyWords({ after }: BrokenCase): string {
  const isSearched = after.extracted === null && (after.output ?? "").trim() !== "";
  return isSearched ? "no answer was found in the output" : "the answer is empty";
}

/** An answer that equals the target, or has not changed, does not explain why the case got worse. */
function isOther(one: BrokenCase): boolean {
  const answer = answerOf(one).trim();
  return answer !== one.target?.trim() && answer !== one.before.output?.trim();
}

/** Answers up to this length, in UTF-16 units, are shown whole. */
const longestAnswer = 40;

function isShort(text: string): boolean {
  return text.trim().length <= longestAnswer && !text.trim().includes("\n");
}

/** If one answer is given for this many targets, it is the mistake, whatever was expected. */
const manyTargets = 3;

interface Kind {
  readonly of: readonly BrokenCase[];
  readonly words: string;
}

/** Cases with the same short answer, by target if few targets got it. */
function shortKinds(answer: string, cases: readonly BrokenCase[]): readonly Kind[] {
  const got = `got ${JSON.stringify(answer)}`;
  const byTarget = Map.groupBy(cases, ({ target }) => target?.trim());
  if (byTarget.size >= manyTargets)
    return [{ of: cases, words: `${got} for ${counted(byTarget.size, "different target")}` }];
  return Array.from(byTarget, ([target, some]) => {
    const isNamed = target !== undefined && target !== "" && isShort(target);
    return { of: some, words: isNamed ? `expected ${JSON.stringify(target)}, ${got}` : got };
  });
}

const openingWords = 6;
const longestOpening = 60;

function openingOf(text: string): string {
  return cutText(text.trim().split(/\s+/, openingWords).join(" "), longestOpening);
}

function split<Item>(
  items: readonly Item[],
  test: (item: Item) => boolean,
): readonly [readonly Item[], readonly Item[]] {
  return [items.filter(test), items.filter((item) => !test(item))];
}

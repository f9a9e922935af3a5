import { labelFinder, type FindLabel } from "./label-tree.ts";
import { strip } from "./text.ts";
import { once } from "../base/once.ts";

/** Letters, digits and marks, except in scripts without spaces between words, where every position is a boundary. */
const wordCharacter = String.raw`[[\p{L}\p{N}\p{M}]--[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]]`;
const startsWithWord = once(() => new RegExp(`^${wordCharacter}`, "v"));
const endsWithWord = once(() => new RegExp(`${wordCharacter}$`, "v"));

/** Up to three underscores are markdown's emphasis (`__yes__`), unless a word continues after them (`yes_men`). */
const wordBefore = `(?<!${wordCharacter}_{0,3})`;
const wordAfter = `(?!_{0,3}${wordCharacter})`;

/**
 * Finds a label in a text and returns it as declared, or null.
 *
 * A text that equals a label is that label. Otherwise the label at the earliest position counts, not the first of the
 * list ("Option 2, because 1 is wrong" is 2), and of several at the same position the longest (`C++` before `C`). A
 * label must stand between Unicode word boundaries; a hyphen is one (`non-entailment` contains `entailment`). White
 * space in a label matches any white space in the text. Without case_sensitive, letters are compared by Unicode's
 * simple case folding.
 */
export function openLabelSet({
  labels,
  case_sensitive,
}: {
  readonly labels: readonly string[];
  readonly case_sensitive: boolean;
}): (text: string) => string | null {
  const flags = case_sensitive ? "v" : "iv";
  const usable = labels.filter((label) => strip(label) !== "");
  if (usable.length === 0) return () => null;
  const exact = new Map(usable.map((label) => [strip(label), label] as const).toReversed());
  // Making the patterns of many labels takes time, and an answer that equals a label needs none.
  let patterns: ReturnType<typeof openPatterns> | undefined;
  return (text) => {
    const equal = exact.get(text);
    if (equal !== undefined) return equal;
    patterns ??= openPatterns(usable, flags);
    return patterns.whole(text)?.label ?? earliest(text, patterns.somewhere);
  };
}

function openPatterns(
  labels: readonly string[],
  flags: string,
): { readonly whole: FindLabel; readonly somewhere: readonly FindLabel[] } {
  const longestFirst = labels.toSorted((a, b) => strip(b).length - strip(a).length);
  const byBounds = Object.groupBy(longestFirst, (label) => boundsOf(label).join("|"));
  return {
    whole: labelFinder(labels, { before: "^", after: "$", flags }),
    somewhere: Object.values(byBounds).flatMap((alike = []) => {
      const [before, after] = boundsOf(alike[0] ?? "");
      return [labelFinder(alike, { before, after, flags })];
    }),
  };
}

/** Patterns for the word boundaries before and after a label. */
function boundsOf(label: string): readonly [before: string, after: string] {
  const text = strip(label);
  return [
    startsWithWord().test(text) ? wordBefore : "",
    endsWithWord().test(text) ? wordAfter : "",
  ];
}

function earliest(text: string, finders: readonly FindLabel[]): string | null {
  const found = finders.map((find) => find(text)).filter((each) => each !== undefined);
  const [first] = found.toSorted(
    (a, b) => a.index - b.index || strip(b.label).length - strip(a.label).length,
  );
  return first?.label ?? null;
}

import { strip } from "./text.ts";

/** Letters, digits and marks, but of scripts that put no spaces between words: there every place is a boundary. */
const wordCharacter = String.raw`[[\p{L}\p{N}\p{M}]--[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]]`;
const startsWithWord = new RegExp(`^${wordCharacter}`, "v");
const endsWithWord = new RegExp(`${wordCharacter}$`, "v");

/** Up to three underscores are markdown's emphasis (`__yes__`), unless a word goes on behind them (`yes_men`). */
const wordBefore = `(?<!${wordCharacter}_{0,3})`;
const wordAfter = `(?!_{0,3}${wordCharacter})`;

interface Labels {
  readonly labels: readonly string[];
  readonly case_sensitive: boolean;
}

/**
 * Finds a label in a text and gives it as it was declared, or null.
 *
 * A text that is a label as a whole is that label. Else the label at the earliest place counts, not the first of
 * the list ("Option 2, because 1 is wrong" is 2), and of several at the same place the longest (`C++`
 * before `C`). A label stands between Unicode word boundaries; a hyphen is one (`non-entailment`
 * holds `entailment`). White space in a label stands for any white space in the text.
 * Without case_sensitive, letters are compared by Unicode's simple case folding.
 */
export function openLabelSet({ labels, case_sensitive }: Labels): (text: string) => string | null {
  const flags = case_sensitive ? "v" : "iv";
  const usable = labels.filter((label) => strip(label) !== "");
  const longestFirst = usable.toSorted((a, b) => b.length - a.length);
  if (longestFirst.length === 0) return () => null;
  const somewhere = new RegExp(longestFirst.map((label) => `(${bounded(label)})`).join("|"), flags);
  const whole = usable.map((label) => ({
    label,
    pattern: new RegExp(`^${pattern(label)}$`, flags),
  }));
  return (text) => {
    const exact = usable.find((label) => strip(label) === text);
    const equal = exact ?? whole.find((one) => one.pattern.test(text))?.label;
    if (equal !== undefined) return equal;
    const groups = somewhere.exec(text)?.slice(1) ?? [];
    return longestFirst[groups.findIndex((group) => group !== undefined)] ?? null;
  };
}

function bounded(label: string): string {
  const text = strip(label);
  const before = startsWithWord.test(text) ? wordBefore : "";
  const after = endsWithWord.test(text) ? wordAfter : "";
  return before + pattern(label) + after;
}

function pattern(label: string): string {
  return strip(label)
    .split(/\s+/u)
    .map((word) => RegExp.escape(word))
    .join(String.raw`\s+`);
}

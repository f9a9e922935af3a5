import { strip } from "./text.ts";

/** A prefix tree of labels: a common prefix is searched once, however many labels share it. */
interface Node {
  /** The branches, keyed by the pattern of their next character. */
  readonly next: Map<string, Node>;
  /** The label that ends here. */
  end: string | undefined;
}

/** Finds the label at the earliest position in a text, the longest one at that position. */
export type FindLabel = (
  text: string,
) => { readonly label: string; readonly index: number } | undefined;

/**
 * Makes one pattern of all labels, between `before` and `after`. It takes about as long as one label. One alternative
 * for each label took seconds, because each was tried at every position. Of equal labels the first one counts.
 */
export function labelFinder(
  labels: readonly string[],
  {
    before,
    after,
    flags,
  }: { readonly before: string; readonly after: string; readonly flags: string },
): FindLabel {
  const root: Node = { next: new Map(), end: undefined };
  for (const label of labels) insert(root, label, flags.includes("i"));
  const ends: string[] = [];
  const pattern = new RegExp(`${before}(?:${patternOf(root, ends)})${after}`, flags);
  return (text) => {
    const match = pattern.exec(text);
    if (match === null) return undefined;
    const label = ends[match.indexOf("", 1) - 1];
    return label === undefined ? undefined : { label, index: match.index };
  };
}

function insert(root: Node, label: string, ignoresCase: boolean): void {
  let node = root;
  for (const piece of piecesOf(label, ignoresCase)) {
    const next: Node = node.next.get(piece) ?? { next: new Map(), end: undefined };
    node.next.set(piece, next);
    node = next;
  }
  node.end ??= label;
}

/** The patterns of a label's characters; white space matches any white space. */
function piecesOf(label: string, ignoresCase: boolean): readonly string[] {
  const text = strip(label).replaceAll(/\s+/gu, " ");
  return Array.from(text, (one) =>
    one === " " ? String.raw`\s+` : RegExp.escape(ignoresCase ? lowered(one) : one),
  );
}

/** Lower-cases a character like the flag `i`, which maps one character to one. */
function lowered(character: string): string {
  const lower = character.toLowerCase();
  return Array.from(lower).length === 1 ? lower : character;
}

/** The pattern of a tree. An empty group at the end of a label identifies it; longer labels come first. */
function patternOf(start: Node, ends: string[]): string {
  let node = start;
  let chain = "";
  for (;;) {
    const [only, ...others] = node.next;
    if (only === undefined || others.length > 0 || node.end !== undefined) break;
    chain += only[0];
    node = only[1];
  }
  const branches = [...node.next].map(([piece, next]) => piece + patternOf(next, ends));
  if (node.end !== undefined) {
    ends.push(node.end);
    branches.push("()");
  }
  return chain + (branches.length === 1 ? (branches[0] ?? "") : `(?:${branches.join("|")})`);
}

import { strip } from "./text.ts";

/** Labels by their beginnings: what many of them share is looked for once, however many there are. */
interface Node {
  /** The branches, keyed by the pattern of their next character. */
  readonly next: Map<string, Node>;
  /** The label that ends here. */
  end: string | undefined;
}

/** Finds which of some labels a text has at the earliest place, the longest of those that stand there. */
export type FindLabel = (
  text: string,
) => { readonly label: string; readonly index: number } | undefined;

/**
 * One pattern for all labels, in `before` and `after`. It takes about the time of one label, where as many alternatives as there
 * are labels took seconds, at every place anew. Of labels that are equal the first one counts.
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

/** Patterns of its characters; white space stands for any white space. */
function piecesOf(label: string, ignoresCase: boolean): readonly string[] {
  const text = strip(label).replaceAll(/\s+/gu, " ");
  return Array.from(text, (one) =>
    one === " " ? String.raw`\s+` : RegExp.escape(ignoresCase ? lowered(one) : one),
  );
}

/** As the flag `i` has it: one character for one. */
function lowered(character: string): string {
  const lower = character.toLowerCase();
  return Array.from(lower).length === 1 ? lower : character;
}

/** Where a label ends an empty group tells which; longer ones come first. */
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

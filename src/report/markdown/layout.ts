import { markdownTable } from "markdown-table";

import { beginLine, clip, codeSpan, escapeInline } from "../escape.ts";
import type { RichText } from "../words/sentences.ts";

/** Longest name and longest sentence from outside that a summary shows whole, in UTF-16 units. */
const longestName = 120;
const longestSentence = 600;

/** A name from outside as inline code. */
export function inlineCode(text: string): string {
  return codeSpan(clip(text, longestName));
}

/** A sentence from outside, for use within a line. */
export function inlineText(text: string): string {
  return escapeInline(clip(text, longestSentence));
}

/** A blank at which a line can't break. */
export const nbsp = "\u00a0";

/** Escaped text that stays in one line. */
export function unbroken(escaped: string): string {
  return escaped.replaceAll(" ", nbsp);
}

/** Sentences in pieces as markdown. */
export function toMarkdown(words: RichText): string {
  const line = words
    .map((piece) => {
      switch (piece.kind) {
        case "text":
          return inlineText(piece.text);
        case "name":
          return inlineCode(piece.text);
        case "strong":
          return `**${inlineText(piece.text)}**`;
      }
    })
    .join("");
  // At any position in the line: an escaped character looks the same in the middle of a line.
  return beginLine(line);
}

/** Folded content. `summary` is HTML, `body` markdown; both escaped. */
export function details(summary: string, body: string): string {
  return `<details><summary>${summary}</summary>\n\n${body}\n\n</details>`;
}

/** A table of escaped cells; `align` has one letter per column: l, r or c. Columns without any content are left out. */
export function table(
  heads: readonly string[],
  align: string,
  rows: readonly (readonly string[])[],
): string {
  const kept = heads.flatMap((_, i) => (rows.some((row) => (row[i] ?? "") !== "") ? [i] : []));
  const pick = (row: readonly string[]): string[] => kept.map((i) => row[i] ?? "");
  return markdownTable([heads, ...rows].map(pick), {
    align: pick(align.split("")),
    alignDelimiters: false,
  });
}

/** Renders the first rows of a list. Each row is rendered only once, however often the budget tries. */
export function renderedOnce<Item, Row>(
  items: readonly Item[],
  render: (item: Item) => Row,
): (shown: number) => readonly Row[] {
  const rows: Row[] = [];
  return (shown) => {
    for (const item of items.slice(rows.length, shown)) rows.push(render(item));
    return rows.slice(0, shown);
  };
}

/**
 * A page, cut into the bytes of its rows and the rest. Rows are not parsed, decoded or rewritten, so they keep the
 * digits of their numbers, and processing a page costs little more than fetching it. (Parsing alone takes as long as
 * the network's share; keeping the numbers' sources while parsing takes eight times that.)
 */
interface PageParts {
  /** The page without the content of `rows`. */
  readonly rest: string;
  readonly items: readonly PageItem[];
}

export interface PageItem {
  /** The row's value, which is JSON if the page is; undefined if there is none. */
  readonly row: Uint8Array | undefined;
  /** The text of `row_idx`; "" if there is none. */
  readonly index: string;
  /** The text of `truncated_cells`; "" if there is none. */
  readonly cut: string;
}

/** Cuts `{…, "rows": [{"row_idx": 0, "row": {…}, "truncated_cells": []}, …], …}` into its parts in one pass. */
export function pageParts(page: Uint8Array): PageParts {
  const decoder = new TextDecoder();
  const textOf = (from: number, to: number): string => decoder.decode(page.subarray(from, to));
  const items: PageItem[] = [];
  let [rowsFrom, rowsTo] = [page.length, page.length];
  const takeItem = (at: number): number => {
    let [row, index, cut]: [Uint8Array | undefined, string, string] = [undefined, "", ""];
    const end = walkObject(page, at, (key, from) => {
      const to = skipValue(page, from);
      if (isKey(page, key, "row")) row = page.subarray(from, to);
      else if (isKey(page, key, "row_idx")) index = shortText(page, from, to);
      else if (isKey(page, key, "truncated_cells")) cut = shortText(page, from, to);
      return to;
    });
    items.push({ row, index, cut });
    return end;
  };
  walkObject(page, skipSpace(page, 0), (key, at) => {
    if (!isKey(page, key, "rows") || page[at] !== openList) return skipValue(page, at);
    [rowsFrom, rowsTo] = [at, walkList(page, at, takeItem)];
    return rowsTo;
  });
  const gap = rowsFrom < page.length ? "[]" : "";
  return { rest: textOf(0, rowsFrom) + gap + textOf(rowsTo, page.length), items };
}

/** Positions of a key and its quotes. */
interface Span {
  readonly from: number;
  readonly to: number;
}

function isKey(page: Uint8Array, { from, to }: Span, name: string): boolean {
  if (to - from !== name.length + 2) return false;
  for (let i = 0; i < name.length; i += 1) {
    if (page[from + 1 + i] !== name.charCodeAt(i)) return false;
  }
  return true;
}

/** Decodes a part of the page. For short texts a TextDecoder is slower than reading the whole row. */
function shortText(page: Uint8Array, from: number, to: number): string {
  if (to - from > mostCharacters) return new TextDecoder().decode(page.subarray(from, to));
  let text = "";
  for (let i = from; i < to; i += 1) text += String.fromCharCode(page[i] ?? 0);
  return text;
}

/** Longest `row_idx` and empty `truncated_cells`, in characters. */
const mostCharacters = 7;

const quote = 0x22;
const backslash = 0x5c;
const comma = 0x2c;
const openList = 0x5b;
const closeList = 0x5d;
const openObject = 0x7b;
const closeObject = 0x7d;

/** Called with a member's key and the start of its value; returns the end of the value. */
type Visit = (key: Span, at: number) => number;

/** Position after the object that begins at `from`. If there is no object, the position after the value. */
function walkObject(page: Uint8Array, from: number, visit: Visit): number {
  if (page[from] !== openObject) return skipValue(page, from);
  let i = skipSpace(page, from + 1);
  while (page[i] === quote) {
    const key = { from: i, to: skipString(page, i) };
    const start = skipSpace(page, skipSpace(page, key.to) + 1);
    i = skipSpace(page, visit(key, start));
    if (page[i] === comma) i = skipSpace(page, i + 1);
  }
  return i + 1;
}

/** Position after the list that begins at `from`. */
function walkList(page: Uint8Array, from: number, visit: (at: number) => number): number {
  let i = skipSpace(page, from + 1);
  while (i < page.length && page[i] !== closeList) {
    const end = visit(i);
    // Text that is no JSON may have no end; a parser reports it when it reads the rest of the page.
    if (end <= i) return page.length;
    i = skipSpace(page, end);
    if (page[i] === comma) i = skipSpace(page, i + 1);
  }
  return i + 1;
}

function skipSpace(page: Uint8Array, from: number): number {
  let i = from;
  while (i < page.length && (page[i] ?? 0) <= 0x20) i += 1;
  return i;
}

/** Position after the string that begins at `from`. */
function skipString(page: Uint8Array, from: number): number {
  let end = page.indexOf(quote, from + 1);
  while (end !== -1 && isEscaped(page, end)) end = page.indexOf(quote, end + 1);
  return end === -1 ? page.length : end + 1;
}

function isEscaped(page: Uint8Array, at: number): boolean {
  let before = at - 1;
  while (page[before] === backslash) before -= 1;
  return (at - before) % 2 === 0;
}

/** Position after the value that begins at `from`. */
function skipValue(page: Uint8Array, from: number): number {
  let depth = 0;
  let i = from;
  while (i < page.length) {
    switch (page[i] ?? 0) {
      case quote:
        i = skipString(page, i);
        if (depth === 0) return i;
        continue;
      case openObject:
      case openList:
        depth += 1;
        break;
      case closeObject:
      case closeList:
        // The enclosing list or object ends here; the value was a number or a word.
        if (depth === 0) return i;
        depth -= 1;
        if (depth === 0) return i + 1;
        break;
      case comma:
        if (depth === 0) return i;
        break;
      default:
        break;
    }
    i += 1;
  }
  return i;
}

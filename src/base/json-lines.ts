import type { LineText } from "./lines.ts";

/** A line that is not blank, and its value. */
export interface JsonLine<L, P> {
  readonly line: L;
  readonly parsed: P | Unreadable;
}

type Unreadable = Extract<LineText, { readonly kind: "unreadable" }>;

/** Parses lines on demand; blank ones are skipped, and lines that are not text are marked as unreadable. */
export function* parseJsonLines<L extends { readonly text: LineText }, P>(
  lines: Iterable<L>,
  parse: (text: string) => P,
): Generator<JsonLine<L, P>> {
  for (const line of lines) {
    const { text } = line;
    if (text.kind === "unreadable") yield { line, parsed: text };
    else if (!isBlank(text.text)) yield { line, parsed: parse(text.text) };
  }
}

/** True for a blank line. Most lines begin with an object, so only the others are trimmed. */
export function isBlank(text: string): boolean {
  return text.charCodeAt(0) !== brace && text.trim() === "";
}

const brace = 0x7b;

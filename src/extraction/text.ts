/**
 * Replaces CRLF, CR and Unicode's line and paragraph separators by LF, so that `.`, `$` and a line mean the same
 * whatever system or model wrote the text.
 */
export function normalizeNewlines(text: string): string {
  return text.replace(/\r\n?|[\u2028\u2029]/g, "\n");
}

/**
 * The text without surrounding white space. White space is everything that JavaScript's `trim` or Python's `str.strip`
 * removes: the two differ in U+001C to U+001F and U+0085 (Python only) and in the byte order mark U+FEFF (JavaScript
 * only).
 */
export function strip(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && isSpace(text.charCodeAt(start))) start += 1;
  while (end > start && isSpace(text.charCodeAt(end - 1))) end -= 1;
  return text.slice(start, end);
}

/** The stripped text, or null if nothing is left: an extraction never returns "". */
export function stripOrNull(text: string): string | null {
  const stripped = strip(text);
  return stripped === "" ? null : stripped;
}

function isSpace(code: number): boolean {
  if (code <= 0x20) return code === 0x20 || (code >= 0x09 && code <= 0x0d) || code >= 0x1c;
  if (code < 0x1680) return code === 0x85 || code === 0xa0;
  if (code <= 0x200a) return code === 0x1680 || code >= 0x2000;
  return [0x2028, 0x2029, 0x202f, 0x205f, 0x3000, 0xfeff].includes(code);
}

import { strip } from "./text.ts";

/**
 * The first `lines` lines of `text` that hold more than white space, each stripped, joined by LF.
 * null where there is none; all there are where there are fewer.
 */
export function takeFirst(text: string, lines: number): string | null {
  const found: string[] = [];
  let start = 0;
  while (found.length < lines && start <= text.length) {
    const newline = text.indexOf("\n", start);
    const end = newline === -1 ? text.length : newline;
    const line = strip(text.slice(start, end));
    if (line !== "") found.push(line);
    start = end + 1;
  }
  return found.length === 0 ? null : found.join("\n");
}

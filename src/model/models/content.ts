/** Marks the content of an error's row that lacks its input or its target: a hash of what the row has. */
const mark = "?";

/** The content of a row that does not have all of its question. */
export function partOfContent(content: string): string {
  return `${content}${mark}`;
}

/** True if the row lacks a part of its question. */
export function isPart(content: string): boolean {
  return content.endsWith(mark);
}

/** The hash without the mark. */
export function knownContent(content: string): string {
  return isPart(content) ? content.slice(0, -mark.length) : content;
}

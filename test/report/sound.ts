import { expect } from "vitest";

/** Fences, details and tables are whole; no half characters, no stray HTML, no reference that GitHub would link. */
export function expectSound(text: string): void {
  expect(text.isWellFormed()).toBe(true);
  const outside = withoutFences(text);
  const markup = outside.replace(/`[^`\n]*`/g, "");
  expect(markup.match(/<details>/g)?.length).toBe(markup.match(/<\/details>/g)?.length);
  const prose = outside
    .replace(/^<!-- regrade:(?:cut|end|suite \S+|comment\/1 \S+ \[.*\]) -->$/gm, "")
    .replaceAll(
      /\]\(https:\/\/github\.com\/acme\/[\w/-]+(?:#(?:show|group|case)=[\w%+.-]*)?\)/g,
      "]",
    )
    .replaceAll("\\_", "_")
    .replace(/\\[^\n]/g, "\u200b")
    .replace(/`[^`\n]*`/g, "")
    .replace(/<code>.*?<\/code>/g, "")
    .replace(/&#\d+;/g, "\u200b");
  expect(prose).not.toMatch(/<(?!\/?(?:details|summary|br|sub)>)/);
  expect(prose).not.toMatch(/[@#]\w|:\/\/|www\.|!\[|(?<![0-9A-Za-z])GH-\d|&/);
  for (const rows of outside.match(/(?:^\|.*\n?)+/gm) ?? []) {
    const widths = rows
      .trimEnd()
      .split("\n")
      .map((row) => row.replace(/\\./g, "").split("|").length);
    expect(new Set(widths).size).toBe(1);
  }
}

/** The text without its fenced blocks; fails where one is not closed. */
function withoutFences(text: string): string {
  let open: string | undefined;
  const kept: string[] = [];
  for (const line of text.split("\n")) {
    const marks = /^`{3,}/.exec(line)?.[0];
    if (open === undefined && marks === undefined) kept.push(line);
    else if (open === undefined) open = marks;
    else if (line.trimEnd() === open) open = undefined;
  }
  expect(open).toBeUndefined();
  return kept.join("\n");
}

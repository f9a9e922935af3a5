/**
 * Cuts the texts so that together they have at most `limitBytes` (UTF-8, with two new lines between them). Short texts
 * stay whole; the long ones share the rest evenly.
 */
export function fitSummaries(texts: readonly string[], limitBytes: number): readonly string[] {
  const sizes = texts.map((text) => Buffer.byteLength(text) + 2);
  const total = sizes.reduce((sum, size) => sum + size, 0);
  if (total <= limitBytes) return texts;
  const share = evenShare(sizes, limitBytes);
  return texts.map((text, i) => ((sizes[i] ?? 0) <= share ? text : cutMarkdown(text, share - 2)));
}

/** The largest equal share with which the cut texts fit; space that short texts leave goes to the long ones. */
function evenShare(sizes: readonly number[], limitBytes: number): number {
  let left = limitBytes;
  let count = sizes.length;
  for (const size of sizes.toSorted((a, b) => a - b)) {
    if (size > left / count) break;
    left -= size;
    count -= 1;
  }
  return Math.floor(left / Math.max(count, 1));
}

const notice =
  "\n\n> [!NOTE]\n> Cut here: GitHub shows at most 1 MiB of summary a step. The whole of it is in `summary.md` in the artifact.\n";

/**
 * Cuts markdown to `limitBytes` at the end of a line, adds a notice, and closes the blocks that are open there.
 * Otherwise an open `<details>` or code fence would swallow the notice and everything after it.
 */
function cutMarkdown(text: string, limitBytes: number): string {
  const lines: string[] = [];
  let left = limitBytes - Buffer.byteLength(notice) - longestClosing;
  for (const line of text.split("\n")) {
    left -= Buffer.byteLength(line) + 1;
    if (left < 0) break;
    lines.push(line);
  }
  const kept = lines.join("\n");
  return `${kept}${closing(kept)}${notice}`;
}

/** Space for a closing fence and some levels of `</details>`. */
const longestClosing = 256;

function closing(text: string): string {
  const { fence, prose } = splitFences(text);
  const open = occurrences(prose, /<details[\s>]/gi) - occurrences(prose, /<\/details>/gi);
  const levels = Math.min(Math.max(open, 0), 8);
  return `${fence === "" ? "" : `\n${fence}`}${"\n\n</details>".repeat(levels)}`;
}

/** The fence that is still open at the end ("" if none is), and the lines outside fences. */
function splitFences(text: string): { readonly fence: string; readonly prose: string } {
  let fence = "";
  const prose: string[] = [];
  for (const line of text.split("\n")) {
    const mark = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1] ?? "";
    if (fence === "" && mark === "") prose.push(line);
    else if (fence === "") fence = mark;
    else if (mark.startsWith(fence)) fence = "";
  }
  return { fence: fence.slice(0, 100), prose: prose.join("\n") };
}

function occurrences(text: string, pattern: RegExp): number {
  return [...text.matchAll(pattern)].length;
}

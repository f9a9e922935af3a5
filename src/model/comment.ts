import { type Verdict, verdictsWorstFirst } from "./outcomes/verdict.ts";

export interface WorkflowAttempt {
  /** GitHub's id of the workflow run: digits. */
  readonly runId: string;
  readonly attempt: number;
}

/** One suite's part of a comment, as written by the run that last reported the suite. */
export interface CommentSection extends WorkflowAttempt {
  readonly suite: string;
  readonly sha: string;
  readonly verdict: Verdict;
  /** Markdown of `renderSection`. */
  readonly body: string;
}

/** The one comment of a workflow. */
export interface ParsedComment {
  /** Distinguishes the workflow's comment from others: its file's path, for example. */
  readonly workflow: string;
  readonly sections: readonly CommentSection[];
}

/**
 * Limit of a comment in bytes of UTF-8. GitHub documents 65,536 characters, and accepted 262,144 bytes when measured;
 * this limit is below both for any text, with room for what redaction adds.
 */
export const commentLimitBytes = 60_000;

/** Separates the blocks of a section: a longer comment is cut only here. */
export const cut = "\n\n<!-- regrade:cut -->\n\n";

/** The comment as markdown, never over the limit: sections are shortened by whole blocks, the longest first. */
export function formatComment(comment: ParsedComment, limitBytes: number): string {
  const sections = comment.sections.toSorted(worstFirst);
  for (let kept = sections.length; kept >= 0; kept -= Math.ceil(kept / 8) || 1) {
    const frame = { ...comment, sections: sections.slice(0, kept) };
    const bare = assemble(frame, () => "");
    if (bytes(bare) > limitBytes) continue;
    const rooms = share(frame.sections, limitBytes - bytes(bare));
    return assemble(frame, (section) => shorten(section.body, rooms.get(section) ?? 0));
  }
  return "";
}

/** Parses a comment that `formatComment` wrote; undefined for any other text. */
export function parseComment(body: string): ParsedComment | undefined {
  const lines = body.replaceAll("\r\n", "\n");
  const [first = ""] = lines.split("\n", 1);
  const marker = /^<!-- regrade:comment\/1 workflow=(\S*) \[(.*)\] -->$/.exec(first);
  if (marker === null) return undefined;
  const bodies = readBodies(lines);
  const sections = (marker[2] ?? "").split(" ").flatMap((entry) => readEntry(entry, bodies));
  return { workflow: decode(marker[1] ?? ""), sections };
}

/**
 * True if a section is newer than another of the same suite: an older run that ends later must not replace a newer
 * one's section.
 */
export function isNewer(one: WorkflowAttempt, other: WorkflowAttempt): boolean {
  const order = idOf(one.runId) - idOf(other.runId);
  return order === 0n ? one.attempt > other.attempt : order > 0n;
}

type Bodies = ReadonlyMap<string, string>;

function readBodies(text: string): Bodies {
  const bodies = new Map<string, string>();
  const parts = text.matchAll(/^<!-- regrade:suite (\S*) -->\n([^]*?)^<!-- regrade:end -->$/gm);
  for (const [, suite = "", body = ""] of parts) bodies.set(decode(suite), body.trim());
  return bodies;
}

function readEntry(entry: string, bodies: Bodies): readonly CommentSection[] {
  const found = /^([^\s=]*)=(\d+)\.(\d+)@([^\s:]*):(\w+)$/.exec(entry);
  const verdict = verdictsWorstFirst.find((known) => known === found?.[5]);
  if (found === null || verdict === undefined) return [];
  const [, name = "", runId = "", attempt = "", sha = ""] = found;
  const suite = decode(name);
  const body = bodies.get(suite) ?? "";
  return [{ suite, runId, attempt: Number(attempt), sha: decode(sha), verdict, body }];
}

function assemble(
  { workflow, sections }: ParsedComment,
  bodyOf: (section: CommentSection) => string,
): string {
  const entries = sections.map(
    ({ suite, runId, attempt, sha, verdict }) =>
      `${encode(suite)}=${idOf(runId)}.${attempt}@${encode(sha)}:${verdict}`,
  );
  const parts = sections.map((section) =>
    [`<!-- regrade:suite ${encode(section.suite)} -->`, bodyOf(section), "<!-- regrade:end -->"]
      .filter((part) => part !== "")
      .join("\n\n"),
  );
  return [
    `<!-- regrade:comment/1 workflow=${encode(workflow)} [${entries.join(" ")}] -->`,
    ...(sections.length > 1 ? [overview(sections)] : []),
    parts.join("\n\n---\n\n"),
    "",
  ].join("\n");
}

const words: Readonly<Record<Verdict, string>> = {
  error: "⚠️ no verdict",
  fail: "❌ failed",
  inconclusive: "⚠️ inconclusive",
  pass: "✅ passed",
  neutral: "➖ not judged",
};
const namesShown = 20;

/** The verdicts of several suites in one line. */
function overview(sections: readonly CommentSection[]): string {
  const groups = verdictsWorstFirst.flatMap((verdict) => {
    const names = sections.flatMap((each) => (each.verdict === verdict ? [shown(each.suite)] : []));
    if (names.length === 0) return [];
    const more = names.length > namesShown ? ` and ${names.length - namesShown} more` : "";
    return [`${words[verdict]}: ${names.slice(0, namesShown).join(", ")}${more}`];
  });
  return `\n**${sections.length} suites** — ${groups.join(" · ")}\n`;
}

/** A suite's name is a slug. Any other text is escaped so that it can't be markdown. */
function shown(suite: string): string {
  return `\`${encode(suite).slice(0, 100)}\``;
}

/** Space for each body: short bodies in full, the others an equal part of the rest. */
function share(
  sections: readonly CommentSection[],
  limitBytes: number,
): ReadonlyMap<CommentSection, number> {
  const rooms = new Map<CommentSection, number>();
  const sizes = sections.map((section) => ({ section, size: bytes(section.body) + aroundBytes }));
  let left = limitBytes;
  for (const [i, { section, size }] of sizes.toSorted((a, b) => a.size - b.size).entries()) {
    const room = Math.min(size, Math.floor(left / (sizes.length - i)));
    rooms.set(section, room - aroundBytes);
    left -= room;
  }
  return rooms;
}

/** Bytes of the blank line that `assemble` adds to a body. */
const aroundBytes = 2;

const leftOut = "<sub>Left out to stay under the size limit: the rest is in the job summary.</sub>";

/**
 * The first and last blocks (the last one has the links), and as many between them as fit, in order; empty if not even
 * the first fits.
 */
function shorten(body: string, room: number): string {
  if (bytes(body) <= room) return body;
  const [first = "", ...rest] = body.split(cut);
  const last = rest.pop();
  const ends = [first, leftOut, ...(last === undefined ? [] : [last])];
  if (bytes(ends.join(cut)) > room) return bytes(first) <= room ? first : "";
  let kept = 0;
  let left = room - bytes(ends.join(cut));
  while (kept < rest.length) {
    left -= bytes(rest[kept] ?? "") + cut.length;
    if (left < 0) break;
    kept += 1;
  }
  return [first, ...rest.slice(0, kept), ...ends.slice(1)].join(cut);
}

function worstFirst(one: CommentSection, other: CommentSection): number {
  const rank = ({ verdict }: CommentSection): number => verdictsWorstFirst.indexOf(verdict);
  return rank(one) - rank(other) || (one.suite < other.suite ? -1 : 1);
}

/** Encodes a word for a marker: without blanks, `>`, and the characters of the markers' own syntax. */
function encode(text: string): string {
  return encodeURIComponent(text.toWellFormed());
}

function decode(word: string): string {
  try {
    return decodeURIComponent(word);
  } catch {
    return word;
  }
}

function idOf(runId: string): bigint {
  return /^\d+$/.test(runId) ? BigInt(runId) : 0n;
}

function bytes(text: string): number {
  return Buffer.byteLength(text, "utf8");
}

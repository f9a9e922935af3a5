import { count } from "./figures.ts";

/** A part of a text that can be shown in part: never cut inside a row. */
export interface Block {
  /** What is missing where not all rows are shown: `fixed cases`. */
  readonly name: string;
  readonly rows: number;
  /** Complete text of the first `rows` rows, headings and closing tags included. */
  readonly render: (rows: number) => string;
  /** Lower numbers are given room first. */
  readonly rank: number;
}

/** What must be there, in versions from full to shortest. */
type Heads = readonly string[];

/**
 * The head and the blocks in their order, in at most `limitBytes` bytes of UTF-8. Where not all fits, the blocks
 * are given room by rank, each at most half of what is left, so that one large one does not push out the others;
 * a last line says what is missing.
 */
export function fit(heads: Heads, blocks: readonly Block[], limitBytes: number): string {
  const [head = ""] = heads;
  const whole = join([head, ...blocks.map((block) => block.render(block.rows))]);
  if (bytes(whole) <= limitBytes) return whole;
  const worstNote = note(blocks.map((block) => ({ block, rows: block.rows })));
  // The note, the blank line before it, and the last line's end.
  const room = limitBytes - bytes(worstNote) - separator.length - 1;
  const short = heads.find((text) => bytes(text) <= room);
  if (short === undefined) return heads.find((text) => bytes(text) <= limitBytes) ?? "";
  return fill(short, blocks, room);
}

interface Shown {
  readonly block: Block;
  readonly rows: number;
}

function fill(head: string, blocks: readonly Block[], room: number): string {
  const texts = new Map<Block, string>();
  const shown: Shown[] = [];
  let left = room - bytes(head);
  const order = blocks.toSorted((a, b) => a.rank - b.rank);
  for (const [position, block] of order.entries()) {
    const share = position === order.length - 1 ? left : Math.floor(left / 2);
    const rows = mostRows(block, share - separator.length);
    if (rows < block.rows) shown.push({ block, rows });
    if (rows === 0) continue;
    const text = block.render(rows);
    texts.set(block, text);
    left -= bytes(text) + separator.length;
  }
  const leftOut = blocks.flatMap((block) => shown.filter((part) => part.block === block));
  return join([head, ...blocks.map((block) => texts.get(block) ?? ""), note(leftOut)]);
}

/** The largest number of rows whose text fits, by halving: more rows are never shorter. */
function mostRows(block: Block, room: number): number {
  if (block.rows === 0 || bytes(block.render(block.rows)) <= room) return block.rows;
  let fits = 0;
  let tooMany = block.rows;
  while (tooMany - fits > 1) {
    const middle = Math.floor((fits + tooMany) / 2);
    if (bytes(block.render(middle)) <= room) fits = middle;
    else tooMany = middle;
  }
  return fits;
}

function note(parts: readonly Shown[]): string {
  const said = parts
    .filter(({ block }) => block.rows > 0)
    .map(({ block, rows }) => `${block.name} (${count(rows)} of ${count(block.rows)} shown)`);
  return `Left out to stay under the size limit: ${said.join(", ")}. All of it is in the run directory.`;
}

const separator = "\n\n";

function join(parts: readonly string[]): string {
  return `${parts.filter((part) => part !== "").join(separator)}\n`;
}

function bytes(text: string): number {
  return Buffer.byteLength(text, "utf8");
}

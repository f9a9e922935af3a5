import { details } from "./layout.ts";
import { count } from "../words/figures.ts";

/** A part of a text that can be shown in part: never cut inside a row. */
export interface Block {
  /** Name of the missing rows if not all are shown: `fixed cases`. */
  readonly name: string;
  readonly rows: number;
  /** Complete text of the first `rows` rows, headings and closing tags included. */
  readonly render: (rows: number) => string;
  /** Blocks with lower numbers get space first. */
  readonly rank: number;
  /** Adjacent blocks with the same fold are shown together on one click. */
  readonly fold?: Fold;
}

/** Heading under which several blocks are folded. */
interface Fold {
  /** HTML. */
  readonly summary: string;
}

/** A text with a limit. */
export interface Budgeted {
  /** The required part, in versions from full to shortest. */
  readonly heads: readonly string[];
  readonly blocks: readonly Block[];
  /** The last lines. They are kept as long as they fit together with a head. */
  readonly tail?: string;
  /** Location of the full text: `the run directory`. */
  readonly elsewhere: string;
  /** Text between the parts. Default: a blank line. */
  readonly separator?: string;
}

/**
 * The head, the blocks in their order and the tail, in at most `limitBytes` bytes of UTF-8. If not everything fits,
 * blocks get space by rank, each at most half of the rest, so that a large one does not displace the others; a line
 * tells which rows are missing, and how many.
 */
export function fit(text: Budgeted, limitBytes: number): string {
  const { heads, blocks, tail = "", separator = blankLine } = text;
  const join = (parts: readonly string[]): string =>
    `${parts.filter((part) => part !== "").join(separator)}\n`;
  const all = blocks.map((block) => block.render(block.rows));
  const whole = join([heads[0] ?? "", ...foldTexts(blocks, all), tail]);
  if (bytes(whole) <= limitBytes) return whole;
  const every = blocks.map((block) => ({ block, rows: block.rows }));
  // The note, the tail, the separators before each, and the last line's end.
  const around = [note(every, text), tail, ...foldTexts(blocks, foldMarks(blocks))].map(
    (part) => bytes(part) + separator.length,
  );
  const room = limitBytes - around.reduce((sum, part) => sum + part, 0) - 1;
  const short = heads.find((head) => bytes(head) <= room);
  if (short === undefined) return heads.find((head) => bytes(head) <= limitBytes) ?? "";
  const { texts, leftOut } = fitBlocks(blocks, room - bytes(short), separator);
  return join([short, ...foldTexts(blocks, texts), note(leftOut, text), tail]);
}

/** The texts of blocks; those of one fold are combined, and empty ones are left out. */
function foldTexts(blocks: readonly Block[], texts: readonly string[]): readonly string[] {
  const parts: { readonly fold: Fold | undefined; readonly texts: string[] }[] = [];
  for (const [i, { fold }] of blocks.entries()) {
    const text = texts[i] ?? "";
    const last = parts.at(-1);
    if (text === "") continue;
    if (fold !== undefined && last?.fold === fold) last.texts.push(text);
    else parts.push({ fold, texts: [text] });
  }
  return parts.map(({ fold, texts: some }) => {
    const body = some.join(blankLine);
    return fold === undefined ? body : details(fold.summary, body);
  });
}

/** A placeholder for each fold's first block: the size of a fold without its blocks. */
function foldMarks(blocks: readonly Block[]): readonly string[] {
  return blocks.map(({ fold }, i) =>
    fold !== undefined && blocks.findIndex((other) => other.fold === fold) === i ? "-" : "",
  );
}

interface Shown {
  readonly block: Block;
  readonly rows: number;
}

function fitBlocks(
  blocks: readonly Block[],
  room: number,
  separator: string,
): { readonly texts: readonly string[]; readonly leftOut: readonly Shown[] } {
  const texts = new Map<Block, string>();
  const shown: Shown[] = [];
  let left = room;
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
  return {
    texts: blocks.map((block) => texts.get(block) ?? ""),
    leftOut: blocks.flatMap((block) => shown.filter((part) => part.block === block)),
  };
}

/** The largest number of rows that fits, by bisection: more rows are never shorter. */
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

function note(parts: readonly Shown[], { elsewhere }: Budgeted): string {
  const said = parts
    .filter(({ block }) => block.rows > 0)
    .map(({ block, rows }) => `${block.name} (${count(rows)} of ${count(block.rows)} shown)`);
  if (said.length === 0) return "";
  return `Left out to stay under the size limit: ${said.join(", ")}. All of it is in ${elsewhere}.`;
}

const blankLine = "\n\n";

function bytes(text: string): number {
  return Buffer.byteLength(text, "utf8");
}

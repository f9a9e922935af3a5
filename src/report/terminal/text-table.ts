import { once } from "../../base/once.ts";

/** One cell; `paint` adds characters without width. */
export interface TextCell {
  readonly text: string;
  readonly align: "left" | "right";
  readonly paint?: (text: string) => string;
}

const gap = 2;
const narrowest = 12;

/** Rows as aligned columns; the first column is shortened in its middle if the table would be wider than `width`. */
export function columns(rows: readonly (readonly TextCell[])[], width: number): string {
  const widths = columnWidths(rows);
  const [widest = 0, ...others] = widths;
  const tooMuch = Math.max(0, total(widths) - width);
  const first = Math.min(widest, Math.max(narrowest, widest - tooMuch));
  return rows.map((row) => line(row, [first, ...others])).join("\n");
}

/** Width, in terminal columns, of the rows without shortening. */
export function naturalWidth(rows: readonly (readonly TextCell[])[]): number {
  return total(columnWidths(rows));
}

function columnWidths(rows: readonly (readonly TextCell[])[]): readonly number[] {
  return (rows[0] ?? []).map((_, column) =>
    rows.reduce((most, row) => Math.max(most, textWidth(row[column]?.text ?? "")), 0),
  );
}

function total(widths: readonly number[]): number {
  return widths.reduce((sum, one) => sum + one + gap, -gap);
}

function line(row: readonly TextCell[], widths: readonly number[]): string {
  return row
    .map((cell, column) => {
      const width = widths[column] ?? 0;
      const text = shorten(cell.text, width);
      const room = " ".repeat(Math.max(0, width - textWidth(text)));
      const last = column === row.length - 1;
      const painted = cell.paint?.(text) ?? text;
      return cell.align === "right" ? room + painted : last ? painted : painted + room;
    })
    .join(" ".repeat(gap))
    .trimEnd();
}

const graphemes = once(() => new Intl.Segmenter("en", { granularity: "grapheme" }));

/** The text in at most `width` columns, with `…` in its middle if it is shortened, because names differ at their ends. */
function shorten(text: string, width: number): string {
  if (textWidth(text) <= width) return text;
  const half = (width - 1) / 2;
  const characters = Array.from(graphemes().segment(text), ({ segment }) => segment);
  const start = within(characters, Math.ceil(half));
  const end = within(characters.toReversed(), Math.floor(half)).toReversed();
  return `${start.join("")}…${end.join("")}`;
}

/** As many of the first characters as fit. */
function within(characters: readonly string[], width: number): readonly string[] {
  let used = 0;
  const over = characters.findIndex((character) => {
    used += textWidth(character);
    return used > width;
  });
  return over < 0 ? characters : characters.slice(0, over);
}

/** The columns that a terminal gives a text: two for East Asian wide characters and emoji, none for marks. */
function textWidth(text: string): number {
  let width = 0;
  for (const character of text) width += characterWidth(character);
  return width;
}

function characterWidth(character: string): number {
  if (/[\p{Mn}\p{Me}\p{Cf}]/u.test(character)) return 0;
  return wide.test(character) ? 2 : 1;
}

/** Unicode's East_Asian_Width W and F, for the blocks that matter, and emoji that are pictures by default. */
const wide =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\u33ff\u3400-\u4dbf\u4e00-\u9fff\ua000-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}\p{Emoji_Presentation}]/u;

/** Numbers from a lower to an upper end, both included. */
export type Range = readonly [low: number, high: number];

/** Reads `0.4..0.8`; a missing end means no limit. undefined for any other text. */
export function readRange(text: string | null): Range | undefined {
  const [low = "", high = "", ...rest] = text?.split("..") ?? [];
  if (text === null || !text.includes("..") || rest.length > 0) return undefined;
  const range = [endOf(low, -Infinity), endOf(high, Infinity)] as const;
  return range.some(Number.isNaN) ? undefined : range;
}

function endOf(text: string, open: number): number {
  return text.trim() === "" ? open : Number(text);
}

/** Writes a range in the form that `readRange` reads. */
export function writeRange(range: Range | undefined): string | undefined {
  return range?.map((end) => (Number.isFinite(end) ? String(end) : "")).join("..");
}

/** Whether a figure is in the range; a missing figure is in no range. */
export function isWithin(figure: number | null, [low, high]: Range): boolean {
  return figure !== null && figure >= low && figure <= high;
}

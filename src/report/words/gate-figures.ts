import { isShare } from "../../model/metric.ts";

export type Range = readonly [number, number] | null;

/** A value: `83.8%` where the range is [0, 1], else three significant digits. */
export function figure(value: number, range: Range): string {
  return isShare(range) ? `${oneDecimal(value * 100)}%` : digits(value);
}

/** A difference with its sign: `−5.0 pp`, `+0.12`. */
export function change(value: number, range: Range): string {
  const text = amount(value, range);
  return value > 0 && !/^0(\.0)?( pp)?$/.test(text) ? `+${text}` : text;
}

/** A difference as a size: `2.0 pp`, `0.5`. */
export function amount(value: number, range: Range): string {
  return isShare(range) ? `${oneDecimal(value * 100)} pp` : digits(value);
}

/** A p-value with two significant digits; below the threshold of the report, the same words as there. */
export function pValue(p: number): string {
  return p < 0.001 ? "p < 0.001" : `p = ${Number(p.toPrecision(2))}`;
}

/** `1 case`, `240 cases`. */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}

/** The first few ids of a list. */
export function listed(ids: readonly string[]): string {
  const shown = ids.slice(0, idsShown).join(", ");
  return ids.length > idsShown ? `${shown} and ${ids.length - idsShown} more` : shown;
}

const idsShown = 5;

function oneDecimal(value: number): string {
  const text = value.toFixed(1);
  return minus(text === "-0.0" ? "0.0" : text);
}

function digits(value: number): string {
  return minus(String(Number(value.toPrecision(3)) + 0));
}

/** The typographic minus, which no reader takes for a hyphen or a list's dash. */
function minus(text: string): string {
  return text.replaceAll("-", "\u{2212}");
}

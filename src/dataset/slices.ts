import { readField, valueText } from "../base/fields.ts";
import type { Row } from "../model/sample.ts";

/**
 * The slice that a row belongs to, by field: the field's value as text.
 * A row without the field is in the slice "", which is shown like any other: no case goes missing from a split.
 */
export function sliceValues(row: Row, fields: readonly string[]): Readonly<Record<string, string>> {
  return Object.fromEntries(fields.map((field) => [field, valueText(readField(row, field))]));
}

/** The cluster that a row belongs to. A row without a value is one of its own: null, as without a field to cluster by. */
export function clusterValue(row: Row, field: string | undefined): string | null {
  const value = field === undefined ? "" : valueText(readField(row, field));
  return value === "" ? null : value;
}

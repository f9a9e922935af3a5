import { readField, valueText } from "../base/fields.ts";
import type { Row } from "../model/sample.ts";

/**
 * The slice of a row, by field: the field's value as text. A row without the field is in the slice "", which is shown
 * like any other: the slices always cover all cases.
 */
export function sliceValues(row: Row, fields: readonly string[]): Readonly<Record<string, string>> {
  return Object.fromEntries(fields.map((field) => [field, valueText(readField(row, field))]));
}

/** The cluster of a row. A row without a value is its own cluster: null, as without a field to cluster by. */
export function clusterValue(row: Row, field: string | undefined): string | null {
  const value = field === undefined ? "" : valueText(readField(row, field));
  return value === "" ? null : value;
}

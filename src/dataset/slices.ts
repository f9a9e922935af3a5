import { readField, valueText } from "../base/fields.ts";
import type { Row } from "../model/outcomes/sample.ts";

/**
 * The slices of a row: the value of each field as text. A row without the field is in the slice "", which is shown like
 * any other, so that the slices always cover all cases.
 */
export function sliceValues(row: Row, fields: readonly string[]): Readonly<Record<string, string>> {
  return Object.fromEntries(fields.map((field) => [field, valueText(readField(row, field))]));
}

/**
 * The cluster of a row: the value of the field as text. A row without a value is its own cluster (null), as if there
 * were no field to cluster by.
 */
export function clusterValue(row: Row, field: string | undefined): string | null {
  const value = field === undefined ? "" : valueText(readField(row, field));
  return value === "" ? null : value;
}

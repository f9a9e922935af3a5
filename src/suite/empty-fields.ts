import { readField, valueText } from "../base/fields.ts";
import type { Dataset } from "../model/dataset.ts";
import { problem, type Place, type Problem } from "../model/refusal.ts";
import type { Row } from "../model/sample.ts";
import { templateFields, type Template } from "../prompt/template.ts";

/** A template of a task, and where the manifest has it. */
interface PlacedTemplate {
  readonly template: Template | undefined;
  readonly place: Place;
}

/** Limit of rows that are read for it: a data set may have millions. */
const mostRows = 100_000;

interface Lacking {
  readonly place: Place;
  count: number;
  first: { readonly id: string; readonly row: number } | undefined;
}

/**
 * Warns about fields of templates that some rows lack, or have without a value: the candidate is then asked without
 * them, or an empty answer is right. A field that no row has is another mistake, which `templateWarnings` reports. A name
 * within a field that most rows lack is taken for optional.
 */
export async function emptyFieldWarnings(
  templates: readonly PlacedTemplate[],
  dataset: Dataset,
): Promise<readonly Problem[]> {
  const fields = new Map<string, Lacking>();
  for (const { template, place } of templates)
    for (const name of template === undefined ? [] : templateFields(template).names)
      if (!fields.has(name)) fields.set(name, { place, count: 0, first: undefined });
  if (fields.size === 0) return [];
  let rows = 0;
  for await (const batch of dataset.cases()) {
    for (const { caseId: id, row } of batch) {
      rows += 1;
      for (const [name, lacking] of fields) {
        if (!isEmpty(row, name)) continue;
        lacking.count += 1;
        lacking.first ??= { id, row: rows };
      }
    }
    if (rows >= mostRows) break;
  }
  return [...fields].flatMap(([field, { place, count, first }]) =>
    first === undefined || (!dataset.fields.has(field) && count * 2 > rows)
      ? []
      : [problem("template_field_empty", { field, count, rows, first }, place)],
  );
}

function isEmpty(row: Row, name: string): boolean {
  const value = readField(row, name);
  return value === undefined || value === null || valueText(value).trim() === "";
}

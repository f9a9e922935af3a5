import { readField, valueText } from "../../base/fields.ts";
import type { Dataset } from "../../model/definition/dataset.ts";
import { problem, type Place, type Problem } from "../../model/refusal.ts";
import type { Row } from "../../model/outcomes/sample.ts";
import { templateFields, type Template } from "../../prompt/template.ts";

/** A template of a task, and where the manifest has it. */
interface PlacedTemplate {
  readonly template: Template | undefined;
  readonly place: Place;
  /** A target without a text is a mistake; a prompt may have an optional field that is "" here and there. */
  readonly isTarget: boolean;
}

/** Limit of rows that are read for it: a data set may have millions. */
const mostRows = 100_000;

interface Lacking {
  readonly place: Place;
  readonly isTarget: boolean;
  count: number;
  first: { readonly id: string; readonly row: number } | undefined;
}

/**
 * Warns about fields of templates that some rows lack, or have without a value: the candidate is then asked without
 * them, or an empty answer is right. A field that no row has is another mistake, which `templateWarnings` reports. A field
 * of a prompt that most rows lack is taken for optional, as is a name within a field.
 */
export async function emptyFieldWarnings(
  templates: readonly PlacedTemplate[],
  dataset: Dataset,
): Promise<readonly Problem[]> {
  const fields = new Map<string, Lacking>();
  for (const { template, ...placed } of templates)
    for (const name of template === undefined ? [] : templateFields(template).names)
      if (!fields.has(name)) fields.set(name, { ...placed, count: 0, first: undefined });
  if (fields.size === 0) return [];
  let rows = 0;
  for await (const batch of dataset.cases()) {
    for (const { caseId: id, row } of batch) {
      rows += 1;
      for (const [name, lacking] of fields) {
        if (!isLacking(row, name, lacking)) continue;
        lacking.count += 1;
        lacking.first ??= { id, row: rows };
      }
    }
    if (rows >= mostRows) break;
  }
  return [...fields].flatMap(([field, { place, isTarget, count, first }]) => {
    const isOptional = (!isTarget || !dataset.fields.has(field)) && count * 2 > rows;
    if (first === undefined || isOptional) return [];
    return [problem("template_field_empty", { field, count, rows, first }, place)];
  });
}

function isLacking(row: Row, name: string, { isTarget }: Pick<Lacking, "isTarget">): boolean {
  const value = readField(row, name);
  if (value === undefined || value === null) return true;
  return isTarget && valueText(value).trim() === "";
}

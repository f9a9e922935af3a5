import { cutText } from "./cut-text.ts";
import { isJsonObject, type JsonObject } from "../model/json.ts";
import type { Sample } from "../model/outcomes/sample.ts";
import { valueText } from "./fields.ts";

const longestRow = 100;

/**
 * Describes a case whose id is a hash by its row: `topic=cats, tone=formal`; for promptfoo's rows, by their variables.
 * undefined: the case has an id of its own.
 */
export function rowWords({ case_id, dataset_row }: Sample): string | undefined {
  return isHash(case_id) ? wordsOfRow(dataset_row) : undefined;
}

/** The fields of a row in one short line. */
export function wordsOfRow(row: JsonObject): string {
  const { vars } = row;
  const fields = Object.entries(isJsonObject(vars) ? vars : row);
  const text = fields.map(([name, value]) => `${name}=${valueText(value)}`).join(", ");
  return text.length > longestRow ? `${cutText(text, longestRow)}…` : text;
}

/** True if an id is a hash: cases without an id are named by their content. */
export function isHash(caseId: string): boolean {
  return /^[0-9a-f]{16}(?:-\d+)?$/.test(caseId);
}

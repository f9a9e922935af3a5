import { isJsonObject, type Json, type JsonObject, jsonObjectIn } from "../../model/json.ts";
import { parseJsonText } from "../../base/json-text.ts";
import { problem, Refusal } from "../../model/refusal.ts";
import { pageParts, type PageItem } from "./page-parts.ts";

/** A page of the dataset server, as https://huggingface.co/docs/dataset-viewer/rows describes it. */
export interface Page {
  /** Rows as JSON in UTF-8, as they came. */
  readonly rows: readonly Uint8Array[];
  /** Number of rows in the split. */
  readonly total: number;
  /** True if the server has only a part of the split. */
  readonly partial: boolean;
  /** Columns that hold files behind links. */
  readonly fileColumns: readonly string[];
}

/** Limit of rows that the server returns at once. */
export const rowsPerPage = 100;

/**
 * Reads a page whose first row has the index `offset`. Throws a Refusal if it is no such page, or if rows are
 * truncated. The content of a row is checked when the row is read.
 */
export function readPage(bytes: Uint8Array, offset: number, where: string): Page {
  const bad = (reason: string): Refusal =>
    new Refusal(problem("hub_answer_bad", { where, reason }), { exit: 4 });
  const { rest, items } = pageParts(bytes);
  const page = jsonObjectIn(rest);
  if (page === undefined) throw bad("it is no JSON");
  if (!Array.isArray(page["rows"])) throw bad("it has no `rows`");
  const { num_rows_total: total, partial, features } = page;
  if (typeof total !== "number" || !Number.isInteger(total) || total < 0) {
    throw bad("it does not say how many rows there are (`num_rows_total`)");
  }
  // Servers write pages without line breaks, but this is not guaranteed.
  const isSpread = bytes.includes(0x0a) || bytes.includes(0x0d);
  const whole = items.map((item, i) => rowOf(item, offset + i, { where, bad }));
  const rows = isSpread ? whole.map(oneLine) : whole;
  const fileColumns = fileColumnsOf(features);
  const isPlain = fileColumns.length === 0;
  return {
    rows: isPlain ? rows : rows.map((row) => unsigned(row, fileColumns)),
    total,
    partial: partial === true,
    fileColumns,
  };
}

const openObject = 0x7b;

function rowOf(
  { row, index: told, cut }: PageItem,
  index: number,
  { where, bad }: { readonly where: string; readonly bad: (reason: string) => Refusal },
): Uint8Array {
  if (row?.[0] !== openObject) throw bad(`row ${index + 1} is no JSON object`);
  if (told !== "" && told !== `${index}`) {
    throw bad(`row ${index + 1} was requested, but row ${Number(told) + 1} was returned`);
  }
  if (!/^(?:|null|\[\s*\])$/.test(cut)) {
    const columns = [...cut.matchAll(/"((?:[^"\\]|\\.)*)"/g)].map(([, name]) => name ?? "");
    throw new Refusal(problem("hub_cells_cut", { row: index + 1, columns }, { file: where }));
  }
  return row;
}

/**
 * Replaces line breaks by spaces. Between the parts of JSON they mean nothing, and inside its strings there are none.
 */
function oneLine(row: Uint8Array): Uint8Array {
  return row.map((byte) => (byte === 0x0a || byte === 0x0d ? 0x20 : byte));
}

/** Features whose values are links to the server's own copy of a file: `{src, …}`, or a list of such objects. */
const fileFeatures = ["Image", "Audio", "Video", "Pdf"];

function fileColumnsOf(features: Json | undefined): readonly string[] {
  if (!Array.isArray(features)) return [];
  return features.flatMap((feature: Json) => {
    if (!isJsonObject(feature) || typeof feature["name"] !== "string") return [];
    const isFile = fileFeatures.some((kind) =>
      JSON.stringify(feature["type"] ?? null).includes(`"_type":"${kind}"`),
    );
    return isFile ? [feature["name"]] : [];
  });
}

/**
 * Removes the signatures of links to files. They are new in every answer, and a row that changed by itself would be
 * another case.
 */
function unsigned(bytes: Uint8Array, columns: readonly string[]): Uint8Array {
  const parsed = parseJsonText(new TextDecoder().decode(bytes));
  // An unreadable row is refused later, when rows are read.
  if (parsed.kind !== "json" || !isJsonObject(parsed.value)) return bytes;
  return new TextEncoder().encode(JSON.stringify(withoutSignatures(parsed.value, columns)));
}

function withoutSignatures(row: JsonObject, columns: readonly string[]): JsonObject {
  const fields = Object.entries(row).map(([name, value]): [string, Json] => [
    name,
    columns.includes(name) ? withoutQueries(value) : value,
  ]);
  return Object.fromEntries(fields);
}

function withoutQueries(value: Json): Json {
  if (Array.isArray(value)) return value.map(withoutQueries);
  if (!isJsonObject(value)) return value;
  const { src } = value;
  return typeof src === "string" ? { ...value, src: src.replace(/\?.*$/s, "") } : value;
}

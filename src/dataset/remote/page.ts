import { isJsonObject, type Json, type JsonObject, jsonObjectIn } from "../../model/json.ts";
import { parseJsonText } from "../../base/json-text.ts";
import { problem, Refusal } from "../../model/refusal.ts";
import { pageParts, type PageItem } from "./page-parts.ts";

/** A page of the dataset server, as https://huggingface.co/docs/dataset-viewer/rows describes it. */
export interface Page {
  /** UTF-8 of JSON, as it came. */
  readonly rows: readonly Uint8Array[];
  /** Number of rows in the split. */
  readonly total: number;
  /** True if the server has only a part of the split. */
  readonly partial: boolean;
  /** Columns that hold files behind links. */
  readonly fileColumns: readonly string[];
}

/** The server gives no more at once. */
export const rowsPerPage = 100;

/**
 * The rows from `offset` on. Throws a Refusal if it is not a page, or if rows are truncated. The content of a row is
 * checked when it is read.
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
  if (row?.[0] !== openObject) throw bad(`what stands for row ${index + 1} is no row`);
  if (told !== "" && told !== `${index}`) {
    throw bad(`row ${index + 1} was asked for, and row ${Number(told) + 1} came`);
  }
  if (!/^(?:|null|\[\s*\])$/.test(cut)) {
    const columns = [...cut.matchAll(/"((?:[^"\\]|\\.)*)"/g)].map(([, name]) => name ?? "");
    throw new Refusal(problem("hub_cells_cut", { row: index + 1, columns }, { file: where }));
  }
  return row;
}

/** Line breaks between JSON's parts mean nothing, and inside its strings there are none. */
function oneLine(row: Uint8Array): Uint8Array {
  return row.map((byte) => (byte === 0x0a || byte === 0x0d ? 0x20 : byte));
}

/** The features that the server gives as links to its own copy: `{src, …}`, or a list of such. */
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

/** A link to a file is signed anew each time it is asked for; a row that changes by itself would be another case. */
function unsigned(bytes: Uint8Array, columns: readonly string[]): Uint8Array {
  const parsed = parseJsonText(new TextDecoder().decode(bytes));
  // An unreadable row is refused where rows are read.
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

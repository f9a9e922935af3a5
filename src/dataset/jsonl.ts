import { kindOf } from "../base/fields.ts";
import { isJsonObject, type Json } from "../model/json.ts";
import { parseJsonText } from "../base/json-text.ts";
import { createLineDecoder, createLineSplitter, type Line, type LineText } from "../base/lines.ts";
import { problem } from "../model/refusal.ts";
import { bytesPerBatch, rowsPerBatch, type RowRead, type Rows } from "./rows.ts";

/** How a JSON lines file is to be read. */
export interface JsonlReading {
  /** The path as messages name it. */
  readonly file: string;
  /** Says of a row whether the text of its numbers matters; undefined: of every row. */
  readonly needsSource: ((row: Json) => boolean) | undefined;
  /** The line that messages name for one of the file. Default: itself. */
  readonly lineOf?: ((line: number) => number) | undefined;
}

/** The rows of a JSON lines file: an object a line, UTF-8, empty lines skipped. */
export async function* readJsonl(chunks: AsyncIterable<Uint8Array>, reading: JsonlReading): Rows {
  const splitter = createLineSplitter();
  const decode = createLineDecoder();
  const read = (line: Line): RowRead | undefined => readRow(line, decode(line), reading);
  for await (const chunk of chunks) yield* batches(splitter.push(chunk), read);
  yield* batches(splitter.end(), read);
}

function* batches(
  lines: Iterable<Line>,
  read: (line: Line) => RowRead | undefined,
): Generator<readonly RowRead[]> {
  let batch: RowRead[] = [];
  let bytes = 0;
  for (const line of lines) {
    const row = read(line);
    if (row === undefined) continue;
    batch.push(row);
    bytes += line.bytes?.length ?? 0;
    if (batch.length === rowsPerBatch || bytes > bytesPerBatch) {
      yield batch;
      batch = [];
      bytes = 0;
    }
  }
  if (batch.length > 0) yield batch;
}

/** undefined for an empty line. */
function readRow(
  { number: own }: Line,
  line: LineText,
  { file, needsSource, lineOf }: JsonlReading,
): RowRead | undefined {
  const number = lineOf?.(own) ?? own;
  if (line.kind === "unreadable") return bad(line.reason, { file, line: number });
  if (line.text.trim() === "") return undefined;
  const parsed = parseJsonText(line.text, needsSource);
  if (parsed.kind === "malformed") {
    const { column } = parsed;
    const place = { file, line: number, ...(column === undefined ? {} : { column }) };
    return bad(spread(line.text) ?? parsed.reason, place);
  }
  if (isJsonObject(parsed.value)) return { kind: "row", row: parsed.value, line: number };
  const found = kindOf(parsed.value);
  return {
    kind: "bad",
    problem: problem("dataset_row_not_object", { found }, { file, line: number }),
  };
}

function bad(reason: string, place: { file: string; line: number; column?: number }): RowRead {
  return { kind: "bad", problem: problem("dataset_bad_row", { reason }, place) };
}

/** The first line of a JSON file that was laid out for reading. */
function spread(text: string): string | undefined {
  return /^\s*[[{]\s*$/.test(text)
    ? "an object must stand on one line; this looks like a JSON file spread over many (jq -c '.[]' makes lines of it)"
    : undefined;
}

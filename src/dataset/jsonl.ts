import { kindOf } from "../base/fields.ts";
import { isJsonObject, type Json } from "../model/json.ts";
import { parseJsonLines, type JsonLine } from "../base/json-lines.ts";
import { parseAnswer } from "../base/answer-json.ts";
import type { JsonText } from "../base/json-text.ts";
import { readTextLines, type LineText, type TextLine } from "../base/lines.ts";
import { problem } from "../model/refusal.ts";
import { bytesPerBatch, rowsPerBatch, type RowRead, type Rows } from "./rows.ts";

/** Settings for reading a JSON lines file. */
interface JsonlReading {
  /** Path of the file in messages. */
  readonly file: string;
  /** Tells whether the text of a row's numbers matters; undefined: it matters in every row. */
  readonly needsSource: ((row: Json) => boolean) | undefined;
  /** Maps a line of the file to the line that messages name. By default it is the same line. */
  readonly lineOf?: ((line: number) => number) | undefined;
}

/** The rows of a JSON lines file: one object on each line, UTF-8; blank lines are skipped. */
export async function* readJsonl(chunks: AsyncIterable<Uint8Array>, reading: JsonlReading): Rows {
  const parse = (text: string): JsonText => parseAnswer(text, reading.needsSource);
  for await (const lines of readTextLines(chunks))
    yield* batches(parseJsonLines(lines, parse), reading);
}

type RowLine = JsonLine<TextLine, JsonText>;

function* batches(lines: Iterable<RowLine>, reading: JsonlReading): Generator<readonly RowRead[]> {
  let batch: RowRead[] = [];
  let bytes = 0;
  for (const each of lines) {
    batch.push(readRow(each, reading));
    bytes += each.line.bytes?.length ?? 0;
    if (batch.length === rowsPerBatch || bytes > bytesPerBatch) {
      yield batch;
      batch = [];
      bytes = 0;
    }
  }
  if (batch.length > 0) yield batch;
}

function readRow({ line, parsed }: RowLine, { file, lineOf }: JsonlReading): RowRead {
  const number = lineOf?.(line.number) ?? line.number;
  if (parsed.kind === "unreadable") return badRow(parsed.reason, { file, line: number });
  if (parsed.kind === "malformed") {
    const { column } = parsed;
    const place = { file, line: number, ...(column === undefined ? {} : { column }) };
    return badRow(spreadObjectHint(line.text) ?? parsed.reason, place);
  }
  if (isJsonObject(parsed.value)) return { kind: "row", row: parsed.value, line: number };
  const found = kindOf(parsed.value);
  return {
    kind: "bad",
    problem: problem("dataset_row_not_object", { found }, { file, line: number }),
  };
}

function badRow(reason: string, place: { file: string; line: number; column?: number }): RowRead {
  return { kind: "bad", problem: problem("dataset_bad_row", { reason }, place) };
}

/** A hint if the line looks like the first line of an indented JSON file. */
function spreadObjectHint(line: LineText): string | undefined {
  return line.kind === "text" && /^\s*[[{]\s*$/.test(line.text)
    ? "an object must stand on one line; this looks like a JSON file spread over many: write format: json"
    : undefined;
}

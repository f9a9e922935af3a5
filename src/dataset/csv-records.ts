import { CsvError, parse } from "csv-parse";
import { longestLineBytes } from "../base/lines.ts";

/** One record, as in the file. */
export interface CsvRecord {
  readonly fields: readonly string[];
  /** Offset of the byte after the record and its line end. */
  readonly endByte: number;
}

/** The records of a piece of a file, and the error if nothing more can be read. */
export interface CsvPiece {
  readonly records: readonly CsvRecord[];
  readonly error: CsvError | undefined;
}

interface CsvParser {
  readonly feed: (chunk: Uint8Array) => Promise<CsvPiece>;
  readonly end: () => Promise<CsvPiece>;
}

/** Column separators, the usual one first. */
const delimiters = [",", ";", "\t", "|"] as const;

export type Delimiter = (typeof delimiters)[number];

/**
 * The column separator of a header: the first of the list that occurs in it outside quotes. Without any, the header is
 * one column.
 */
export function delimiterOf(header: string): Delimiter {
  const bare = header.replaceAll(/"[^"]*"/g, "");
  return delimiters.find((each) => bare.includes(each)) ?? delimiters[0];
}

/**
 * Makes a csv-parse parser that is fed piece by piece. Records are collected by callback, because in a stream an error
 * would discard earlier records that have not been read.
 */
export function createCsvParser(delimiter: Delimiter): CsvParser {
  let records: CsvRecord[] = [];
  const parser = parse({
    bom: true,
    delimiter,
    max_record_size: longestLineBytes,
    record_delimiter: ["\r\n", "\n"],
    relax_column_count: true,
    skip_empty_lines: true,
    on_record: (fields: readonly string[], { bytes }) => {
      records.push({ fields, endByte: bytes });
      return null;
    },
  });
  // The callbacks below get the error, too; without a listener the process would end.
  parser.on("error", () => undefined);
  parser.resume();
  const taken = (error: unknown): CsvPiece => {
    const piece = { records, error: csvError(error) };
    records = [];
    return piece;
  };
  return {
    feed: async (chunk) => {
      const { promise, resolve } = Promise.withResolvers<unknown>();
      parser.write(chunk, resolve);
      return taken(await promise);
    },
    end: async () => {
      const { promise, resolve } = Promise.withResolvers<unknown>();
      parser.once("error", resolve);
      parser.once("end", resolve);
      parser.end();
      return taken(await promise);
    },
  };
}

/** The error, if it is a mistake in the file. Any other error is a bug of ours and is thrown. */
function csvError(error: unknown): CsvError | undefined {
  if (error === undefined || error === null) return undefined;
  if (error instanceof CsvError) return error;
  throw error;
}

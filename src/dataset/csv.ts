import type { CsvError } from "csv-parse";
import {
  createLineDecoder,
  createLineSplitter,
  longestLineBytes,
  type Line,
} from "../base/lines.ts";
import { problem, type Place, type Problem } from "../model/refusal.ts";
import { createCsvParser, delimiterOf } from "./csv-records.ts";
import type { CsvPiece, CsvRecord, Delimiter } from "./csv-records.ts";
import { rowsPerBatch, type RowRead, type Rows } from "./rows.ts";

/**
 * The rows of a CSV file: the first row names the columns, every value is a text. Reading stops at a misplaced quote,
 * because later rows are then ambiguous. `file` is the path for messages.
 */
export async function* readCsv(chunks: AsyncIterable<Uint8Array>, file: string): Rows {
  let parser: ReturnType<typeof createCsvParser> | undefined;
  const header = createHeaderGatherer();
  const clock = createLineNumbers();
  const bytes = createByteCheck(file);
  const rows = createRowReader(file, clock);
  const readPiece = ({ records, error }: CsvPiece): RowRead[] => [
    ...records.flatMap(rows.read),
    ...(error === undefined ? [] : [badRow(csvProblem(error, rows.nextPlace()))]),
  ];
  for await (const chunk of chunks) {
    clock.push(chunk);
    yield* batches(bytes.check(chunk));
    const whole = parser === undefined ? header.add(chunk) : chunk;
    if (whole === undefined) continue;
    parser ??= createCsvParser(header.delimiter());
    const piece = await parser.feed(whole);
    yield* batches(readPiece(piece));
    if (piece.error !== undefined) return;
  }
  if (parser === undefined) {
    parser = createCsvParser(header.delimiter());
    const piece = await parser.feed(header.gathered());
    yield* batches(readPiece(piece));
    if (piece.error !== undefined) return;
  }
  yield* batches([...bytes.end(), ...readPiece(await parser.end()), ...rows.end()]);
}

/** Collects the first bytes until the header is complete, which shows the column separator. */
function createHeaderGatherer(): {
  /** Returns all bytes so far if the line is complete; undefined if more are needed. */
  readonly add: (chunk: Uint8Array) => Uint8Array | undefined;
  readonly gathered: () => Uint8Array;
  readonly delimiter: () => Delimiter;
} {
  let bytes = Buffer.alloc(0);
  const lineEnd = (): number => bytes.indexOf(0x0a);
  return {
    add: (chunk) => {
      bytes = Buffer.concat([bytes, chunk]);
      return lineEnd() >= 0 || bytes.length > longestHeaderBytes ? bytes : undefined;
    },
    gathered: () => bytes,
    delimiter: () => {
      const end = lineEnd();
      return delimiterOf(bytes.subarray(0, end < 0 ? bytes.length : end).toString("utf8"));
    },
  };
}

/** A longer header is read with commas as separators. */
const longestHeaderBytes = 1_000_000;

function* batches(rows: readonly RowRead[]): Generator<readonly RowRead[]> {
  for (let at = 0; at < rows.length; at += rowsPerBatch) yield rows.slice(at, at + rowsPerBatch);
}

function badRow(found: Problem): RowRead {
  return { kind: "bad", problem: found };
}

/** Finds lines that are not text, because the parser would replace undecodable bytes. */
function createByteCheck(file: string): {
  readonly check: (chunk: Uint8Array) => RowRead[];
  readonly end: () => RowRead[];
} {
  const splitter = createLineSplitter();
  const decode = createLineDecoder();
  const complaints = (lines: Iterable<Line>): RowRead[] => {
    const found: RowRead[] = [];
    for (const line of lines) {
      const text = decode(line);
      if (text.kind === "text") continue;
      found.push(badRow(problem("dataset_bad_row", text, { file, line: line.number })));
    }
    return found;
  };
  return {
    check: (chunk) => complaints(splitter.push(chunk)),
    end: () => complaints(splitter.end()),
  };
}

interface RowReader {
  readonly read: (record: CsvRecord) => RowRead[];
  /** Returns mistakes that only the whole file shows. */
  readonly end: () => RowRead[];
  /** The position at which the next record begins. */
  readonly nextPlace: () => Place;
}

function createRowReader(file: string, clock: LineNumbers): RowReader {
  let header: readonly string[] | undefined;
  let headerIsGood = false;
  let records = 0;
  const placeOf = (line: number): Place => ({ file, line });
  return {
    read: ({ fields, endByte }) => {
      const line = clock.lineBefore(endByte) - newlinesIn(fields);
      if (header === undefined) {
        // Templates can't name a field with white space around its name, as `id, text` writes it.
        header = fields.map((name) => name.trim());
        const problems = headerProblems(header, placeOf(line));
        headerIsGood = problems.length === 0;
        return problems.map((found) => ({ kind: "bad", problem: found }));
      }
      if (header.length > 1 && fields.length === 1 && fields[0]?.trim() === "") return [];
      records += 1;
      if (fields.length !== header.length) {
        const found = { found: fields.length, expected: header.length };
        return [{ kind: "bad", problem: problem("dataset_ragged", found, placeOf(line)) }];
      }
      return headerIsGood ? [{ kind: "row", row: rowOf(header, fields), line }] : [];
    },
    end: () => {
      if (records > 0 || !header?.some((name) => name.includes("\r"))) return [];
      const reason = "its lines end in a carriage return alone; save it with LF or CRLF";
      return [{ kind: "bad", problem: problem("dataset_header", { reason }, placeOf(1)) }];
    },
    nextPlace: () => placeOf(clock.lineAfterLast()),
  };
}

/** `fromEntries` defines own properties, so that a column may be called `__proto__`. */
function rowOf(
  header: readonly string[],
  fields: readonly string[],
): Readonly<Record<string, string>> {
  return Object.fromEntries(header.map((name, i) => [name, fields[i] ?? ""]));
}

function newlinesIn(fields: readonly string[]): number {
  let count = 0;
  for (const field of fields) if (field.includes("\n")) count += field.split("\n").length - 1;
  return count;
}

const maxColumns = 10_000;

function headerProblems(header: readonly string[], place: Place): Problem[] {
  const said = (reason: string): Problem => problem("dataset_header", { reason }, place);
  if (header.length > maxColumns)
    return [said(`it names ${header.length} columns; at most ${maxColumns} are read`)];
  const places = new Map<string, number>();
  return header.flatMap((name, i) => {
    if (name === "") return [said(`column ${i + 1} has no name`)];
    const first = places.get(name);
    if (first !== undefined)
      return [said(`columns ${first + 1} and ${i + 1} are both called '${name}'`)];
    places.set(name, i);
    return [];
  });
}

/** Translates csv-parse's errors. Its `column` counts fields from 0. */
function csvProblem(error: CsvError, place: Place): Problem {
  const column = Number(error["column"] ?? 0) + 1;
  const reason = csvReasons(column)[error.code] ?? error.message;
  return problem("dataset_bad_row", { reason }, place);
}

function csvReasons(field: number): Partial<Readonly<Record<CsvError["code"], string>>> {
  return {
    CSV_QUOTE_NOT_CLOSED: `field ${field} opens a quote that is never closed`,
    INVALID_OPENING_QUOTE: `field ${field} has a quote in its middle; put the whole field in quotes, and write a quote inside it twice`,
    CSV_INVALID_CLOSING_QUOTE: `field ${field} goes on after its closing quote; write a quote inside a field twice`,
    CSV_MAX_RECORD_SIZE: `it is longer than ${longestLineBytes / 1024 / 1024} MiB; is a quote never closed?`,
  };
}

/**
 * Tells the line of a byte of a CSV file. csv-parse counts lines itself, but counts a CRLF inside quotes twice (7.0.3),
 * which makes every later position wrong; its byte offsets are right.
 */
interface LineNumbers {
  readonly push: (chunk: Uint8Array) => void;
  /** The line of the last byte before `offset`; offsets must not go back. */
  readonly lineBefore: (offset: number) => number;
  /** The line after the one returned last. */
  readonly lineAfterLast: () => number;
}

/** Line numbers of one file. It holds line ends that were read but not yet used. */
function createLineNumbers(): LineNumbers {
  const ahead: number[] = [];
  let taken = 0;
  let passed = 0;
  let bytes = 0;
  let last = 0;
  return {
    push: (chunk) => {
      ahead.splice(0, taken);
      taken = 0;
      for (let at = chunk.indexOf(0x0a); at !== -1; at = chunk.indexOf(0x0a, at + 1)) {
        ahead.push(bytes + at);
      }
      bytes += chunk.length;
    },
    lineBefore: (offset) => {
      for (let end = ahead[taken]; end !== undefined && end < offset - 1; end = ahead[taken]) {
        taken += 1;
        passed += 1;
      }
      last = passed + 1;
      return last;
    },
    lineAfterLast: () => last + 1,
  };
}

import { isBlank } from "../../base/json-lines.ts";
import { problem, Refusal } from "../../model/refusal.ts";
import { inspectPath } from "./files.ts";
import { type FileLine, readFleetingBatches } from "./lines.ts";

/** Narrows a value, or describes its problem. */
export interface LineShape<T> {
  readonly is: (value: unknown) => value is T;
  /** Why the last value was refused: `/error/stage must be one of …`. */
  readonly complaint: () => string;
}

/** The JSON of a line as it is stored. Throws a Refusal. */
export type ReadLine = (text: string, file: string, number: number) => string;

/** A value of a journal, and the byte after its line. */
interface JournalValue<T> {
  readonly value: T;
  readonly endOffset: number;
}

/**
 * The values of a journal, checked. A last line that is torn is dropped; a damaged line before it is refused,
 * because guessing would lose a sample unseen. A file that does not exist has no lines.
 */
export async function* readJsonLines<T>(
  path: string,
  shape: LineShape<T>,
  readLine?: ReadLine,
): AsyncGenerator<JournalValue<T>> {
  for await (const values of readJsonBatches(path, shape, readLine)) yield* values;
}

/** Yields the values of one chunk of the file at a time: faster for a million lines. */
export async function* readJsonBatches<T>(
  path: string,
  shape: LineShape<T>,
  readLine: ReadLine = asStored,
): AsyncGenerator<Iterable<JournalValue<T>>> {
  const { kind } = await inspectPath(path);
  if (kind === "missing") return;
  for await (const lines of readFleetingBatches(path))
    yield valuesIn(lines, path, { shape, readLine });
}

function asStored(text: string): string {
  return text;
}

/**
 * A single loop that makes no object for a line except its value: a comparison reads two million lines, and each object
 * costs time to free.
 */
function* valuesIn<T>(
  lines: Iterable<FileLine>,
  path: string,
  { shape, readLine }: { readonly shape: LineShape<T>; readonly readLine: ReadLine },
): Generator<JournalValue<T>> {
  for (const { text, number, end, complete } of lines) {
    if (text.kind === "text" && isBlank(text.text)) continue;
    if (!complete) return;
    if (text.kind === "unreadable") throw damaged(text.reason, path, number);
    const value = parse(readLine(text.text, path, number), path, number);
    if (!shape.is(value)) throw damaged(shape.complaint(), path, number);
    yield { value, endOffset: end };
  }
}

function damaged(reason: string, file: string, line: number): Refusal {
  return new Refusal(problem("journal_damaged", { reason }, { file, line }));
}

/** Uses the parser's message, which has the position in the line. */
function parse(text: string, file: string, line: number): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw damaged(error instanceof Error ? error.message : String(error), file, line);
  }
}

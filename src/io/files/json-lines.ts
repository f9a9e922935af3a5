import { parseJsonLines } from "../../base/json-lines.ts";
import { problem, Refusal } from "../../model/refusal.ts";
import { inspectPath } from "./files.ts";
import { type FileLine, readFleetingBatches } from "./lines.ts";

/** Says what is wrong with a value, or narrows it. */
export interface LineShape<T> {
  readonly is: (value: unknown) => value is T;
  /** Why the last value was refused: `/error/stage must be one of …`. */
  readonly complaint: () => string;
}

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
): AsyncGenerator<JournalValue<T>> {
  for await (const values of readJsonBatches(path, shape)) yield* values;
}

/** The same, those of a chunk of the file at once: for whoever reads a million of them. */
export async function* readJsonBatches<T>(
  path: string,
  shape: LineShape<T>,
): AsyncGenerator<Iterable<JournalValue<T>>> {
  const { kind } = await inspectPath(path);
  if (kind === "missing") return;
  for await (const lines of readFleetingBatches(path)) yield valuesIn(lines, path, shape);
}

function* valuesIn<T>(
  lines: Iterable<FileLine>,
  path: string,
  shape: LineShape<T>,
): Generator<JournalValue<T>> {
  for (const { line, parsed } of parseJsonLines(lines, parse)) {
    if (!line.complete) return;
    const damaged = (reason: string): Refusal =>
      new Refusal(problem("journal_damaged", { reason }, { file: path, line: line.number }));
    if (parsed.kind !== "json") throw damaged(parsed.reason);
    if (!shape.is(parsed.value)) throw damaged(shape.complaint());
    yield { value: parsed.value, endOffset: line.end };
  }
}

type Parsed =
  | { readonly kind: "json"; readonly value: unknown }
  /** In the parser's own words, which name the place in the line. */
  | { readonly kind: "malformed"; readonly reason: string };

function parse(text: string): Parsed {
  try {
    return { kind: "json", value: JSON.parse(text) };
  } catch (error) {
    return { kind: "malformed", reason: error instanceof Error ? error.message : String(error) };
  }
}

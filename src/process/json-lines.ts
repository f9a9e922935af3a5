import { problem, Refusal } from "../domain/refusal.ts";
import { inspectPath } from "./files.ts";
import { readLines } from "./lines.ts";

/** Says what is wrong with a value, or narrows it. */
export interface Shape<T> {
  readonly is: (value: unknown) => value is T;
  /** Why the last value was refused: `/error/stage must be one of …`. */
  readonly complaint: () => string;
}

/**
 * The values of a journal, checked. A last line that is torn is dropped; a damaged line before it is refused,
 * because guessing would lose a sample unseen. A file that does not exist has no lines.
 */
export async function* readJsonLines<T>(
  path: string,
  shape: Shape<T>,
): AsyncGenerator<{ readonly value: T; readonly endOffset: number }> {
  const { kind } = await inspectPath(path);
  if (kind === "missing") return;
  for await (const line of readLines(path)) {
    if (!line.complete) return;
    const damaged = (reason: string): Refusal =>
      new Refusal(problem("journal_damaged", { reason }, { file: path, line: line.number }));
    if (line.text.kind === "unreadable") throw damaged(line.text.reason);
    if (line.text.text.trim() === "") continue;
    const value = parse(line.text.text, damaged);
    if (!shape.is(value)) throw damaged(shape.complaint());
    yield { value, endOffset: line.end };
  }
}

function parse(text: string, damaged: (reason: string) => Refusal): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw damaged(error instanceof Error ? error.message : String(error));
  }
}

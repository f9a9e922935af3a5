import { inspectPath, writeFileAtomically } from "../io/files/files.ts";
import { readLines } from "../io/files/lines.ts";

/** Rewrites a journal with one line an id, the last one, where the lines of the last ones stand. */
export async function compactSamples(path: string): Promise<void> {
  const { kind } = await inspectPath(path);
  if (kind === "missing") return;
  const last = new Map<string, number>();
  let lines = 0;
  for await (const { text, number } of texts(path)) {
    lines += 1;
    last.set(sampleId(text), number);
  }
  if (lines > last.size) await writeFileAtomically(path, lastLines(path, last));
}

async function* lastLines(path: string, last: ReadonlyMap<string, number>): AsyncGenerator<string> {
  for await (const { text, number } of texts(path)) {
    if (last.get(sampleId(text)) === number) yield `${text}\n`;
  }
}

async function* texts(
  path: string,
): AsyncGenerator<{ readonly text: string; readonly number: number }> {
  for await (const { text, number } of readLines(path)) {
    if (text.kind === "text") yield { text: text.text, number };
  }
}

/** Our own writer puts the id first: `{"id":"sample_…",`. */
function sampleId(line: string): string {
  return line.slice(0, line.indexOf(","));
}

import { createDigestTable, shortDigest } from "../ledger/digest-table.ts";
import { createBlockCache } from "../base/block-cache.ts";
import { parseJsonText } from "../base/json-text.ts";
import type { OpenedFile } from "../model/ports/files.ts";
import type { SampleReader } from "../model/ports/store.ts";
import { problem, Refusal } from "../model/refusal.ts";
import type { Sample } from "../model/outcomes/sample.ts";
import { hashText, inspectPath, openFile } from "../io/files/files.ts";
import { readLines } from "../io/files/lines.ts";
import { idIn, plainLines, type StoredLines } from "./encrypted-lines.ts";
import { loadRunShapes } from "./shapes.ts";
import type { LineShape } from "../io/files/json-lines.ts";

/** Small blocks, because unused blocks of 256 KiB waited for V8's collection and took 25 MB more in a run of 100,000. */
const blockBytes = 32 * 1024;
/** Samples are requested in the order of the plan, and stored in the order in which they finished, which is similar. */
const blocksKept = 64;

/**
 * The samples of a journal by id, from each one's last complete line. Memory holds some 40 bytes per sample and a few
 * blocks of the file, whatever the samples' size. Lines appended later are not seen.
 */
export async function openSampleReader(
  path: string,
  { read: readLine }: StoredLines = plainLines,
): Promise<SampleReader> {
  const { kind } = await inspectPath(path);
  if (kind === "missing") return { read: async () => undefined, close: async () => undefined };
  const find = await indexLines(path);
  const file = await openFile(path);
  const readAt = spanReader(file);
  const { sampleShape } = await loadRunShapes();
  return {
    read: async (id) => {
      const line = find(id);
      if (line === undefined) return undefined;
      const bytes = await readAt(line.start, line.end - line.start);
      const text = readLine(new TextDecoder().decode(bytes).trimEnd(), path, 0);
      return parseSample(text, sampleShape, path);
    },
    close: file.close,
  };
}

interface Span {
  readonly start: number;
  readonly end: number;
}

/** Finds the position of each id's last line. */
async function indexLines(path: string): Promise<(id: string) => Span | undefined> {
  const ends = createDigestTable();
  const starts = createDigestTable();
  let start = 0;
  for await (const { text, end, complete } of readLines(path)) {
    if (complete && text.kind === "text") {
      const key = keyInLine(text.text);
      starts.set(key, start);
      ends.set(key, end);
    }
    start = end;
  }
  return (id) => {
    const key = keyOf(id);
    const [from, to] = [starts.get(key), ends.get(key)];
    return from === undefined || to === undefined ? undefined : { start: from, end: to };
  };
}

/**
 * The key of the sample in a line: our own writer puts the id first, as `{"id":"sample_…",`. The key is a digest,
 * because a part of the line would keep all of it in memory.
 */
export function keyInLine(line: string): string {
  return keyOf(idIn(line) ?? "");
}

function keyOf(id: string): string {
  return shortDigest(hashText(id));
}

/** Reads spans through the blocks that were read last. */
function spanReader(file: OpenedFile): (start: number, length: number) => Promise<Uint8Array> {
  const readBlock = createBlockCache(file, { blockBytes, blocksKept });
  return async (start, length) => {
    const pieces: Uint8Array[] = [];
    for (let at = start; at < start + length;) {
      const index = Math.floor(at / blockBytes);
      const from = at - index * blockBytes;
      const piece = (await readBlock(index)).subarray(from, from + start + length - at);
      if (piece.length === 0) break;
      pieces.push(piece);
      at += piece.length;
    }
    return Buffer.concat(pieces);
  };
}

/** Numbers of the row keep their source text, because the sample may be written again. */
function parseSample(text: string, shape: LineShape<Sample>, path: string): Sample {
  const parsed = parseJsonText(text);
  if (parsed.kind === "json" && shape.is(parsed.value)) return parsed.value;
  const reason = parsed.kind === "malformed" ? parsed.reason : shape.complaint();
  throw new Refusal(problem("journal_damaged", { reason }, { file: path }));
}

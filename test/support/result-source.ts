import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { Refusal } from "../../src/model/refusal.ts";
import type { OpenedResults, ResultMetric, ResultRow } from "../../src/model/results.ts";
import type {
  OpenResults,
  ResultHead,
  ResultShape,
  ResultSource,
} from "../../src/results/source.ts";

/** A recorded file of `test/fixtures/results`. */
export function recorded(name: string): Buffer {
  return readFileSync(fileURLToPath(new URL(`../fixtures/results/${name}`, import.meta.url)));
}

/** A file of results in memory, read in small pieces. */
export function sourceOf(content: string | Uint8Array, path = "out.json"): ResultSource {
  const all = Buffer.from(content);
  const pieces = 10_007;
  return {
    path,
    size: all.length,
    async *bytes() {
      for (let at = 0; at < all.length; at += pieces) yield all.subarray(at, at + pieces);
    },
    open: async () => ({
      read: async (offset, length) => all.subarray(offset, offset + length),
      close: async () => undefined,
    }),
    beside: async () => undefined,
  };
}

export function headOf(content: string | Uint8Array, path = "out.json"): ResultHead {
  const all = Buffer.from(content);
  const bytes = all.subarray(0, 64 * 1024);
  const text = new TextDecoder().decode(bytes);
  return { path, bytes, text, whole: all.length === bytes.length };
}

export interface ReadResults {
  readonly tool: OpenedResults["tool"];
  readonly rows: readonly ResultRow[];
  readonly metrics: readonly ResultMetric[];
}

/** Everything that a reader makes of a file. */
export async function readAll(
  open: OpenResults,
  source: ResultSource,
  metrics: ResultShape["metrics"] = [],
): Promise<ReadResults> {
  const opened = await open(source, { metrics, fields: {} });
  const rows: ResultRow[] = [];
  for await (const row of opened.rows) rows.push(row);
  return { tool: opened.tool, rows, metrics: opened.metrics() };
}

/** The message of the refusal that a reader ends in. */
export async function refusalOf(reading: Promise<unknown>): Promise<string> {
  const thrown: unknown = await reading.then(
    () => "nothing",
    (error: unknown) => error,
  );
  if (!(thrown instanceof Refusal))
    throw new Error(`not refused: ${String(thrown)}`, { cause: thrown });
  return thrown.message;
}

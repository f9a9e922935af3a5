import type { OpenedResults } from "../model/results.ts";
import type { ReadTable } from "./rows.ts";
import type { LooksLike, ResultShape, ResultSource } from "./source.ts";
import { openTable } from "./table.ts";

/** CSV with a header: a row for each answer. `read`: reads the rows. */
export async function openCsv(
  source: ResultSource,
  shape: ResultShape,
  read: ReadTable,
): Promise<OpenedResults> {
  return openTable({ tool: "csv", source, shape, read, texts: true });
}

/** By its name: any text may be a CSV file. */
export const looksLikeCsv: LooksLike = ({ path, text }) =>
  path.toLowerCase().endsWith(".csv") && !/^\s*[[{<]/.test(text);

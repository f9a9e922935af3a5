import type { JsonObject } from "../../model/json.ts";
import { problem, Refusal, type Problem } from "../../model/refusal.ts";
import type {
  DownloadedDataset,
  KeptRows,
  RemoteTools,
  RowWriter,
} from "../../model/ports/remote.ts";
import { type HubDataset, mostRemoteRows } from "../../model/definition/dataset.ts";
import type { RequestRemote } from "./ask.ts";
import { mapInOrder } from "../../base/ordered-map.ts";
import { type Page, readPage, rowsPerPage } from "./page.ts";
import { checkRevision, isCommit } from "./revision.ts";
import { askServer } from "./server.ts";
import { chooseConfig } from "./splits.ts";

/** The tools for downloading one data set. */
export interface DownloadTools {
  readonly ask: RequestRemote;
  readonly tools: RemoteTools;
  /** False if the first rows are enough. */
  readonly whole: boolean;
}

/**
 * Number of pages requested at once. More would only use up the server's quota (500 to 1,000 requests in five minutes)
 * sooner.
 */
const pagesAhead = 8;

/** Downloads a data set of Hugging Face page by page, or reuses kept rows. Throws a Refusal if neither is possible. */
export async function downloadHub(
  dataset: HubDataset,
  download: DownloadTools,
): Promise<DownloadedDataset> {
  const { tools } = download;
  const { revision } = dataset;
  if (isCommit(revision)) {
    const kept = await tools.rowCache.find(keyOf(dataset, revision, tools));
    if (kept !== undefined) return hubDataset(dataset, kept, []);
  }
  const { config, warnings } = await chooseConfig(dataset, download.ask, tools);
  const split = { dataset, config, download };
  const first = await askPage(split, 0, undefined);
  await checkRevision(dataset, first.revision, download);
  const wanted = rowsWanted(dataset, first.page);
  const found = { first, wanted, warnings: [...warnings, ...fileWarnings(dataset, first.page)] };
  return download.whole ? downloadAllPages(split, found) : downloadFirstPage(split, found);
}

interface SplitToRead {
  readonly dataset: HubDataset;
  readonly config: string;
  readonly download: DownloadTools;
}

interface Found {
  readonly first: PageRead;
  readonly wanted: number;
  readonly warnings: readonly Problem[];
}

interface PageRead {
  readonly page: Page;
  readonly revision: string | undefined;
}

function keyOf(
  { path, name, split, max_rows }: HubDataset,
  revision: string,
  { servers }: RemoteTools,
): string {
  const rows = max_rows ?? null;
  return JSON.stringify({ server: servers.rows, path, name: name ?? null, split, revision, rows });
}

async function downloadAllPages(split: SplitToRead, found: Found): Promise<DownloadedDataset> {
  const { dataset, config, download } = split;
  const { tools } = download;
  const { first, wanted, warnings } = found;
  // Without a revision it is unknown whether kept rows are still current.
  const about = { config, revision: first.revision ?? null };
  const key = first.revision === undefined ? undefined : keyOf(dataset, first.revision, tools);
  const kept = key === undefined ? undefined : await tools.rowCache.find(key);
  if (kept !== undefined) return hubDataset(dataset, kept, warnings);
  const writer = await tools.rowCache.begin(
    key === undefined ? { key, resume: false } : { key, resume: true },
  );
  try {
    await writePages(split, found, writer);
    return hubDataset(dataset, await writer.finish({ ...about, rows: wanted }), warnings);
  } catch (error) {
    await writer.leave();
    throw error;
  }
}

async function writePages(
  split: SplitToRead,
  { first, wanted }: Found,
  writer: RowWriter,
): Promise<void> {
  const start = Math.floor(writer.rows / rowsPerPage);
  const pages = Math.ceil(wanted / rowsPerPage);
  const read = mapInOrder(pages - start, pagesAhead, async (index) => {
    const offset = (start + index) * rowsPerPage;
    return offset === 0 ? first : askPage(split, offset, first);
  });
  let offset = start * rowsPerPage;
  for await (const { page } of read) {
    const upTo = Math.min(offset + rowsPerPage, wanted);
    const rows = page.rows.slice(Math.max(0, writer.rows - offset), upTo - offset);
    await writer.append(asLines(rows), rows.length);
    offset += rowsPerPage;
  }
}

const newline = 0x0a;

function asLines(rows: readonly Uint8Array[]): Uint8Array {
  const lines = new Uint8Array(rows.reduce((sum, { length }) => sum + length + 1, 0));
  let at = 0;
  for (const row of rows) {
    lines.set(row, at);
    at += row.length + 1;
    lines[at - 1] = newline;
  }
  return lines;
}

/** Downloads only the first page. */
async function downloadFirstPage(
  split: SplitToRead,
  { first, wanted, warnings }: Found,
): Promise<DownloadedDataset> {
  const { dataset, config, download } = split;
  const { rowCache } = download.tools;
  const rows = first.page.rows.slice(0, wanted);
  const writer = await rowCache.begin({ key: undefined, resume: false });
  await writer.append(asLines(rows), rows.length);
  const about = { config, revision: first.revision ?? null, rows: wanted };
  const kept = await writer.finish(about);
  return { ...hubDataset(dataset, kept, warnings), size: wanted, whole: rows.length === wanted };
}

/**
 * Requests a page, and compares its facts with the first page's: a split that changes while it is read can't be used.
 */
async function askPage(
  { dataset, config, download }: SplitToRead,
  offset: number,
  first: PageRead | undefined,
): Promise<PageRead> {
  const { path, split } = dataset;
  const { ask, tools } = download;
  const query = { dataset: path, config, split, offset: `${offset}`, length: `${rowsPerPage}` };
  const url = `${tools.servers.rows}/rows?${new URLSearchParams(query).toString()}`;
  const answer = await askServer({ url, path, tools }, ask);
  const where = labelOf(dataset, config);
  if (answer.kind === "said_no") {
    throw new Refusal(problem("hub_refused", { path: where, reason: answer.reason }));
  }
  const page = readPage(answer.bytes, offset, where);
  const read = { page, revision: answer.revision };
  const total = first?.page.total ?? page.total;
  if (total !== page.total || (first !== undefined && first.revision !== read.revision)) {
    throw new Refusal(problem("hub_changed", { where }), { exit: 4 });
  }
  const expected = Math.max(0, Math.min(rowsPerPage, total - offset));
  if (page.rows.length !== expected) {
    const short = { where, offset, expected, found: page.rows.length };
    throw new Refusal(problem("hub_page_short", short), { exit: 4 });
  }
  return read;
}

function rowsWanted(dataset: HubDataset, { total, partial }: Page): number {
  const { path, max_rows } = dataset;
  const most = max_rows ?? Infinity;
  if (partial && most > total) {
    throw new Refusal(problem("hub_partial", { path, rows: total }));
  }
  const wanted = Math.min(most, total);
  if (wanted <= mostRemoteRows) return wanted;
  throw new Refusal(problem("remote_too_many", { rows: total, limit: mostRemoteRows }));
}

function fileWarnings({ path }: HubDataset, { fileColumns: columns }: Page): readonly Problem[] {
  return columns.length === 0 ? [] : [problem("hub_files", { path, columns })];
}

function hubDataset(
  dataset: HubDataset,
  { absolute, rows, about }: KeptRows,
  warnings: readonly Problem[],
): DownloadedDataset {
  const { path, split, id_field } = dataset;
  const { config = null, revision = null } = about;
  const label = labelOf(dataset, typeof config === "string" ? config : undefined);
  const identity: JsonObject = { source: "huggingface", path, config, split, revision };
  return {
    dataset: { file: { path: label, absolute }, format: "jsonl", id_field },
    identity,
    size: rows,
    whole: true,
    warnings,
  };
}

/** Name of the data set in messages; the "line" after it is the number of a row. */
function labelOf({ path, split }: HubDataset, config: string | undefined): string {
  return [path, config, split].filter((part) => part !== undefined).join("/");
}

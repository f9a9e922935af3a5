import type { JsonObject } from "../model/json.ts";
import { readTextLines } from "../base/lines.ts";
import { problem, Refusal, type Problem } from "../model/refusal.ts";
import type { DownloadedDataset, KeptRows, RowWriter } from "../model/ports/remote.ts";
import { mostRemoteRows, type RemoteFiles } from "../model/definition/dataset.ts";
import { readCsv } from "./csv.ts";
import { asLines } from "./remote/array-lines.ts";
import { plainUrl, readBodyText, type RemoteResponse, saidIn } from "./remote/ask.ts";
import type { DownloadTools } from "./remote/hub.ts";
import { whatInstead } from "./remote/sniff.ts";

/** Number of attempts for a file whose download breaks off. */
const mostTries = 4;
/** Number of rows of a file that a check reads. */
const rowsToCheck = 100;

/**
 * Downloads the rows of remote files, or reuses kept ones that are unchanged. Throws a Refusal if neither is possible.
 */
export async function downloadFiles(
  dataset: RemoteFiles,
  download: DownloadTools,
): Promise<DownloadedDataset> {
  const { rowCache } = download.tools;
  const { builder, urls, max_rows } = dataset;
  const key = JSON.stringify({ builder, urls, rows: max_rows ?? null });
  const kept = await rowCache.find(key);
  if (kept !== undefined && (await isUnchanged(dataset, kept, download)))
    return filesDataset(dataset, kept);
  for (let tried = 1; ; tried += 1) {
    const asKey = download.whole ? key : undefined;
    const writer = await rowCache.begin({ key: asKey, resume: false });
    try {
      const read = await readAll(dataset, writer, download);
      const now = await writer.finish({ etags: [...read.etags] });
      return {
        ...filesDataset(dataset, now),
        ...(!read.ended && { size: undefined, whole: false }),
      };
    } catch (error) {
      await writer.leave();
      if (tried === mostTries || !isBroken(error)) throw error;
    }
  }
}

function isBroken(error: unknown): boolean {
  return error instanceof Refusal && error.problems.some(({ code }) => code === "remote_broken");
}

/** Asks each server whether the kept file is still current; if it is, the answer has no body. */
async function isUnchanged(
  { urls }: RemoteFiles,
  { about }: KeptRows,
  { ask }: DownloadTools,
): Promise<boolean> {
  const etags: readonly unknown[] = Array.isArray(about["etags"]) ? about["etags"] : [];
  for (const [i, url] of urls.entries()) {
    const etag = etags[i];
    // A weak tag only means equivalent content, which is not enough here.
    if (typeof etag !== "string" || !etag.startsWith('"')) return false;
    const asked = { url, headers: { "if-none-match": etag } };
    const status = await ask(asked, async (response) => {
      await readToEnd(response);
      return response.status;
    });
    if (status !== 304) return false;
  }
  return urls.length > 0;
}

/** Reads a body that is not needed to its end. */
async function readToEnd({ body }: RemoteResponse): Promise<void> {
  for await (const _ of body) return;
}

interface AllRead {
  /** The entity tag of each file; null if its server names none. */
  readonly etags: readonly (string | null)[];
  /** False if there may be more rows than were read. */
  readonly ended: boolean;
}

async function readAll(
  dataset: RemoteFiles,
  writer: RowWriter,
  download: DownloadTools,
): Promise<AllRead> {
  const most = Math.min(dataset.max_rows ?? Infinity, download.whole ? Infinity : rowsToCheck);
  const etags: (string | null)[] = [];
  let rows = 0;
  for (const url of dataset.urls) {
    const response = await download.ask({ url }, async (answer) => answer);
    await refuseStatus(response, url, download);
    etags.push(response.headers["etag"] ?? null);
    for await (const lines of linesOf(dataset, { url, response, most: most - rows })) {
      rows += lines.length;
      if (rows > mostRemoteRows) {
        const found = { rows: undefined, limit: mostRemoteRows };
        throw new Refusal(problem("remote_too_many", found, { file: plainUrl(url) }));
      }
      const text = lines.map((line) => `${line}\n`).join("");
      await writer.append(new TextEncoder().encode(text), lines.length);
    }
    if (rows >= most) return { etags, ended: most === dataset.max_rows };
  }
  return { etags, ended: true };
}

async function refuseStatus(
  response: RemoteResponse,
  url: string,
  { tools }: DownloadTools,
): Promise<void> {
  const { status } = response;
  const file = plainUrl(url);
  if (status === 200) return;
  const said = saidIn(tools.redact((await readBodyText(response, 64 * 1024)) ?? ""));
  if (status === 401 || status === 403) {
    const isHub = new URL(url).origin === new URL(tools.servers.hub).origin;
    const needsToken = isHub && tools.token === undefined;
    throw new Refusal(problem("data_file_denied", { url: file, status, needsToken }));
  }
  throw new Refusal(problem("data_file_status", { url: file, reason: `HTTP ${status}${said}` }));
}

interface FileToRead {
  readonly url: string;
  readonly response: RemoteResponse;
  /** Limit of rows. */
  readonly most: number;
}

/** A file's rows as JSON, one on each line. Unreadable rows are refused with their position. */
async function* linesOf(
  { builder }: RemoteFiles,
  { url, response, most }: FileToRead,
): AsyncGenerator<readonly string[]> {
  const file = plainUrl(url);
  const chunks = sniffed(response, file);
  let rows = 0;
  for await (const lines of builder === "csv" ? csvLines(chunks, file) : jsonLines(chunks, file)) {
    const wanted = lines.slice(0, most - rows);
    rows += wanted.length;
    yield wanted;
    if (rows >= most) return;
  }
}

async function* sniffed(
  { body, headers }: RemoteResponse,
  file: string,
): AsyncGenerator<Uint8Array> {
  const encoding = headers["content-encoding"] ?? "identity";
  let isFirst = true;
  for await (const chunk of body) {
    if (isFirst) {
      const encoded = encoding === "identity" ? undefined : `compressed (${encoding})`;
      const what = encoded ?? whatInstead(chunk, headers["content-type"]);
      if (what !== undefined) throw new Refusal(problem("data_file_kind", { what }, { file }));
    }
    isFirst = false;
    yield chunk;
  }
}

async function* csvLines(
  chunks: AsyncIterable<Uint8Array>,
  file: string,
): AsyncGenerator<readonly string[]> {
  for await (const batch of readCsv(chunks, file)) {
    const bad = batch.flatMap((read): Problem[] => (read.kind === "bad" ? [read.problem] : []));
    if (bad.length > 0) throw new Refusal(bad);
    yield batch.flatMap((read) => (read.kind === "row" ? [JSON.stringify(read.row)] : []));
  }
}

/** Passes JSON lines on. A line's content is checked when it is read as a row. */
async function* jsonLines(
  chunks: AsyncIterable<Uint8Array>,
  file: string,
): AsyncGenerator<readonly string[]> {
  for await (const lines of readTextLines(asLines(chunks))) {
    const found: string[] = [];
    for (const { text, number } of lines) {
      if (text.kind === "unreadable") {
        const { reason } = text;
        throw new Refusal(problem("dataset_bad_row", { reason }, { file, line: number }));
      }
      if (text.text.trim() !== "") found.push(text.text);
    }
    yield found;
  }
}

function filesDataset(
  { builder, urls, id_field }: RemoteFiles,
  { absolute, rows }: KeptRows,
): DownloadedDataset {
  const [first = ""] = urls;
  const more = urls.length === 1 ? "" : ` and ${urls.length - 1} more`;
  const identity: JsonObject = { source: "data_files", builder };
  return {
    dataset: {
      file: { path: `${plainUrl(first)}${more}`, absolute },
      format: "jsonl",
      id_field,
    },
    identity,
    size: rows,
    whole: true,
    warnings: [],
  };
}

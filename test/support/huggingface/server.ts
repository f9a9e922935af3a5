import { createHash } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { once } from "node:events";
import type { AddressInfo, Socket } from "node:net";

/**
 * A stand-in for Hugging Face's dataset server and hub. It speaks the JSON of
 * https://huggingface.co/docs/dataset-viewer (`/is-valid`, `/splits`, `/rows`), its errors and its headers
 * `x-revision` and `x-error-code` included, and the hub's `/api/datasets/…/revision/…`.
 */
export interface StandIn extends AsyncDisposable {
  /** `http://127.0.0.1:<port>`. */
  readonly url: string;
  readonly host: string;
  /** `GET /rows?…`, in the order of their coming. */
  readonly asked: readonly Asked[];
  /** Environment variables for a run. */
  readonly env: Readonly<Record<string, string>>;
}

export interface Asked {
  readonly url: URL;
  readonly authorization: string | undefined;
  readonly headers: IncomingMessage["headers"];
}

export interface StoredDataset {
  /** Rows as JSON, by `config/split`; a list of values is written as JSON writes it. */
  readonly splits: Readonly<Record<string, readonly (string | object)[]>>;
  readonly revision?: string;
  /** Branches and tags. */
  readonly refs?: Readonly<Record<string, string>>;
  /** Requests without this token are refused. */
  readonly gated?: string;
  readonly partial?: boolean;
  readonly features?: readonly object[];
}

export interface StandInOptions {
  readonly datasets?: Readonly<Record<string, StoredDataset>>;
  /** Answers before anything else does: true if it did. */
  readonly before?: (request: URL, response: ServerResponse, nth: number) => boolean;
  /** Plain files by path. */
  readonly files?: Readonly<Record<string, string | Buffer>>;
}

export const revision = "7f3a1c9d5b2e4f60718293a4b5c6d7e8f9012345";

/** Starts one on the loopback. */
export async function serveHuggingFace(options: StandInOptions): Promise<StandIn> {
  const asked: Asked[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? "/", `http://${request.headers.host ?? "localhost"}`);
    const { authorization } = request.headers;
    asked.push({ url, authorization, headers: request.headers });
    if (options.before?.(url, response, asked.length) === true) return;
    answer(url, { request, response }, options);
  });
  server.on("connection", (socket: Socket) => {
    sockets.add(socket);
    socket.on("error", () => undefined);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const host = `127.0.0.1:${port}`;
  return {
    url: `http://${host}`,
    host,
    asked,
    env: { REGRADE_TEST_DATASETS_SERVER: `http://${host}` },
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, "close");
    },
  };
}

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

function answer(url: URL, exchange: Exchange, { datasets = {}, files = {} }: StandInOptions): void {
  const { request, response } = exchange;
  const file = Object.hasOwn(files, url.pathname) ? files[url.pathname] : undefined;
  if (file !== undefined) return sendFile(exchange, file);
  const { path, ref } = namedIn(url);
  const dataset = Object.hasOwn(datasets, path) ? datasets[path] : undefined;
  const token = request.headers.authorization?.replace("Bearer ", "");
  if (dataset === undefined || !isOpenTo(dataset, token)) {
    return refuse(response, token === undefined ? unauthenticated : authenticated);
  }
  if (ref !== undefined) return sendRevision(response, dataset, ref);
  const sha = dataset.revision ?? revision;
  switch (url.pathname) {
    case "/is-valid":
      return sendJson(response, { preview: true, viewer: true, search: true, filter: true }, sha);
    case "/splits":
      return sendJson(
        response,
        { splits: listSplits(path, dataset), pending: [], failed: [] },
        sha,
      );
    case "/rows":
      return sendRows(url, response, dataset);
    default:
      return refuse(response, { status: 404, code: "ResponseNotFound", error: "Not found." });
  }
}

function isOpenTo({ gated }: StoredDataset, token: string | undefined): boolean {
  return gated === undefined || gated === token;
}

/** The data set that an address is about, and at the hub its branch, tag or commit. */
function namedIn({ pathname, searchParams }: URL): { path: string; ref: string | undefined } {
  const [, path, ref] = /^\/api\/datasets\/(.+)\/revision\/(.+)$/.exec(pathname) ?? [];
  if (path === undefined || ref === undefined) {
    return { path: searchParams.get("dataset") ?? "", ref: undefined };
  }
  return { path, ref: decodeURIComponent(ref) };
}

function sendFile({ request, response }: Exchange, content: string | Buffer): void {
  const etag = `"${createHash("sha256").update(content).digest("hex")}"`;
  if (request.headers["if-none-match"] === etag) {
    response.writeHead(304, { etag }).end();
    return;
  }
  response.writeHead(200, { etag, "content-type": "text/plain" }).end(content);
}

function listSplits(dataset: string, { splits }: StoredDataset): readonly object[] {
  return Object.keys(splits).map((key) => {
    const [config = "", split = ""] = key.split("/");
    return { dataset, config, split };
  });
}

/** The first page's features, with the type names of `datasets` for a row's values. */
function featuresOf(row: unknown): readonly object[] {
  return Object.entries(row ?? {}).map(([name, value], feature_idx) => ({
    feature_idx,
    name,
    type: { dtype: typeof value === "number" ? "float64" : "string", _type: "Value" },
  }));
}

function sendRows(url: URL, response: ServerResponse, dataset: StoredDataset): void {
  const { searchParams } = url;
  const config = searchParams.get("config") ?? "";
  const split = searchParams.get("split") ?? "";
  const [offset, length] = [
    Number(searchParams.get("offset") ?? 0),
    Number(searchParams.get("length") ?? 100),
  ];
  if (length > 100) {
    const error = "Parameter 'length' must not be greater than 100";
    return refuse(response, { status: 422, code: "InvalidParameter", error });
  }
  const rows = dataset.splits[`${config}/${split}`];
  // A missing split is the server's error, not the requester's.
  if (rows === undefined) {
    return refuse(response, {
      status: 500,
      code: "UnexpectedApiError",
      error: "Unexpected error.",
    });
  }
  const texts = rows.map((row) => (typeof row === "string" ? row : JSON.stringify(row)));
  const page = texts
    .slice(offset, offset + length)
    .map((row, i) => `{"row_idx":${offset + i},"row":${row},"truncated_cells":[]}`);
  const features = JSON.stringify(dataset.features ?? featuresOf(JSON.parse(texts[0] ?? "{}")));
  const rest = `"num_rows_total":${rows.length},"num_rows_per_page":100,"partial":${dataset.partial === true}`;
  const body = `{"features":${features},"rows":[${page.join(",")}],${rest}}`;
  sendText(response, body, dataset.revision ?? revision);
}

function sendRevision(response: ServerResponse, dataset: StoredDataset, ref: string): void {
  const sha = dataset.refs?.[ref] ?? (ref === dataset.revision ? ref : undefined);
  if (sha !== undefined) return sendJson(response, { sha }, undefined);
  response.writeHead(404, {
    "x-error-code": "RevisionNotFound",
    "content-type": "application/json",
  });
  response.end(JSON.stringify({ error: `Invalid rev id: ${ref}` }));
}

export interface ServerError {
  readonly status: number;
  readonly code: string;
  readonly error: string;
}

const unauthenticated: ServerError = {
  status: 401,
  code: "ExternalUnauthenticatedError",
  error:
    "The dataset does not exist, or is not accessible without authentication (private or gated). Please check the spelling of the dataset name or retry with authentication.",
};
const authenticated: ServerError = {
  status: 404,
  code: "ExternalAuthenticatedError",
  error:
    "The dataset does not exist, or is not accessible with the current credentials (private or gated). Please check the spelling of the dataset name or retry with other authentication credentials.",
};

/** An error as the dataset server words it. */
export function refuse(response: ServerResponse, { status, code, error }: ServerError): void {
  response.writeHead(status, {
    "content-type": "application/json",
    "cache-control": "no-store",
    "x-error-code": code,
  });
  response.end(JSON.stringify({ error }));
}

function sendJson(response: ServerResponse, body: unknown, sha: string | undefined): void {
  sendText(response, JSON.stringify(body), sha);
}

function sendText(response: ServerResponse, body: string, sha: string | undefined): void {
  response.writeHead(200, {
    "content-type": "application/json",
    "cache-control": "max-age=120",
    ...(sha !== undefined && { "x-revision": sha }),
  });
  response.end(body);
}
